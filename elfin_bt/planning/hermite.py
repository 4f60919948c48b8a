# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Cubic Hermite segments: the curve that RMP firmware runs between two PVT points.

A segment of length h goes from (p0, v0) to (p1, v1). Its acceleration is linear in time, so the
largest acceleration is at one of the ends and the largest velocity at an end or where the
acceleration crosses zero: limits are checked exactly, without sampling.

Source: RMP documentation, motion streaming (a PVT segment is fixed by its two end points).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def evaluate(u: Array, h: Array, p0: Array, p1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:
    """Position and velocity at the fraction u (0..1) of segments of length h.

    u and h broadcast against the values: pass them as (M, 1) with values (M, J).
    """
    w = 1.0 - u
    position = w * w * ((1.0 + 2.0 * u) * p0 + u * h * v0) + u * u * (
        (1.0 + 2.0 * w) * p1 - w * h * v1
    )
    velocity = 6.0 * u * w / h * (p1 - p0) + w * (1.0 - 3.0 * u) * v0 + u * (1.0 - 3.0 * w) * v1
    return position, velocity


def end_accelerations(h: Array, p0: Array, p1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:
    """Second derivatives at the start and the end of segments of length h."""
    slope = 3.0 * (p1 - p0) / h
    return 2.0 * (slope - 2.0 * v0 - v1) / h, 2.0 * (2.0 * v1 + v0 - slope) / h


def peak_speed(h: Array, p0: Array, p1: Array, v0: Array, v1: Array) -> Array:
    """Largest |velocity| within segments of length h, elementwise."""
    a0, a1 = end_accelerations(h, p0, p1, v0, v1)
    peak = np.maximum(np.abs(v0), np.abs(v1))
    turns = a0 * a1 < 0.0
    vertex = v0 + 0.5 * h * a0 * a0 / np.where(turns, a0 - a1, 1.0)
    return np.where(turns, np.maximum(peak, np.abs(vertex)), peak)

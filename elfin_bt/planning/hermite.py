# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Hermite segments: cubics from (p0, v0) to (p1, v1), quintics with accelerations at the ends too.

A cubic is the curve that RMP firmware runs between two PVT points (source: RMP documentation,
motion streaming: a PVT segment is fixed by its two end points). Its acceleration is linear in time,
so the largest acceleration is at one of the ends and the largest velocity at an end or where the
acceleration crosses zero: limits are checked exactly, without sampling. Quintics join with
continuous acceleration; that is what plans are made of.
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


class Quintic:
    """Quintics over segments of length h, given by the values at both ends.

    h broadcasts against the values: pass it as (M, 1) with values (M, J).
    """

    def __init__(
        self, h: Array, p0: Array, p1: Array, v0: Array, v1: Array, a0: Array, a1: Array
    ) -> None:
        step = p1 - p0 - h * (v0 + (0.5 * h) * a0)
        rise = h * (v1 - v0 - h * a0)
        bend = h * h * (a1 - a0)
        self._h = h
        self._low = p0, v0, a0
        # Coefficients of u^3, u^4 and u^5.
        self._c3 = 10.0 * step - 4.0 * rise + 0.5 * bend
        self._c4 = -15.0 * step + 7.0 * rise - bend
        self._c5 = 6.0 * step - 3.0 * rise + 0.5 * bend

    def evaluate(self, u: Array | float) -> tuple[Array, Array]:
        """Position and velocity at the fraction u (0..1)."""
        p0, v0, a0 = self._low
        h, c3, c4, c5 = self._h, self._c3, self._c4, self._c5
        t = u * h
        position = p0 + t * (v0 + 0.5 * t * a0) + u**3 * (c3 + u * (c4 + u * c5))
        velocity = v0 + t * a0 + u * u * (3.0 * c3 + u * (4.0 * c4 + u * (5.0 * c5))) / h
        return position, velocity

    def acceleration(self, u: Array | float) -> Array:
        """Second derivative at the fraction u."""
        bend = u * (6.0 * self._c3 + u * (12.0 * self._c4 + u * (20.0 * self._c5)))
        result: Array = self._low[2] + bend / (self._h * self._h)
        return result

    def jerk(self, u: Array | float) -> Array:
        """Third derivative at the fraction u."""
        twist = 6.0 * self._c3 + u * (24.0 * self._c4 + u * (60.0 * self._c5))
        result: Array = twist / (self._h * self._h * self._h)
        return result

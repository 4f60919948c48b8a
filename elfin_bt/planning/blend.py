# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A curve of continuous curvature between two curves, in bulk.

It is a cubic spline of three parts of equal duration over its arc length T: its second derivative
goes in straight lines from that of the incoming curve, a0, over two values m1, m2 to that of the
outgoing curve, a1. With unit tangents t0, t1 at the points p0, p1 the two values follow from

    t1 - t0 = T (a0 + 2 m1 + 2 m2 + a1) / 6
    p1 - p0 - T t0 = T^2 (4 a0 / 27 + 2 m1 / 9 + m2 / 9 + a1 / 54)

A cubic Hermite curve could not meet the curvatures, a quintic one bends more abruptly.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def blend(p0: Array, t0: Array, a0: Array, p1: Array, t1: Array, a1: Array, length: Array) -> Array:
    """Cubics (4, D, 3 K): all first parts, all second, all third.

    From points p0 (D, K) with unit tangents t0 and curvatures a0 = d2p/ds2 to p1, t1, a1, over
    about `length` (K,).
    """
    half = 3.0 * (t1 - t0) / length - 0.5 * (a0 + a1)  # m1 + m2
    m1 = 9.0 * ((p1 - p0 - length * t0) / length**2 - 4.0 / 27.0 * a0 - a1 / 54.0) - half
    m2 = half - m1
    h = length / 3.0
    point, velocity = p0, t0
    parts = []
    for begin, end in ((a0, m1), (m1, m2), (m2, a1)):
        there = point + h * velocity + h**2 * (2.0 * begin + end) / 6.0
        later = velocity + 0.5 * h * (begin + end)
        parts.append(np.stack([point, point + h * velocity / 3.0, there - h * later / 3.0, there]))
        point, velocity = there, later
    return np.concatenate(parts, axis=2)

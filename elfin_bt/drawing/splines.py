# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Splines through and along points, as exact cubics."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline

from elfin_bt.drawing.geometry import Array, CubicBezier

# Bernstein polynomials at u = 0, 1/3, 2/3, 1: control points from four places on a cubic.
_BERNSTEIN = np.array([[27, 0, 0, 0], [8, 12, 6, 1], [1, 6, 12, 8], [0, 0, 0, 27]]) / 27.0
_FROM_PLACES = np.linalg.inv(_BERNSTEIN)


def b_spline(points: Array, degree: int, closed: bool) -> BSpline:
    """The B-spline with control points (N, 2), N > degree, for parameters from 0 to 1.

    Open: knots clamped and otherwise uniform, so that it touches the first and the last point.
    Closed: periodic with uniform knots.
    """
    if closed:
        points = np.vstack([points, points[:degree]])
        spans = len(points) - degree
        knots = np.arange(-degree, spans + degree + 1) / spans
    else:
        spans = len(points) - degree
        knots = np.concatenate([np.zeros(degree), np.arange(spans + 1) / spans, np.ones(degree)])
    return BSpline(knots, points, degree)


def as_cubics(spline: BSpline) -> list[CubicBezier]:
    """A B-spline of degree 3 or less as one cubic for each of its spans; exact."""
    spans = len(spline.c) - spline.k
    u = (np.arange(spans)[:, None] + np.arange(4) / 3.0) / spans
    # Just below 1: the last knot belongs to the last span.
    places = spline(np.minimum(u, np.nextafter(1.0, 0.0)))
    return [CubicBezier(*control) for control in _FROM_PLACES @ places]


def through(points: Array, closed: bool) -> list[CubicBezier]:
    """The centripetal Catmull-Rom curve through points (N, 2), no two in a row the same.

    The ends of an open curve are extended by their mirror images. (P. J. Barry and R. N. Goldman,
    A Recursive Evaluation Algorithm for a Class of Catmull-Rom Splines, SIGGRAPH 1988.)
    """
    if closed:
        extended = np.vstack([points[-1:], points, points[:2]])
    else:
        extended = np.vstack(
            [2.0 * points[0] - points[1], points, 2.0 * points[-1] - points[-2]],
        )
    chord = np.diff(extended, axis=0)
    step = np.sqrt(np.hypot(*chord.T))[:, None]
    before, here, after = step[:-2], step[1:-1], step[2:]
    slope = chord / step
    # Derivatives by the parameter of the span at its two ends.
    leave = here * (slope[:-2] + slope[1:-1] - (chord[:-2] + chord[1:-1]) / (before + here))
    arrive = here * (slope[1:-1] + slope[2:] - (chord[1:-1] + chord[2:]) / (here + after))
    starts, ends = extended[1:-2], extended[2:-1]
    return [
        CubicBezier(p, p + m / 3.0, q - n / 3.0, q)
        for p, q, m, n in zip(starts, ends, leave, arrive, strict=True)
    ]

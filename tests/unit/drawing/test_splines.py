# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Splines against their own definitions."""

import numpy as np
import pytest

from elfin_bt.drawing import splines

POINTS = np.array([(0, 0), (3, 5), (7, -2), (10, 4), (12, 0), (15, 1)], dtype=float)


def cox_de_boor(points, knots, degree, t):
    """One point of a B-spline, by the recursion of its basis functions."""

    def basis(i, k):
        if k == 0:
            return 1.0 if knots[i] <= t < knots[i + 1] else 0.0
        total = 0.0
        if knots[i + k] > knots[i]:
            total += (t - knots[i]) / (knots[i + k] - knots[i]) * basis(i, k - 1)
        if knots[i + k + 1] > knots[i + 1]:
            share = (knots[i + k + 1] - t) / (knots[i + k + 1] - knots[i + 1])
            total += share * basis(i + 1, k - 1)
        return total

    return sum(basis(i, degree) * point for i, point in enumerate(points))


def on(cubics, t):
    """The point at t, 0 to 1, on cubics of equal shares."""
    at = min(int(t * len(cubics)), len(cubics) - 1)
    return cubics[at].point(t * len(cubics) - at)[0]


@pytest.mark.parametrize('degree', [1, 2, 3])
def test_an_open_spline(degree):
    spans = len(POINTS) - degree
    knots = [0.0] * degree + [i / spans for i in range(spans + 1)] + [1.0] * degree
    cubics = splines.as_cubics(splines.b_spline(POINTS, degree, closed=False))
    assert len(cubics) == spans
    for t in np.linspace(0, 0.999, 23):
        np.testing.assert_allclose(on(cubics, t), cox_de_boor(POINTS, knots, degree, t), atol=1e-9)
    np.testing.assert_allclose([cubics[0].start, cubics[-1].end], POINTS[[0, -1]], atol=1e-9)


@pytest.mark.parametrize('degree', [1, 2, 3])
def test_a_closed_spline_is_smooth_all_round(degree):
    cubics = splines.as_cubics(splines.b_spline(POINTS, degree, closed=True))
    assert len(cubics) == len(POINTS)
    for before, after in zip(cubics, cubics[1:] + cubics[:1], strict=True):
        np.testing.assert_allclose(before.end, after.start, atol=1e-9)
        if degree > 1:
            np.testing.assert_allclose(before.derivative(1), after.derivative(0), atol=1e-9)


def test_a_closed_cubic_passes_a_sixth_beside_its_points():
    # A uniform cubic B-spline at a knot: (P0 + 4 P1 + P2) / 6.
    cubics = splines.as_cubics(splines.b_spline(POINTS, 3, closed=True))
    np.testing.assert_allclose(cubics[0].start, (POINTS[0] + 4 * POINTS[1] + POINTS[2]) / 6)


def barry_goldman(p, t):
    """The point at t, 0 to 1, between p[1] and p[2], by the pyramid of the paper."""
    knots = np.concatenate([[0], np.cumsum(np.sqrt(np.hypot(*np.diff(p, axis=0).T)))])
    x = knots[1] + t * (knots[2] - knots[1])

    def mix(a, b, i, j):
        return (a * (knots[j] - x) + b * (x - knots[i])) / (knots[j] - knots[i])

    a = [mix(p[i], p[i + 1], i, i + 1) for i in range(3)]
    b = [mix(a[i], a[i + 1], i, i + 2) for i in range(2)]
    return mix(b[0], b[1], 1, 2)


@pytest.mark.parametrize('closed', [False, True])
def test_a_curve_through_points(closed):
    cubics = splines.through(POINTS, closed)
    count = len(POINTS)
    assert len(cubics) == count - (not closed)
    if closed:
        padded = np.vstack([POINTS[-1:], POINTS, POINTS[:2]])
    else:
        ends = 2 * POINTS[0] - POINTS[1], 2 * POINTS[-1] - POINTS[-2]
        padded = np.vstack([ends[0], POINTS, ends[1]])
    for i, cubic in enumerate(cubics):
        np.testing.assert_allclose(
            [cubic.start, cubic.end], [POINTS[i], POINTS[(i + 1) % count]], atol=1e-9
        )
        for t in (0.2, 0.5, 0.9):
            expected = barry_goldman(padded[i : i + 4], t)
            np.testing.assert_allclose(cubic.point(t)[0], expected, atol=1e-9)

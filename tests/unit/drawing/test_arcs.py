# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Arcs against properties that define them, and against the SVG flag rules drawn by hand."""

import math

import numpy as np
import pytest

from elfin_bt.drawing.arcs import centre_form
from elfin_bt.drawing.geometry import EllipseArc


def arc_between(start, end, radii, rotation, large, sweep):
    """The arc between two points as a segment; None for a line."""
    frame = centre_form(complex(*start), complex(*end), radii, rotation, large, sweep)
    if frame is None:
        return None
    vectors = [(z.real, z.imag) for z in frame[:3]]
    return EllipseArc(*vectors, frame.start_angle, frame.sweep)


def implicit(arc, rx, ry, rotation, points):
    """Left side of the ellipse equation, 1 on the ellipse."""
    d = points - arc.centre
    x = math.cos(rotation) * d[:, 0] + math.sin(rotation) * d[:, 1]
    y = -math.sin(rotation) * d[:, 0] + math.cos(rotation) * d[:, 1]
    return (x / rx) ** 2 + (y / ry) ** 2


@pytest.mark.parametrize('large', [False, True])
@pytest.mark.parametrize('sweep', [False, True])
@pytest.mark.parametrize('rotation', [0.0, 0.5, -2.0])
def test_an_arc_joins_its_ends_on_its_ellipse(large, sweep, rotation):
    start, end, rx, ry = (3.0, -1.0), (8.0, 4.0), 9.0, 5.0
    arc = arc_between(start, end, (rx, ry), rotation, large, sweep)
    np.testing.assert_allclose(arc.start, start, atol=1e-12)
    np.testing.assert_allclose(arc.end, end, atol=1e-12)
    points = arc.point(np.linspace(0, 1, 50))
    np.testing.assert_allclose(implicit(arc, rx, ry, rotation, points), 1.0, atol=1e-12)
    assert (abs(arc.sweep) > math.pi) == large
    assert (arc.sweep > 0) == sweep


def test_quarter_circle_by_hand():
    # From 3 to 6 o'clock around the origin, clockwise on the screen (y is down).
    arc = arc_between((1, 0), (0, 1), (1, 1), 0.0, large=False, sweep=True)
    np.testing.assert_allclose(arc.centre, [0, 0], atol=1e-15)
    np.testing.assert_allclose(arc.point(0.5)[0], [math.sqrt(0.5), math.sqrt(0.5)])


def test_radii_that_are_too_small_grow_until_they_span_the_ends():
    # SVG 2, B.2.5: the ends become a diameter of the scaled ellipse, here of a circle.
    arc = arc_between((10, 50), (90, 50), (5, 5), 0.0, large=False, sweep=True)
    np.testing.assert_allclose(arc.centre, [50, 50], atol=1e-12)
    assert arc.radii() == pytest.approx((40, 40))
    np.testing.assert_allclose(arc.point(0.5)[0], [50, 10], atol=1e-12)


def test_growing_keeps_the_ratio_of_the_radii():
    arc = arc_between((0, 0), (80, 0), (10, 5), 0.0, large=False, sweep=True)
    assert arc.radii() == pytest.approx((40, 20))


def test_negative_radii_count_as_positive():
    positive = arc_between((0, 0), (5, 5), (6, 4), 0.3, True, False)
    negative = arc_between((0, 0), (5, 5), (-6, -4), 0.3, True, False)
    assert positive == negative


def test_a_zero_radius_is_a_line():
    assert arc_between((0, 0), (5, 5), (0, 4), 0.0, False, True) is None


def test_a_half_circle_keeps_its_side():
    above = arc_between((0, 0), (10, 0), (5, 5), 0.0, large=False, sweep=True)
    below = arc_between((0, 0), (10, 0), (5, 5), 0.0, large=False, sweep=False)
    assert isinstance(above, EllipseArc) and isinstance(below, EllipseArc)
    np.testing.assert_allclose([above.point(0.5)[0], below.point(0.5)[0]], [[5, -5], [5, 5]])

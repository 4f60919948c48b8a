# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Closed strokes begin where the pen comes past."""

import numpy as np
import pytest

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.geometry import EllipseArc
from elfin_bt.drawing.start_points import with_free_starts

from .pen_drawings import apart, circle, ink, is_joined, polyline, travel, wave


def test_circles_in_a_row_begin_where_they_are_nearest():
    circles = [circle(20 * i, 0, 5, start=np.pi) for i in range(4)]
    result = with_free_starts(circles)
    # Each begins and ends at one place, so the way is along the tops or through the sides.
    assert travel(result) < travel(circles)
    assert apart(result, circles) < 1e-6
    assert all(len(o.segments) == 1 and o.closed for o in result)


def test_polygons_begin_at_corners():
    far, square = (
        polyline((100, 1), (50, 1)),
        polyline((0, 0), (10, 0), (10, 10), (0, 10), closed=True),
    )
    _, result = with_free_starts([far, square])
    np.testing.assert_array_equal(result.segments[0].start, (10, 0))
    assert is_joined(result) and result.closed and len(result.segments) == 4


def test_a_curve_is_cut_where_the_stroke_begins():
    halves = tuple(EllipseArc((0, 0), (5, 0), (0, 5), a, np.pi) for a in (0.0, np.pi))
    ring = Outline(halves, closed=True)
    _, result = with_free_starts([polyline((0, 50), (0, 20)), ring])
    np.testing.assert_allclose(result.segments[0].start, (0, 5), atol=1e-9)
    assert len(result.segments) == 3 and is_joined(result)
    np.testing.assert_allclose(result.segments[-1].end, result.segments[0].start, atol=1e-9)
    assert ink([result]) == pytest.approx(10 * np.pi)


def test_open_strokes_and_single_ones_stay():
    outlines = [wave(0, 0), wave(0, 30)]
    assert with_free_starts(outlines) == outlines
    assert with_free_starts([circle(0, 0, 5)]) == [circle(0, 0, 5)]

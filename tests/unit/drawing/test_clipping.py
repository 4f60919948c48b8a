# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Cutting exact paths at exact boundaries."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.area import TOLERANCE_MM, Area, Work
from elfin_bt.drawing.clipping import Path, clip_path
from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.drawing.region import Clip, Region, closed_loop, rectangle
from elfin_bt.drawing.transforms import IDENTITY

CIRCLE = EllipseArc((0, 0), (10, 0), (0, 10), 0, 2 * math.pi)


def area(*loops, rule='nonzero'):
    return Area(Clip((Region(tuple(map(tuple, loops)), rule),)), Work())


def square(size):
    return rectangle(-size, -size, 2 * size, 2 * size, IDENTITY).loops[0]


def clipped(segments, clip, closed=False):
    return clip_path(Path(tuple(segments), closed), [clip], Work())


def test_curves_are_cut_on_the_exact_crossing():
    # A line at y = 6 meets a circle of radius 10 at x = 8.
    (path,) = clipped([Line((-20, 6), (20, 6))], area([CIRCLE]))
    np.testing.assert_allclose([path.segments[0].start, path.segments[0].end], [[-8, 6], [8, 6]])
    # And the circle is cut by the square around |x|, |y| < 8 at (8, 6) and the like.
    pieces = clipped([CIRCLE], area(square(8)), closed=True)
    assert len(pieces) == 4 and all(isinstance(s, EllipseArc) for p in pieces for s in p.segments)
    for piece in pieces:
        for point in (piece.segments[0].start, piece.segments[-1].end):
            assert np.abs(point).max() == pytest.approx(8, abs=1e-9)
            assert np.hypot(*point) == pytest.approx(10, abs=1e-9)


def test_arcs_stay_arcs_and_curves_curves():
    curve = CubicBezier((-20, 0), (-5, 30), (5, -30), (20, 0))
    (path,) = clipped([curve], area([CIRCLE]))
    (piece,) = path.segments
    assert isinstance(piece, CubicBezier)
    assert [np.hypot(*piece.start), np.hypot(*piece.end)] == pytest.approx([10, 10], abs=1e-9)


def test_what_is_inside_is_returned_as_it_is():
    path = Path((Line((1, 1), (2, 2)),), closed=False)
    assert clip_path(path, [area([CIRCLE])], Work()) == [path]
    assert clip_path(path, [area(square(3))], Work())[0] is path


def test_a_path_along_the_boundary_is_inside():
    assert len(clipped([CIRCLE], area([CIRCLE]), closed=True)) == 1
    (path,) = clipped(square(5), area(square(5)), closed=True)
    assert path.closed


def test_a_closed_path_is_joined_over_its_start():
    # The circle starts at (10, 0), which is inside; only its left end is cut off.
    right = rectangle(-5, -50, 100, 100, IDENTITY).loops[0]
    (path,) = clipped([CIRCLE], area(right), closed=True)
    assert not path.closed and len(path.segments) == 2
    np.testing.assert_allclose(path.segments[0].end, path.segments[1].start, atol=1e-12)
    assert [path.segments[0].start[0], path.segments[1].end[0]] == pytest.approx([-5, -5])


def test_a_touch_from_outside_leaves_nothing():
    assert not clipped([Line((0, 20), (10, 10)), Line((10, 10), (20, 20))], area(square(10)))


def test_fill_rules():
    loops = square(10), square(5)
    through = [Line((-20, 0), (20, 0))]
    assert len(clipped(through, area(*loops))) == 1
    assert len(clipped(through, area(*loops, rule='evenodd'))) == 2


def test_an_empty_clip_holds_nothing():
    assert not clipped([Line((0, 0), (1, 1))], Area(Clip(()), Work()))


def test_open_loops_are_closed():
    loop = closed_loop((Line((0, 0), (5, 0)), Line((5, 0), (5, 5))))
    assert len(loop) == 3 and tuple(loop[-1].end) == (0, 0)
    assert closed_loop(loop) == loop


coordinate = st.floats(-20, 20).map(lambda value: round(value, 3))
points = st.tuples(coordinate, coordinate)


@settings(max_examples=30)
@given(st.lists(points, min_size=2, max_size=8), st.lists(points, min_size=4, max_size=4))
def test_inside_and_outside_make_up_the_whole(polyline, control):
    """Cut by an area and by its complement, no length is lost or drawn twice."""
    outer = square(30)
    lines = [Line(a, b) for a, b in zip(polyline, polyline[1:], strict=False) if a != b]
    segments = [*lines, CubicBezier(polyline[-1], *control[1:])]
    inside = area([CIRCLE])
    outside = area(outer, [CIRCLE], rule='evenodd')
    whole = sum(s.length() for s in segments)
    parts = [*clipped(segments, inside), *clipped(segments, outside)]
    total = sum(s.length() for path in parts for s in path.segments)
    # Where the path runs along the circle, within the tolerance, it is inside of both.
    assert total == pytest.approx(whole, abs=1.0) and total >= whole - 50 * TOLERANCE_MM
    for path in clipped(segments, inside):
        for segment in path.segments:
            away = np.hypot(*segment.point(np.linspace(0, 1, 20)).T)
            assert away.max() <= 10 + 3 * TOLERANCE_MM

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Basic shapes as paths, by hand."""

import math

import numpy as np
import pytest

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import EllipseArc, Line
from elfin_bt.drawing.shapes import shape_subpaths
from elfin_bt.drawing.units import LengthBase


def shape(tag, **attributes):
    values = {name.replace('_', '-'): str(value) for name, value in attributes.items()}
    return shape_subpaths(tag, values, LengthBase((200.0, 100.0), font_size=10.0))


def only(tag, **attributes):
    (subpath,), complaint = shape(tag, **attributes)
    assert complaint is None
    return subpath


def corners(subpath):
    return [tuple(subpath.segments[0].start), *(tuple(s.end) for s in subpath.segments)]


def test_line():
    line = only('line', x1=1, y1='2', x2='10%', y2='10%')
    assert corners(line) == [(1, 2), (20, 10)] and not line.closed


def test_line_defaults_are_zero():
    assert corners(only('line', x2=5)) == [(0, 0), (5, 0)]


def test_polyline_is_open_and_polygon_is_closed():
    polyline, polygon = (
        only('polyline', points='0,0 5,0 5-5'),
        only('polygon', points='0 0 5 0 5-5'),
    )
    assert corners(polyline) == [(0, 0), (5, 0), (5, -5)] and not polyline.closed
    assert corners(polygon) == [(0, 0), (5, 0), (5, -5), (0, 0)] and polygon.closed


def test_points_with_an_error_are_read_up_to_it():
    (subpath,), complaint = shape('polyline', points='0 0 5 0 5')
    assert corners(subpath) == [(0, 0), (5, 0)] and 'odd' in complaint
    (subpath,), complaint = shape('polyline', points='0 0 5 0 x 7')
    assert corners(subpath) == [(0, 0), (5, 0)] and 'error' in complaint
    assert shape('polyline', points='') == ([], None)
    assert shape('polyline', points='3 4') == ([], None)


def test_rect_runs_clockwise_from_its_top_left():
    rect = only('rect', x=1, y=2, width=10, height=20)
    assert corners(rect) == [(1, 2), (11, 2), (11, 22), (1, 22), (1, 2)] and rect.closed


def test_rounded_rect_alternates_lines_and_quarter_arcs():
    rect = only('rect', width=20, height=10, rx=3, ry=2)
    assert [s.kind for s in rect.segments] == ['line', 'arc'] * 4
    for before, after in zip(rect.segments, (*rect.segments[1:], rect.segments[0]), strict=True):
        np.testing.assert_allclose(before.end, after.start, atol=1e-12)
    np.testing.assert_allclose(rect.segments[0].start, (3, 0))
    np.testing.assert_allclose(rect.segments[1].end, (20, 2))


@pytest.mark.parametrize(
    ('attributes', 'radii', 'lines'),
    [
        ({'rx': 3}, (3, 3), 4),
        ({'ry': 3}, (3, 3), 4),
        ({'rx': 'auto', 'ry': 3}, (3, 3), 4),
        ({'rx': -1, 'ry': 3}, (3, 3), 4),
        # Both are clamped to half of their side.
        ({'rx': 50}, (10, 5), 0),
        ({'rx': 2, 'ry': 50}, (2, 5), 2),
        ({'rx': 50, 'ry': 2}, (10, 2), 2),
    ],
)
def test_rect_radii(attributes, radii, lines):
    rect = only('rect', width=20, height=10, **attributes)
    arcs = [s for s in rect.segments if isinstance(s, EllipseArc)]
    assert len(arcs) == 4 and len(rect.segments) == 4 + lines
    for arc in arcs:
        assert (arc.axis_u[0], arc.axis_v[1]) == radii


def test_rect_with_one_radius_zero_is_sharp():
    assert all(isinstance(s, Line) for s in only('rect', width=9, height=9, rx=0, ry=4).segments)


def test_circle_starts_at_three_o_clock_towards_six():
    (arc,) = only('circle', cx=10, cy=20, r=5).segments
    np.testing.assert_allclose(arc.point([0, 0.25, 0.5]), [(15, 20), (10, 25), (5, 20)])
    assert arc.sweep == 2 * math.pi


def test_radius_percent_is_of_the_diagonal():
    (arc,) = only('circle', r='10%').segments
    assert arc.axis_u[0] == pytest.approx(math.hypot(200, 100) / math.sqrt(2) / 10)


def test_ellipse_with_one_radius_is_a_circle():
    (arc,) = only('ellipse', rx=4).segments
    assert arc.radii() == (4, 4)
    (arc,) = only('ellipse', rx=4, ry=2).segments
    assert arc.radii() == (4, 2)


@pytest.mark.parametrize(
    ('tag', 'attributes'),
    [
        ('rect', {}),
        ('rect', {'width': 5}),
        ('rect', {'width': 5, 'height': -1}),
        ('circle', {}),
        ('circle', {'r': -3}),
        ('ellipse', {'rx': 4, 'ry': 0}),
        ('path', {}),
        ('path', {'d': 'none'}),
    ],
)
def test_shapes_of_no_size_are_not_rendered(tag, attributes):
    assert shape(tag, **attributes) == ([], None)


def test_a_wrong_length_is_named_and_counts_as_absent():
    (subpath,), complaint = shape('line', x1='abc', x2='7')
    assert corners(subpath) == [(0, 0), (7, 0)] and "x1='abc'" in complaint


def test_a_length_that_is_no_number_is_refused():
    with pytest.raises(SvgError, match='NaN'):
        shape('line', x1='NaN', x2='7')


def test_font_units_are_of_the_font_size():
    assert corners(only('line', x2='2em')) == [(0, 0), (20, 0)]


def test_path_data_of_a_css_property():
    assert corners(only('path', d='path("M1 2h3")')) == [(1, 2), (4, 2)]

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Fewer lines, the same drawing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.simplify import simplified

from .pen_drawings import apart, circle, is_joined, polyline, wave

STEPS = st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=2, max_size=60)


def test_corners_on_a_line_are_left_out():
    (line,) = simplified([polyline(*((0.01 * i, 0.0) for i in range(1001)))], 0.01)
    (only,) = line.segments
    np.testing.assert_allclose([only.start, only.end], [(0, 0), (10, 0)])


def test_a_corner_beyond_the_tolerance_stays():
    roof = polyline((0, 0), (5, 0.05), (10, 0))
    assert len(simplified([roof], 0.04)[0].segments) == 2
    assert len(simplified([roof], 0.08)[0].segments) == 1


def test_there_and_back_stays():
    (line,) = simplified([polyline((0, 0), (10, 0), (0, 0))], 0.1)
    assert len(line.segments) == 2


def test_curves_and_arcs_stay_exact():
    outlines = [circle(0, 0, 5), wave(0, 20)]
    assert simplified(outlines, 0.1) == outlines


def test_lines_between_curves_are_simplified_where_they_are():
    lines = polyline((10, 0), (12, 0.001), (14, 0)).segments
    mixed = polyline((0, 0), (1, 1))
    mixed = type(mixed)((*wave(0, 0).segments, *lines, *wave(14, 0).segments))
    (result,) = simplified([mixed], 0.01)
    assert [s.kind for s in result.segments] == ['curve', 'line', 'curve']
    assert is_joined(result)


def test_a_circle_of_many_lines_keeps_its_shape():
    angle = np.linspace(0, 2 * np.pi, 2001)
    given_ = polyline(*(20 * np.column_stack([np.cos(angle), np.sin(angle)])))
    result = simplified([given_], 0.02)
    # Chords within t of a radius r: n = pi / acos(1 - t / r) = 70 at the least.
    assert 70 <= len(result[0].segments) <= 160
    assert apart([given_], result) <= 0.02


def test_a_dot_stays_a_dot():
    dots = [polyline((3, 3), (3, 3)), polyline((4, 4), (4, 4), (4, 4))]
    for outline in simplified(dots, 0.1):
        assert len(outline.segments) == 1 and outline.segments[0].length() == 0


@settings(max_examples=40, deadline=None)
@given(STEPS, st.sampled_from([0.01, 0.1, 1.0]))
def test_nothing_moves_by_more_than_the_tolerance(steps, tolerance):
    outline = polyline(*np.cumsum(steps, axis=0))
    result = simplified([outline], tolerance)
    assert apart([outline], result) <= tolerance + 1e-6
    assert is_joined(result[0])
    np.testing.assert_array_equal(result[0].segments[0].start, outline.segments[0].start)
    np.testing.assert_array_equal(result[0].segments[-1].end, outline.segments[-1].end)


@pytest.mark.parametrize('outlines', [[], [circle(0, 0, 1)]])
def test_nothing_to_simplify(outlines):
    assert simplified(outlines, 0.1) == outlines

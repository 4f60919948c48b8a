# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn twice is drawn once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.duplicates import without_duplicates
from elfin_bt.drawing.strokes import turned_round

from .pen_drawings import apart, circle, ink, is_joined, polyline, wave


@pytest.mark.parametrize('first', [polyline((0, 0), (30, 0)), wave(0, 0), circle(5, 5, 3)])
def test_the_same_again_goes_either_way_round(first):
    assert without_duplicates([first, first, turned_round(first)], 0.05) == [first]


def test_what_is_almost_the_same_goes():
    lines = [polyline((0, y), (30, y)) for y in (0.0, 0.04, 0.2)]
    assert without_duplicates(lines, 0.05) == [lines[0], lines[2]]


def test_a_common_edge_is_drawn_once():
    left = polyline((0, 0), (10, 0), (10, 10), (0, 10), closed=True)
    right = polyline((10, 0), (20, 0), (20, 10), (10, 10), closed=True)
    result = without_duplicates([left, right], 0.05)
    assert result[0] == left
    assert len(result) == 2 and not result[1].closed and is_joined(result[1])
    assert ink(result) == pytest.approx(70)


def test_a_path_is_cut_where_its_middle_goes():
    short, long = polyline((10, 0), (20, 0)), polyline((0, 0), (10, 0), (20, 0), (30, 0))
    result = without_duplicates([short, long], 0.05)
    assert [ink([o]) for o in result] == pytest.approx([10, 10, 10])


def test_crossing_and_parallel_lines_stay():
    lines = [polyline((0, 0), (10, 10)), polyline((0, 10), (10, 0)), polyline((0, 1), (10, 11))]
    assert without_duplicates(lines, 0.05) == lines


def test_neighbours_shorter_than_the_tolerance_stay():
    path = polyline(*((0.001 * i, 0) for i in range(300)))
    assert ink(without_duplicates([path], 0.05)) == pytest.approx(ink([path]))


def test_a_dot_is_drawn_once_and_takes_no_line_with_it():
    dot, line = polyline((5, 0), (5, 0)), polyline((5, 0), (5.02, 0))
    assert without_duplicates([dot, dot, line], 0.05) == [dot, line]


def test_ten_thousand_copies_are_quick():
    lines = [polyline((0, 0), (10, 0.000001 * i)) for i in range(10_000)]
    assert len(without_duplicates(lines, 0.05)) == 1


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)),
        min_size=1,
        max_size=25,
    )
)
def test_the_ink_is_the_same_set(ends):
    lines = [polyline((10 * a, 10 * b), (10 * c, 10 * d)) for a, b, c, d in ends]
    result = without_duplicates(lines, 0.05)
    assert apart(lines, result) <= 0.05
    keys = {frozenset(map(tuple, np.round([s.start, s.end]))) for o in result for s in o.segments}
    assert len(keys) == sum(len(o.segments) for o in result)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Ends that touch are joined."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.fragments import Fragments
from elfin_bt.drawing.geometry import EllipseArc
from elfin_bt.drawing.merge import merged
from elfin_bt.drawing.strokes import turned_round

from .pen_drawings import apart, circle, ink, is_joined, polyline, wave


def test_touching_lines_become_one():
    lines = [polyline((0, 0), (10, 0)), polyline((20, 5), (10, 0)), polyline((20, 5), (30, 5))]
    (one,) = merged(lines, 0.1)
    assert is_joined(one) and len(one.segments) == 3


def test_a_small_gap_is_bridged_by_a_line():
    lines = [polyline((0, 0), (10, 0)), polyline((10.08, 0), (20, 0))]
    (one,) = merged(lines, 0.1)
    assert is_joined(one) and ink([one]) == pytest.approx(20)
    assert len(merged(lines, 0.05)) == 2


def test_rounding_between_ends_needs_no_line():
    lines = [polyline((0, 0), (10, 0)), polyline((10.0001, 0), (20, 0))]
    (one,) = merged(lines, 0.1)
    assert len(one.segments) == 2 and is_joined(one)


@pytest.mark.parametrize('turned', [False, True])
def test_a_gap_of_microns_is_closed_by_moving_an_end(turned):
    curve, arc = wave(0, 0), Outline((EllipseArc((15, 0.005), (5, 0), (0, 5), np.pi, 1.0),))
    pair = [turned_round(arc), turned_round(curve)] if turned else [curve, arc]
    (one,) = merged(pair, 0.1)
    assert sorted(s.kind for s in one.segments) == ['arc', 'curve'] and is_joined(one)
    assert 0 < apart([one], [curve, arc]) <= 0.005
    # Between two arcs only a line helps.
    (ring,) = merged([arc, turned_round(replace(arc, segments=(_mirrored(arc.segments[0]),)))], 0.1)
    assert [s.kind for s in ring.segments] == ['arc', 'line', 'arc'] and is_joined(ring)


def _mirrored(arc):
    """The arc on the other side of y = 0."""
    return arc.transformed([[1, 0, 0], [0, -1, 0]])


def test_at_a_crossing_the_straight_ways_are_joined():
    arms = [polyline((x, y), (0, 0)) for x, y in ((-9, 0), (0, 9), (9, 0), (0, -9))]
    result = merged(arms, 0.1)
    assert sorted(tuple(o.segments[0].start - o.segments[-1].end) for o in result) == [
        (-18.0, 0.0),
        (0.0, 18.0),
    ]


def test_a_ring_of_pieces_closes():
    corners = [(0, 0), (10, 0), (10, 10), (0, 10)]
    sides = [polyline(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    (ring,) = merged(sides, 0.1)
    assert ring.closed and is_joined(ring)


def test_only_what_looks_the_same_is_joined():
    red, blue = (
        polyline((0, 0), (10, 0), colour='#ff0000'),
        polyline((10, 0), (20, 0), colour='#00f'),
    )
    inner = polyline((20, 0), (30, 0), colour='#00f', layer='other')
    assert merged([red, blue, inner], 0.1) == [red, blue, inner]


def test_closed_outlines_stay_as_they_are():
    outlines = [circle(0, 0, 5), polyline((5, 0), (9, 0)), circle(14, 0, 5)]
    assert merged(outlines, 0.1) == outlines


def test_chains_never_become_rings():
    fragments = Fragments(3)
    assert fragments.join(1, 2) and fragments.join(3, 4)
    assert not fragments.join(5, 0)  # the two ends of one chain
    assert not fragments.join(1, 4)  # joined already
    assert list(fragments.chains()) == [[(0, False), (1, False), (2, False)]]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=25))
def test_merging_never_changes_the_ink(ends):
    lines = [polyline((a, b), (c, d)) for a, b, c, d in ends]
    result = merged(lines, 0.1)
    assert len(result) <= len(lines)
    assert all(is_joined(outline) for outline in result)
    assert apart(lines, result) < 1e-6
    assert ink(result) == pytest.approx(ink(lines))

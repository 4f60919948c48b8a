# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Little travel, everything drawn once."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.order import greedy_tour, ordered
from elfin_bt.drawing.strokes import turned_round
from elfin_bt.drawing.two_opt import shortened

from .pen_drawings import polyline, travel, wave


def random_lines(count, seed, size=200.0, longest=10.0):
    random = np.random.default_rng(seed)
    starts = random.uniform(0, size, (count, 2))
    return [
        polyline(start, start + step)
        for start, step in zip(starts, random.uniform(-longest, longest, (count, 2)), strict=True)
    ]


def identity(outline):
    """The same for both directions of an outline."""
    ends = sorted([tuple(outline.segments[0].start), tuple(outline.segments[-1].end)])
    return ends, [s.kind for s in outline.segments]


def best_travel(outlines, begin=None):
    """The least travel of all orders and directions."""
    best = np.inf
    for order in itertools.permutations(outlines):
        for flips in itertools.product((False, True), repeat=len(order)):
            way = [turned_round(o) if flip else o for o, flip in zip(order, flips, strict=True)]
            first = 0.0 if begin is None else np.hypot(*(way[0].segments[0].start - begin))
            best = min(best, first + travel(way))
    return best


@pytest.mark.parametrize('seed', range(6))
def test_a_few_strokes_are_ordered_as_well_as_can_be(seed):
    outlines = random_lines(4, seed)
    assert travel(ordered(outlines)) == pytest.approx(best_travel(outlines), rel=0.05)


@pytest.mark.parametrize('seed', range(4))
def test_the_way_from_the_pen_counts(seed):
    outlines, begin = random_lines(4, seed), np.array([100.0, -50.0])
    result = ordered(outlines, begin)
    total = np.hypot(*(result[0].segments[0].start - begin)) + travel(result)
    assert total == pytest.approx(best_travel(outlines, begin), rel=0.05)


def test_shuffled_hatching_is_drawn_to_and_fro():
    order = np.random.default_rng(1).permutation(300)
    lines = [polyline((0, 0.5 * i), (100, 0.5 * i)) for i in order]
    assert travel(ordered(lines)) == pytest.approx(299 * 0.5)


def test_exchanges_improve_on_the_greedy_tour():
    outlines = random_lines(400, 3)
    places = np.array([(o.segments[0].start, o.segments[-1].end) for o in outlines]).reshape(-1, 2)
    greedy = greedy_tour(places)

    def length(tour):
        return np.hypot(*(places[tour[1:]] - places[tour[:-1] ^ 1]).T).sum()

    # 2-opt and Or-opt take 10 to 20 % off a greedy tour.
    assert length(shortened(greedy, places)) < 0.92 * length(greedy)


def test_far_clusters_are_visited_one_after_the_other():
    clusters = [
        [
            polyline(*(np.array(o.vectors) + offset))
            for line in random_lines(20, 5, 10, 2)
            for o in line.segments
        ]
        for offset in ((0, 0), (1000, 0), (0, 1000))
    ]
    mixed = [line for lines in zip(*clusters, strict=True) for line in lines]
    result = ordered(mixed)
    long = [t for a, b in itertools.pairwise(result) if (t := travel([a, b])) > 500]
    assert len(long) == 2


def test_strokes_in_one_place():
    dots = [polyline((5, 5), (5, 5))] * 40
    assert ordered(dots) == dots


@pytest.mark.parametrize('outlines', [[], [wave(0, 0)], [wave(0, 0), wave(0, 30)]])
def test_few_strokes(outlines):
    assert sorted(map(identity, ordered(outlines))) == sorted(map(identity, outlines))


COORDINATE = st.one_of(st.floats(0, 100), st.integers(0, 3).map(float))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[COORDINATE] * 4), max_size=40), st.booleans())
def test_every_stroke_stays_and_travel_never_grows(ends, from_somewhere):
    outlines = [polyline((a, b), (c, d)) for a, b, c, d in ends]
    begin = np.array([7.0, 9.0]) if from_somewhere else None
    result = ordered(outlines, begin)
    assert sorted(map(identity, result)) == sorted(map(identity, outlines))
    if begin is None:
        assert travel(result) <= travel(outlines) + 1e-9

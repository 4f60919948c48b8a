# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The pen in the air: where it rests, how high it goes, how it meets the paper."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.planning.moves import drawing_path
from elfin_bt.planning.outline import outline
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.settings import Heights, Sampling, Speeds

from .drawings import dot, polyline, recipe

HEIGHTS = Heights()
SPEEDS = Speeds()


def path_of(*strokes: list, heights: Heights = HEIGHTS, dry_run: bool = False) -> PenPath:
    drawn = outline(replace(recipe(*strokes), near_lifts=tuple(range(len(strokes) - 1))))
    return drawing_path(
        drawn,
        np.array([0.0, 0.0, 0.10]),
        stroke_names=('stroke',) * len(drawn.starts),
        heights=heights,
        speeds=SPEEDS,
        sampling=Sampling(),
        dry_run=dry_run,
    )


def rests(path: PenPath) -> np.ndarray:
    """Points (R, 3) at which the pen rests on the way."""
    return path.points[np.flatnonzero(path.lengths == 0.0)]


def test_the_pen_rests_where_it_meets_and_leaves_the_paper_and_nowhere_else():
    path = path_of(dot(10.0, 0.0), polyline([[40.0, 0.0], [60.0, 0.0]]), dot(62.0, 5.0))
    expected = [[10, 0], [40, 0], [60, 0], [62, 5]]
    np.testing.assert_allclose(rests(path)[:, :2], 1e-3 * np.array(expected), atol=1e-12)
    np.testing.assert_allclose(rests(path)[:, 2], -HEIGHTS.contact_depth, atol=1e-12)


def test_legs_cover_all_rows_and_share_a_row_where_the_pen_goes_on():
    path = path_of(dot(10.0, 0.0), polyline([[40.0, 0.0], [60.0, 0.0]]))
    assert path.legs[0].first == 0
    assert path.legs[-1].last == len(path) - 1
    for before, after in zip(path.legs, path.legs[1:], strict=False):
        resting = path.lengths[before.last] == 0.0
        assert after.first == before.last + resting
    assert sum(path.leg_length(leg) for leg in path.legs) == pytest.approx(path.lengths.sum())


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-80, 80), st.floats(-80, 80)), min_size=2, max_size=5, unique=True)
)
def test_below_clear_the_pen_moves_straight_up_and_down_and_its_path_is_smooth(places):
    path = path_of(*(dot(x, y) for x, y in places))
    low = path.points[:, 2] < HEIGHTS.clear - 1e-9
    assert np.abs(path.tangents[low, :2]).max() <= 1e-9
    h = path.lengths[:, None]
    inside = path.lengths > 0.0
    t, k = path.tangents, path.curvatures
    step = np.diff(t, axis=0) - 0.5 * h * (k[1:] + k[:-1])
    assert np.linalg.norm(step[inside], axis=1).max() <= 0.02
    assert np.linalg.norm(np.diff(t, axis=0)[inside], axis=1).max() <= 0.13
    assert path.points[:, 2].min() == pytest.approx(-HEIGHTS.contact_depth)


@pytest.mark.parametrize(('gap', 'height'), [(0.5, 5.0), (9.0, 5.0), (20.0, 10.0), (90.0, 20.0)])
def test_the_height_grows_with_the_distance(gap, height):
    path = path_of(dot(0.0, 0.0), dot(gap, 0.0))
    travel = next(leg for leg in path.legs if leg.phase == 'travel')
    top = path.points[travel.first : travel.last + 1, 2]
    np.testing.assert_allclose(top, 1e-3 * height, atol=1e-9)


def test_between_places_that_almost_touch_the_moves_are_straight_from_rest_to_rest():
    path = path_of(dot(0.0, 0.0), dot(0.5, 0.0))
    assert len(rests(path)) == 4  # two on the paper, two above
    lift = next(leg for leg in path.legs if leg.phase == 'lift')
    assert not path.curvatures[lift.first : lift.last].any()


def test_the_pen_is_lowered_ever_slower():
    path = path_of(dot(10.0, 0.0))
    plunge = next(leg for leg in path.legs if leg.phase == 'plunge')
    rows = slice(plunge.first, plunge.last)
    height, speed = path.points[rows, 2], path.speeds[rows]
    assert (np.diff(speed) <= 0.0).all()
    np.testing.assert_array_equal(speed[height > HEIGHTS.clear + 1e-9], SPEEDS.travel)
    np.testing.assert_array_equal(speed[height <= HEIGHTS.contact_zone + 1e-9], SPEEDS.contact)


def test_the_pen_settles_on_the_paper_before_it_draws():
    path = path_of(polyline([[0, 0], [20, 0]]), heights=Heights(settle=0.1))
    assert {leg.phase for leg in path.legs if leg.dwell > 0.0} == {'plunge'}
    assert [leg.dwell for leg in path.legs if leg.phase == 'plunge'] == [0.1]


def test_a_dry_run_stays_at_the_height_of_the_lifted_pen():
    path = path_of(polyline([[0, 0], [20, 0]]), dot(30.0, 0.0), dry_run=True)
    assert path.points[:, 2].min() == pytest.approx(HEIGHTS.lift)
    assert [leg.phase for leg in path.legs] == ['approach', 'draw', 'travel', 'retract']

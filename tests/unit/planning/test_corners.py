# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elfin_bt.planning import bezier
from elfin_bt.planning.corners import rounded
from elfin_bt.planning.outline import outline

from .drawings import SHAPES, polyline, recipe

TOLERANCE = 50e-6


def corner_of(angle: float, length: float = 20.0) -> list:
    end = [length + length * np.cos(angle), length * np.sin(angle)]
    return polyline([[0.0, 0.0], [length, 0.0], end])


@pytest.mark.parametrize('degrees', [10.0, 45.0, 90.0, 120.0])
def test_a_corner_is_passed_at_the_tolerance(degrees):
    smooth = rounded(outline(recipe(corner_of(np.radians(degrees)))), TOLERANCE, 0.08)
    assert smooth.curves.shape[2] == 3
    assert smooth.rests.tolist() == [True, False, False]
    middle = bezier.point(smooth.curves[:, :, 1:2], np.array([0.5]))[:, 0]
    assert np.hypot(*(middle - [0.020, 0.0])) == pytest.approx(TOLERANCE, rel=1e-6)


def test_a_shallow_corner_is_rounded_no_more_than_the_speed_needs():
    smooth = rounded(outline(recipe(corner_of(0.01))), TOLERANCE, 0.08)
    # d = v^2 theta / (2 * 0.1 m/s2) on each side
    assert bezier.norm(smooth.curves[0, :, 1] - [0.020, 0.0]) == pytest.approx(3.2e-4, rel=1e-3)


@pytest.mark.parametrize('degrees', [140.0, 179.0, 180.0])
def test_a_sharp_corner_is_kept_and_the_pen_rests_there(degrees):
    smooth = rounded(outline(recipe(corner_of(np.radians(degrees)))), TOLERANCE, 0.08)
    assert smooth.rests.tolist() == [True, True]
    np.testing.assert_allclose(smooth.curves[3, :, 0], [0.020, 0.0], atol=1e-15)


def test_what_is_smooth_already_is_not_touched():
    smooth = rounded(outline(recipe(*SHAPES['circle'])), TOLERANCE, 0.08)
    assert smooth.curves.shape[2] == 16
    assert smooth.rests.sum() == 1


@given(st.integers(0, 10_000), st.integers(2, 30))
def test_between_rests_the_path_is_connected_and_its_direction_continuous(seed, corners):
    rng = np.random.default_rng(seed)
    points = np.cumsum(rng.normal(size=(corners + 2, 2)) * rng.choice([0.05, 1.0, 20.0]), axis=0)
    smooth = rounded(outline(recipe(polyline(points))), TOLERANCE, 0.08)
    curves, inside = smooth.curves, ~smooth.rests[1:]
    gaps = bezier.norm(curves[0, :, 1:] - curves[3, :, :-1])
    turns = bezier.turn(
        bezier.end_tangents(curves[:, :, :-1]), bezier.start_tangents(curves[:, :, 1:])
    )
    assert gaps.max(initial=0.0) < 1e-12
    assert turns[inside].max(initial=0.0) < 1e-4

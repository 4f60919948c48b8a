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


@pytest.mark.parametrize('degrees', [5.0, 10.0, 20.0])
def test_a_corner_is_passed_at_the_tolerance(degrees):
    smooth = rounded(outline(recipe(corner_of(np.radians(degrees)))), TOLERANCE, 0.15)
    assert smooth.rests.tolist() == [True, False, False, False, False]
    assert smooth.peaks.tolist() == [False, False, True, False, False]
    middle = bezier.point(smooth.curves[:, :, 2:3], np.array([0.5]))[:, 0]
    assert np.hypot(*(middle - [0.020, 0.0])) == pytest.approx(TOLERANCE, rel=5e-3)


def test_a_shallow_corner_is_rounded_no_more_than_the_speed_needs():
    smooth = rounded(outline(recipe(corner_of(0.001))), TOLERANCE, 0.08)
    # d^2 = 2.25 sin(theta / 2) v^3 / (0.15 * 10 m/s3) on each side
    assert bezier.norm(smooth.curves[0, :, 1] - [0.020, 0.0]) == pytest.approx(6.197e-4, rel=1e-3)


@pytest.mark.parametrize('degrees', [60.0, 90.0, 120.0])
def test_where_stopping_is_faster_than_a_narrow_blend_the_pen_rests(degrees):
    smooth = rounded(outline(recipe(corner_of(np.radians(degrees)))), TOLERANCE, 0.08)
    assert smooth.rests.tolist() == [True, True]


def test_a_line_runs_into_an_arc_over_a_blend_within_the_tolerance():
    drawn = outline(recipe(*SHAPES['line into arc']))
    smooth = rounded(drawn, TOLERANCE, 0.08)
    assert smooth.rests.sum() == 1
    curves = smooth.curves[
        :, :, smooth.peaks | np.roll(smooth.peaks, 1) | np.roll(smooth.peaks, -1)
    ]
    zero = np.zeros(3)
    length = bezier.lengths(curves, zero, zero + 1.0).sum()
    assert 1e-3 < length < 3.6e-3  # sqrt(24 * 10 mm * 0.05 mm) = 3.46 mm
    u = np.linspace(0.0, 1.0, 50)
    x, y = np.concatenate([bezier.point(curves[:, :, k : k + 1], u) for k in range(3)], axis=1)
    # The line is y = -10 mm up to x = 0, the arc has a radius of 10 mm around the origin.
    off = np.where(x < 0.0, y + 0.010, 0.010 - np.hypot(x, y))
    assert np.abs(off).max() <= TOLERANCE


@pytest.mark.parametrize('name', SHAPES)
def test_between_rests_the_curvature_steps_by_no_more_than_is_noticed(name):
    smooth = rounded(outline(recipe(*SHAPES[name])), TOLERANCE, 0.08)
    curves = smooth.curves
    step = bezier.norm(
        bezier.start_curvatures(curves[:, :, 1:]) - bezier.start_curvatures(curves[::-1, :, :-1])
    )
    assert (step * ~smooth.rests[1:] * 0.08**2).max(initial=0.0) <= 0.01


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

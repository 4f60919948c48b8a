# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Polylines that were curves once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elfin_bt.planning import bezier
from elfin_bt.planning.flattened import ARC, FAIRING, smoothed

U = np.linspace(0.0, 1.0, 9)[:, None]


def lines(points: np.ndarray) -> np.ndarray:
    """Curves (4, 2, M) through points (M + 1, 2), m."""
    return bezier.lines(points[:-1].T, points[1:].T)


def circle(radius: float, step: float, decimals: int = 9) -> np.ndarray:
    angle = np.arange(0.0, 4.0, step)
    points = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.round(points, decimals)


def one(points: np.ndarray) -> np.ndarray:
    curves = lines(points)
    return smoothed(curves, np.zeros(curves.shape[2], dtype=int))


def curvatures(curves: np.ndarray) -> np.ndarray:
    """Signed curvature (9, M), 1/m."""
    first = bezier.derivative(curves[:, :, None], U)
    p0, p1, p2, p3 = curves
    second = 6.0 * ((1 - U) * (p2 - 2 * p1 + p0)[:, None] + U * (p3 - 2 * p2 + p1)[:, None])
    cross = first[0] * second[1] - first[1] * second[0]
    return cross / bezier.norm(first) ** 3


@pytest.mark.parametrize('radius', [0.002, 0.02, 0.08])
def test_a_flattened_circle_is_a_circle_again(radius):
    # Segments of which the arcs are 5 um high: 8 sagitta / chord = turn.
    step = np.sqrt(8.0 * 5e-6 / radius)
    curves = one(circle(radius, step))
    points = bezier.point(curves[:, :, None], U)
    assert np.abs(bezier.norm(points) - radius).max() < 2e-6
    inside = curvatures(curves)[:, 3:-3]
    np.testing.assert_allclose(inside, 1.0 / radius, rtol=0.03)


def test_rounded_coordinates_are_no_vibration():
    # 0.4 mm apart and rounded to 0.01 mm: as it stands the curvature is anything up to 60 / m.
    curves = one(circle(0.02, 0.02, decimals=5))
    inside = curvatures(curves)[:, 5:-5]
    np.testing.assert_allclose(inside, 50.0, rtol=0.2)
    points = bezier.point(curves[:, :, None], U)
    assert np.abs(bezier.norm(points) - 0.02).max() < 10e-6


@pytest.mark.parametrize('step', [2 * np.pi / 12, 0.1])
def test_a_polygon_keeps_its_corners(step):
    points = circle(0.02, step)  # sagittas of 0.7 mm and 25 um
    np.testing.assert_array_equal(one(points), lines(points))


@given(st.integers(0, 10_000))
def test_a_chain_ends_where_it_ended_and_no_vertex_moves_far(seed):
    rng = np.random.default_rng(seed)
    points = circle(0.02, 0.02) + rng.normal(scale=rng.uniform(0.0, 30e-6), size=(200, 2))
    curves = one(points)
    np.testing.assert_array_equal(curves[0, :, 0], points[0])
    np.testing.assert_array_equal(curves[3, :, -1], points[-1])
    np.testing.assert_array_equal(curves[3, :, :-1], curves[0, :, 1:])
    moved = bezier.norm(curves[0, :, 1:] - points[1:-1].T)
    assert moved.max() <= FAIRING + 1e-12


@given(st.integers(0, 10_000))
def test_the_curve_stays_near_the_lines(seed):
    rng = np.random.default_rng(seed)
    steps = rng.uniform(0.3e-3, 0.6e-3, 100)
    heading = np.cumsum(rng.normal(scale=0.05, size=100))
    way = np.stack([steps * np.cos(heading), steps * np.sin(heading)], axis=1)
    points = np.concatenate([np.zeros((1, 2)), np.cumsum(way, axis=0)])
    curves, plain = one(points), lines(points)
    at = bezier.point(curves[:, :, None], U)
    start, leg = plain[0][:, None], (plain[3] - plain[0])[:, None]
    share = np.clip(((at - start) * leg).sum(axis=0) / (leg * leg).sum(axis=0), 0.0, 1.0)
    distance = bezier.norm(at - start - share * leg)
    assert distance.max() <= FAIRING + 2.0 * ARC


def test_tangent_and_curvature_go_on_at_every_vertex():
    curves = one(circle(0.02, 0.02, decimals=5))
    end, begin = bezier.end_tangents(curves)[:, :-1], bezier.start_tangents(curves)[:, 1:]
    assert bezier.turn(end, begin).max() < 1e-6
    bend = curvatures(curves)
    np.testing.assert_allclose(bend[-1, :-1], bend[0, 1:], rtol=1e-3)


def test_strokes_are_smoothed_apart_and_corners_between_chains_stay():
    arc = circle(0.02, 0.02)
    mirrored = arc[-1] + (arc - arc[0]) @ np.diag([1.0, -1.0])
    curves = lines(np.concatenate([arc, mirrored[1:]]))
    count = len(arc) - 1
    for stroke in (np.repeat([0, 1], count), np.zeros(2 * count, dtype=int)):
        result = smoothed(curves, stroke)
        np.testing.assert_array_equal(result[3, :, count - 1], arc[-1])
        np.testing.assert_array_equal(result[0, :, count], arc[-1])
    assert smoothed(curves[:, :, :3], np.zeros(3, dtype=int)) is not None

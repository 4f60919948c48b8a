# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Distances to curves, against dense sampling and by hand; thinning of polylines."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.drawing.nearest import CURVE_TOLERANCE, NearestPath, Parabolas, thin


def nearest(segments):
    return NearestPath(Parabolas.of_segments(segments))


def brute_force(segments, points, rounds=6):
    """Distance by ever finer sampling around the best sample of each segment."""
    result = np.full(len(points), np.inf)
    for segment in segments:
        for row, point in enumerate(points):
            low, high = np.array([0.0]), np.array([1.0])
            for _ in range(rounds):
                u = np.linspace(low, high, 801, axis=1).reshape(-1)
                distance = np.hypot(*(segment.point(u) - point).T)
                # Every local minimum of the sampling is followed up.
                inner = np.pad(distance, 1, constant_values=np.inf)
                best = np.flatnonzero((distance <= inner[:-2]) & (distance <= inner[2:]))
                best = best[np.argsort(distance[best])][:3]
                step = (high[0] - low[0]) / 800
                low, high = np.maximum(u[best] - step, 0.0), np.minimum(u[best] + step, 1.0)
            result[row] = min(result[row], distance.min())
    return result


def random_segments(rng, count):
    for _ in range(count):
        yield Line(*rng.uniform(-0.1, 0.1, (2, 2)))
        yield CubicBezier(*rng.uniform(-0.1, 0.1, (4, 2)))
        yield EllipseArc(*rng.uniform(-0.05, 0.05, (3, 2)), *rng.uniform(-6.0, 6.0, 2))


def test_distance_to_a_line_and_to_its_ends():
    path = nearest([Line([0.0, 0.0], [0.1, 0.0])])
    points = np.array([[0.05, 0.003], [-0.03, 0.04], [0.103, -0.004], [0.02, 0.0]])
    assert_allclose(path.distances(points), [0.003, 0.05, 0.005, 0.0], atol=1e-15)


def test_distance_to_a_dot():
    path = nearest([Line([0.01, 0.02], [0.01, 0.02])])
    assert_allclose(path.distances(np.array([[0.04, 0.06]])), [0.05], atol=1e-15)


def test_distance_to_a_circle_inside_outside_and_at_its_centre():
    path = nearest([EllipseArc([0, 0], [0.01, 0], [0, 0.01], 0.0, math.tau)])
    points = np.array([[0.0, 0.0], [0.0099, 0.0], [0.0, -0.0103], [0.03, 0.04]])
    assert_allclose(
        path.distances(points), [0.01, 0.0001, 0.0003, 0.04], rtol=0, atol=CURVE_TOLERANCE
    )


def test_any_segments_against_dense_sampling():
    rng = np.random.default_rng(7)
    segments = list(random_segments(rng, 4))
    points = rng.uniform(-0.12, 0.12, (40, 2))
    assert_allclose(
        nearest(segments).distances(points), brute_force(segments, points), rtol=0, atol=1e-7
    )


@pytest.mark.parametrize(
    'control',
    [
        [[0, 0], [0.1, 0.1], [0.0, 0.1], [0.1, 0]],  # a loop
        [[0, 0], [0.1, 0.1], [0.0, 0.1], [0.1, 0.001]],
        [[0, 0], [0.06, 0.06], [-0.01, 0.06], [0.05, 0]],  # close to a cusp
        [[0, 0], [0.05, 0], [0.02, 0], [0.03, 0]],  # to and fro on a line
        [[0, 0], [0, 0], [0.01, 0.01], [0.01, 0.01]],  # starts and ends without speed
    ],
)
def test_awkward_cubics_against_dense_sampling(control):
    curve = CubicBezier(*np.array(control, dtype=float))
    grid = np.stack(np.meshgrid(np.linspace(-0.02, 0.12, 8), np.linspace(-0.02, 0.09, 7)), -1)
    points = np.concatenate([grid.reshape(-1, 2), curve.point(np.linspace(0, 1, 9)) + 3e-5])
    assert_allclose(
        nearest([curve]).distances(points), brute_force([curve], points), rtol=0, atol=1e-7
    )


def test_order_and_number_of_points_do_not_matter():
    rng = np.random.default_rng(3)
    path = nearest(list(random_segments(rng, 20)))
    points = rng.uniform(-0.2, 0.2, (1003, 2))
    distances = path.distances(points)
    order = rng.permutation(len(points))
    assert np.array_equal(path.distances(points[order]), distances[order])
    assert np.array_equal(path.distances(points[5:6]), distances[5:6])
    assert path.distances(points[:0]).shape == (0,)


def test_many_pieces_against_all_distances():
    rng = np.random.default_rng(5)
    start, end = rng.uniform(-0.1, 0.1, (2, 3000, 2))
    end = start + 0.02 * (end - start)
    path = NearestPath(Parabolas.of_polylines(list(np.stack([start, end], axis=1))))
    points = rng.uniform(-0.12, 0.12, (200, 2))
    step = end - start
    along = ((points[:, None] - start) * step).sum(-1) / (step * step).sum(-1)
    foot = start + np.clip(along, 0.0, 1.0)[..., None] * step
    expected = np.linalg.norm(points[:, None] - foot, axis=-1).min(axis=1)
    assert_allclose(path.distances(points), expected, rtol=1e-12, atol=1e-15)


def test_no_pieces_is_an_error():
    with pytest.raises(ValueError, match='no geometry'):
        NearestPath(Parabolas.of_polylines([]))


def test_pieces_are_as_close_to_the_curve_as_promised():
    curve = CubicBezier([0, 0], [0.05, 0.1], [-0.02, 0.08], [0.06, 0.0])
    for tolerance in (CURVE_TOLERANCE, 1e-6):
        pieces = Parabolas.of_segments([curve], tolerance)
        u = np.linspace(0.0, 1.0, 40 * len(pieces), endpoint=False)
        piece = np.arange(len(u)) // 40
        there = pieces.point(piece, np.arange(len(u)) % 40 / 40)
        assert np.linalg.norm(there - curve.point(u), axis=1).max() <= tolerance
        assert len(pieces) < 500


def test_a_straight_line_is_thinned_to_its_ends():
    points = np.linspace([0.0, 0.0], [0.1, 0.05], 5000)
    kept = thin(points, 1e-6)
    assert kept[0] == 0 and kept[-1] == 4999
    assert len(kept) <= 6  # one chord spans 1024 steps at most


def test_thinning_keeps_every_point_within_the_tolerance():
    angle = np.linspace(0.0, 6.0, 3001)
    points = 0.02 * np.column_stack([np.cos(angle), np.sin(3 * angle)])
    kept = thin(points, 1e-5)
    lines = NearestPath(Parabolas.of_polylines([points[kept]]))
    assert len(kept) < 400
    assert np.all(np.diff(kept) > 0)
    assert lines.distances(points).max() <= 1e-5


def test_thinning_keeps_a_spike_and_a_way_back():
    x = np.concatenate([np.linspace(0, 0.1, 101), np.linspace(0.099, 0.05, 50)])
    there_and_back = np.column_stack([x, np.zeros_like(x)])
    assert there_and_back[thin(there_and_back, 1e-6), 0].max() == 0.1
    spike = np.column_stack([np.linspace(0, 0.1, 2000), np.zeros(2000)])
    spike[777, 1] = 1e-3
    assert 777 in thin(spike, 1e-6)


@pytest.mark.parametrize('count', [0, 1, 2])
def test_nothing_to_thin(count):
    assert np.array_equal(thin(np.zeros((count, 2)), 1e-6), np.arange(count))

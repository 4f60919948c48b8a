# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Sampled points against the exact geometry, measured densely and without the sampler's tables."""

import numpy as np
import pytest

from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line, nearest_on_chord
from elfin_bt.drawing.path_data import parse_path
from elfin_bt.drawing.sampling import sample_strokes


def dense(segments):
    u = np.linspace(0.0, 1.0, 8000 // len(segments) + 2)
    return np.concatenate([segment.point(u) for segment in segments])


def distance_to_polyline(points, polyline):
    """Largest distance of the points (N, 2) from the polyline (M, 2), chord by chord."""
    best = np.full(len(points), np.inf)
    for a, b in zip(polyline[:-1], polyline[1:], strict=True):
        chord = b - a
        part = np.clip((points - a) @ chord / max(chord @ chord, 1e-300), 0.0, 1.0)
        best = np.minimum(best, np.hypot(*(points - a - part[:, None] * chord).T))
    return best.max()


def distance_to_curve(points, segments):
    """Largest distance of the points (N, 2) from the segments, point by point."""
    curve = dense(segments)
    start, end = curve[:-1], curve[1:]
    return max(np.hypot(*(nearest_on_chord(point, start, end) - point).T).min() for point in points)


def steps(points):
    return np.hypot(*np.diff(points, axis=0).T)


def one(segments, spacing=1.0, tolerance=0.02):
    (points,) = sample_strokes([segments], spacing, tolerance)
    return points


def path(d):
    (subpath,), _ = parse_path(d)
    return subpath.segments


STROKES = {
    'line': [Line((0, 0), (7.3, 0))],
    'zigzag': path('M0 0 10 0 0 .5 10 1 3 7z'),
    'small circle': [EllipseArc((5, 5), (0.5, 0), (0, 0.5), 0, 2 * np.pi)],
    'circle': [EllipseArc((5, 5), (30, 0), (0, 30), 1, -2 * np.pi)],
    'flat ellipse': [EllipseArc((0, 0), (20, 3), (-0.3, 0.2), 0, 5)],
    'loop': path('M0 0C20 20-10 20 10 0'),
    'cusp': path('M0 0C10 10 0 10 10 0'),
    'straight back and forth': [CubicBezier((0, 0), (10, 0), (-5, 0), (5, 0))],
    'mixed': path('M0 0h5a3 3 0 015 5c0 4-9 4-9-2q-3-9 4-9l-.01.003z'),
    'fine polygon': path('M0 0' + 'l.03.01l.02.02l-.01.03l-.03.02' * 60),
}


@pytest.mark.parametrize('tolerance', [0.1, 0.02, 0.002])
@pytest.mark.parametrize('name', STROKES)
def test_chords_and_spacing_keep_their_limits(name, tolerance):
    segments = STROKES[name]
    points = one(segments, 1.0, tolerance)
    assert distance_to_polyline(dense(segments), points) <= tolerance * (1 + 1e-6)
    assert 0.0 < steps(points).min() and steps(points).max() <= 1.0 + 1e-9
    assert distance_to_curve(points, segments) < 1e-4
    np.testing.assert_allclose(points[0], segments[0].start, atol=1e-9)
    np.testing.assert_allclose(points[-1], segments[-1].end, atol=1e-9)


def test_spacing_alone_would_cut_small_circles():
    # The sagitta of a 1 mm step on a radius of 1 mm is 0.12 mm.
    circle = [EllipseArc((0, 0), (1, 0), (0, 1), 0, 2 * np.pi)]
    assert len(one(circle, 1.0, 1.0)) == 8
    assert len(one(circle, 1.0, 0.02)) > 12


def test_tolerance_alone_would_leave_lines_bare():
    points = one([Line((0, 0), (100, 0))], 2.5)
    np.testing.assert_allclose(points, np.column_stack([np.arange(0, 101, 2.5), np.zeros(41)]))


def test_points_are_even_by_arc_length():
    # Bezier speed varies 20 : 1 here; the points must not.
    points = one(path('M0 0C1 0 2 0 100 0'), 1.0, 0.1)
    assert steps(points).max() / steps(points).min() < 1.05


def test_corners_are_points():
    points = one(path('M0 0H10.5V3.25H0'))
    for corner in ((10.5, 0), (10.5, 3.25)):
        assert np.hypot(*(points - corner).T).min() < 1e-12


def test_joints_of_curves_are_points():
    segments = STROKES['mixed']
    points = one(segments)
    for segment in segments[1:-1]:
        assert np.hypot(*(points - segment.start).T).min() < 1e-9


def test_joints_of_straight_runs_are_not():
    assert len(one(path('M0 0' + 'h.01' * 500))) == 6


def test_strokes_do_not_mix():
    strokes = [[Line((0, k), (1 + k, k))] for k in range(5)]
    for k, points in enumerate(sample_strokes(strokes, 1.0, 0.02)):
        np.testing.assert_allclose(points[:, 1], k)
        np.testing.assert_allclose(points[:, 0], np.arange(k + 2))


def test_many_strokes_are_the_same_as_each_alone():
    draw = np.random.default_rng(5)
    strokes = [[CubicBezier(*draw.uniform(0, 200, (4, 2)))] for _ in range(3000)]
    together = sample_strokes(strokes, 1.0, 0.02)
    for index in (0, 1, 1499, 2999):
        np.testing.assert_allclose(together[index], one(strokes[index]), atol=1e-6)


def test_dots_have_one_point():
    dot = [Line((3, 4), (3, 4))]
    first, second, third = sample_strokes([dot, [Line((0, 0), (1, 0))], dot], 1.0, 0.02)
    np.testing.assert_array_equal(first, [(3, 4)])
    np.testing.assert_array_equal(third, [(3, 4)])
    assert len(second) == 2


def test_a_loop_below_the_tolerance_repeats_no_point():
    loop = path('M0 0h5a.004.004 0 1 1 0 .000001h5')
    assert steps(one(loop)).min() > 1e-5
    assert len(one([EllipseArc((0, 0), (0.004, 0), (0, 0.004), 0, 2 * np.pi)])) == 1


@pytest.mark.parametrize('limits', [(0, 0.02), (1, 0), (-1, 0.02), (np.nan, 0.02), (1, np.inf)])
def test_limits_must_be_positive(limits):
    with pytest.raises(DrawingError, match='expected more than 0'):
        sample_strokes([[Line((0, 0), (1, 0))]], *limits)


@pytest.mark.parametrize(
    ('segment', 'spacing', 'tolerance'),
    [
        (Line((0, 0), (2e6, 0)), 1.0, 0.02),
        (Line((0, 0), (1, 0)), 1e-300, 0.02),
        (EllipseArc((0, 0), (1e9, 0), (0, 1e9), 0, 6), 1e12, 1e-3),
        (CubicBezier((0, 0), (1e12, 0), (0, 1e12), (5, 5)), 1.0, 1e-12),
    ],
)
def test_too_many_points_are_refused_at_once(segment, spacing, tolerance):
    with pytest.raises(DrawingError, match='limit 1,000,000'):
        sample_strokes([[segment]], spacing, tolerance)


@pytest.mark.parametrize('length', [0.0, 1e-300, 1e-80, 1e-9, 1e-6])
def test_a_last_stroke_of_hardly_any_length_is_a_dot(length):
    first, last = [Line((0, 0), (3, 0))], [Line((9, 0), (9, 0)), Line((9, 0), (9 + length, 0))]
    assert [len(points) for points in sample_strokes([first, last], 1.0, 0.02)] == [4, 1]
    assert [len(points) for points in sample_strokes([last], 1.0, 0.02)] == [1]

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Rows along random paths: exact, and dense where the pen is slow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.drawing.nearest import NearestPath, Parabolas
from elfin_bt.planning import bezier
from elfin_bt.planning.corners import rounded
from elfin_bt.planning.outline import MICRO, outline
from elfin_bt.planning.sampling import Rows, sample

from .drawings import SHAPES, circle, polyline, recipe

TOLERANCE = 50e-6
PEN = 0.08


def rows_of(*strokes: list) -> Rows:
    smooth = rounded(outline(recipe(*strokes)), TOLERANCE, PEN)
    count = len(smooth.stroke)
    speeds, spacing = np.full(count, PEN), np.full(count, 1e-3)
    return sample(smooth.curves, smooth.rests, smooth.peaks, speeds, spacing, 0.1)


def random_path(seed: int) -> list:
    """Lines, arcs and cubics in turn, each from where the one before ended, often tangent to it."""
    rng = np.random.default_rng(seed)
    here, heading = np.zeros(2), rng.uniform(0.0, 2.0 * np.pi)
    segments: list = []
    for _ in range(rng.integers(2, 12)):
        heading += rng.choice([0.0, 0.0, rng.normal(0.0, 0.2), rng.uniform(-3.0, 3.0)])
        ahead = np.array([np.cos(heading), np.sin(heading)])
        aside = np.array([-ahead[1], ahead[0]])
        size = rng.choice([0.3, 3.0, 20.0])
        kind = rng.integers(3)
        if kind == 0:
            segments.append(Line(here, here + size * ahead))
        elif kind == 1:
            sweep = rng.uniform(0.3, 3.0)
            # From angle 0 on, counter-clockwise around a centre to the left.
            segments.append(
                EllipseArc(here + size * aside, -size * aside, size * ahead, 0.0, sweep)
            )
            heading += sweep
        else:
            turn = rng.uniform(-1.0, 1.0)
            leave = np.array([np.cos(heading + turn), np.sin(heading + turn)])
            end = here + size * (2.0 * ahead + turn * aside)
            segments.append(CubicBezier(here, here + size * ahead, end - size * leave, end))
            heading += turn
        here = segments[-1].point([1.0])[0]
    return segments


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_tangents_and_curvatures_are_the_derivatives_of_the_points(seed):
    rows = rows_of(random_path(seed))
    h, p, t, k = rows.lengths, rows.points, rows.tangents, rows.curvatures
    assert bezier.norm(t) == pytest.approx(1.0, abs=1e-12)
    assert (np.abs((t * k).sum(axis=0)) <= 1e-9 * (1.0 + bezier.norm(k))).all()
    # Trapezoidal rules, with room for what the curvature between two rows is off a straight line,
    # and for a step in curvature that is not blended because 0.01 m/s2 is all that it costs.
    unblended = 0.01 / PEN**2 * h
    turned = bezier.norm(np.diff(t, axis=1) - 0.5 * h * (k[:, 1:] + k[:, :-1]))
    assert (turned <= 0.006 + unblended)[h > 10e-6].all()
    moved = 0.5 * h * (t[:, 1:] + t[:, :-1]) - h**2 / 12.0 * np.diff(k, axis=1)
    error = bezier.norm(np.diff(p, axis=1) - moved)
    assert (error <= h * (0.0005 + unblended))[h > 10e-6].all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_the_path_is_within_the_tolerance_of_the_drawing_both_ways(seed):
    segments = random_path(seed)
    drawing = recipe(segments)
    points = rows_of(segments).points.T
    source = Parabolas.of_segments(drawing.placed_segments(0))
    # Two pieces of a bend as tight as MICRO may be shifted by half of it.
    allowed = TOLERANCE * 1.01 + MICRO
    assert NearestPath(source).distances(points).max() <= allowed
    many = np.concatenate([s.point(np.linspace(0, 1, 50)) for s in drawing.placed_segments(0)])
    # Between rows the path is up to 1/8 of a turn of 0.1 rad over 1 mm away from their chord.
    assert NearestPath(Parabolas.of_polylines([points])).distances(many).max() <= allowed + 13e-6


@pytest.mark.parametrize('radius', [0.2, 10.0, 60.0])
def test_lengths_are_exact(radius):
    rows = rows_of(circle(radius))
    # The cubics are within 1.3e-7 of the circle.
    assert rows.lengths.sum() == pytest.approx(2e-3 * np.pi * radius, rel=3e-7)
    np.testing.assert_allclose(bezier.norm(rows.curvatures), 1e3 / radius, rtol=2e-4)


def test_rows_from_a_rest_are_ten_milliseconds_of_the_fastest_start_apart():
    rows = rows_of(polyline([[0.0, 0.0], [50.0, 0.0]]))
    way = np.cumsum(rows.lengths) - 0.5 * rows.lengths
    way = np.minimum(way, 0.050 - way)
    near = way < 6e-3
    reachable = np.maximum(0.010 * np.minimum(np.cbrt(54.0 * way**2), PEN), 10e-6)
    assert (rows.lengths[near] <= 1.26 * reachable[near]).all()
    assert rows.lengths.max() <= 1e-3 * 1.26
    assert 70 < len(rows.lengths) < 140


@pytest.mark.parametrize('name', SHAPES)
def test_rows_of_every_shape_turn_little_and_are_not_too_many(name):
    rows = rows_of(*SHAPES[name])
    if not len(rows.lengths):
        return
    turned = bezier.turn(rows.tangents[:, :-1], rows.tangents[:, 1:])
    assert turned[rows.lengths > 10e-6].max(initial=0.0) <= 0.1 * 1.26
    assert np.isfinite(rows.curvatures).all()
    assert len(rows.lengths) < 6_000

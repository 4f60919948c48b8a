# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Whole drawings: what the arm would do, read as the firmware reads it, 1 ms at a time."""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.geometry import CubicBezier
from elfin_bt.drawing.load import load_drawing
from elfin_bt.drawing.nearest import NearestPath, Parabolas
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.kinematics import tip_positions
from elfin_bt.kinematics.limits import ACCELERATION, JERK, VELOCITY
from elfin_bt.planning.drawing_plan import DrawingPlan, plan_drawing, total_figures
from elfin_bt.planning.joints import follow
from elfin_bt.planning.local import LocalPlanner
from elfin_bt.planning.path import Leg
from elfin_bt.planning.port import Refusal
from elfin_bt.planning.settings import READY_POSE, PlannerConfig, Speeds
from elfin_bt.planning.trajectory import PIECE_DURATION, PIECE_KNOTS, Trajectory, join

from .drawings import SHAPES, circle, dot, polyline, recipe, square

CONFIG = PlannerConfig()
READY = np.array(READY_POSE)
PERIOD = 1e-3


@cache
def planner() -> LocalPlanner:
    return LocalPlanner(CONFIG)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A plan, timed to its end."""

    plan: DrawingPlan
    pieces: list[tuple[Leg, Trajectory]]
    figures: dict[str, Any]

    @property
    def trajectory(self) -> Trajectory:
        return join([piece for _, piece in self.pieces])

    @property
    def legs(self) -> list[Leg]:
        return list(dict.fromkeys(leg for leg, _ in self.pieces))

    def seconds(self, phase: str) -> float:
        return sum(piece.duration for leg, piece in self.pieces if leg.phase == phase)


def plan(
    drawing: Recipe, *, start: np.ndarray = READY, dry_run: bool = False, pen: float = 0.08
) -> Drawn:
    result = plan_drawing(
        planner(), CONFIG, drawing, start, speeds=Speeds(pen=pen), dry_run=dry_run
    )
    assert isinstance(result, DrawingPlan), result
    measured: dict[str, float] = {}
    pieces = list(result.pieces(measured))
    return Drawn(result, pieces, {**result.figures, **total_figures(measured)})


def refusal(drawing: Recipe, start: np.ndarray = READY) -> str:
    result = plan_drawing(planner(), CONFIG, drawing, start, speeds=Speeds(), dry_run=False)
    assert isinstance(result, Refusal)
    return result.reason


def executed(motion: Drawn) -> tuple[np.ndarray, np.ndarray]:
    """Joints and tip in the paper frame at the firmware's period."""
    q, _ = motion.trajectory.sample(np.arange(0.0, motion.trajectory.duration, PERIOD))
    return q, CONFIG.paper.to_paper(tip_positions(q, CONFIG.pen_length))


def strokes_of_ink(tip: np.ndarray) -> list[np.ndarray]:
    """Polylines (M, 2) where the tip is at or below the paper."""
    down = tip[:, 2] <= 0.0
    cuts = np.flatnonzero(down[1:] != down[:-1]) + 1
    parts = np.split(np.arange(len(tip)), cuts)
    return [tip[part, :2] for part in parts if down[part[0]]]


def assert_within_limits(motion: Drawn, q: np.ndarray, tip: np.ndarray, pen: float) -> None:
    velocity = np.diff(q, axis=0) / PERIOD
    assert (np.abs(velocity) <= VELOCITY).all()
    assert (np.abs(np.diff(velocity, axis=0)) / PERIOD <= ACCELERATION).all()
    jerk = q
    for _ in range(3):  # third differences over 4 ms
        jerk = (jerk[4:] - jerk[:-4]) / (4 * PERIOD)
    assert (np.abs(jerk) <= JERK).all()
    speed = np.linalg.norm(np.diff(tip, axis=0), axis=1) / PERIOD
    assert speed.max() <= 0.25
    drawing = (tip[1:, 2] < -0.00049) & (tip[:-1, 2] < -0.00049)
    assert speed[drawing].max(initial=0.0) <= pen * 1.002


def assert_drawn(drawing: Recipe, tip: np.ndarray, tolerance: float = 70e-6) -> None:
    """Ink lies on the source and the source has ink, both within the tolerance in metres."""
    segments = [s for i in range(len(drawing.strokes)) for s in drawing.placed_segments(i)]
    ink = strokes_of_ink(tip)
    off = NearestPath(Parabolas.of_segments(segments)).distances(np.concatenate(ink))
    assert off.max() <= tolerance
    source = np.concatenate([s.point(np.linspace(0.0, 1.0, 20)) for s in segments])
    missed = NearestPath(Parabolas.of_polylines(ink)).distances(source)
    assert missed.max() <= tolerance


@pytest.mark.parametrize('name', SHAPES)
def test_every_shape_is_drawn_within_all_limits(name):
    drawing = recipe(*SHAPES[name])
    motion = plan(drawing)
    q, tip = executed(motion)
    assert_within_limits(motion, q, tip, 0.08)
    assert_drawn(drawing, tip)


@pytest.mark.parametrize('pen', [0.02, 0.15, 0.25])
def test_other_pen_speeds_keep_the_limits_too(pen):
    drawing = recipe(*SHAPES['square'], *SHAPES['teeth of 0.5 mm'], *SHAPES['loop'])
    motion = plan(drawing, pen=pen)
    q, tip = executed(motion)
    assert_within_limits(motion, q, tip, pen)
    assert_drawn(drawing, tip)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.1, 3.0, 25.0]))
def test_random_drawings_are_drawn_within_all_limits(seed, strokes, size):
    rng = np.random.default_rng(seed)
    drawing = recipe(
        *(
            polyline(rng.uniform(-size, size, (6, 2)) + rng.uniform(-20, 20, 2))
            for _ in range(strokes)
        ),
        [CubicBezier(*rng.uniform(-size, size, (4, 2)))],
    )
    motion = plan(drawing)
    q, tip = executed(motion)
    assert_within_limits(motion, q, tip, 0.08)
    assert_drawn(drawing, tip)


@pytest.mark.parametrize('name', ['bishop', 'racket'])
def test_real_drawings(name, shared):
    drawing = load_drawing(shared(f'drawings/{name}.svg'), width_mm=120.0)
    motion = plan(drawing)
    q, tip = executed(motion)
    assert_within_limits(motion, q, tip, 0.08)
    off = NearestPath(
        Parabolas.of_segments(
            [s for i in range(len(drawing.strokes)) for s in drawing.placed_segments(i)]
        )
    ).distances(np.concatenate(strokes_of_ink(tip))[::5])
    assert off.max() <= 70e-6


def test_pieces_are_short_contiguous_and_end_at_rest():
    motion = plan(recipe(square(50.0), circle(20.0, 5.0, 5.0), dot(0.0, -20.0)))
    pieces = motion.pieces
    np.testing.assert_array_equal(pieces[0][1].positions[0], READY)
    assert not pieces[0][1].velocities[0].any()
    for (_, before), (_, after) in zip(pieces, pieces[1:], strict=False):
        np.testing.assert_array_equal(before.positions[-1], after.positions[0])
        np.testing.assert_allclose(before.velocities[-1], after.velocities[0], atol=1e-9)
        np.testing.assert_allclose(before.accelerations[-1], after.accelerations[0], atol=1e-9)
    assert not pieces[-1][1].velocities[-1].any()
    assert all(len(p) <= PIECE_KNOTS and p.duration <= PIECE_DURATION for _, p in pieces)


def test_the_order_of_legs():
    motion = plan(recipe(square(50.0), dot(-30.0, 0.0)))
    assert [(leg.phase, leg.stroke) for leg in motion.plan.plan.path.legs] == [
        ('approach', 0),
        ('plunge', 0),
        ('draw', 0),
        ('lift', 0),
        ('travel', 1),
        ('plunge', 1),
        ('lift', 1),
        ('retract', None),
    ]


def test_from_stroke_to_stroke_lift_travel_and_plunge_come_together():
    motion = plan(recipe(square(50.0), dot(-30.0, 0.0)))
    assert [(leg.phase, leg.stroke) for leg in motion.legs] == [
        ('approach', 0),
        ('plunge', 0),
        ('draw', 0),
        ('travel', 1),
        ('lift', 1),
        ('retract', None),
    ]


@pytest.mark.parametrize(('gap', 'height'), [(9.0, 0.005), (20.0, 0.010), (50.0, 0.020)])
def test_the_pen_is_lifted_with_the_distance(gap, height):
    motion = plan(replace(recipe(dot(0.0, 0.0), dot(gap, 0.0)), near_lifts=(0,)))
    moved = [p for leg, p in motion.pieces if leg.phase == 'travel']
    tip = CONFIG.paper.to_paper(tip_positions(np.concatenate([p.positions for p in moved])))
    assert tip[:, 2].max() == pytest.approx(height, rel=0.1)


def test_without_leave_of_the_recipe_every_lift_is_whole():
    _, tip = executed(plan(recipe(dot(0.0, 0.0), dot(5.0, 0.0))))
    between = (tip[:, 0] > 0.001) & (tip[:, 0] < 0.004)
    assert tip[between, 2].min() > 0.015


def test_the_pen_settles_on_the_paper_before_it_draws():
    config = replace(CONFIG, heights=replace(CONFIG.heights, settle=0.7))
    result = plan_drawing(
        LocalPlanner(config), config, recipe(square(20.0)), READY, speeds=Speeds(), dry_run=False
    )
    assert isinstance(result, DrawingPlan)
    measured: dict[str, float] = {}
    pieces = list(result.pieces(measured))
    assert measured['settle_s'] == pytest.approx(0.7)
    phases = [leg.phase for leg in dict.fromkeys(leg for leg, _ in pieces)]
    assert phases == ['approach', 'plunge', 'settle', 'draw', 'lift', 'retract']
    settled = join([piece for leg, piece in pieces if leg.phase == 'settle'])
    assert np.ptp(settled.positions, axis=0).max() == 0.0
    assert not settled.velocities.any()
    assert total_figures(measured)['planned_duration_s'] == pytest.approx(
        sum(piece.duration for leg, piece in pieces if leg.phase != 'retract')
    )


def test_strokes_that_touch_are_drawn_without_a_lift():
    motion = plan(recipe(polyline([[0, 0], [20, 0]]), polyline([[20, 0], [20, 20]])))
    legs = motion.plan.plan.path.legs
    assert [leg.phase for leg in legs if leg.phase in ('lift', 'draw', 'plunge')] == [
        'plunge',
        'draw',
        'draw',
        'lift',
    ]


def test_the_retracted_pen_is_120_mm_over_the_paper():
    _, tip = executed(plan(recipe(square(10.0))))
    assert tip[-1, 2] == pytest.approx(0.120, abs=1e-5)


def test_a_dry_run_never_comes_below_the_travel_height():
    drawing = recipe(square(50.0), dot(-30.0, 0.0), circle(10.0))
    _, tip = executed(plan(drawing, dry_run=True))
    assert tip[:, 2].min() >= 0.020 - 1e-6
    _, inked = executed(plan(drawing))
    assert inked[:, 2].min() == pytest.approx(-0.0005, abs=1e-6)


def test_figures_leave_out_the_retraction():
    motion = plan(recipe(polyline([[0.0, 0.0], [50.0, 0.0]])))
    assert motion.figures['pen_down_m'] == pytest.approx(0.050, rel=1e-6)
    assert motion.figures['planned_duration_s'] == pytest.approx(
        motion.trajectory.duration - motion.seconds('retract')
    )
    assert motion.figures['draw_s'] == pytest.approx(motion.seconds('draw'))
    assert 0.0 <= motion.figures['worst_chord_error_mm'] < 0.02


def test_a_start_a_little_off_is_met_exactly_and_forgotten_at_the_paper():
    start = READY + 5e-4 * np.array([1, -1, 1, -1, 1, -1])
    drawing = recipe(square(50.0))
    motion = plan(drawing, start=start)
    np.testing.assert_allclose(motion.trajectory.positions[0], start, atol=1e-12)
    q, tip = executed(motion)
    assert_within_limits(motion, q, tip, 0.08)
    assert_drawn(drawing, tip)


@pytest.mark.parametrize(
    ('drawing', 'reason'),
    [
        (
            recipe(square(10.0), polyline([[0, 0], [-170, 0]]), names=('a', 'path7')),
            r'stroke 2 \(path7\) at \(-170.0, 0.0\) mm .* 0\.630 m .* outside 0.30 to 0.62 m',
        ),
        (recipe(polyline([[0, 0], [170, 0]])), 'stroke 1 at .* outside 0.30 to 0.62 m'),
        (recipe(polyline([[0, 0], [np.inf, 0]])), 'not finite'),
        (recipe(), 'nothing to draw'),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_stroke_point_and_cause(drawing, reason):
    assert re.search(reason, refusal(drawing))


def test_a_start_elsewhere_is_refused():
    assert 'are not known' in refusal(recipe(square(10.0)), READY * np.nan)
    point, up = np.array([[0.0, 0.0, 0.019]]), np.array([[0.0, 0.0, 1.0]])
    low = follow(READY, point, up, CONFIG.paper, 0.0, CONFIG.pen_length).positions[0]
    assert 'the pen is 19.0 mm above the paper' in refusal(recipe(square(10.0)), low)


def test_a_start_with_the_pen_turned_is_made_up_for_first():
    drawing = recipe(square(10.0))
    motion = plan(drawing, start=READY + [0, 0, 0, 0, 0, 0.1])
    assert [leg.phase for leg in motion.legs][:2] == ['ptp', 'approach']
    _, tip = executed(motion)
    assert_drawn(drawing, tip)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A recipe becomes a motion, or the reason why not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.kinematics import tip_positions
from elfin_bt.planning.messages import Figures
from elfin_bt.planning.moves import drawing_path
from elfin_bt.planning.outline import Outline, outline
from elfin_bt.planning.path import Leg, PenPath
from elfin_bt.planning.path_plan import PathPlan
from elfin_bt.planning.port import LARGEST_START_ERROR, Motion, PlannerPort, Refusal
from elfin_bt.planning.posture import Posture
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import PlannerConfig, Speeds
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]

FINEST = 0.1e-3
"""Smallest spacing of knots, m, that a recipe can ask for."""


@dataclass(frozen=True, eq=False)
class DrawingPlan:
    """A drawing that can be drawn.

    Attributes:
        swing: to where the path begins, where that is not (nearly) the ready pose: the pen is
            turned, or the drawing wants another posture of the arm.
        plan: of the pen's path, from there to the retracted pen.
        figures: what is known before the motion is timed.
    """

    swing: Motion | None
    plan: PathPlan
    figures: Figures

    def pieces(self, figures: dict[str, float]) -> Iterator[tuple[Leg, Trajectory]]:
        """The whole motion in short pieces; see PathPlan.pieces."""
        if self.swing is not None:
            figures['ptp_s'] = self.swing.trajectory.duration
            yield from self.swing.pieces()
        yield from self.plan.pieces(figures)


def plan_drawing(
    planner: PlannerPort,
    config: PlannerConfig,
    recipe: Recipe,
    start: Array,
    *,
    speeds: Speeds,
    dry_run: bool,
) -> DrawingPlan | Refusal:
    """Everything from `start` (6,) rad, the ready pose, to the retracted pen.

    All of it is checked before any of it is handed out, and timed as it is.
    """
    try:
        _require(config, recipe, start)
        drawn = outline(recipe)
        tip = config.paper.to_paper(tip_positions(start[None], config.pen_length))[0]
        path = pen_path(config, recipe, drawn, tip, speeds, dry_run)
    except Unplannable as refusal:
        return Refusal(str(refusal))
    swing: Motion | Refusal | None = None
    posture = planner.choose_posture(path.points)
    if np.abs(posture.start - start).max() > LARGEST_START_ERROR:
        tip = np.array([*drawn.starts[0], 2.0 * config.heights.lift])
        path = pen_path(config, recipe, drawn, tip, speeds, dry_run)
        posture = planner.choose_posture(path.points)
        swing = planner.plan_ptp(start, posture.start)
        start = posture.start
    if isinstance(swing, Refusal):
        return swing
    plan = planner.plan_path(start, path)
    if isinstance(plan, Refusal):
        return plan
    return DrawingPlan(swing, plan, {**plan.figures, **_figures(planner, recipe, path, posture)})


def total_figures(figures: Mapping[str, float]) -> Figures:
    """Figures of a drawing that is timed: its time without the retraction at the end."""
    times = (value for key, value in figures.items() if key.endswith('_s') and key != 'retract_s')
    return {**figures, 'planned_duration_s': sum(times)}


def _require(config: PlannerConfig, recipe: Recipe, start: Array) -> None:
    if not recipe.strokes:
        raise Unplannable('the recipe has no strokes: there is nothing to draw')
    if recipe.pauses:
        raise Unplannable(
            f'the recipe pauses {len(recipe.pauses)} times, which a session does not do yet: '
            'make a recipe of each part'
        )
    if not np.isfinite(start).all():
        raise Unplannable('the joints of the arm are not known: wait for joint states')
    tip = config.paper.to_paper(tip_positions(start[None], config.pen_length))[0]
    if tip[2] < config.heights.lift:
        raise Unplannable(
            f'the pen is {1e3 * tip[2]:.1f} mm above the paper, a drawing begins from '
            f'{1e3 * config.heights.lift:.0f} mm or more: send the arm home first'
        )


def pen_path(
    config: PlannerConfig,
    recipe: Recipe,
    drawn: Outline,
    tip: Array,
    speeds: Speeds,
    dry_run: bool,
) -> PenPath:
    """The way of the pen from its tip (3,), in the paper frame, through a recipe's outline."""
    return drawing_path(
        drawn,
        tip,
        stroke_names=_names(recipe),
        heights=config.heights,
        speeds=speeds,
        sampling=replace(config.sampling, spacing=_spacing(config, recipe)),
        dry_run=dry_run,
    )


def _spacing(config: PlannerConfig, recipe: Recipe) -> float:
    """The recipe's spacing in metres, if it is finer than ours; below FINEST nothing is gained."""
    return min(config.sampling.spacing, max(1e-3 * recipe.spacing_mm, FINEST))


def _names(recipe: Recipe) -> tuple[str, ...]:
    return tuple(
        f'stroke {number}' + (f' ({stroke.element_id})' if stroke.element_id else '')
        for number, stroke in enumerate(recipe.strokes, 1)
    )


def _figures(planner: PlannerPort, recipe: Recipe, path: PenPath, posture: Posture) -> Figures:
    """What a report says of the plan; lengths without the retraction at the end."""
    drawn = sum(path.leg_length(leg) for leg in path.legs if leg.phase == 'draw')
    moved = sum(path.leg_length(leg) for leg in path.legs if leg.phase not in ('draw', 'retract'))
    return {
        'planner': planner.name,
        'strokes': len(recipe.strokes),
        'points': len(path),
        'pen_down_m': drawn,
        'pen_up_m': moved,
        'posture_margin': posture.margin.value,
        'posture_nearest': posture.margin.cause,
    }

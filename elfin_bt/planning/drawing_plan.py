# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A recipe becomes a motion, or the reason why not."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.kinematics import tip_positions
from elfin_bt.planning.messages import Figures
from elfin_bt.planning.moves import drawing_path
from elfin_bt.planning.outline import outline
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.port import Motion, PlannerPort, Refusal, Result
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import PlannerConfig, Speeds

Array = NDArray[np.float64]

FINEST = 0.1e-3
"""Smallest spacing of knots, m, that a recipe can ask for."""


def plan_drawing(
    planner: PlannerPort,
    config: PlannerConfig,
    recipe: Recipe,
    start: Array,
    *,
    speeds: Speeds,
    dry_run: bool,
) -> Result:
    """Everything from `start` (6,) rad, the ready pose, to the retracted pen.

    All of it is planned and checked before any of it is handed out.
    """
    try:
        path = _path(config, recipe, start, speeds, dry_run)
    except Unplannable as refusal:
        return Refusal(str(refusal))
    result = planner.plan_path(start, path)
    if isinstance(result, Refusal):
        return result
    return replace(result, figures={**result.figures, **_figures(planner, recipe, path, result)})


def _path(
    config: PlannerConfig, recipe: Recipe, start: Array, speeds: Speeds, dry_run: bool
) -> PenPath:
    if not recipe.strokes:
        raise Unplannable('the recipe has no strokes: there is nothing to draw')
    if not np.isfinite(start).all():
        raise Unplannable('the joints of the arm are not known: wait for joint states')
    tip = config.paper.to_paper(tip_positions(start[None], config.pen_length))[0]
    if tip[2] < config.heights.lift:
        raise Unplannable(
            f'the pen is {1e3 * tip[2]:.1f} mm above the paper, a drawing begins from '
            f'{1e3 * config.heights.lift:.0f} mm or more: send the arm home first'
        )
    return drawing_path(
        outline(recipe),
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


def _figures(planner: PlannerPort, recipe: Recipe, path: PenPath, motion: Motion) -> Figures:
    """What a report says of the plan; times and lengths without the retraction at the end."""
    drawn = sum(path.leg_length(leg) for leg in path.legs if leg.phase == 'draw')
    moved = sum(path.leg_length(leg) for leg in path.legs if leg.phase not in ('draw', 'retract'))
    time = sum(motion.leg_duration(leg) for leg in motion.legs if leg.phase != 'retract')
    return {
        'planner': planner.name,
        'strokes': len(recipe.strokes),
        'points': len(path),
        'pen_down_m': drawn,
        'pen_up_m': moved,
        'planned_duration_s': time,
    }

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How long a drawing will take: the path and the timing that draw it, without its checks.

Neither ROS nor Pinocchio is needed, so that it runs where drawings are prepared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.kinematics import JointLimits, tip_positions
from elfin_bt.planning.chord import ChordCheck
from elfin_bt.planning.drawing_plan import pen_path
from elfin_bt.planning.joints import follow_path
from elfin_bt.planning.messages import Phase
from elfin_bt.planning.outline import outline
from elfin_bt.planning.path_plan import PathPlan
from elfin_bt.planning.posture import choose_branch
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import READY_POSE, PlannerConfig, Speeds


@dataclass(frozen=True)
class TimeEstimate:
    """Seconds from the ready pose to the last lift, by what the pen does in them.

    Attributes:
        draw: on the paper.
        travel: above it.
        lift: up and down between the two.
        settle: at rest on the paper before and after a stroke.
    """

    draw: float
    travel: float
    lift: float
    settle: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.draw + self.travel + self.lift + self.settle


def estimate_time(
    recipe: Recipe, speeds: Speeds | None = None, config: PlannerConfig | None = None
) -> TimeEstimate:
    """The time to draw a recipe. Raises Unplannable where the arm can't follow it."""
    if not recipe.strokes:
        return TimeEstimate(0.0, 0.0, 0.0, 0.0)
    speeds, config = speeds or Speeds(), config or PlannerConfig()
    ready = np.array(READY_POSE)
    tip = config.paper.to_paper(tip_positions(ready[None], config.pen_length))[0]
    path = pen_path(config, recipe, outline(recipe), tip, speeds, dry_run=False)
    joints = follow_path(choose_branch(path.points, config).start, path, config)
    if not np.isfinite(joints.positions).all():
        raise Unplannable('the arm does not reach all of the drawing: make it smaller')
    limits = JointLimits.of_the_arm().scaled(config.limit_scale)
    plan = PathPlan(path, joints, limits, ChordCheck(config.paper, config.pen_length))
    figures: dict[str, float] = {}
    for _ in plan.pieces(figures):
        pass

    def spent(*phases: Phase) -> float:
        return sum(figures.get(f'{phase}_s', 0.0) for phase in phases)

    return TimeEstimate(
        draw=spent('draw'),
        travel=spent('approach', 'travel'),
        lift=spent('plunge', 'lift'),
        settle=spent('settle'),
    )

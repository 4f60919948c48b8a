# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How long a drawing will take: the path and the timing that draw it, without its checks.

Neither ROS nor Pinocchio is needed, so that it runs where drawings are prepared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.kinematics import JointLimits, tip_positions
from elfin_bt.planning.drawing_plan import FINEST
from elfin_bt.planning.joints import follow
from elfin_bt.planning.messages import Phase
from elfin_bt.planning.moves import drawing_path
from elfin_bt.planning.outline import outline
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import READY_POSE, PlannerConfig, Speeds
from elfin_bt.planning.timing import timed


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
    speeds, config = speeds or Speeds(), config or PlannerConfig()
    ready = np.array(READY_POSE)
    spacing = min(config.sampling.spacing, max(1e-3 * recipe.spacing_mm, FINEST))
    path = drawing_path(
        outline(recipe),
        config.paper.to_paper(tip_positions(ready[None], config.pen_length))[0],
        stroke_names=tuple(stroke.element_id or '' for stroke in recipe.strokes),
        heights=config.heights,
        speeds=speeds,
        sampling=replace(config.sampling, spacing=spacing),
        dry_run=False,
    )
    joints = follow(
        ready, path.points, path.tangents, config.paper, config.pen_yaw, config.pen_length
    )
    if not np.isfinite(joints.positions).all():
        raise Unplannable('the arm does not reach all of the drawing: make it smaller')
    limits = JointLimits.of_the_arm().scaled(config.limit_scale)
    time = timed(path, joints, limits).time

    def spent(*phases: Phase) -> float:
        legs = (leg for leg in path.legs if leg.phase in phases)
        return float(sum(time[leg.last] - time[leg.first] for leg in legs))

    return TimeEstimate(
        draw=spent('draw'),
        travel=spent('approach', 'travel'),
        lift=spent('plunge', 'lift'),
        settle=0.0,
    )

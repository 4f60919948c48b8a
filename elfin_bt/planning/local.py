# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The local planner: closed-form inverse kinematics, no MoveIt."""

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning import checks
from elfin_bt.planning.chord import ChordCheck
from elfin_bt.planning.clearance import CLEARANCE
from elfin_bt.planning.collision import CollisionChecker
from elfin_bt.planning.joints import JointPath, follow_path
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.path_plan import PathPlan
from elfin_bt.planning.port import LARGEST_START_ERROR, Motion, Refusal
from elfin_bt.planning.posture import Posture, choose_branch
from elfin_bt.planning.ptp import plan_ptp
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import PlannerConfig
from elfin_bt.planning.target_follower import TargetFollower
from elfin_bt.resources import share_path

Array = NDArray[np.float64]


class LocalPlanner:
    """PlannerPort on this package's own kinematics."""

    name = 'local'

    def __init__(self, config: PlannerConfig) -> None:
        self._config = config
        self._limits = JointLimits.of_the_arm().scaled(config.limit_scale)
        self._collisions = CollisionChecker(
            share_path('config/elfin5.urdf'), config.paper, config.pen_length
        )

    def plan_ptp(self, start: Array, goal: Array) -> Motion | Refusal:
        """From joints `start` (6,) to `goal` (6,), rad; with the pen down it is lifted first."""
        try:
            return plan_ptp(
                start,
                goal,
                self._limits,
                self._collisions,
                lift_height=self._config.heights.lift,
            )
        except Unplannable as refusal:
            return Refusal(str(refusal))

    def plan_path(self, start: Array, path: PenPath) -> PathPlan | Refusal:
        """Along a path of the pen, which begins at the tip of `start` (6,) rad; not timed yet."""
        config = self._config
        try:
            checks.check_reach(path, config.paper, config.reach)
            joints = follow_path(start, path, config)
            checks.check_joints(path, joints, self._limits)
            joints = _starting_at(start, path, joints)
            clearance = checks.check_collisions(
                path, joints, self._collisions, config.heights.contact_depth
            )
        except Unplannable as refusal:
            return Refusal(str(refusal))
        chord = ChordCheck(config.paper, config.pen_length)
        return PathPlan(path, joints, self._limits, chord, {'clearance_mm': 1e3 * clearance})

    def follow(self, start: Array) -> TargetFollower:
        """Follow a target with the pen's tip, from joints `start` (6,) rad at rest."""
        return TargetFollower(
            start,
            self._config,
            self._limits,
            spare=lambda q: self._collisions.clearance(q) - CLEARANCE,
        )

    def choose_posture(self, points: Array) -> Posture:
        """The branch for a path over points (N, 3) of the paper, m."""
        return choose_branch(points, self._config, clearance=self._collisions.clearance)


def _starting_at(start: Array, path: PenPath, joints: JointPath) -> JointPath:
    """The path's joints with the small error of the start fading out over the first leg.

    Raises Unplannable if the start is not where the path begins.
    """
    error = start - joints.positions[0]
    if np.abs(error).max() > LARGEST_START_ERROR:
        raise Unplannable(
            f'the arm is {np.abs(error).max():.4f} rad away from the pose in which the path begins '
            f'(at most {LARGEST_START_ERROR:g}): send it home first'
        )
    leg = slice(0, path.legs[0].last + 1)
    way = np.insert(np.cumsum(path.lengths[: path.legs[0].last]), 0, 0.0)
    share = (way / way[-1])[:, None]
    # A quintic: where the leg ends, neither slope nor bend steps.
    fade = 1.0 - share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    fade_slope = -30.0 * share**2 * (1.0 - share) ** 2
    fade_bend = -60.0 * share * (1.0 - share) * (1.0 - 2.0 * share)
    positions, slopes, bends = joints.positions.copy(), joints.slopes.copy(), joints.bends.copy()
    positions[leg] += fade * error
    slopes[leg] += fade_slope / way[-1] * error
    bends[leg] += fade_bend / way[-1] ** 2 * error
    return JointPath(positions, slopes, bends)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A pen that is down, or low over the paper, is lifted straight up before anything else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import BRANCHES, JointLimits, branch_of, fk, ik_branch
from elfin_bt.kinematics.limits import within_position_limits
from elfin_bt.planning.collision import CollisionChecker
from elfin_bt.planning.joint_line import graded_rows
from elfin_bt.planning.joints import JointPath, slopes_along
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.time_law import path_motion
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]

_SPACING = 0.0005  # m
_STEEPEST = 100.0  # rad/m; more, and the arm is at a singularity


def lift_trajectory(
    start: Array,
    height: float,
    speed: float,
    limits: JointLimits,
    checker: CollisionChecker,
    clearance: float,
) -> Trajectory | None:
    """Straight up to `height` over the paper, or as near to it as the arm can go.

    None where the pen is high enough, or cannot be lifted and need not be, being out of the paper.

    Args:
        start: joints (6,) rad, at rest.
        height: over the paper, m.
        speed: largest of the tip, m/s.
        limits: of the joints.
        checker: knows the arm, the pen and the board.
        clearance: to keep from collisions, m (see CollisionChecker.check).

    Raises:
        Unplannable: the pen is in the paper and can't be lifted out.
    """
    low = float(checker.tip_heights(start[None])[0])
    if low >= height - _SPACING:
        return None
    path = _way_up(start, height - low, limits)
    q = path.positions
    collision = checker.check(q, max(-low, 0.0), clearance) if len(q) else None
    count = collision.index if collision else len(q)
    heights = checker.tip_heights(q[:count])
    if count < 2 or heights[-1] < 0.0:
        if low >= 0.0:
            return None
        why = str(collision) if collision else 'a joint limit or a singularity is in the way'
        raise Unplannable(
            f'the pen is {-1000.0 * low:.1f} mm below the paper and cannot be lifted straight up: '
            f'{why}; raise the arm by hand'
        )
    path = path.rows(slice(count))
    motion = path_motion(path, np.diff(heights), np.full(count - 1, speed), limits)
    return Trajectory(motion.time, path.positions, *motion.joint_motion(path))


def _way_up(start: Array, rise: float, limits: JointLimits) -> JointPath:
    """The joints on the way straight up, as far as the arm can go.

    Empty where the start is singular: inverse kinematics then has other joints for the same pose.
    """
    steps = rise * graded_rows(rise, _SPACING)
    poses = np.repeat(fk(start[None]), len(steps), axis=0)
    poses[:, 2, 3] += steps
    q = ik_branch(poses, BRANCHES[int(branch_of(start[None])[0])])
    slopes = slopes_along(q, np.tile([0.0, 0.0, 1.0], (len(q), 1)))
    usable: NDArray[np.bool_] = np.all(np.abs(slopes) < _STEEPEST, axis=1)
    usable[0] &= bool(np.abs(q[0] - start).max() < 1e-6)
    usable[1:] &= within_position_limits(q[1:], limits.position)
    count = len(q) if usable.all() else int(np.argmin(usable))
    q[0] = start
    q, slopes = q[:count], slopes[:count]
    # The slopes are exact; their differences are good enough for what bends are needed for.
    bends = np.gradient(slopes, steps[:count], axis=0) if count > 1 else np.zeros_like(q)
    return JointPath(q, slopes, bends)

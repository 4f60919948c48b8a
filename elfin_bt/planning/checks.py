# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a pen path can be driven. Each check raises Unplannable for the first row that fails.

They are the same whoever found the joints.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elfin_bt.kinematics import JOINT_NAMES, JointLimits, PaperFrame
from elfin_bt.kinematics.limits import position_violation, within_position_limits
from elfin_bt.kinematics.singularity import singularity_measure
from elfin_bt.planning.collision import CollisionChecker
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.refusal import Unplannable

Array = NDArray[np.float64]

LARGEST_JUMP = 1e-3
"""Largest distance of a joint, rad, from where the slopes at both ends of an interval lead it."""

_BLOCK = 8192
_ROUNDING = 1e-9  # m
_ON_PAPER = ('plunge', 'draw', 'lift')


def check_reach(path: PenPath, paper: PaperFrame, reach: tuple[float, float]) -> None:
    """All that is drawn lies within `reach` metres (nearest, farthest) of the robot's axis 1."""
    world = paper.to_world(path.points)
    radius = np.hypot(world[:, 0], world[:, 1])
    drawn = np.zeros(len(path), dtype=bool)
    for leg in path.legs:
        drawn[leg.first : leg.last + 1] = leg.phase in _ON_PAPER
    excess = np.where(drawn, np.maximum(reach[0] - radius, radius - reach[1]), 0.0)
    row = _first(excess > _ROUNDING)
    if row is not None:
        leg = path.leg_at(row)  # its farthest point says more than its first one outside
        row = leg.first + int(np.argmax(excess[leg.first : leg.last + 1]))
        raise Unplannable(
            f'{path.where(row)} is {radius[row]:.3f} m from the axis of the robot, outside '
            f'{reach[0]:.2f} to {reach[1]:.2f} m: make the drawing smaller or move it'
        )


def check_joints(path: PenPath, joints: JointPath, limits: JointLimits) -> None:
    """Every pose is reached, within position limits, away from singularities and without jumps."""
    q = joints.positions
    row = _first(~np.isfinite(q).all(axis=1))
    if row is not None:
        fraction = path.lengths[:row].sum() / max(path.lengths.sum(), 1e-9)
        raise Unplannable(
            f'{path.where(row)} is out of reach, after {100.0 * fraction:.0f} % of the way: '
            'move the drawing nearer'
        )
    row = _first(~within_position_limits(q, limits.position))
    if row is not None:
        only_the_turn = within_position_limits(q[row, :5], limits.position[:5])
        raise Unplannable(
            f'{path.where(row)}: {position_violation(q[row], limits.position)}: '
            + ('choose another pen yaw or let it be free' if only_the_turn else 'move the drawing')
        )
    singular = singularity_measure(q).first_below_minimum()
    if singular:
        row, cause = singular
        raise Unplannable(f'{path.where(row)} is too near a {cause}: move the drawing')
    for first in range(0, len(path) - 1, _BLOCK):
        jumps = _jumps(path, joints, slice(first, first + _BLOCK))
        row = _first((jumps > LARGEST_JUMP).any(axis=0))
        if row is not None:
            joint = int(np.argmax(jumps[:, row]))
            raise Unplannable(
                f'{path.where(first + row)}: {JOINT_NAMES[joint]} jumps by '
                f'{jumps[joint, row]:.4f} rad (at most {LARGEST_JUMP:g}), the path leaves its '
                'branch: move the drawing'
            )


def _jumps(path: PenPath, joints: JointPath, intervals: slice) -> Array:
    """Distance (6, n) of each step from the mean of the slopes at its ends."""
    lengths = path.lengths[intervals]
    rows = slice(intervals.start, intervals.start + len(lengths) + 1)
    slopes = joints.slopes[rows].T
    expected = 0.5 * (slopes[:, 1:] + slopes[:, :-1]) * lengths
    return np.abs(np.diff(joints.positions[rows].T) - expected)


def check_collisions(
    path: PenPath, joints: JointPath, checker: CollisionChecker, pen_depth: float
) -> float:
    """The arm meets neither itself nor the board; the tip may be pen_depth m below the paper.

    Returns the clearance, m: the smallest distance of two bodies on the way (see Survey).
    """
    survey = checker.survey(joints.positions, pen_depth)
    if survey.collision:
        raise Unplannable(f'{path.where(survey.collision.index)}: {survey.collision}')
    return survey.clearance


def _first(mask: ArrayLike) -> int | None:
    mask = np.asarray(mask)
    row = int(np.argmax(mask))
    return row if mask[row] else None

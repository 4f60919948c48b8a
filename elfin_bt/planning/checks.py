# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a pen path can be driven. Each check raises Unplannable for the first row that fails.

They are the same whoever found the joints.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elfin_bt.kinematics import JOINT_NAMES, JointLimits, PaperFrame, tip_positions
from elfin_bt.kinematics.limits import position_violation, within_position_limits
from elfin_bt.kinematics.singularity import singularity_measure
from elfin_bt.planning import bezier, hermite
from elfin_bt.planning.collision import CollisionChecker
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.timing import TimedRows

Array = NDArray[np.float64]

LARGEST_JUMP = 1e-3
"""Largest distance of a joint, rad, from where the slopes at both ends of an interval lead it."""
LARGEST_CHORD_ERROR = 20e-6
"""Largest distance of the tip from the path between two knots, m."""

_BLOCK = 8192
_ON_PAPER = ('plunge', 'draw', 'lift')


def check_reach(path: PenPath, paper: PaperFrame, reach: tuple[float, float]) -> None:
    """All that is drawn lies within `reach` metres (nearest, farthest) of the robot's axis 1."""
    world = paper.to_world(path.points)
    radius = np.hypot(world[:, 0], world[:, 1])
    drawn = np.zeros(len(path), dtype=bool)
    for leg in path.legs:
        drawn[leg.first : leg.last + 1] = leg.phase in _ON_PAPER
    excess = np.where(drawn, np.maximum(reach[0] - radius, radius - reach[1]), 0.0)
    row = _first(excess > 0.0)
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


def chord_error(
    path: PenPath, joints: JointPath, rows: TimedRows, paper: PaperFrame, pen_length: float
) -> float:
    """Largest distance, m, of the tip from the path half-way in time between two knots.

    The first leg, the approach, is left out: the pen comes from wherever it was. Raises Unplannable
    where the distance is more than LARGEST_CHORD_ERROR.
    """
    worst = 0.0
    for first in range(path.legs[0].last, len(path) - 1, _BLOCK):
        error = _chord_errors(path, joints, rows, paper, pen_length, first)
        row = _first(error > LARGEST_CHORD_ERROR)
        if row is not None:
            raise Unplannable(
                f'{path.where(first + row)}: between two knots the pen would be '
                f'{1e3 * error[row]:.3f} mm off its path (at most {1e3 * LARGEST_CHORD_ERROR:g} mm)'
            )
        worst = max(worst, float(error.max(initial=0.0)))
    return worst


def _chord_errors(
    path: PenPath,
    joints: JointPath,
    rows: TimedRows,
    paper: PaperFrame,
    pen_length: float,
    first: int,
) -> Array:
    count = min(_BLOCK, len(path) - 1 - first)
    here, there = slice(first, first + count), slice(first + 1, first + 1 + count)
    h = (rows.time[there] - rows.time[here])[:, None]
    h = np.where(h > 0.0, h, 1.0)
    q, v = joints.positions, rows.velocities
    middle, _ = hermite.evaluate(np.array(0.5), h, q[here], q[there], v[here], v[there])
    tip = paper.to_paper(tip_positions(middle, pen_length))
    # The path between the rows, and the place on it at half the time.
    resting = path.lengths[here] == 0.0
    length = np.where(resting, 1.0, path.lengths[here])[:, None]
    v0, v1 = (_speed(v[s], joints.slopes[s])[:, None] for s in (here, there))
    share = 0.25 * (3.0 * v0 + v1) / np.maximum(v0 + v1, 1e-12)
    on_path, _ = hermite.evaluate(
        share,
        length,
        path.points[here],
        path.points[there],
        path.tangents[here],
        path.tangents[there],
    )
    return np.where(resting, 0.0, bezier.norm((tip - on_path).T))


def _speed(velocities: Array, slopes: Array) -> Array:
    """Speed of the tip (N,), m/s, from joint velocities that are this multiple of the slopes."""
    speed: Array = np.einsum('ij,ij->i', velocities, slopes) / np.einsum('ij,ij->i', slopes, slopes)
    return speed


def _first(mask: ArrayLike) -> int | None:
    mask = np.asarray(mask)
    row = int(np.argmax(mask))
    return row if mask[row] else None

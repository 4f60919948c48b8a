# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Point to point: from any joints to given joints, at rest at both ends, through free space.

A straight line in joint space where that is free of collisions, otherwise a polyline around the
obstacle with a rest at each corner. A pen that is down, or low over the paper, is first lifted
straight up. The tip keeps to the TCP cap everywhere, not only the joints to theirs.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import BRANCHES, JointLimits, branch_of, fk, ik_branch, jacobian
from elfin_bt.kinematics.limits import position_violation, within_position_limits
from elfin_bt.planning.collision import CLEARANCE, RESOLUTION, CollisionChecker
from elfin_bt.planning.detour import free_path
from elfin_bt.planning.joints import slopes_along
from elfin_bt.planning.messages import Phase
from elfin_bt.planning.path import Leg
from elfin_bt.planning.port import Motion
from elfin_bt.planning.profile import durations, path_limits, squared_speeds
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import TCP_CAP, Heights, Speeds
from elfin_bt.planning.trajectory import Trajectory, join

Array = NDArray[np.float64]

DEEPEST_PEN = 0.020
"""A pen this far below the paper, m, can still be lifted; deeper, the arm isn't where it seems."""

_KNOT_SPACING = 0.01  # rad along the way, all joints together
_LIFT_SPACING = 0.0005  # m
_STEEPEST_LIFT = 100.0  # rad/m; more, and the arm is at a singularity
_SAME = 1e-9  # rad; less is no motion


def plan_ptp(
    start: Array,
    goal: Array,
    limits: JointLimits,
    checker: CollisionChecker,
    *,
    lift_height: float = Heights().lift,
    lift_speed: float = Speeds().travel,
    tcp_cap: float = TCP_CAP,
) -> Motion:
    """Plan from `start` to `goal`, both (6,) rad and at rest.

    Args:
        start: where the arm is; the pen may be down.
        goal: where it shall be.
        limits: to plan with, which should leave headroom for a stop.
        checker: knows the arm, the pen and the board.
        lift_height: a tip below this over the paper is lifted to it before anything else, m.
        lift_speed: of the tip while it is lifted, m/s.
        tcp_cap: largest speed of the tip, m/s.

    Returns:
        A leg 'lift' where one was needed, and a leg 'ptp'; no leg where the arm is there already.

    Raises:
        Unplannable: start or goal are outside the limits or in collision, or no way was found.
    """
    _require_within_limits('the arm stands where', start, limits)
    _require_within_limits('the goal is refused:', goal, limits)
    clearance = _clearance_to_keep(start, checker)
    collision = checker.check(goal[None])
    if collision:
        raise Unplannable(f'the goal is refused: {collision}; choose another')

    parts: list[tuple[Phase, Trajectory]] = []
    lift = _lift(start, lift_height, lift_speed, limits, checker, clearance)
    if lift is not None:
        parts.append(('lift', lift))
        start = lift.positions[-1]
    path = _free_path(start, goal, limits, checker, clearance)
    lines = [
        _line_trajectory(a, b, limits, checker.pen_length, tcp_cap)
        for a, b in pairwise(path)
        if np.abs(b - a).max() >= _SAME
    ]
    if lines:
        parts.append(('ptp', join(lines)))
    return _motion(parts) if parts else _no_motion(goal)


def _motion(parts: list[tuple[Phase, Trajectory]]) -> Motion:
    trajectory = join([part for _, part in parts])
    ends = np.cumsum([len(part) - 1 for _, part in parts]).tolist()
    legs = (
        Leg(phase, None, first, last)
        for (phase, _), first, last in zip(parts, [0, *ends], ends, strict=False)
    )
    return Motion(trajectory, tuple(legs))


def _no_motion(q: Array) -> Motion:
    """A trajectory can't be empty, but it can stand still."""
    return Motion(Trajectory(np.array([0.0, 0.001]), np.array([q, q]), np.zeros((2, 6))), ())


def _require_within_limits(what: str, q: Array, limits: JointLimits) -> None:
    violation = position_violation(q, limits.position)
    if violation:
        raise Unplannable(f'{what} {violation}')


def _clearance_to_keep(start: Array, checker: CollisionChecker) -> float:
    """The usual clearance, or what there is at the start, so that a stopped arm can get away.

    Raises Unplannable where there is next to none, or the pen is deep in the board.
    """
    available = float(checker.clearance(start[None])[0])
    clearance = min(CLEARANCE, available)
    collision = checker.check(start[None], DEEPEST_PEN, max(clearance, RESOLUTION))
    if collision:
        raise Unplannable(
            f'the arm cannot move from where it is: {collision}; move it clear by hand'
        )
    return clearance


# --- The lift -------------------------------------------------------------------------------------


def _lift(
    start: Array,
    height: float,
    speed: float,
    limits: JointLimits,
    checker: CollisionChecker,
    clearance: float,
) -> Trajectory | None:
    """Straight up to `height` over the paper, or as near to it as the arm can go.

    None where the pen is high enough, or cannot be lifted and need not be, being out of the paper.
    Raises Unplannable where it can't be lifted out.
    """
    low = float(checker.tip_heights(start[None])[0])
    if low >= height - _LIFT_SPACING:
        return None
    q, slopes = _way_up(start, height - low, limits)
    collision = checker.check(q, max(-low, 0.0), clearance) if len(q) else None
    q = q[: collision.index] if collision else q
    heights = checker.tip_heights(q)
    if len(q) < 2 or heights[-1] < 0.0:
        if low >= 0.0:
            return None
        why = str(collision) if collision else 'a joint limit or a singularity is in the way'
        raise Unplannable(
            f'the pen is {-1000.0 * low:.1f} mm below the paper and cannot be lifted straight up: '
            f'{why}; raise the arm by hand'
        )
    lengths = np.diff(heights)
    return _timed(q, slopes[: len(q)], lengths, np.full(len(lengths), speed), limits)


def _way_up(start: Array, rise: float, limits: JointLimits) -> tuple[Array, Array]:
    """Joints (N, 6) on the way straight up, and their slopes, rad/m, as far as the arm can go.

    Empty where the start is singular: inverse kinematics then has other joints for the same pose.
    """
    steps = np.linspace(0.0, rise, int(np.ceil(rise / _LIFT_SPACING)) + 1)
    poses = np.repeat(fk(start[None]), len(steps), axis=0)
    poses[:, 2, 3] += steps
    q = ik_branch(poses, BRANCHES[int(branch_of(start[None])[0])])
    slopes = slopes_along(q, np.tile([0.0, 0.0, 1.0], (len(q), 1)))
    usable: NDArray[np.bool_] = np.all(np.abs(slopes) < _STEEPEST_LIFT, axis=1)
    usable[0] &= bool(np.abs(q[0] - start).max() < 1e-6)
    usable[1:] &= within_position_limits(q[1:], limits.position)
    count = len(q) if usable.all() else int(np.argmin(usable))
    q[0] = start
    return q[:count], slopes[:count]


# --- The way to the goal --------------------------------------------------------------------------


def _free_path(
    start: Array, goal: Array, limits: JointLimits, checker: CollisionChecker, clearance: float
) -> Array:
    """Corners (M, 6) of a way free of collisions."""
    path = free_path(start, goal, limits.position, checker, clearance)
    if path is None:
        raise Unplannable(
            'no way to the goal was found that is free of collisions (on the direct one '
            f'{checker.check(np.array([start, goal]), clearance=clearance)}); '
            'bring the arm nearer to the goal by hand'
        )
    return path


def _line_trajectory(
    start: Array, goal: Array, limits: JointLimits, pen_length: float, tcp_cap: float
) -> Trajectory:
    """A straight line in joint space, from rest to rest, as fast as limits and cap allow."""
    way = goal - start
    length = float(np.linalg.norm(way))
    share = np.linspace(0.0, 1.0, int(np.ceil(length / _KNOT_SPACING)) + 1)[:, None]
    q = (1.0 - share) * start + share * goal
    slopes = np.tile(way / length, (len(q), 1))
    tip = np.linalg.norm(jacobian(q, (0.0, 0.0, pen_length))[:, :3] @ (way / length), axis=1)
    # Between two knots the tip's slope is a little off the larger of theirs.
    speeds = 0.999 * tcp_cap / np.maximum(np.maximum(tip[1:], tip[:-1]), 1e-6)
    return _timed(q, slopes, np.full(len(q) - 1, length / (len(q) - 1)), speeds, limits)


def _timed(
    q: Array, slopes: Array, lengths: Array, speeds: Array, limits: JointLimits
) -> Trajectory:
    """Knots with constant path acceleration between them: the cubic through them is the plan."""
    rest = np.zeros(len(q), dtype=bool)
    rest[0] = rest[-1] = True
    profile = path_limits(q, slopes, lengths, speeds, limits.velocity, limits.acceleration)
    speed = np.sqrt(squared_speeds(profile, rest))
    time = np.insert(np.cumsum(durations(lengths, speed)), 0, 0.0)
    return Trajectory(time, q, speed[:, None] * slopes)

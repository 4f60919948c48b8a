# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Point to point: from any joints to given joints, at rest at both ends, through free space.

A straight line in joint space where that is free of collisions, otherwise a polyline around the
obstacle with a rest at each corner. A pen that is down, or low over the paper, is first lifted
straight up (lift.py). How the lines are timed: joint_line.py.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits
from elfin_bt.kinematics.limits import position_violation
from elfin_bt.planning.clearance import CLEARANCE
from elfin_bt.planning.collision import RESOLUTION, CollisionChecker
from elfin_bt.planning.detour import free_path
from elfin_bt.planning.joint_line import joint_line
from elfin_bt.planning.lift import lift_trajectory
from elfin_bt.planning.messages import Phase
from elfin_bt.planning.path import Leg
from elfin_bt.planning.port import Motion
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import TCP_CAP, Heights, Speeds
from elfin_bt.planning.trajectory import Trajectory, join

Array = NDArray[np.float64]

DEEPEST_PEN = 0.020
"""A pen this far below the paper, m, can still be lifted; deeper, the arm isn't where it seems."""

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
    lift = lift_trajectory(start, lift_height, lift_speed, limits, checker, clearance)
    if lift is not None:
        parts.append(('lift', lift))
        start = lift.positions[-1]
    path = _free_path(start, goal, limits, checker, clearance)
    lines = [
        joint_line(a, b, limits, pen_length=checker.pen_length, tcp_cap=tcp_cap)
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
    still = np.zeros((2, 6))
    return Motion(Trajectory(np.array([0.0, 0.001]), np.array([q, q]), still, still), ())


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

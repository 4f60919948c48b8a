# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The points of a JointTrajectory as plain values: shape, numbers and limits of every knot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.joint_path import Waypoints

Array = NDArray[np.float64]

_LONGEST_NAME = 60
_MOST_NAMES = 8


class ErrorCode(IntEnum):
    """Result codes of control_msgs/action/FollowJointTrajectory."""

    SUCCESSFUL = 0
    INVALID_GOAL = -1
    INVALID_JOINTS = -2
    OLD_HEADER_TIMESTAMP = -3
    PATH_TOLERANCE_VIOLATED = -4
    GOAL_TOLERANCE_VIOLATED = -5


class GoalError(ValueError):
    """A goal that will not be executed.

    Attributes:
        code: result code.
        rejected: whether the goal is rejected; else it is accepted, then aborted with the code.
    """

    def __init__(
        self, text: str, *, code: ErrorCode = ErrorCode.INVALID_GOAL, rejected: bool = True
    ) -> None:
        super().__init__(text)
        self.code = code
        self.rejected = rejected


@dataclass(frozen=True)
class Point:
    """One JointTrajectoryPoint; an empty sequence is a field that is not given."""

    time: float
    positions: Sequence[float] = ()
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()
    effort: Sequence[float] = ()


def joint_order(names: Sequence[str], expected: tuple[str, ...]) -> list[int]:
    """Index into the request's columns of each expected joint."""
    if sorted(names) != sorted(expected):
        missing = [name for name in expected if name not in names]
        unknown = [name for name in names if name not in expected]
        twice = sorted({name for name in names if names.count(name) > 1})
        parts = [
            f'{label}: {_listed(found)}'
            for label, found in (('missing', missing), ('unknown', unknown), ('twice', twice))
            if found
        ]
        raise GoalError(
            f'a goal names each of {", ".join(expected)} once, in any order; {"; ".join(parts)}',
            code=ErrorCode.INVALID_JOINTS,
            rejected=False,
        )
    return [list(names).index(name) for name in expected]


def _listed(names: Sequence[str]) -> str:
    """Names as a person can read them, however long and many they are."""
    shown = [
        (name if len(name) <= _LONGEST_NAME else f'{name[:_LONGEST_NAME]}...') or "''"
        for name in names[:_MOST_NAMES]
    ]
    more = len(names) - len(shown)
    return ', '.join(shown) + (f' and {more} more' if more else '')


def read_points(
    joint_names: Sequence[str], points: Sequence[Point], order: list[int]
) -> tuple[Array, Array, Array | None, Array | None]:
    """Times (n,), positions (n, joints), and velocities and accelerations where they are given.

    order: of `joint_order`.

    Raises:
        GoalError: no points, a field given for some points or joints only, a time that does not
            rise, a number that is not finite, effort.
    """
    if not points:
        raise GoalError('the trajectory has no points')
    for index, point in enumerate(points):
        if len(point.effort):
            raise GoalError(f'point {index} gives effort, which this arm cannot follow')
    time = np.array([point.time for point in points])
    _check_time(time)
    positions = _columns(joint_names, points, 'positions', order)
    if positions is None:
        raise GoalError('no point gives positions')
    velocities = _columns(joint_names, points, 'velocities', order)
    accelerations = _columns(joint_names, points, 'accelerations', order)
    if accelerations is not None and velocities is None:
        raise GoalError('accelerations are given without velocities; give both or positions only')
    return time, positions, velocities, accelerations


def _check_time(time: Array) -> None:
    if not np.isfinite(time).all():
        raise GoalError(f'time_from_start of point {int(np.isfinite(time).argmin())} is not finite')
    if time[0] < 0.0:
        raise GoalError(f'point 0 is at {time[0]:g} s; time_from_start begins at 0 or later')
    late = np.flatnonzero(np.diff(time) <= 0.0)
    if late.size:
        index = int(late[0]) + 1
        raise GoalError(
            f'time_from_start must rise from point to point: point {index} is at '
            f'{time[index]:g} s, the one before at {time[index - 1]:g} s'
        )


def _columns(
    joint_names: Sequence[str], points: Sequence[Point], name: str, order: list[int]
) -> Array | None:
    """One field of all points, (n, joints), or None when no point gives it."""
    rows: list[Sequence[float]] = [getattr(point, name) for point in points]
    if not any(len(row) for row in rows):
        return None
    for index, row in enumerate(rows):
        if len(row) != len(order):
            raise GoalError(
                f'point {index} gives {len(row)} {name} for {len(order)} joints; '
                'every point gives the same fields, each for every joint'
            )
    values = np.array(rows, dtype=np.float64)[:, order]
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        index, joint = bad[0]
        raise GoalError(
            f'{name} of {joint_names[order[joint]]} at point {index} is '
            f'{values[index, joint]}, not a finite number'
        )
    return values


def check_knots(
    joint_names: Sequence[str], waypoints: Waypoints, position: Array, velocity: Array
) -> None:
    """Refuse knots outside the limits: position (joints, 2) rad, velocity (joints,) rad/s.

    Raises:
        GoalError: names the first one's joint, value and limit.
    """
    q = waypoints.positions
    bad = np.argwhere((q < position[:, 0]) | (q > position[:, 1]))
    if bad.size:
        index, joint = bad[0]
        low, high = position[joint]
        raise GoalError(
            f'position of {joint_names[joint]} at point {index} is '
            f'{q[index, joint]:.6g} rad; limits {low:g} to {high:g}'
        )
    speed = np.abs(waypoints.velocities)
    bad = np.argwhere(speed > velocity)
    if bad.size:
        index, joint = bad[0]
        raise GoalError(
            f'velocity of {joint_names[joint]} at point {index} is '
            f'{waypoints.velocities[index, joint]:.6g} rad/s; limit {velocity[joint]:g}'
        )

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a FollowJointTrajectory goal must be in itself, whatever the arm is doing.

Shape errors are rejected. The real-arm convention that a goal for other joints is accepted and then
aborted with INVALID_JOINTS is kept, because a rejection carries no text to the client.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.joint_path import Waypoints

Array = NDArray[np.float64]

STAMP_SLACK = 0.005
"""A header stamp this little ahead, in s, still means now: clocks differ and messages travel."""


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


@dataclass(frozen=True)
class Tolerance:
    """One JointTolerance: 0 means the default, -1 no limit."""

    name: str
    position: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0


@dataclass(frozen=True)
class GoalRequest:
    """A FollowJointTrajectory goal as plain values.

    Attributes:
        stamp: time in s from which the trajectory is meant to run, 0 for now.
        goal_time: s after the planned end in which the tolerance must be reached, 0: default.
        unsupported: fields that were filled in and that this executor does not know.
    """

    joint_names: Sequence[str]
    points: Sequence[Point]
    stamp: float = 0.0
    path_tolerance: Sequence[Tolerance] = ()
    goal_tolerance: Sequence[Tolerance] = ()
    goal_time: float = 0.0
    unsupported: Sequence[str] = ()


@dataclass(frozen=True)
class GoalLimits:
    """Limits that knots are held to, and the default tolerances at rest.

    position (joints, 2) rad, velocity (joints,) rad/s, goal_position rad, goal_velocity rad/s,
    goal_time s; shortest s that a trajectory lasts.
    """

    joint_names: tuple[str, ...]
    position: Array
    velocity: Array
    goal_position: float
    goal_velocity: float
    goal_time: float
    shortest: float


@dataclass(frozen=True, eq=False)
class Goal:
    """A goal that is right in itself, in the executor's joint order.

    Attributes:
        waypoints: knots as given; the first one's time may be 0 or later.
        positions_only: whether the goal gave nothing but positions.
        position_tolerance: (joints,) rad, infinite where there is no limit.
        velocity_tolerance: (joints,) rad/s.
        time_tolerance: s.
    """

    waypoints: Waypoints
    positions_only: bool
    position_tolerance: Array
    velocity_tolerance: Array
    time_tolerance: float


def read_goal(request: GoalRequest, limits: GoalLimits, now: float) -> Goal:
    """Check a request and put it into the executor's joint order.

    now: the time that header stamps are compared with, s.

    Raises:
        GoalError: what is wrong, naming joint, point, value and limit.
    """
    order = _joint_order(request.joint_names, limits.joint_names)
    _check_stamp(request, now)
    if request.unsupported:
        raise GoalError(f'{", ".join(request.unsupported)} given: not supported, leave it empty')
    waypoints = _waypoints(request, order)
    if waypoints.time[-1] < limits.shortest:
        raise GoalError(
            f'the trajectory lasts {waypoints.time[-1]:g} s; at least {limits.shortest:g} s'
        )
    _check_knots(waypoints, limits)
    _refuse_path_tolerance(request.path_tolerance)
    position, velocity = _goal_tolerance(request.goal_tolerance, limits)
    positions_only = not any(len(point.velocities) for point in request.points)
    goal_time = _goal_time(request.goal_time, limits)
    return Goal(waypoints, positions_only, position, velocity, goal_time)


def _joint_order(names: Sequence[str], expected: tuple[str, ...]) -> list[int]:
    """Index into the request's columns of each expected joint."""
    if sorted(names) != sorted(expected):
        missing = [name for name in expected if name not in names]
        unknown = [name for name in names if name not in expected]
        twice = sorted({name for name in names if names.count(name) > 1})
        parts = [
            f'{label}: {", ".join(found)}'
            for label, found in (('missing', missing), ('unknown', unknown), ('twice', twice))
            if found
        ]
        raise GoalError(
            f'a goal names each of {", ".join(expected)} once, in any order; {"; ".join(parts)}',
            code=ErrorCode.INVALID_JOINTS,
            rejected=False,
        )
    return [list(names).index(name) for name in expected]


def _check_stamp(request: GoalRequest, now: float) -> None:
    ahead = request.stamp - now
    if request.stamp > 0.0 and ahead > STAMP_SLACK:
        raise GoalError(
            f'header stamp is {ahead:.3f} s in the future; a delayed start is not supported, '
            'send 0 (start now) and send it when it is due',
            rejected=False,
        )


def _waypoints(request: GoalRequest, order: list[int]) -> Waypoints:
    if not request.points:
        raise GoalError('the trajectory has no points')
    for index, point in enumerate(request.points):
        if len(point.effort):
            raise GoalError(f'point {index} gives effort, which this arm cannot follow')
    time = np.array([point.time for point in request.points])
    _check_time(time)
    positions = _columns(request, 'positions', order)
    if positions is None:
        raise GoalError('no point gives positions')
    velocities = _columns(request, 'velocities', order)
    accelerations = _columns(request, 'accelerations', order)
    if accelerations is not None and velocities is None:
        raise GoalError('accelerations are given without velocities; give both or positions only')
    if velocities is None:
        return Waypoints.resting(time, positions)
    return Waypoints(time, positions, velocities, accelerations)


def _check_time(time: Array) -> None:
    if time[0] < 0.0:
        raise GoalError(f'point 0 is at {time[0]:g} s; time_from_start begins at 0 or later')
    late = np.flatnonzero(np.diff(time) <= 0.0)
    if late.size:
        index = int(late[0]) + 1
        raise GoalError(
            f'time_from_start must rise from point to point: point {index} is at '
            f'{time[index]:g} s, the one before at {time[index - 1]:g} s'
        )


def _columns(request: GoalRequest, name: str, order: list[int]) -> Array | None:
    """One field of all points, (n, joints), or None when no point gives it."""
    rows: list[Sequence[float]] = [getattr(point, name) for point in request.points]
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
            f'{name} of {request.joint_names[order[joint]]} at point {index} is '
            f'{values[index, joint]}, not a finite number'
        )
    return values


def _check_knots(waypoints: Waypoints, limits: GoalLimits) -> None:
    q = waypoints.positions
    bad = np.argwhere((q < limits.position[:, 0]) | (q > limits.position[:, 1]))
    if bad.size:
        index, joint = bad[0]
        low, high = limits.position[joint]
        raise GoalError(
            f'position of {limits.joint_names[joint]} at point {index} is '
            f'{q[index, joint]:.4f} rad; limits {low:g} to {high:g}'
        )
    speed = np.abs(waypoints.velocities)
    bad = np.argwhere(speed > limits.velocity)
    if bad.size:
        index, joint = bad[0]
        raise GoalError(
            f'velocity of {limits.joint_names[joint]} at point {index} is '
            f'{waypoints.velocities[index, joint]:.4f} rad/s; limit {limits.velocity[joint]:g}'
        )


def _refuse_path_tolerance(tolerances: Sequence[Tolerance]) -> None:
    for tolerance in tolerances:
        if max(tolerance.position, tolerance.velocity, tolerance.acceleration) > 0.0:
            raise GoalError(
                f'path_tolerance of {tolerance.name} given: tolerances along the path are not '
                'supervised; leave it empty (goal_tolerance is kept)'
            )


def _goal_tolerance(tolerances: Sequence[Tolerance], limits: GoalLimits) -> tuple[Array, Array]:
    joints = len(limits.joint_names)
    position = np.full(joints, limits.goal_position)
    velocity = np.full(joints, limits.goal_velocity)
    for tolerance in tolerances:
        if tolerance.name not in limits.joint_names:
            raise GoalError(
                f'goal_tolerance names {tolerance.name!r}, which is not a joint of ours'
            )
        joint = limits.joint_names.index(tolerance.name)
        if tolerance.acceleration > 0.0:
            raise GoalError(
                f'goal_tolerance of {tolerance.name} limits acceleration, which is not measured'
            )
        for values, given in ((position, tolerance.position), (velocity, tolerance.velocity)):
            if given == -1.0:
                values[joint] = np.inf
            elif given > 0.0:
                values[joint] = given
            elif given != 0.0:
                raise GoalError(
                    f'goal_tolerance of {tolerance.name} is {given:g}; '
                    'it is positive, 0 (default) or -1 (no limit)'
                )
    return position, velocity


def _goal_time(given: float, limits: GoalLimits) -> float:
    if given < 0.0:
        raise GoalError(f'goal_time_tolerance is {given:g} s; it is positive or 0 (default)')
    return given or limits.goal_time

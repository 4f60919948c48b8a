# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a FollowJointTrajectory goal must be in itself, whatever the arm is doing.

Shape errors are rejected. What may be right at another time or on another arm is accepted and then
aborted with its code, because a rejection carries no text to the client: other joints
(INVALID_JOINTS), an old or a distant header stamp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.joint_path import Waypoints
from elfin_bt.execution.points import (
    ErrorCode,
    GoalError,
    Point,
    check_knots,
    joint_order,
    read_points,
)
from elfin_bt.execution.tolerances import JointTolerances, Tolerance, read_tolerances

Array = NDArray[np.float64]

STAMP_SLACK = 0.005
"""A header stamp this little ahead, in s, still means now: clocks differ and messages travel."""

AT_REST = 1e-4
"""A joint slower than this, rad/s, is at rest."""

# p and v of a goal agree when some motion within the acceleration limit has both; this much more,
# rad/s, is rounding.
_VELOCITY_ROUNDING = 1e-3


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
    """Limits that goals are held to in themselves, and their default tolerances.

    Attributes:
        joint_names: what clients call the joints, in the arm's order.
        position: (joints, 2) rad; velocity (joints,) rad/s; acceleration (joints,) rad/s2.
        path_tolerance: default along the path; goal_tolerance at its end.
        goal_time: default time in s after the end in which goal_tolerance is to be reached.
        shortest, longest: s that a trajectory lasts.
        most_points: that a trajectory has.
        longest_delay: s that a header stamp may be ahead.
        may_end_moving: whether the last velocity may differ from 0.
    """

    joint_names: tuple[str, ...]
    position: Array
    velocity: Array
    acceleration: Array
    path_tolerance: JointTolerances
    goal_tolerance: JointTolerances
    goal_time: float
    shortest: float
    longest: float
    most_points: int
    longest_delay: float
    may_end_moving: bool


@dataclass(frozen=True, eq=False)
class Goal:
    """A goal that is right in itself, in the executor's joint order.

    Attributes:
        waypoints: knots as given; the first one's time may be 0 or later.
        positions_only: whether the goal gave nothing but positions.
        path_tolerance: along the path; goal_tolerance at its end.
        time_tolerance: s.
        start_time: header stamp in s before which it must not begin, None for at once.
    """

    waypoints: Waypoints
    positions_only: bool
    path_tolerance: JointTolerances
    goal_tolerance: JointTolerances
    time_tolerance: float
    start_time: float | None = None

    @property
    def ends_at_rest(self) -> bool:
        """Whether its last velocity is 0."""
        return bool(np.abs(self.waypoints.velocities[-1]).max() < AT_REST)


def read_goal(request: GoalRequest, limits: GoalLimits, now: float) -> Goal:
    """Check a request and put it into the executor's joint order.

    now: the time that header stamps are compared with, s.

    Raises:
        GoalError: what is wrong, naming joint, point, value and limit.
    """
    check_size(len(request.points), limits.most_points)
    order = joint_order(request.joint_names, limits.joint_names)
    if request.unsupported:
        raise GoalError(f'{", ".join(request.unsupported)} given: not supported, leave it empty')
    time, positions, velocities, accelerations = read_points(
        request.joint_names, request.points, order
    )
    if velocities is None:
        waypoints = Waypoints.resting(time, positions)
    else:
        waypoints = Waypoints(time, positions, velocities, accelerations)
    _check_duration(float(waypoints.time[-1]), limits)
    check_knots(limits.joint_names, waypoints, limits.position, limits.velocity)
    _check_end(waypoints, limits)
    if velocities is not None:
        _check_consistency(waypoints, limits)
    try:
        path_tolerance = read_tolerances(
            'path_tolerance', request.path_tolerance, limits.path_tolerance, limits.joint_names
        )
        goal_tolerance = read_tolerances(
            'goal_tolerance', request.goal_tolerance, limits.goal_tolerance, limits.joint_names
        )
    except ValueError as error:
        raise GoalError(str(error)) from error
    goal_time = _goal_time(request.goal_time, limits)
    start_time = _start_time(request.stamp, float(waypoints.time[-1]), limits.longest_delay, now)
    return Goal(
        waypoints, velocities is None, path_tolerance, goal_tolerance, goal_time, start_time
    )


def check_size(points: int, limit: int) -> None:
    """Refuse a trajectory of more points than the limit.

    Raises:
        GoalError: how many, and what to do.
    """
    if points > limit:
        raise GoalError(
            f'the trajectory has {points} points, limit {limit}: send it as several goals, each '
            'beginning where the one before ends'
        )


def _start_time(stamp: float, duration: float, longest_delay: float, now: float) -> float | None:
    """Header stamp before which the goal must not begin; None if it begins at once.

    A stamp in the past means now, from the first point on: nothing is skipped and nothing is
    caught up with, since the arm stands at the first point.
    """
    ahead = stamp - now
    if stamp <= 0.0:
        return None
    if ahead + duration < 0.0:
        raise GoalError(
            f'the trajectory ended {-ahead - duration:.3f} s before it arrived (header stamp '
            f'{-ahead:.3f} s ago, duration {duration:.3f} s): send 0 to start now, or compare the '
            'clocks of both machines',
            code=ErrorCode.OLD_HEADER_TIMESTAMP,
            rejected=False,
        )
    if ahead > longest_delay:
        raise GoalError(
            f'header stamp is {ahead:.3f} s in the future, limit {longest_delay:g} s: send it '
            'later, or compare the clocks of both machines',
            rejected=False,
        )
    return stamp if ahead > STAMP_SLACK else None


def _check_end(waypoints: Waypoints, limits: GoalLimits) -> None:
    last = waypoints.velocities[-1]
    if not limits.may_end_moving and np.abs(last).max() >= AT_REST:
        joint = int(np.abs(last).argmax())
        raise GoalError(
            f'velocity of {limits.joint_names[joint]} at the last point is {last[joint]:.4f} '
            'rad/s: a trajectory ends at rest unless allow_nonzero_velocity_at_trajectory_end'
        )


def _check_duration(duration: float, limits: GoalLimits) -> None:
    if duration < limits.shortest:
        raise GoalError(f'the trajectory lasts {duration:g} s; at least {limits.shortest:g} s')
    if duration > limits.longest:
        raise GoalError(
            f'the trajectory lasts {duration:g} s, limit {limits.longest:g} s: '
            'send it as several goals, each beginning where the one before ends'
        )


def _check_consistency(waypoints: Waypoints, limits: GoalLimits) -> None:
    """Refuse velocities that belong to another motion than the positions.

    The mean velocity of a segment of length h differs from the mean of its end velocities by at
    most A h / 4 in any motion whose acceleration stays within A (bang-bang is the worst).
    """
    v, width = waypoints.velocities, np.diff(waypoints.time)[:, None]
    mean, ends = np.diff(waypoints.positions, axis=0) / width, (v[1:] + v[:-1]) / 2
    bound = limits.acceleration * width / 4 + _VELOCITY_ROUNDING
    bad = np.argwhere(np.abs(mean - ends) > bound)
    if bad.size:
        index, joint = bad[0]
        raise GoalError(
            f'positions and velocities of {limits.joint_names[joint]} do not belong together '
            f'between points {index} and {index + 1}: the mean velocity is '
            f'{mean[index, joint]:.4f} rad/s by positions and {ends[index, joint]:.4f} by '
            f'velocities; within {limits.acceleration[joint]:g} rad/s2 they differ by at most '
            f'{bound[index, joint]:.4f}'
        )


def _goal_time(given: float, limits: GoalLimits) -> float:
    if not 0.0 <= given < np.inf:
        raise GoalError(f'goal_time_tolerance is {given:g} s; it is positive or 0 (default)')
    return given or limits.goal_time

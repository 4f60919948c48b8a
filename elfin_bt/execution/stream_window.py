# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A message on the streaming topic: a window of the motion to come, which the next one replaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.joint_path import Waypoints
from elfin_bt.execution.points import GoalError, Point, check_knots, joint_order, read_points
from elfin_bt.execution.settings import ExecutorSettings

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WindowRequest:
    """A trajectory_msgs/JointTrajectory as plain values; `stamp` in s, 0 for now."""

    joint_names: Sequence[str]
    points: Sequence[Point]
    stamp: float = 0.0


@dataclass(frozen=True)
class WindowLimits:
    """What windows are held to: position (joints, 2) rad, velocity (joints,) rad/s, `longest` s."""

    joint_names: tuple[str, ...]
    position: Array
    velocity: Array
    longest: float
    most_points: int

    @classmethod
    def of(cls, settings: ExecutorSettings) -> WindowLimits:
        """Limits by the settings."""
        return cls(
            joint_names=settings.joint_names,
            position=settings.limits.position,
            velocity=settings.limits.velocity,
            longest=settings.stream_max_duration,
            most_points=settings.max_points,
        )


@dataclass(frozen=True, eq=False)
class Window:
    """Knots of a window, their time counted from its `stamp`, s; 0 is a stamp that was not given.

    Always with velocities, in the arm's joint order.
    """

    waypoints: Waypoints
    stamp: float

    @property
    def span(self) -> float:
        """Time from the first knot to the last, s."""
        return float(self.waypoints.time[-1] - self.waypoints.time[0])


def read_window(request: WindowRequest, limits: WindowLimits) -> Window:
    """Check a message that has points and put it into the arm's joint order.

    Positions alone get the velocities of their central differences, a single point rests.

    Raises:
        GoalError: what is wrong, naming joint, point, value and limit.
    """
    if len(request.points) > limits.most_points:
        raise GoalError(f'{len(request.points)} points, limit {limits.most_points}')
    order = joint_order(request.joint_names, limits.joint_names)
    time, positions, velocities, accelerations = read_points(
        request.joint_names, request.points, order
    )
    if time[-1] > limits.longest:
        raise GoalError(f'the window lasts {time[-1]:g} s, limit {limits.longest:g} s')
    if velocities is None:
        alone = len(time) == 1
        velocities = np.zeros_like(positions) if alone else np.gradient(positions, time, axis=0)
    waypoints = Waypoints(time, positions, velocities, accelerations)
    check_knots(limits.joint_names, waypoints, limits.position, limits.velocity)
    return Window(waypoints, request.stamp)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Between the executor's plain values and the messages on the wire."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import DynamicJointState, JointTrajectoryControllerState
from numpy.typing import NDArray
from std_msgs.msg import Float64MultiArray, MultiArrayDimension
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from elfin_bt.execution.actions import DeviceReport, FinishGoal, Progress
from elfin_bt.execution.chunk import FIELDS, HEADER_SIZE, NO_SEQUENCE, Chunk, encode_chunk
from elfin_bt.execution.goal import GoalRequest
from elfin_bt.execution.points import Point
from elfin_bt.execution.stream_window import WindowRequest
from elfin_bt.execution.tolerances import Tolerance
from elfin_bt.ros.conversions import (
    duration_from_seconds,
    seconds_from_duration,
    seconds_from_time,
)

DEVICE_GROUP = 'rmp'


def chunk_message(chunk: Chunk) -> Float64MultiArray:
    """A chunk as `pvt_hardware/chunk` carries it."""
    message = Float64MultiArray()
    message.layout.data_offset = HEADER_SIZE
    message.layout.dim = [
        MultiArrayDimension(label='point', size=len(chunk), stride=FIELDS * len(chunk)),
        MultiArrayDimension(label='field', size=FIELDS, stride=FIELDS),
    ]
    message.data = encode_chunk(chunk)
    return message


def goal_request(goal: FollowJointTrajectory.Goal) -> GoalRequest:
    """A goal message as plain values."""
    trajectory = goal.trajectory
    others = {
        'multi_dof_trajectory': goal.multi_dof_trajectory.points,
        'component_path_tolerance': goal.component_path_tolerance,
        'component_goal_tolerance': goal.component_goal_tolerance,
    }
    return GoalRequest(
        joint_names=tuple(trajectory.joint_names),
        points=_points(trajectory),
        stamp=seconds_from_time(trajectory.header.stamp),
        path_tolerance=_tolerances(goal.path_tolerance),
        goal_tolerance=_tolerances(goal.goal_tolerance),
        goal_time=seconds_from_duration(goal.goal_time_tolerance),
        unsupported=[name for name, value in others.items() if len(value)],
    )


def window_request(message: JointTrajectory) -> WindowRequest:
    """A message of the streaming topic as plain values."""
    return WindowRequest(
        joint_names=tuple(message.joint_names),
        points=_points(message),
        stamp=seconds_from_time(message.header.stamp),
    )


def result_message(finish: FinishGoal) -> FollowJointTrajectory.Result:
    """Code and text of a finished goal."""
    return FollowJointTrajectory.Result(error_code=int(finish.code), error_string=finish.text)


def feedback_message(
    progress: Progress, joint_names: Sequence[str], stamp: Time
) -> FollowJointTrajectory.Feedback:
    """Desired and actual state of the goal being executed; times from its own start."""
    feedback = FollowJointTrajectory.Feedback(joint_names=list(joint_names))
    feedback.header.stamp = stamp
    feedback.desired = _point(
        progress.desired_position, progress.desired_velocity, progress.goal_time
    )
    feedback.actual = _point(progress.position, progress.velocity, progress.goal_time)
    feedback.error = _error(progress)
    return feedback


def controller_state_message(
    progress: Progress, joint_names: Sequence[str], stamp: Time
) -> JointTrajectoryControllerState:
    """What is wanted, measured and sent. The hardware is sent what is wanted."""
    state = JointTrajectoryControllerState(joint_names=list(joint_names))
    state.header.stamp = stamp
    state.reference = _point(
        progress.desired_position, progress.desired_velocity, progress.goal_time
    )
    state.feedback = _point(progress.position, progress.velocity, progress.goal_time)
    state.error = _error(progress)
    state.output = state.reference
    state.speed_scaling_factor = progress.rate
    return state


def device_report(message: DynamicJointState, joint_names: Sequence[str]) -> DeviceReport | None:
    """The device of a `dynamic_joint_states` message; None if it is another device's."""
    groups = dict(zip(message.joint_names, message.interface_values, strict=False))
    if DEVICE_GROUP not in groups or not all(name in groups for name in joint_names):
        return None
    values = {
        name: dict(zip(groups[name].interface_names, groups[name].values, strict=False))
        for name in (*joint_names, DEVICE_GROUP)
    }
    device = values[DEVICE_GROUP]
    try:
        return DeviceReport(
            stamp=seconds_from_time(message.header.stamp),
            state=int(device['state']),
            frames=int(device['frames_loaded']),
            sequence=int(device.get('chunk_accepted', NO_SEQUENCE)),
            paused=device.get('feed_target', 1.0) == 0.0,
            amps_enabled=device.get('amps_enabled', 1.0) != 0.0,
            position=np.array([values[name]['position'] for name in joint_names]),
            velocity=np.array([values[name]['velocity'] for name in joint_names]),
        )
    except (KeyError, ValueError, OverflowError):
        return None


def _points(trajectory: JointTrajectory) -> list[Point]:
    return [
        Point(
            time=seconds_from_duration(point.time_from_start),
            positions=point.positions,
            velocities=point.velocities,
            accelerations=point.accelerations,
            effort=point.effort,
        )
        for point in trajectory.points
    ]


def _tolerances(tolerances: Sequence[object]) -> list[Tolerance]:
    return [
        Tolerance(each.name, each.position, each.velocity, each.acceleration)  # type: ignore[attr-defined]
        for each in tolerances
    ]


def _error(progress: Progress) -> JointTrajectoryPoint:
    return _point(
        progress.desired_position - progress.position,
        progress.desired_velocity - progress.velocity,
        progress.goal_time,
    )


def _point(
    position: NDArray[np.float64], velocity: NDArray[np.float64], time: float
) -> JointTrajectoryPoint:
    return JointTrajectoryPoint(
        positions=position.tolist(),
        velocities=velocity.tolist(),
        time_from_start=duration_from_seconds(time),
    )

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session's connection to the executor: motion goals, reset, lease."""

from __future__ import annotations

import math
import time
from array import array
from typing import Any, Protocol

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future
from std_msgs.msg import UInt32
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from elfin_bt.kinematics import JOINT_NAMES
from elfin_bt.planning.trajectory import Trajectory
from elfin_bt.ros import qos
from elfin_bt.ros.conversions import NANOSECONDS

EXECUTOR = 'passthrough_executor'
JOINTS = len(JOINT_NAMES)
STATE_SILENCE = 1.0  # s, of an executor that publishes its state at 20 Hz
USUAL_KNOTS = 200

# Answers of many goals may come at once; rclpy's own profile keeps ten and drops the others.
_ANSWERS = QoSProfile(depth=100)


class GoalListener(Protocol):
    """Who hears of the goals: the motion queue."""

    def on_accepted(self, ticket: int) -> None: ...  # noqa: D102

    def on_rejected(self, ticket: int) -> None: ...  # noqa: D102

    def on_finished(self, ticket: int, refusal: str) -> None: ...  # noqa: D102


class ResetListener(Protocol):
    """Who hears of a reset: the robot monitor."""

    def on_reset_answer(self, refusal: str) -> None: ...  # noqa: D102


class ExecutorLink:
    """Carries goals and a reset to the executor and its answers back, all asynchronously.

    ``listen()`` comes before the first goal.
    """

    def __init__(self, node: Node) -> None:
        self._actions = ActionClient(
            node,
            FollowJointTrajectory,
            f'{EXECUTOR}/follow_joint_trajectory',
            goal_service_qos_profile=_ANSWERS,
            result_service_qos_profile=_ANSWERS,
            cancel_service_qos_profile=_ANSWERS,
        )
        self._reset = node.create_client(Trigger, f'{EXECUTOR}/reset_fault')
        self._lease = node.create_publisher(UInt32, f'{EXECUTOR}/lease', qos.COMMAND)
        self._lease_count = 0
        # The executor publishes its state only while it hears the hardware.
        self._state_heard_at = -math.inf
        node.create_subscription(
            JointTrajectoryControllerState,
            f'{EXECUTOR}/controller_state',
            self._on_state,
            qos.JOINT_STATES_READ,
        )
        self._messages = TrajectoryMessages()
        self._handles: dict[int, ClientGoalHandle] = {}
        self._goals: GoalListener
        self._resets: ResetListener

    def listen(self, goals: GoalListener, resets: ResetListener) -> None:
        """Say who hears the answers."""
        self._goals, self._resets = goals, resets

    @property
    def available(self) -> bool:
        """Whether the executor takes goals: it is there and hears the hardware."""
        heard = time.monotonic() - self._state_heard_at <= STATE_SILENCE
        return heard and bool(self._actions.server_is_ready())

    def _on_state(self, message: JointTrajectoryControllerState) -> None:
        self._state_heard_at = time.monotonic()

    def renew_lease(self) -> None:
        """Tell the executor that somebody still looks after the motion."""
        self._lease_count = (self._lease_count + 1) % 2**32
        self._lease.publish(UInt32(data=self._lease_count))

    def send(self, ticket: int, trajectory: Trajectory) -> None:
        """Send one goal."""
        # Serialized before the call returns, so that the message can be filled anew.
        goal = FollowJointTrajectory.Goal(trajectory=self._messages.fill(trajectory))
        future = self._actions.send_goal_async(goal)
        future.add_done_callback(lambda done: self._on_answer(ticket, done.result()))

    def cancel(self, ticket: int) -> None:
        """Ask for the end of a goal that has been accepted."""
        handle = self._handles.get(ticket)
        if handle is not None:
            handle.cancel_goal_async()

    def reset_fault(self) -> None:
        """Ask the executor to reset."""
        if not self._reset.service_is_ready():
            self._resets.on_reset_answer('the executor is not there; see whether it runs')
            return
        self._reset.call_async(Trigger.Request()).add_done_callback(self._on_reset)

    def _on_answer(self, ticket: int, handle: ClientGoalHandle) -> None:
        if not handle.accepted:
            self._goals.on_rejected(ticket)
            return
        self._handles[ticket] = handle
        handle.get_result_async().add_done_callback(
            lambda done: self._on_result(ticket, done.result())
        )
        self._goals.on_accepted(ticket)

    def _on_result(self, ticket: int, answer: Any) -> None:
        del self._handles[ticket]
        result = answer.result
        if answer.status == GoalStatus.STATUS_SUCCEEDED:
            self._goals.on_finished(ticket, '')
        elif answer.status == GoalStatus.STATUS_CANCELED:
            # Its error code is 0 all the same: the arm rests short of the goal's end.
            self._goals.on_finished(ticket, result.error_string or 'a goal was cancelled')
        else:
            code = f'the executor ended a goal with error {result.error_code}'
            self._goals.on_finished(ticket, result.error_string or code)

    def _on_reset(self, future: Future) -> None:
        answer = future.result()
        self._resets.on_reset_answer('' if answer.success else answer.message)


class TrajectoryMessages:
    """Makes messages of trajectories, about 1 us a knot: a tick has no time for more.

    The points are made once and filled anew, so a message is good until the next one is made.
    """

    def __init__(self) -> None:
        self._points = [JointTrajectoryPoint() for _ in range(USUAL_KNOTS)]

    def fill(self, trajectory: Trajectory) -> JointTrajectory:
        """Return the message of a trajectory."""
        nanoseconds = (trajectory.time * NANOSECONDS).round().astype(int).tolist()
        # rclpy takes an array of the right type as it is and checks a list number by number.
        positions = array('d', trajectory.positions.tobytes())
        velocities = array('d', trajectory.velocities.tobytes())
        rates = trajectory.accelerations
        accelerations = array('d', b'' if rates is None else rates.tobytes())
        while len(self._points) < len(nanoseconds):
            self._points.append(JointTrajectoryPoint())
        points = self._points[: len(nanoseconds)]
        for index, (point, due) in enumerate(zip(points, nanoseconds, strict=True)):
            joints = slice(JOINTS * index, JOINTS * (index + 1))
            point.positions, point.velocities = positions[joints], velocities[joints]
            point.accelerations = accelerations[joints]
            start = point.time_from_start
            start.sec, start.nanosec = divmod(due, NANOSECONDS)
        return JointTrajectory(joint_names=list(JOINT_NAMES), points=points)

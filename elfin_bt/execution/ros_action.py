# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The FollowJointTrajectory action server: a handle for each goal that the core works on.

An accepted goal is a coroutine that waits for its result, so that any number of goals wait without
a thread each.
"""

from __future__ import annotations

import time

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from rclpy.task import Future

from elfin_bt.execution.actions import FinishGoal, Outcome
from elfin_bt.execution.core import ExecutorCore
from elfin_bt.execution.goal import Goal, GoalError
from elfin_bt.execution.ros_messages import feedback_message, goal_request, result_message
from elfin_bt.kinematics.limits import JOINT_NAMES

RESULT_TIMEOUT = 60  # s that a result is kept; rclpy's own default differs from distro to distro


# A client may send as many goals at once as may be queued; rclpy's own profile keeps ten.
_SERVICE = QoSProfile(depth=100)


class GoalServer:
    """Offers goals to `core`; `finish` brings them to an end."""

    def __init__(self, node: LifecycleNode, core: ExecutorCore) -> None:
        self._node = node
        self._core = core
        self._handles: dict[bytes, ServerGoalHandle] = {}
        self._results: dict[bytes, Future] = {}
        # What the core said of the request that is being accepted.
        self._offered: tuple[object, Goal | GoalError] | None = None
        self.last_refusal = ''
        self._server = ActionServer(
            node,
            FollowJointTrajectory,
            '~/follow_joint_trajectory',
            execute_callback=self._execute,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            goal_service_qos_profile=_SERVICE,
            result_service_qos_profile=_SERVICE,
            cancel_service_qos_profile=_SERVICE,
            result_timeout=RESULT_TIMEOUT,
        )

    def destroy(self) -> None:
        """Take the server down."""
        self._server.destroy()

    def finish(self, action: FinishGoal) -> None:
        """Give a goal its result; the coroutine that waits for it does the rest."""
        assert isinstance(action.goal_id, bytes)
        self._results[action.goal_id].set_result(action)

    def publish_feedback(self) -> None:
        """Tell the client of the goal being executed how far it is."""
        progress = self._core.progress()
        if progress is None or progress.goal_id is None:
            return
        assert isinstance(progress.goal_id, bytes)
        handle = self._handles.get(progress.goal_id)
        if handle is not None:
            stamp = self._node.get_clock().now().to_msg()
            handle.publish_feedback(feedback_message(progress, JOINT_NAMES, stamp))

    def _on_goal(self, request: FollowJointTrajectory.Goal) -> GoalResponse:
        stamp_now = self._node.get_clock().now().nanoseconds * 1e-9
        try:
            goal = self._core.read(goal_request(request), time.monotonic(), stamp_now)
        except GoalError as error:
            self.last_refusal = str(error)
            word = 'rejected' if error.rejected else 'aborted'
            self._node.get_logger().warning(f'goal {word}: {error}')
            self._offered = (request, error)
            return GoalResponse.REJECT if error.rejected else GoalResponse.ACCEPT
        self._offered = (request, goal)
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        assert self._offered is not None
        request, verdict = self._offered
        assert request is handle.request, 'rclpy accepts a goal right after it asked about it'
        goal_id = bytes(handle.goal_id.uuid)
        self._handles[goal_id] = handle
        self._results[goal_id] = Future()
        if isinstance(verdict, GoalError):
            self.finish(FinishGoal(goal_id, Outcome.ABORTED, verdict.code, str(verdict)))
        else:
            self._core.accept(goal_id, verdict, time.monotonic())
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        self._core.cancel(bytes(handle.goal_id.uuid))
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle) -> FollowJointTrajectory.Result:
        goal_id = bytes(handle.goal_id.uuid)
        finish: FinishGoal = await self._results[goal_id]
        del self._results[goal_id], self._handles[goal_id]
        if finish.outcome is Outcome.SUCCEEDED:
            handle.succeed()
        elif finish.outcome is Outcome.CANCELED and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return result_message(finish)

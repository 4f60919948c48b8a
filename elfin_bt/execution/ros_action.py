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
from elfin_bt.execution.goal import Goal
from elfin_bt.execution.points import GoalError
from elfin_bt.execution.ros_feed import NANOSECOND, FeedLoop
from elfin_bt.execution.ros_messages import feedback_message, goal_request, result_message

RESULT_TIMEOUT = 60  # s that a result is kept; rclpy's own default differs from distro to distro


# A client may send more goals at once than may be queued; rclpy's own profile keeps ten.
_SERVICE = QoSProfile(depth=200)


class GoalServer:
    """Offers goals of the action `name` to `core`; `finish` brings them to an end.

    Attributes:
        last_refusal: of a goal, with its reason.
    """

    def __init__(self, node: LifecycleNode, core: ExecutorCore, feed: FeedLoop, name: str) -> None:
        self._node = node
        self._core = core
        self._feed = feed
        self._handles: dict[bytes, ServerGoalHandle] = {}
        self._results: dict[bytes, Future] = {}
        # What the core said of the request that is being accepted.
        self._offered: tuple[object, Goal | GoalError] | None = None
        self.last_refusal = ''
        self._server = ActionServer(
            node,
            FollowJointTrajectory,
            name,
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

    def finish(self, action: FinishGoal) -> bool:
        """Give a goal its result, if it is one of this server's.

        The coroutine that waits for it does the rest.
        """
        assert isinstance(action.goal_id, bytes)
        if action.goal_id not in self._results:
            return False
        self._results[action.goal_id].set_result(action)
        return True

    def publish_feedback(self) -> None:
        """Tell the client of the goal being executed how far it is."""
        with self._feed.lock:
            progress = self._core.progress()
        if progress is None or progress.goal_id is None:
            return
        assert isinstance(progress.goal_id, bytes)
        handle = self._handles.get(progress.goal_id)
        if handle is not None:
            stamp = self._node.get_clock().now().to_msg()
            names = self._core.settings.joint_names
            handle.publish_feedback(feedback_message(progress, names, stamp))

    def _on_goal(self, request: FollowJointTrajectory.Goal) -> GoalResponse:
        try:
            goal = self._read(request)
        except GoalError as error:
            self.last_refusal = str(error)
            word = 'rejected' if error.rejected else 'aborted'
            self._node.get_logger().warning(f'goal {word}: {error}')
            self._offered = (request, error)
            return GoalResponse.REJECT if error.rejected else GoalResponse.ACCEPT
        self._offered = (request, goal)
        return GoalResponse.ACCEPT

    def _read(self, request: FollowJointTrajectory.Goal) -> Goal:
        """Check a goal; only the look at the state keeps the feed loop from its work."""
        self._core.refuse_if_too_long(len(request.trajectory.points))
        stamp_now = self._stamp_now()
        goal = self._core.form(goal_request(request), stamp_now)
        with self._feed.lock:
            self._core.admit(goal, time.monotonic(), stamp_now)
        return goal

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
            with self._feed.lock:
                self._core.accept(goal_id, verdict, time.monotonic(), self._stamp_now())
                self._feed.act()
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        with self._feed.lock:
            self._core.cancel(bytes(handle.goal_id.uuid))
            self._feed.act()
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

    def _stamp_now(self) -> float:
        return float(self._node.get_clock().now().nanoseconds * NANOSECOND)

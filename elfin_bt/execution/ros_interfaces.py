# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor's topics, services and timers around one core and its feed loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from control_msgs.msg import JointTrajectoryControllerState
from control_msgs.srv import QueryTrajectoryState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from std_srvs.srv import Trigger

from elfin_bt.execution.core import ExecutorCore
from elfin_bt.execution.ros_action import GoalServer
from elfin_bt.execution.ros_feed import FeedLoop
from elfin_bt.execution.ros_hardware_calls import HardwareCalls
from elfin_bt.execution.ros_messages import controller_state_message
from elfin_bt.execution.ros_stream import StreamTopics
from elfin_bt.ros import qos
from elfin_bt.ros.conversions import diagnostic_array, seconds_from_time

RESULT_PERIOD = 0.01  # s
RESULTS_AT_ONCE = 4
"""A client keeps ten answers that it has not read, by default: a long queue that ends all at once
is told little by little, so that no result is lost."""

DIAGNOSTICS_PERIOD = 1.0  # s

# A person who presses Stop again and again gets each answer.
_SERVICE = QoSProfile(depth=200)


class RosInterfaces:
    """Everything but the feed loop, which it owns.

    Timers run on the steady clock: simulated time may be fast or stand still.

    names: of the controllers that it answers to, each with an action and a topic, `~` for the
        node's own. Rates in Hz.
    """

    def __init__(
        self,
        node: LifecycleNode,
        core: ExecutorCore,
        *,
        names: Sequence[str],
        update_rate: int,
        is_async: bool,
        feedback_rate: float,
        state_rate: float,
    ) -> None:
        self._node = node
        self._core = core
        self.feed = FeedLoop(node, core, update_rate=update_rate, is_async=is_async)
        self._goals = [
            GoalServer(node, core, self.feed, f'{name}/follow_joint_trajectory') for name in names
        ]
        self._stream = StreamTopics(
            node, core, self.feed, [f'{name}/joint_trajectory' for name in names]
        )
        self._calls = HardwareCalls(node, core)
        self._state = node.create_publisher(
            JointTrajectoryControllerState, '~/controller_state', qos.JOINT_STATES_PUBLISHED
        )
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', qos.DIAGNOSTICS)
        services = [
            node.create_service(Trigger, '~/stop', self._on_stop, qos_profile=_SERVICE),
            node.create_service(QueryTrajectoryState, '~/query_state', self._on_query),
        ]
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        timers = [
            node.create_timer(period, callback, clock=steady)
            for period, callback in (
                (RESULT_PERIOD, self._tell_results),
                (1.0 / feedback_rate, self._publish_feedback),
                (1.0 / state_rate, self._publish_state),
                (DIAGNOSTICS_PERIOD, self._publish_diagnostics),
            )
        ]
        self._undo: list[tuple[Callable[[Any], object], Any]] = [
            *((node.destroy_timer, timer) for timer in timers),
            *((node.destroy_service, service) for service in services),
            *((node.destroy_publisher, each) for each in (self._state, self._diagnostics)),
        ]

    def destroy(self) -> None:
        """Take everything down."""
        for destroy, entity in self._undo:
            destroy(entity)
        for server in self._goals:
            server.destroy()
        self._stream.destroy()
        self._calls.destroy()
        self.feed.destroy()

    # --- results, stop, query

    def _tell_results(self) -> None:
        for _ in range(min(RESULTS_AT_ONCE, len(self.feed.finished))):
            finish = self.feed.finished.popleft()
            assert any(server.finish(finish) for server in self._goals), 'one of them has it'
        self._calls.watch()

    def _on_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self.feed.lock:
            self._core.stop(time.monotonic())
            response.success = self.feed.can_stop
            self.feed.act()
        response.message = (
            'stopping on the path; goals are refused until ~/reset_fault'
            if response.success
            else 'goals are discarded, but pvt_hardware/stop is not there: '
            "only the firmware's watchdog stops the arm"
        )
        return response

    def _on_query(
        self, request: QueryTrajectoryState.Request, response: QueryTrajectoryState.Response
    ) -> QueryTrajectoryState.Response:
        """Where the arm is to be at a time; an answer ends where the trajectory ends."""
        now = seconds_from_time(self._node.get_clock().now().to_msg())
        ahead = seconds_from_time(request.time) - now
        with self.feed.lock:
            state = self._core.state_in(ahead) if ahead >= 0.0 else None
        if state is None:
            response.message = (
                f'{-ahead:.3f} s ago: only now and later can be told'
                if ahead < 0.0
                else f'no trajectory is executed in {ahead:.3f} s, as things stand'
            )
            return response
        response.success = True
        response.name = list(self._core.settings.joint_names)
        response.position, response.velocity, response.acceleration = (
            values.tolist() for values in state
        )
        return response

    # --- what is published

    def _publish_feedback(self) -> None:
        for server in self._goals:
            server.publish_feedback()

    def _publish_state(self) -> None:
        """Publish the state while the hardware hears chunks and is heard: clients wait for it."""
        with self.feed.lock:
            progress = self._core.progress()
        if progress is not None and self.feed.hardware_listens:
            stamp = self._node.get_clock().now().to_msg()
            names = self._core.settings.joint_names
            self._state.publish(controller_state_message(progress, names, stamp))

    def _publish_diagnostics(self) -> None:
        core = self._core
        with self.feed.lock:
            fault, refusal = core.fault, core.refusal
            values: dict[str, object] = {
                'goals': core.goals,
                'streams': core.streams,
                'paused': core.paused,
                'speed_limit': core.speed,
                'fault': fault.name,
            }
        values['last_refusal'] = next(
            (server.last_refusal for server in self._goals if server.last_refusal), ''
        )
        values['stream_messages_refused'] = self._stream.refused
        values['stream_refusal'] = self._stream.last_refusal
        values['worst_lateness_ms'] = f'{1000.0 * self.feed.worst_lateness:.2f}'
        self.feed.worst_lateness = 0.0
        level, text = DiagnosticStatus.OK, 'takes goals'
        if fault:
            level, text = DiagnosticStatus.ERROR, refusal
        elif refusal:
            level, text = DiagnosticStatus.WARN, refusal
        stamp = self._node.get_clock().now().to_msg()
        name = f'{self._node.get_name()}: executor'
        self._diagnostics.publish(diagnostic_array(stamp, name, level, text, values))

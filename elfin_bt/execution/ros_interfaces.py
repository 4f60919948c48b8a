# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor's topics, services and timers around one core."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from control_msgs.msg import DynamicJointState, JointTrajectoryControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode
from rclpy.task import Future
from std_msgs.msg import Float64MultiArray, UInt32
from std_srvs.srv import Trigger

from elfin_bt.execution.actions import FinishGoal, Log, PublishChunk, StopHardware
from elfin_bt.execution.chunk import ChunkError, decode_ack
from elfin_bt.execution.core import ExecutorCore
from elfin_bt.execution.ros_action import GoalServer
from elfin_bt.execution.ros_messages import (
    chunk_message,
    controller_state_message,
    device_report,
)
from elfin_bt.kinematics.limits import JOINT_NAMES
from elfin_bt.ros import qos
from elfin_bt.ros.conversions import diagnostic_array

FEEDBACK_PERIOD = 0.1  # s
STATE_PERIOD = 0.05  # s
DIAGNOSTICS_PERIOD = 1.0  # s
RESULTS_PER_CYCLE = 2
"""A client keeps ten answers that it has not read, by default: a long queue that ends all at once
is told little by little, so that no result is lost."""

ANSWER_TIMEOUT = 2.0  # s that the hardware node may take for a service


class RosInterfaces:
    """Feeds `core` with what arrives, and does what it asks for, `update_rate` times a second.

    Timers run on the steady clock: simulated time may be fast or stand still.
    """

    def __init__(self, node: LifecycleNode, core: ExecutorCore, *, update_rate: float) -> None:
        self._node = node
        self._core = core
        self._period = 1.0 / update_rate
        self._last_cycle = time.monotonic()
        self._worst_lateness = 0.0
        self._waiting: list[_Wait] = []
        self._finished: deque[FinishGoal] = deque()  # to be told to their clients
        self._stop_reported = ''
        self._goals = GoalServer(node, core)
        self._chunks = node.create_publisher(Float64MultiArray, 'pvt_hardware/chunk', qos.CHUNK)
        self._state = node.create_publisher(
            JointTrajectoryControllerState, '~/controller_state', qos.JOINT_STATES_PUBLISHED
        )
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', qos.DIAGNOSTICS)
        self._stop_client = node.create_client(Trigger, 'pvt_hardware/stop')
        self._reset_client = node.create_client(Trigger, 'pvt_hardware/reset_fault')
        subscriptions = [
            node.create_subscription(Float64MultiArray, 'pvt_hardware/ack', self._on_ack, qos.ACK),
            node.create_subscription(
                DynamicJointState, 'dynamic_joint_states', self._on_device, qos.JOINT_STATES_READ
            ),
            node.create_subscription(UInt32, '~/lease', self._on_lease, qos.COMMAND),
        ]
        services = [
            node.create_service(Trigger, '~/stop', self._on_stop),
            # It waits for an answer, and a group that excludes would hold everything up meanwhile.
            node.create_service(
                Trigger, '~/reset_fault', self._on_reset, callback_group=ReentrantCallbackGroup()
            ),
        ]
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        timers = [
            node.create_timer(period, callback, clock=steady)
            for period, callback in (
                (self._period, self._on_cycle),
                (FEEDBACK_PERIOD, self._goals.publish_feedback),
                (STATE_PERIOD, self._publish_state),
                (DIAGNOSTICS_PERIOD, self._publish_diagnostics),
            )
        ]
        self._undo: list[tuple[Callable[[Any], object], Any]] = [
            *((node.destroy_timer, timer) for timer in timers),
            *((node.destroy_service, service) for service in services),
            *((node.destroy_subscription, subscription) for subscription in subscriptions),
            *((node.destroy_client, each) for each in (self._stop_client, self._reset_client)),
            *(
                (node.destroy_publisher, publisher)
                for publisher in (self._chunks, self._state, self._diagnostics)
            ),
        ]

    def destroy(self) -> None:
        """Take everything down."""
        for destroy, entity in self._undo:
            destroy(entity)
        self._goals.destroy()

    def act(self) -> None:
        """Do what the core asks for."""
        for action in self._core.take_actions():
            if isinstance(action, PublishChunk):
                self._chunks.publish(chunk_message(action.chunk))
            elif isinstance(action, FinishGoal):
                self._finished.append(action)
            elif isinstance(action, StopHardware):
                self._stop_hardware(action)
            elif isinstance(action, Log):
                logger = self._node.get_logger()
                (logger.error if action.is_error else logger.info)(action.text)

    # --- what arrives

    def _on_cycle(self) -> None:
        now = time.monotonic()
        self._worst_lateness = max(self._worst_lateness, now - self._last_cycle - self._period)
        self._last_cycle = now
        self._core.tick(now)
        self.act()
        for _ in range(min(RESULTS_PER_CYCLE, len(self._finished))):
            self._goals.finish(self._finished.popleft())
        self._waiting = [wait for wait in self._waiting if not wait.is_over(now)]

    def _on_ack(self, message: Float64MultiArray) -> None:
        try:
            ack = decode_ack(message.data)
        except ChunkError as error:
            self._node.get_logger().error(f'pvt_hardware/ack: {error}', throttle_duration_sec=1.0)
            return
        self._core.hear_ack(ack, time.monotonic())
        self.act()

    def _on_device(self, message: DynamicJointState) -> None:
        report = device_report(message, JOINT_NAMES)
        if report is not None:
            self._core.hear_device(report, time.monotonic())

    def _on_lease(self, _message: UInt32) -> None:
        self._core.hear_lease(time.monotonic())

    # --- stop and reset

    def _on_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._core.stop(time.monotonic())
        response.success = self._stop_client.service_is_ready()
        self.act()
        response.message = (
            'stopping on the path; goals are refused until ~/reset_fault'
            if response.success
            else 'goals are discarded, but pvt_hardware/stop is not there: '
            "only the firmware's watchdog stops the arm"
        )
        return response

    async def _on_reset(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Pass the request on; the answer comes once the executor itself has heard of it."""
        if not self._reset_client.service_is_ready():
            response.message = 'pvt_hardware/reset_fault is not there: start the hardware node'
            return response
        call = self._reset_client.call_async(Trigger.Request())
        if not await self._until(call.done):
            response.message = f'pvt_hardware did not answer within {ANSWER_TIMEOUT:g} s'
            return response
        answer = call.result()
        if answer.success:
            await self._until(lambda: not self._core.fault)
        response.success, response.message = answer.success, answer.message
        return response

    def _stop_hardware(self, action: StopHardware) -> None:
        if self._stop_client.service_is_ready():
            report = f'stopping: {action.reason}'
            self._stop_client.call_async(Trigger.Request())
        else:
            report = 'cannot stop: pvt_hardware/stop is not there; asking on'
        if report != self._stop_reported:
            self._stop_reported = report
            self._node.get_logger().error(report)

    def _until(self, condition: Callable[[], bool]) -> Future:
        """True once `condition` holds, False after ANSWER_TIMEOUT."""
        wait = _Wait(condition, time.monotonic() + ANSWER_TIMEOUT)
        self._waiting.append(wait)
        return wait.future

    # --- what is published

    def _publish_state(self) -> None:
        """Publish the state while the hardware hears chunks and is heard: clients wait for it."""
        progress = self._core.progress()
        if progress is not None and self._chunks.get_subscription_count():
            stamp = self._node.get_clock().now().to_msg()
            self._state.publish(controller_state_message(progress, JOINT_NAMES, stamp))

    def _publish_diagnostics(self) -> None:
        fault = self._core.fault
        values: dict[str, object] = {
            'goals': self._core.goals,
            'fault': fault.name,
            'last_refusal': self._goals.last_refusal,
            'worst_lateness_ms': f'{1000.0 * self._worst_lateness:.2f}',
        }
        self._worst_lateness = 0.0
        level, text = DiagnosticStatus.OK, 'takes goals'
        if fault:
            level, text = DiagnosticStatus.ERROR, fault.text
        stamp = self._node.get_clock().now().to_msg()
        name = f'{self._node.get_name()}: executor'
        self._diagnostics.publish(diagnostic_array(stamp, name, level, text, values))


class _Wait:
    """A coroutine's wait for a condition, looked at in every cycle."""

    def __init__(self, condition: Callable[[], bool], deadline: float) -> None:
        self.future: Future = Future()
        self._condition = condition
        self._deadline = deadline

    def is_over(self, now: float) -> bool:
        """Whether the condition holds or time is up; the future then says which."""
        holds = self._condition()
        if holds or now > self._deadline:
            self.future.set_result(holds)
            return True
        return False

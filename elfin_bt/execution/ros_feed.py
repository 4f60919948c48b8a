# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The feed loop: the executor's line to the hardware node, `update_rate` times a second.

With `is_async` it has a node and a thread of its own, as an asynchronous controller of ros2_control
has, so that a goal of thousands of points, or a hundred bad ones, may keep the other thread busy:
acknowledgements are heard and chunks leave all the same. Without it, all share the node's executor.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import deque

from control_msgs.msg import DynamicJointState
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from elfin_bt.execution.actions import Action, FinishGoal, Log, PublishChunk, StopHardware
from elfin_bt.execution.chunk import ChunkError, decode_ack
from elfin_bt.execution.core import ExecutorCore
from elfin_bt.execution.ros_messages import chunk_message, device_report
from elfin_bt.ros import qos

NANOSECOND = 1e-9


class FeedLoop:
    """Hears the hardware node, lets `core` tick, and does what it asks for.

    Attributes:
        lock: held around every use of the core, in any thread.
        finished: results that are to be told to their clients, by the other thread.
        worst_lateness: of a cycle since it was last set to 0, s.
        failure: what ended its thread though nobody asked for it, '' while all is well.
    """

    def __init__(
        self, node: LifecycleNode, core: ExecutorCore, *, update_rate: int, is_async: bool
    ) -> None:
        self._node = node
        self._core = core
        self._joint_names = core.settings.device_joint_names
        self._period = 1.0 / update_rate
        self._last_cycle = time.monotonic()
        self._stop_reported = ''
        self.lock = threading.RLock()
        self.finished: deque[FinishGoal] = deque()
        self.worst_lateness = 0.0
        self.failure = ''
        # Names as the node's own remappings have them; the inner node knows none.
        chunks, acks, states, stop, unacknowledged = (
            resolve(name)
            for resolve, name in (
                (node.resolve_topic_name, 'pvt_hardware/chunk'),
                (node.resolve_topic_name, 'pvt_hardware/ack'),
                (node.resolve_topic_name, 'dynamic_joint_states'),
                (node.resolve_service_name, 'pvt_hardware/stop'),
                (node.resolve_service_name, 'pvt_hardware/stop_unacknowledged'),
            )
        )
        home: Node = _inner_node(node) if is_async else node
        self._home = home
        self._chunks = home.create_publisher(Float64MultiArray, chunks, qos.CHUNK)
        self._stop_client = home.create_client(Trigger, stop)
        self._unacknowledged_client = home.create_client(Trigger, unacknowledged)
        self._subscriptions = [
            home.create_subscription(Float64MultiArray, acks, self._on_ack, qos.ACK),
            home.create_subscription(
                DynamicJointState, states, self._on_device, qos.JOINT_STATES_READ
            ),
        ]
        self._timer = home.create_timer(
            self._period, self._on_cycle, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self._executor: SingleThreadedExecutor | None = None
        if is_async:
            self._executor = SingleThreadedExecutor(context=node.context)
            self._executor.add_node(home)
            self._thread = threading.Thread(target=self._spin, name='feed', daemon=True)
            self._thread.start()

    def destroy(self) -> None:
        """Take everything down."""
        if self._executor is not None:
            self._executor.shutdown()
            self._thread.join()
            self._home.destroy_node()
            return
        self._home.destroy_timer(self._timer)
        for subscription in self._subscriptions:
            self._home.destroy_subscription(subscription)
        for client in (self._stop_client, self._unacknowledged_client):
            self._home.destroy_client(client)
        self._home.destroy_publisher(self._chunks)

    @property
    def hardware_listens(self) -> bool:
        """Whether somebody takes the chunks."""
        return bool(self._chunks.get_subscription_count())

    @property
    def can_stop(self) -> bool:
        """Whether the hardware node's stop service is there."""
        return bool(self._stop_client.service_is_ready())

    def act(self) -> None:
        """Do what the core asks for. The caller holds the lock since it used the core."""
        for action in self._core.take_actions():
            self._do(action)

    def _do(self, action: Action) -> None:
        if isinstance(action, PublishChunk):
            self._chunks.publish(chunk_message(action.chunk))
        elif isinstance(action, FinishGoal):
            self.finished.append(action)
        elif isinstance(action, StopHardware):
            self._stop_hardware(action)
        elif isinstance(action, Log):
            self._log(action)

    def _log(self, action: Log) -> None:
        # A line of code each: rclpy takes one severity from one line.
        if action.is_error:
            self._node.get_logger().error(action.text)
        else:
            self._node.get_logger().info(action.text)

    def _stop_hardware(self, action: StopHardware) -> None:
        named = action.unacknowledged and self._unacknowledged_client.service_is_ready()
        client = self._unacknowledged_client if named else self._stop_client
        if client.service_is_ready():
            report = f'stopping: {action.reason}'
            client.call_async(Trigger.Request())
        else:
            report = 'cannot stop: pvt_hardware/stop is not there; asking on'
        if report != self._stop_reported:
            self._stop_reported = report
            self._node.get_logger().error(report)

    def _spin(self) -> None:
        assert self._executor is not None
        try:
            self._executor.spin()
        except ExternalShutdownException:
            pass  # the process ends
        except Exception as error:
            # Without this thread the firmware's watchdog stops the arm; the node must not pretend.
            self.failure = f'the feed loop ended: {error!r}'
            self._node.get_logger().fatal(f'{self.failure}\n{traceback.format_exc()}')

    def _on_cycle(self) -> None:
        now = time.monotonic()
        lateness = now - self._last_cycle - self._period
        self.worst_lateness = max(self.worst_lateness, lateness)
        self._last_cycle = now
        stamp_now = self._node.get_clock().now().nanoseconds * NANOSECOND
        with self.lock:
            self._core.tick(now, stamp_now)
            self.act()

    def _on_ack(self, message: Float64MultiArray) -> None:
        try:
            ack = decode_ack(message.data)
        except ChunkError as error:
            self._node.get_logger().error(f'pvt_hardware/ack: {error}', throttle_duration_sec=1.0)
            return
        with self.lock:
            self._core.hear_ack(ack, time.monotonic())
            self.act()

    def _on_device(self, message: DynamicJointState) -> None:
        report = device_report(message, self._joint_names)
        if report is not None:
            with self.lock:
                self._core.hear_device(report, time.monotonic())
                self.act()


def _inner_node(node: LifecycleNode) -> Node:
    return Node(
        f'{node.get_name()}_feed',
        context=node.context,
        namespace=node.get_namespace(),
        use_global_arguments=False,
        enable_rosout=False,
        start_parameter_services=False,
    )

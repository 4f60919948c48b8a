# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node's subscriptions, services and timers around one connected core."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.core import HardwareCore
from elfin_bt.hardware.ros_state import StatePublishers
from elfin_bt.ros import qos
from elfin_bt.ros.conversions import diagnostic_array

DIAGNOSTICS_PERIOD = 1.0  # s
CLOCK_PER_STATE = 2  # a sped-up phantom's clock is published this many times per state


class RosInterfaces:
    """Feeds ``core`` with what arrives and publishes what it knows, ``update_rate`` times a second.

    Timers run on the steady clock: device time may be slow or stand still.
    """

    def __init__(self, node: Node, core: HardwareCore, *, update_rate: float) -> None:
        assert core.info is not None, 'the core is connected'
        self._node = node
        self._core = core
        self._reported = Fault.NONE
        serves_clock = core.info.speedup > 1.0
        self._cycles_per_state = CLOCK_PER_STATE if serves_clock else 1
        self._cycles = 0
        self._period = 1.0 / (update_rate * self._cycles_per_state)
        self._last_cycle = time.monotonic()
        self._worst_lateness = 0.0
        self._slowest_chunk = 0.0
        self._states = StatePublishers(node, device_clock=serves_clock)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', qos.DIAGNOSTICS)
        chunks = node.create_subscription(Float64MultiArray, '~/chunk', self._on_chunk, qos.CHUNK)
        services = [
            node.create_service(Trigger, '~/stop', self._on_stop),
            node.create_service(Trigger, '~/reset_fault', self._on_reset),
            node.create_service(SetBool, '~/record', self._on_record),
        ]
        timers = [
            node.create_timer(self._period, self._on_cycle, clock=steady),
            node.create_timer(DIAGNOSTICS_PERIOD, self._on_diagnostics, clock=steady),
        ]
        self._undo: list[tuple[Callable[[Any], object], Any]] = [
            *((node.destroy_timer, timer) for timer in timers),
            *((node.destroy_service, service) for service in services),
            (node.destroy_subscription, chunks),
            (node.destroy_publisher, self._diagnostics),
        ]
        self._log_latch()

    def destroy(self) -> None:
        """Take everything down."""
        for destroy, entity in self._undo:
            destroy(entity)
        self._states.destroy()

    def publish(self) -> None:
        """Publish acknowledgement and states now, after something has changed."""
        self._log_latch()
        self._states.publish_ack(self._core)
        self._states.publish_state(self._core)

    def _on_chunk(self, message: Float64MultiArray) -> None:
        begin = time.monotonic()
        self._core.take(message.data, begin)
        self._states.publish_ack(self._core)
        self._slowest_chunk = max(self._slowest_chunk, time.monotonic() - begin)

    def _on_cycle(self) -> None:
        now = time.monotonic()
        self._worst_lateness = max(self._worst_lateness, now - self._last_cycle - self._period)
        self._last_cycle = now
        self._core.poll(now)
        self._states.publish_clock(self._core.snapshot)
        self._cycles += 1
        if self._cycles % self._cycles_per_state == 0:
            self.publish()

    def _on_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._core.stop(Fault.STOP_REQUESTED)
        self.publish()
        response.success = True
        response.message = f'latched: {self._core.fault_text}'
        return response

    def _on_reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = self._core.reset()
        self.publish()
        return response

    def _on_record(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        response.success, response.message = self._core.record(request.data)
        return response

    def _on_diagnostics(self) -> None:
        core, snapshot = self._core, self._core.snapshot
        values: dict[str, object] = {
            'device_state': snapshot.state.name if snapshot else 'lost',
            'frames_loaded': snapshot.frames_loaded if snapshot else 0,
            'feed_rate': snapshot.feed_rate if snapshot else 0.0,
            'fault': core.fault.name,
            'epoch': core.epoch,
            'chunks_accepted': core.accepted,
            'chunks_refused': core.refused,
            'slowest_chunk_ms': f'{1000.0 * self._slowest_chunk:.2f}',
            'worst_lateness_ms': f'{1000.0 * self._worst_lateness:.2f}',
        }
        self._slowest_chunk = self._worst_lateness = 0.0
        level = DiagnosticStatus.ERROR if core.latched else DiagnosticStatus.OK
        text = core.fault_text or ('takes chunks' if core.active else 'not active')
        stamp = self._node.get_clock().now().to_msg()
        name = f'{self._node.get_name()}: device'
        self._diagnostics.publish(diagnostic_array(stamp, name, level, text, values))

    def _log_latch(self) -> None:
        """Say once what was latched, and once that it is gone."""
        if self._core.fault is self._reported:
            return
        self._reported = self._core.fault
        if self._core.latched:
            self._node.get_logger().error(f'latched {self._core.fault_text}')
        else:
            self._node.get_logger().info('reset: motion is allowed again')

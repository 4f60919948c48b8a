# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node's subscriptions, services and publishers around one feeder.

The feeder says when there is something to publish. A feeder that hangs leaves the topics silent,
which is what everybody who listens takes for a lost device.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from elfin_bt.execution.chunk import layout_objection
from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.core import HardwareCore
from elfin_bt.hardware.csv_record import CsvRecord
from elfin_bt.hardware.device import DeviceState
from elfin_bt.hardware.feeder import Feeder, FeederEnded
from elfin_bt.hardware.realtime import collect_garbage, lock_memory, raise_priority
from elfin_bt.hardware.ros_diagnostics import diagnostics
from elfin_bt.hardware.ros_state import StatePublishers
from elfin_bt.ros import qos

DIAGNOSTICS_PERIOD = 1.0  # s
CYCLES_PER_STATE = 2
"""The feeder looks at the device, and a sped-up phantom's clock is published, twice a state."""

ERROR_LINES = 5  # of the device's error log that diagnostics keep showing

Work = Callable[[HardwareCore], tuple[bool, str]]


class RosInterfaces:
    """Runs the feeder of a connected ``core``, hands it what arrives, publishes what it reports.

    States are published ``update_rate`` times a second. ``priority`` is that of the feeder, 0 for
    none. Records of planned against actual motion go to ``record_folder``.
    """

    def __init__(
        self,
        node: Node,
        core: HardwareCore,
        *,
        update_rate: float,
        priority: int,
        record_folder: Path,
    ) -> None:
        assert core.info is not None, 'the core is connected'
        self._node = node
        self._priority = priority if core.info.speedup == 1.0 else 0
        self._serves_clock = core.info.speedup > 1.0
        self._warnings: deque[str] = deque()
        self._errors: deque[str] = deque(maxlen=ERROR_LINES)
        self._reported = Fault.NONE
        self._published_cycle = 0
        self._record = CsvRecord(record_folder)
        self._states = StatePublishers(node, device_clock=self._serves_clock)
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', qos.DIAGNOSTICS)
        self._news = node.create_guard_condition(self._on_news)
        self.feeder = Feeder(
            core,
            period=1.0 / (update_rate * CYCLES_PER_STATE),
            on_cycle=self._news.trigger,
            record=self._record,
            prepare=self._prepare_feeder,
        )
        chunks = node.create_subscription(Float64MultiArray, '~/chunk', self._on_chunk, qos.CHUNK)
        services = [
            node.create_service(kind, f'~/{name}', callback)
            for kind, name, callback in (
                (Trigger, 'stop', self._on_stop),
                (Trigger, 'stop_unacknowledged', self._on_stop_unacknowledged),
                (Trigger, 'reset_fault', self._on_reset),
                (Trigger, 'pause', self._on_pause),
                (Trigger, 'resume', self._on_resume),
                (SetBool, 'enable_amps', self._on_enable_amps),
                (SetBool, 'record', self._on_record),
                (SetBool, 'record_csv', self._on_record_csv),
            )
        ]
        timer = node.create_timer(
            DIAGNOSTICS_PERIOD, self._on_diagnostics, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        node.add_on_set_parameters_callback(self._on_parameters)
        self._undo: list[tuple[Callable[[Any], object], Any]] = [
            (node.remove_on_set_parameters_callback, self._on_parameters),
            (node.destroy_timer, timer),
            *((node.destroy_service, service) for service in services),
            (node.destroy_subscription, chunks),
            (node.destroy_publisher, self._diagnostics),
        ]

    def destroy(self) -> None:
        """End the feeder and the record, and take everything down."""
        for destroy, entity in self._undo:
            destroy(entity)
        self.feeder.stop()
        self._node.destroy_guard_condition(self._news)
        self._record.stop()
        self._states.destroy()

    def ask(self, work: Work) -> tuple[bool, str]:
        """Have ``work`` carried out by the feeder and publish what came of it."""
        try:
            answer = self.feeder.call(work)
        except FeederEnded as error:
            return False, str(error)
        self._publish()
        return answer

    def _prepare_feeder(self) -> None:
        """Ask for what keeps the feeder on time; in its thread."""
        if not self._priority:
            return
        for warning in (raise_priority(self._priority), lock_memory()):
            if warning is not None:
                self._warnings.append(warning)

    # What the feeder reports

    def _on_news(self) -> None:
        report = self.feeder.report
        self._states.publish_ack(report)
        self._states.publish_clock(report.snapshot)
        if self.feeder.cycles - self._published_cycle >= CYCLES_PER_STATE:
            self._publish()
        while self._warnings:
            self._node.get_logger().warning(self._warnings.popleft())
        if self.feeder.failure:
            self._node.get_logger().fatal(self.feeder.failure, once=True)

    def _publish(self) -> None:
        """Publish acknowledgement and states, and say once what was latched or reset."""
        report = self.feeder.report
        self._published_cycle = self.feeder.cycles
        self._states.publish_ack(report)
        self._states.publish_state(report)
        if report.fault is self._reported:
            return
        self._reported = report.fault
        if report.latched:
            self._node.get_logger().error(f'latched {report.fault_text}')
        else:
            self._node.get_logger().info('reset: motion is allowed again')

    # What arrives

    def _on_chunk(self, message: Float64MultiArray) -> None:
        layout = message.layout
        dims = [(dim.label, dim.size) for dim in layout.dim]
        wrong = layout_objection(layout.data_offset, dims, len(message.data))
        if wrong is None:
            self.feeder.submit(message.data)
        else:
            self.ask(lambda core: _stop(core, Fault.CHUNK_INVALID, wrong))

    def _answer(self, response: Any, work: Work) -> Any:
        response.success, response.message = self.ask(work)
        return response

    def _on_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._answer(response, lambda core: _stop(core, Fault.STOP_REQUESTED))

    def _on_stop_unacknowledged(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """The executor's stop when its chunks are not acknowledged in time."""
        return self._answer(response, lambda core: _stop(core, Fault.CHUNK_UNACKNOWLEDGED))

    def _on_reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._answer(response, lambda core: core.reset())

    def _on_pause(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._answer(response, lambda core: core.pause())

    def _on_resume(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._answer(response, lambda core: core.resume())

    def _on_enable_amps(
        self, request: SetBool.Request, response: SetBool.Response
    ) -> SetBool.Response:
        enable = request.data
        return self._answer(response, lambda core: core.switch_amps(enable))

    def _on_record(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        enable = request.data
        return self._answer(response, lambda core: core.record(enable))

    def _on_record_csv(
        self, request: SetBool.Request, response: SetBool.Response
    ) -> SetBool.Response:
        try:
            response.message = self._record.start() if request.data else self._record.stop()
        except OSError as error:
            response.message = f'no record can be written: {error}'
            return response
        response.success = True
        if not request.data and self._record.lost:
            response.success = False
            response.message += ' is not complete: the disk is slow or full'
        return response

    def _on_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        """Inject a fault into a simulated device; all other parameters are read-only."""
        for parameter in parameters:
            if parameter.name == 'inject_fault':
                fault = str(parameter.value)
                done, text = self.ask(lambda core, fault=fault: core.inject(fault))  # type: ignore[misc]
                if not done:
                    return SetParametersResult(successful=False, reason=text)
        return SetParametersResult(successful=True)

    # Diagnostics

    def _on_diagnostics(self) -> None:
        try:
            lines = self.feeder.call(lambda core: core.take_error_log())
        except FeederEnded:
            lines = []
        for line in lines:
            self._node.get_logger().warning(f'device: {line}')
        self._errors.extend(lines)
        stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(
            diagnostics(self._node.get_name(), stamp, self.feeder, self._record, self._errors)
        )
        snapshot = self.feeder.report.snapshot
        collect_garbage(at_rest=snapshot is None or snapshot.state is not DeviceState.MOVING)


def _stop(core: HardwareCore, fault: Fault, text: str = '') -> tuple[bool, str]:
    core.stop(fault, text)
    return True, f'latched: {core.fault_text}'

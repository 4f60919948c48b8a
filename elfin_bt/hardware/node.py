# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node ``pvt_hardware``: a lifecycle node around :class:`HardwareCore`.

Topics: ``~/chunk`` in; ``~/ack``, ``joint_states``, ``dynamic_joint_states``, ``/diagnostics`` and,
with a sped-up phantom, ``/clock`` out. Services: ``~/stop``, ``~/reset_fault``, ``~/pause``,
``~/resume``, ``~/enable_amps``, ``~/record``, ``~/record_csv``. All of it: docs/hardware.md.

Configured, it watches the device and reports; active, it takes chunks. Deactivation stops the arm.
"""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.logging import get_logging_directory

from elfin_bt.hardware.core import HardwareCore
from elfin_bt.hardware.device import DeviceLost, FirmwareError
from elfin_bt.hardware.realtime import quiet_interpreter
from elfin_bt.hardware.ros_backends import BACKENDS, make_device
from elfin_bt.hardware.ros_interfaces import RosInterfaces, Work
from elfin_bt.hardware.ros_parameters import declare_settings, read_settings
from elfin_bt.hardware.settings import SettingsError
from elfin_bt.ros.parameters import declare
from elfin_bt.ros.run_node import run_node

START_PERIOD = 0.5  # s between attempts to connect while there is no device yet
REST_TIMEOUT = 0.3  # s that an ending node waits for the arm to come to rest


class HardwareNode(LifecycleNode):
    """Owns one core and its interfaces from configure to cleanup.

    Attributes:
        unusable: why these parameters can never work; '' while they may.
    """

    def __init__(self) -> None:
        super().__init__('pvt_hardware')
        self.unusable = ''
        self._waiting_for = ''
        self._core: HardwareCore | None = None
        self._interfaces: RosInterfaces | None = None
        self._declare_parameters()
        self._start_timer = None
        if self.get_parameter('autostart').value:
            self._start_timer = self.create_timer(
                START_PERIOD, self.start, clock=Clock(clock_type=ClockType.STEADY_TIME)
            )
            self.start()

    def _declare_parameters(self) -> None:
        declare_settings(self)
        for name, default, description, minimum, maximum in (
            ('update_rate', 125.0, 'states and acknowledgements a second', 100.0, 500.0),
            ('realtime_priority', 35, 'SCHED_FIFO priority of the feeder, 0 for none', 0, 90),
        ):
            declare(
                self, name, default, description,
                minimum=minimum, maximum=maximum, read_only=True,
            )  # fmt: skip
        declare(
            self,
            'record_folder',
            '',
            "where ~/record_csv writes, ROS's log folder when empty",
            read_only=True,
        )
        declare(self, 'inject_fault', '', 'simulated devices: KIND [JOINT]; empty ends all')
        declare(self, 'autostart', True, 'configure and activate at the start', read_only=True)
        try:
            declare(self, 'backend', BACKENDS[0], 'the device', choices=BACKENDS, read_only=True)
        except ValueError as error:
            self._refuse(str(error))

    def start(self) -> None:
        """Configure and activate; called again while there is no device yet."""
        if not self.unusable and self.trigger_configure() is TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()
            if self._start_timer is not None:
                self._start_timer.cancel()

    @property
    def is_hopeless(self) -> bool:
        """Whether it was to start by itself and never can."""
        return bool(self.unusable and self.get_parameter('autostart').value)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Connect to the device and begin to report."""
        if self.unusable:
            return TransitionCallbackReturn.FAILURE
        try:
            device = make_device(self.get_parameter('backend').value, self)
            core = HardwareCore(device, read_settings(self), epoch=secrets.randbelow(1 << 31))
            self._connect(core)
        except DeviceLost as error:
            if str(error) != self._waiting_for:
                self._waiting_for = str(error)
                self.get_logger().warning(f'no device yet: {error}')
            return TransitionCallbackReturn.FAILURE
        except (SettingsError, FirmwareError) as error:
            self._refuse(str(error))
            return TransitionCallbackReturn.FAILURE
        self._core = core
        self._interfaces = RosInterfaces(
            self,
            core,
            update_rate=self.get_parameter('update_rate').value,
            priority=self.get_parameter('realtime_priority').value,
            record_folder=Path(
                self.get_parameter('record_folder').value or str(get_logging_directory())
            ),
        )
        return super().on_configure(state)

    def _connect(self, core: HardwareCore) -> None:
        try:
            for warning in core.connect():
                self.get_logger().warning(warning)
        except (DeviceLost, SettingsError, FirmwareError):
            core.close()
            raise

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take chunks from now on; what is latched stays latched."""
        self._ask(lambda core: core.activate())
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop, latch, take no more chunks."""
        self._ask(lambda core: core.deactivate())
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of the device."""
        self._release()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Bring the arm to rest and let go of the device."""
        self.bring_to_rest()
        self._release()
        return super().on_shutdown(state)

    def destroy_node(self) -> None:
        """End the feeder before what it publishes with is gone."""
        self._release()
        super().destroy_node()

    def bring_to_rest(self) -> None:
        """E-stop what moves and wait for rest, at most REST_TIMEOUT."""
        end = time.monotonic() + REST_TIMEOUT
        resting, text = self._ask(lambda core: core.come_to_rest())
        while not resting and time.monotonic() < end:
            time.sleep(0.005)
            resting, text = self._ask(lambda core: core.come_to_rest())
        if not resting:
            self.get_logger().error(f'not at rest within {REST_TIMEOUT} s: {text}')

    def _ask(self, work: Work) -> tuple[bool, str]:
        """Have the feeder do something; nothing is to be done where there is none."""
        return self._interfaces.ask(work) if self._interfaces is not None else (True, '')

    def _refuse(self, reason: str) -> None:
        self.unusable = reason
        self.get_logger().error(f'refused to configure: {reason}')

    def _release(self) -> None:
        if self._interfaces is not None:
            self._interfaces.destroy()
            self._interfaces = None
        if self._core is not None:
            self._core.close()
            self._core = None


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return 1 when its parameters can't work."""

    def make_node() -> HardwareNode:
        node = HardwareNode()
        quiet_interpreter()
        return node

    node = run_node(
        make_node,
        args,
        end=lambda node, _: node.bring_to_rest(),
        is_over=lambda node: node.is_hopeless,
    )
    return 1 if node.unusable else 0


if __name__ == '__main__':
    sys.exit(main())

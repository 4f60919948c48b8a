# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node ``pvt_hardware``: a lifecycle node around :class:`HardwareCore`.

Topics: ``~/chunk`` in; ``~/ack``, ``joint_states``, ``dynamic_joint_states``, ``/diagnostics`` and,
with a sped-up phantom, ``/clock`` out. Services: ``~/stop``, ``~/reset_fault``, ``~/record``.

Configured, it watches the device and reports; active, it takes chunks. Deactivation stops the arm.
"""

from __future__ import annotations

import secrets
import sys
import time
from dataclasses import fields
from pathlib import Path

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.core import HardwareCore
from elfin_bt.hardware.device import Device, DeviceLost, FirmwareError
from elfin_bt.hardware.phantom.client import PhantomClient
from elfin_bt.hardware.ros_interfaces import RosInterfaces
from elfin_bt.hardware.settings import HardwareSettings, SettingsError
from elfin_bt.ros.parameters import declare
from elfin_bt.ros.run_node import run_node

BACKENDS = ('phantom',)
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
        defaults = HardwareSettings()
        for name, default, description, minimum, maximum in (
            ('sample_period', defaults.sample_period, 'time between two PVT points, s', 1e-4, 0.1),
            (
                'empty_count',
                defaults.empty_count,
                'the firmware e-stops an open motion with fewer frames left',
                2,
                65536,
            ),
            ('estop_time', defaults.estop_time, 'e-stop ramp from full speed, s', 0.001, 1.0),
            ('stop_time', defaults.stop_time, 'pause and resume ramp, s', 0.001, 5.0),
            ('preload', defaults.preload, 'frames with which a motion is opened', 2, 65536),
            ('preload_timeout', defaults.preload_timeout, 'longest wait for them, s', 0.001, 0.5),
            ('device_timeout', 1.0, 'silence after which the device is lost, s', 0.05, 10.0),
            ('update_rate', 125.0, 'states and acknowledgements a second', 100.0, 500.0),
        ):
            declare(
                self, name, default, description,
                minimum=minimum, maximum=maximum, read_only=True,
            )  # fmt: skip
        declare(self, 'socket', '', "path of the phantom firmware's socket", read_only=True)
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
        core = HardwareCore(self._device(), self._settings(), epoch=secrets.randbelow(1 << 31))
        try:
            for warning in core.connect():
                self.get_logger().warning(warning)
        except DeviceLost as error:
            core.close()
            if str(error) != self._waiting_for:
                self._waiting_for = str(error)
                self.get_logger().warning(f'no device yet: {error}')
            return TransitionCallbackReturn.FAILURE
        except (SettingsError, FirmwareError) as error:
            core.close()
            self._refuse(str(error))
            return TransitionCallbackReturn.FAILURE
        self._core = core
        update_rate = self.get_parameter('update_rate').value
        self._interfaces = RosInterfaces(self, core, update_rate=update_rate)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take chunks from now on; what is latched stays latched."""
        if self._core is not None:
            self._core.active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop, latch, take no more chunks."""
        if self._core is not None:
            self._core.stop(Fault.NODE_DEACTIVATED)
            self._core.active = False
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

    def bring_to_rest(self) -> None:
        """E-stop what moves and wait for rest, at most REST_TIMEOUT."""
        core = self._core
        if core is None:
            return
        core.poll(time.monotonic())
        end = time.monotonic() + REST_TIMEOUT
        while core.snapshot is not None and not core.snapshot.state.at_rest:
            if time.monotonic() > end:
                self.get_logger().error(
                    f'the device is still {core.snapshot.state.name} {REST_TIMEOUT} s after its '
                    'e-stop'
                )
                return
            core.stop(Fault.NODE_DEACTIVATED, 'the hardware node was told to end')
            time.sleep(0.005)
            core.poll(time.monotonic())

    def _device(self) -> Device:
        return PhantomClient(
            Path(self.get_parameter('socket').value),
            timeout=self.get_parameter('device_timeout').value,
        )

    def _settings(self) -> HardwareSettings:
        names = [field.name for field in fields(HardwareSettings)]
        return HardwareSettings(**{name: self.get_parameter(name).value for name in names})

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
    node = run_node(
        HardwareNode,
        args,
        end=lambda node, _: node.bring_to_rest(),
        is_over=lambda node: node.is_hopeless,
    )
    return 1 if node.unusable else 0


if __name__ == '__main__':
    sys.exit(main())

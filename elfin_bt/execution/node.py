# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor node `passthrough_executor`: a lifecycle node around `ExecutorCore`.

In: action `~/follow_joint_trajectory`, services `~/stop` and `~/reset_fault`, topic `~/lease`.
Out: `pvt_hardware/chunk`, `~/controller_state`, `/diagnostics`.

Configured, it watches the hardware node; active, it takes goals. Deactivation stops the arm.
"""

from __future__ import annotations

import gc
import signal
import sys
import time
from types import FrameType

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions

from elfin_bt.execution.core import ExecutorCore
from elfin_bt.execution.ros_interfaces import RosInterfaces
from elfin_bt.execution.ros_parameters import declare_settings, read_settings
from elfin_bt.ros.parameters import declare

LAST_WORDS = 0.2  # s that an ending node goes on, so that its stop arrives


class ExecutorNode(LifecycleNode):
    """Owns one core and its interfaces from configure to cleanup.

    Attributes:
        unusable: why these parameters can never work; '' while they may.
    """

    def __init__(self) -> None:
        super().__init__('passthrough_executor')
        self.unusable = ''
        self.core: ExecutorCore | None = None
        self._interfaces: RosInterfaces | None = None
        declare_settings(self)
        declare(
            self,
            'update_rate',
            250.0,
            'cycles a second of the feed loop',
            minimum=50.0,
            maximum=1000.0,
            read_only=True,
        )
        if declare(self, 'autostart', True, 'configure and activate at the start', read_only=True):
            if self.trigger_configure() is TransitionCallbackReturn.SUCCESS:
                self.trigger_activate()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Check the parameters and begin to listen to the hardware node."""
        try:
            settings = read_settings(self)
        except ValueError as error:
            self.unusable = str(error)
            self.get_logger().error(f'refused to configure: {error}')
            return TransitionCallbackReturn.FAILURE
        self.core = ExecutorCore(settings)
        update_rate = self.get_parameter('update_rate').value
        self._interfaces = RosInterfaces(self, self.core, update_rate=update_rate)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take goals from now on."""
        if self.core is not None:
            self.core.activate()
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the arm on its path and take no more goals."""
        self.stop_motion()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take all interfaces down."""
        self._release()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the arm on its path and take all interfaces down."""
        self.stop_motion()
        self._release()
        return super().on_shutdown(state)

    def stop_motion(self) -> bool:
        """Have the hardware node stop a motion on its path; whether there was one."""
        if self.core is None or self._interfaces is None:
            return False
        moving = self.core.goals > 0
        self.core.deactivate(time.monotonic())
        self._interfaces.act()
        return moving

    def _release(self) -> None:
        if self._interfaces is not None:
            self._interfaces.destroy()
        self._interfaces, self.core = None, None


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return 1 when its parameters can't work."""
    # The arm has to be stopped before the context goes, so the signals are ours.
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    ending = False

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal ending
        ending = True

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    node = ExecutorNode()
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    # A collection over everything that was imported takes as long as the firmware's runway.
    gc.collect()
    gc.freeze()
    while not ending and not (node.unusable and node.get_parameter('autostart').value):
        executor.spin_once(timeout_sec=0.1)
    if node.stop_motion():
        deadline = time.monotonic() + LAST_WORDS
        while time.monotonic() < deadline:
            executor.spin_once(timeout_sec=0.01)
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()
    return 1 if node.unusable else 0


if __name__ == '__main__':
    sys.exit(main())

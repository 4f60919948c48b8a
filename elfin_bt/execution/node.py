# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor node `passthrough_executor`: a lifecycle node around `ExecutorCore`.

In: action `~/follow_joint_trajectory`, topics `~/joint_trajectory`, `~/speed_scaling_input` and
`~/lease`, services `~/stop`, `~/reset_fault`, `~/pause`, `~/resume` and `~/query_state`.
Out: `pvt_hardware/chunk`, `~/controller_state`, `/diagnostics`. All of it: docs/execution.md.

Configured, it watches the hardware node; active, it takes goals. Deactivation stops the arm.
"""

from __future__ import annotations

import sys
import time

from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from elfin_bt.execution.core import ExecutorCore
from elfin_bt.execution.ros_interfaces import RosInterfaces
from elfin_bt.execution.ros_parameters import declare_settings, read_settings
from elfin_bt.ros.parameters import declare
from elfin_bt.ros.run_node import run_node

_INTERFACE_PARAMETERS = (
    'controller_names',
    'update_rate',
    'is_async',
    'action_monitor_rate',
    'state_publish_rate',
)

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
        for name, default, description, minimum, maximum in (
            ('update_rate', 250, 'cycles of the feed loop a second', 50, 1000),
            ('action_monitor_rate', 20.0, 'feedback messages a second', 1.0, 100.0),
            ('state_publish_rate', 50.0, 'messages on ~/controller_state a second', 1.0, 250.0),
        ):
            declare(
                self, name, default, description,
                minimum=minimum, maximum=maximum, read_only=True,
            )  # fmt: skip
        declare(self, 'is_async', True, 'run the feed loop in a thread of its own', read_only=True)
        declare(
            self,
            'controller_names',
            ['elfin_arm_controller'],
            'further names under which action and topic are offered, as to MoveIt and Servo',
            read_only=True,
        )
        if declare(self, 'autostart', True, 'configure and activate at the start', read_only=True):
            if self.trigger_configure() is TransitionCallbackReturn.SUCCESS:
                self.trigger_activate()

    @property
    def is_hopeless(self) -> bool:
        """Whether it was to start by itself and never can, or has lost its feed loop."""
        if self._interfaces is not None and self._interfaces.feed.failure:
            self.unusable = self._interfaces.feed.failure
            return True
        return bool(self.unusable and self.get_parameter('autostart').value)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Check the parameters and begin to listen to the hardware node."""
        try:
            settings = read_settings(self)
        except ValueError as error:
            self.unusable = str(error)
            self.get_logger().error(f'refused to configure: {error}')
            return TransitionCallbackReturn.FAILURE
        self.core = ExecutorCore(settings)
        value = {name: self.get_parameter(name).value for name in _INTERFACE_PARAMETERS}
        self._interfaces = RosInterfaces(
            self,
            self.core,
            names=['~', *(name for name in value['controller_names'] if name)],
            update_rate=value['update_rate'],
            is_async=value['is_async'],
            feedback_rate=value['action_monitor_rate'],
            state_rate=value['state_publish_rate'],
        )
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take goals from now on."""
        if self.core is not None and self._interfaces is not None:
            with self._interfaces.feed.lock:
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

    def destroy_node(self) -> None:
        """End the feed loop's thread before the node goes."""
        self._release()
        super().destroy_node()

    def stop_motion(self) -> bool:
        """Have the hardware node stop a motion on its path; whether there was one."""
        if self.core is None or self._interfaces is None:
            return False
        with self._interfaces.feed.lock:
            moving = self.core.moves
            self.core.deactivate(time.monotonic())
            self._interfaces.feed.act()
        return moving

    def _release(self) -> None:
        if self._interfaces is not None:
            self._interfaces.destroy()
        self._interfaces, self.core = None, None


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return 1 when its parameters can't work."""
    node = run_node(ExecutorNode, args, end=_stop, is_over=lambda node: node.is_hopeless)
    return 1 if node.unusable else 0


def _stop(node: ExecutorNode, executor: SingleThreadedExecutor) -> None:
    """Stop the arm, and go on until the stop has arrived."""
    deadline = time.monotonic() + (LAST_WORDS if node.stop_motion() else 0.0)
    while time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.01)


if __name__ == '__main__':
    sys.exit(main())

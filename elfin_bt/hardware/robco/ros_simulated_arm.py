# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated arm on RobCo's topics, to try the backend without one.

Beside the topics there is ``~/enable`` (std_srvs/SetBool), in the place of the vendor's tool: the
arm is disabled when it starts.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from control_msgs.msg import DynamicJointState
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from elfin_bt.hardware.robco.dynamics import ArmDynamics
from elfin_bt.hardware.robco.ros_link import COMMANDS, ENABLED
from elfin_bt.hardware.robco.ros_messages import command_from_message
from elfin_bt.hardware.robco.settings import COMPENSATIONS, ROBOT, RobcoSettings
from elfin_bt.hardware.robco.simulated_arm import CommandRefused, SimulatedArm
from elfin_bt.kinematics.limits import JOINT_NAMES
from elfin_bt.resources import share_path
from elfin_bt.ros.parameters import declare
from elfin_bt.ros.run_node import run_node

PERIOD = 0.004  # s between two reports
LONGEST_STEP = 0.05  # s that the simulation catches up with at once
READY = (0.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0)


class SimulatedArmNode(Node):
    """One simulated arm that stands in the ready pose."""

    def __init__(self) -> None:
        super().__init__('simulated_robco')
        defaults = RobcoSettings()
        names = ('joint_commands_topic', 'joint_states_topic', 'enabled_topic')
        commands, states, enabled = (
            declare(self, name, getattr(defaults, name), 'as of the hardware node', read_only=True)
            for name in names
        )
        compensation = declare(
            self,
            'compensation',
            ROBOT,
            'robot: this arm adds gravity and Coriolis torques to efforts; host: it does not',
            choices=COMPENSATIONS,
            read_only=True,
        )
        self._arm = SimulatedArm(
            ArmDynamics(share_path('config/elfin5.urdf')),
            np.array(READY),
            compensates=compensation == ROBOT,
        )
        self._time = time.monotonic()
        self._state = JointState(name=list(JOINT_NAMES))
        self._states = self.create_publisher(JointState, states, 10)
        self._enabled = self.create_publisher(Bool, enabled, ENABLED)
        self.create_subscription(DynamicJointState, commands, self._on_command, COMMANDS)
        self.create_service(SetBool, '~/enable', self._on_enable)
        self.create_timer(PERIOD, self._on_cycle, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._enabled.publish(Bool(data=False))

    def _on_command(self, message: DynamicJointState) -> None:
        self._advance()
        try:
            self._arm.take(command_from_message(message))
        except (CommandRefused, ValueError) as error:
            self.get_logger().error(f'refused: {error}', throttle_duration_sec=1.0)

    def _on_enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._arm.enable(request.data)
        self._enabled.publish(Bool(data=request.data))
        response.success = True
        response.message = 'enabled' if request.data else 'disabled'
        return response

    def _on_cycle(self) -> None:
        self._advance()
        self._state.header.stamp = self.get_clock().now().to_msg()
        self._state.position = self._arm.position.tolist()
        self._state.velocity = self._arm.velocity.tolist()
        self._states.publish(self._state)

    def _advance(self) -> None:
        now = time.monotonic()
        self._arm.advance(min(now - self._time, LONGEST_STEP))
        self._time = now


def main(args: list[str] | None = None) -> int:
    """Run the arm until SIGINT or SIGTERM."""
    run_node(SimulatedArmNode, args, end=lambda node, executor: None)
    return 0


if __name__ == '__main__':
    sys.exit(main())

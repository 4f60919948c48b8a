# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The topics of a RobCo-like arm, heard in a thread of their own.

They have a node of their own, so that a busy callback of the hardware node never makes the arm's
state look old, and so that the arm can be waited for from within one.
"""

from __future__ import annotations

import threading

import rclpy
from control_msgs.msg import DynamicJointState
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool

from elfin_bt.hardware.robco.command import ArmState, Command, CommandSet, Selector
from elfin_bt.hardware.robco.ros_messages import CommandMessage, state_from_message
from elfin_bt.hardware.robco.settings import RobcoSettings

COMMANDS = QoSProfile(depth=1)  # reliable: an arm that reads best effort hears it as well
STATES = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)  # only the newest counts
ENABLED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class RosLink:
    """Implements :class:`elfin_bt.hardware.robco.command.Link` beside ``node``.

    While open, setting the node's parameter ``command_set`` changes the command set, or is refused
    with the reason.
    """

    def __init__(self, node: Node, settings: RobcoSettings) -> None:
        self._owner = node
        self._settings = settings
        self._node: Node | None = None
        self._state: ArmState | None = None
        self._enabled = False
        self._complained = ''
        self._message = CommandMessage()

    @property
    def state(self) -> ArmState | None:
        """What the arm reported last."""
        return self._state

    @property
    def enabled(self) -> bool:
        """What the arm said last; disabled until it has said so."""
        return self._enabled

    def open(self, select: Selector) -> None:
        """Begin to listen."""
        self._state, self._enabled = None, False
        self._select = select
        owner, settings = self._owner, self._settings
        # The owner's remapping rules and parameters are not for this node: they would rename it.
        node = rclpy.create_node(
            f'{owner.get_name()}_robco',
            namespace=owner.get_namespace(),
            context=owner.context,
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
        )
        self._publisher = node.create_publisher(
            DynamicJointState, settings.joint_commands_topic, COMMANDS
        )
        node.create_subscription(JointState, settings.joint_states_topic, self._on_state, STATES)
        node.create_subscription(Bool, settings.enabled_topic, self._on_enabled, ENABLED)
        self._executor = SingleThreadedExecutor(context=owner.context)
        self._executor.add_node(node)
        self._node = node
        self._thread = threading.Thread(target=self._listen, name='robco', daemon=True)
        self._thread.start()
        owner.add_on_set_parameters_callback(self._on_parameters)

    def close(self) -> None:
        """Cease to listen and to speak."""
        if self._node is None:
            return
        node, self._node = self._node, None
        self._owner.remove_on_set_parameters_callback(self._on_parameters)
        self._executor.shutdown()
        self._thread.join()
        node.destroy_node()

    def send(self, command: Command) -> None:
        """Publish a set point."""
        if self._node is not None and self._node.context.ok():
            stamp = self._node.get_clock().now().to_msg()
            self._publisher.publish(self._message.fill(command, stamp))

    def _listen(self) -> None:
        try:
            self._executor.spin()
        except ExternalShutdownException:
            pass  # the process ends

    def _on_state(self, message: JointState) -> None:
        try:
            self._state = state_from_message(message)
        except ValueError as error:
            if str(error) != self._complained:
                self._complained = str(error)
                self._owner.get_logger().error(
                    f'{self._settings.joint_states_topic} is of no use: {error}'
                )

    def _on_enabled(self, message: Bool) -> None:
        self._enabled = message.data

    def _on_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name != 'command_set':
                continue
            try:
                command_set = CommandSet(parameter.value)
            except ValueError:
                reason = f"command_set is '{parameter.value}': choose {', '.join(CommandSet)}"
            else:
                reason = self._select(command_set)
            if reason:
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

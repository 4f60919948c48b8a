# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes ``/tf``, ``/tf_static`` and ``robot_description``, so that any viewer shows the arm."""

from __future__ import annotations

from collections.abc import Mapping

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from elfin_bt.kinematics import PaperFrame
from elfin_bt.ros import qos
from elfin_bt.ros.conversions import quaternion_from_xyzw
from elfin_bt.session.robot_state import RobotState, Transform, rotation_z


class TransformPublisher:
    """Publishes the description and all fixed transforms at once, the moving ones on request."""

    def __init__(self, node: Node, urdf: str, paper: PaperFrame) -> None:
        self._robot = RobotState(urdf)
        self._tf = node.create_publisher(TFMessage, '/tf', qos.TF)
        self._tf_static = node.create_publisher(TFMessage, '/tf_static', qos.TF_STATIC)
        self._description = node.create_publisher(String, 'robot_description', qos.LATCHED)
        self._description.publish(String(data=urdf))
        on_board = Transform('world', 'paper', paper.origin, rotation_z(paper.yaw))
        stamp = node.get_clock().now().to_msg()
        self._tf_static.publish(_message(stamp, [*self._robot.fixed(), on_board]))

    def publish(self, stamp: Time, positions: Mapping[str, float]) -> None:
        """Publish where the links are with the joints at ``positions`` (rad, by name)."""
        self._tf.publish(_message(stamp, self._robot.moving(positions)))


def _message(stamp: Time, transforms: list[Transform]) -> TFMessage:
    return TFMessage(transforms=[_stamped(stamp, transform) for transform in transforms])


def _stamped(stamp: Time, transform: Transform) -> TransformStamped:
    message = TransformStamped(child_frame_id=transform.child)
    message.header.stamp = stamp
    message.header.frame_id = transform.parent
    translation = message.transform.translation
    translation.x, translation.y, translation.z = transform.translation
    message.transform.rotation = quaternion_from_xyzw(transform.rotation)
    return message

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node's outgoing topics: joint states, device state, acknowledgements, clock.

Messages are built once and filled in place: this runs more than a hundred times a second.
"""

from __future__ import annotations

import math
from array import array

from control_msgs.msg import DynamicJointState, InterfaceValue
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from elfin_bt.execution.chunk import encode_ack
from elfin_bt.hardware.core import CoreReport
from elfin_bt.hardware.device import DeviceSnapshot, DeviceState
from elfin_bt.kinematics.limits import JOINT_NAMES
from elfin_bt.ros import qos
from elfin_bt.ros.conversions import time_from_seconds

DEVICE_GROUP = 'rmp'
DEVICE_INTERFACES = (
    'state',
    'frames_loaded',
    'motion_id',
    'element_id',
    'chunk_accepted',
    'feed_rate',
    'fault_code',
    'feed_target',
    'amps_enabled',
)
"""The last two say what ``feed_rate`` alone does not: a pause at rest, and drives without power."""


class StatePublishers:
    """Publishes what a core reports; ``device_clock`` stamps with device time and serves it."""

    def __init__(self, node: Node, *, device_clock: bool) -> None:
        self._node = node
        self._ack = Float64MultiArray()
        self._joints = JointState(name=list(JOINT_NAMES))
        self._dynamic = DynamicJointState(
            joint_names=[*JOINT_NAMES, DEVICE_GROUP],
            interface_values=[
                *(InterfaceValue(interface_names=['position', 'velocity']) for _ in JOINT_NAMES),
                InterfaceValue(interface_names=list(DEVICE_INTERFACES)),
            ],
        )
        self._ack_publisher = node.create_publisher(Float64MultiArray, '~/ack', qos.ACK)
        self._joint_publisher = node.create_publisher(
            JointState, 'joint_states', qos.JOINT_STATES_PUBLISHED
        )
        self._dynamic_publisher = node.create_publisher(
            DynamicJointState, 'dynamic_joint_states', qos.JOINT_STATES_PUBLISHED
        )
        self._clock_publisher = (
            node.create_publisher(Clock, '/clock', qos.CLOCK) if device_clock else None
        )

    def destroy(self) -> None:
        """Take the topics down."""
        for publisher in (
            self._ack_publisher,
            self._joint_publisher,
            self._dynamic_publisher,
            self._clock_publisher,
        ):
            if publisher is not None:
                self._node.destroy_publisher(publisher)

    def publish_ack(self, report: CoreReport) -> None:
        """Acknowledge the last chunk and tell free frames and fault."""
        self._ack.data = encode_ack(report.ack)
        self._ack_publisher.publish(self._ack)

    def publish_clock(self, snapshot: DeviceSnapshot | None) -> None:
        """Publish device time, when this node is the clock."""
        if self._clock_publisher is not None and snapshot is not None:
            self._clock_publisher.publish(Clock(clock=time_from_seconds(snapshot.time)))

    def publish_state(self, report: CoreReport) -> None:
        """Publish joint and device states.

        A lost device has no joint state any more: ``joint_states`` falls silent, and the state
        interfaces say so (NaN positions, device state ERROR).
        """
        snapshot = report.snapshot
        if self._clock_publisher is not None and snapshot is not None:
            stamp = time_from_seconds(snapshot.time)
        else:
            stamp = self._node.get_clock().now().to_msg()
        if snapshot is not None:
            self._joints.header.stamp = stamp
            self._joints.position = array('d', snapshot.actual_position.tobytes())
            self._joints.velocity = array('d', snapshot.actual_velocity.tobytes())
            self._joint_publisher.publish(self._joints)
        self._dynamic.header.stamp = stamp
        *joints, device = self._dynamic.interface_values
        for index, joint in enumerate(joints):
            joint.values = (
                array('d', (math.nan, math.nan))
                if snapshot is None
                else array('d', (snapshot.actual_position[index], snapshot.actual_velocity[index]))
            )
        device.values = array('d', _device_values(report, snapshot))
        self._dynamic_publisher.publish(self._dynamic)


def _device_values(report: CoreReport, snapshot: DeviceSnapshot | None) -> tuple[float, ...]:
    """Values of DEVICE_INTERFACES, in that order."""
    if snapshot is None:
        return (DeviceState.ERROR, 0, 0, 0, report.ack.sequence, 0.0, report.fault, 0.0, False)
    return (
        snapshot.state,
        snapshot.frames_loaded + report.frames_waiting,
        snapshot.motion_id,
        snapshot.element_id,
        report.ack.sequence,
        snapshot.feed_rate,
        report.fault,
        snapshot.feed_target,
        snapshot.amps_enabled,
    )

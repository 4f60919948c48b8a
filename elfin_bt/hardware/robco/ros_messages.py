# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Commands and states of the arm as messages: the one place that knows their types.

States are sensor_msgs/JointState, joints in any order and others among them. Commands are
control_msgs/DynamicJointState, because JointState knows no acceleration: each joint has the values
of the command set's interfaces, the same for all. An arm that wants its commands in another type is
served by changing ``CommandMessage`` and ``command_from_message``.
"""

from __future__ import annotations

import time
from array import array

import numpy as np
from builtin_interfaces.msg import Time
from control_msgs.msg import DynamicJointState, InterfaceValue
from sensor_msgs.msg import JointState

from elfin_bt.hardware.robco.command import ArmState, Command
from elfin_bt.kinematics.limits import JOINT_NAMES


class CommandMessage:
    """A message that is filled anew for each command."""

    def __init__(self) -> None:
        self._message = DynamicJointState(joint_names=list(JOINT_NAMES))
        self._interfaces: tuple[str, ...] = ()

    def fill(self, command: Command, stamp: Time) -> DynamicJointState:
        """The message of ``command``; valid until the next call."""
        if command.interfaces != self._interfaces:
            self._interfaces = command.interfaces
            self._message.interface_values = [
                InterfaceValue(interface_names=list(command.interfaces)) for _ in JOINT_NAMES
            ]
        self._message.header.stamp = stamp
        for values, row in zip(self._message.interface_values, command.values, strict=True):
            values.values = array('d', row.tobytes())
        return self._message


def command_from_message(message: DynamicJointState) -> Command:
    """The command in a message.

    Raises:
        ValueError: it is not for exactly our joints, or not the same set for all of them.
    """
    joints = dict(zip(message.joint_names, message.interface_values, strict=True))
    if sorted(joints) != sorted(JOINT_NAMES):
        raise ValueError(f'joints {sorted(joints)}: {list(JOINT_NAMES)} are wanted')
    interfaces = tuple(joints[JOINT_NAMES[0]].interface_names)
    for name in JOINT_NAMES:
        if tuple(joints[name].interface_names) != interfaces:
            raise ValueError(
                f'{name} is commanded by {list(joints[name].interface_names)} and '
                f'{JOINT_NAMES[0]} by {list(interfaces)}: all joints take the same set'
            )
        if len(joints[name].values) != len(interfaces):
            raise ValueError(
                f'{name} has {len(joints[name].values)} values for {len(interfaces)} interfaces'
            )
    return Command(interfaces, np.array([list(joints[name].values) for name in JOINT_NAMES]))


def state_from_message(message: JointState) -> ArmState:
    """Position and velocity of our joints, received now.

    Raises:
        ValueError: a joint is missing, or has no finite position and velocity.
    """
    places = {name: index for index, name in enumerate(message.name)}
    missing = [name for name in JOINT_NAMES if name not in places]
    if missing:
        raise ValueError(f'{", ".join(missing)} missing')
    if not len(message.name) == len(message.position) == len(message.velocity):
        raise ValueError(
            f'{len(message.name)} names, {len(message.position)} positions and '
            f'{len(message.velocity)} velocities: one of each a joint is wanted'
        )
    order = [places[name] for name in JOINT_NAMES]
    position = np.array(message.position, dtype=float)[order]
    velocity = np.array(message.velocity, dtype=float)[order]
    if not (np.all(np.isfinite(position)) and np.all(np.isfinite(velocity))):
        raise ValueError('a position or velocity is not a finite number')
    return ArmState(position, velocity, time.monotonic())

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The RobCo-like arm as a backend of the hardware node."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from rclpy.logging import get_logging_directory
from rclpy.node import Node

from elfin_bt.hardware.robco.device import RobcoDevice
from elfin_bt.hardware.robco.dynamics import ArmDynamics
from elfin_bt.hardware.robco.effort import EffortLaw
from elfin_bt.hardware.robco.ros_link import RosLink
from elfin_bt.hardware.robco.settings import RobcoSettings
from elfin_bt.hardware.settings import SettingsError
from elfin_bt.resources import share_path
from elfin_bt.ros.parameters import declare


def make_device(node: Node) -> RobcoDevice:
    """The arm on the topics that the node's parameters name.

    Raises:
        SettingsError: a parameter can't be meant.
    """
    settings = _settings(node)
    dynamics = ArmDynamics(share_path('config/elfin5.urdf'))
    folder = node.get_parameter('record_folder').value or str(get_logging_directory())
    return RobcoDevice(
        settings,
        RosLink(node, settings),
        EffortLaw(dynamics, settings),
        record_folder=Path(folder),
    )


def _settings(node: Node) -> RobcoSettings:
    """The backend's parameters; ``command_set`` may be changed while it runs."""
    values = {}
    for each in fields(RobcoSettings):
        if not node.has_parameter(each.name):
            try:
                declare(
                    node,
                    each.name,
                    each.default,
                    each.metadata['description'],
                    minimum=each.metadata.get('minimum'),
                    maximum=each.metadata.get('maximum'),
                    choices=each.metadata.get('choices', ()),
                    read_only=each.name != 'command_set',
                )
            except ValueError as error:
                raise SettingsError(str(error)) from error
        values[each.name] = node.get_parameter(each.name).value
    return RobcoSettings(**values)

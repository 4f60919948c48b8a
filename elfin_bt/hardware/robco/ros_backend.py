# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The RobCo-like arm as a backend of the hardware node."""

from __future__ import annotations

from pathlib import Path

from rclpy.logging import get_logging_directory
from rclpy.node import Node

from elfin_bt.hardware.robco.device import RobcoDevice
from elfin_bt.hardware.robco.dynamics import ArmDynamics
from elfin_bt.hardware.robco.effort import EffortLaw
from elfin_bt.hardware.robco.ros_link import RosLink
from elfin_bt.hardware.robco.settings import RobcoSettings
from elfin_bt.hardware.ros_fields import settings_from_parameters
from elfin_bt.resources import share_path


def make_device(node: Node) -> RobcoDevice:
    """The arm on the topics that the node's parameters name.

    Raises:
        SettingsError: a parameter can't be meant.
    """
    settings = settings_from_parameters(node, RobcoSettings, changeable=('command_set',))
    dynamics = ArmDynamics(share_path('config/elfin5.urdf'))
    folder = node.get_parameter('record_folder').value or str(get_logging_directory())
    return RobcoDevice(
        settings,
        RosLink(node, settings),
        EffortLaw(dynamics, settings),
        record_folder=Path(folder),
    )

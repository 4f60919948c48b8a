# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""RMP as a backend of the hardware node."""

from __future__ import annotations

from pathlib import Path

from rclpy.logging import get_logging_directory
from rclpy.node import Node

from elfin_bt.hardware.rapidcode.device import RapidCodeDevice
from elfin_bt.hardware.rapidcode.settings import RapidCodeSettings
from elfin_bt.hardware.ros_fields import settings_from_parameters


def make_device(node: Node) -> RapidCodeDevice:
    """RMP as the node's parameters ``rapidcode.*`` describe it.

    Raises:
        SettingsError: a parameter can't be meant.
    """
    folder = node.get_parameter('record_folder').value or str(get_logging_directory())
    settings = settings_from_parameters(node, RapidCodeSettings, prefix='rapidcode.')
    return RapidCodeDevice(settings, record_folder=Path(folder))

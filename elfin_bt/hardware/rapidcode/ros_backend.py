# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""RMP as a backend of the hardware node."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from rclpy.logging import get_logging_directory
from rclpy.node import Node

from elfin_bt.hardware.rapidcode.device import RapidCodeDevice
from elfin_bt.hardware.rapidcode.settings import RapidCodeSettings
from elfin_bt.ros.parameters import declare

PREFIX = 'rapidcode'


def make_device(node: Node) -> RapidCodeDevice:
    """RMP as the node's parameters ``rapidcode.*`` describe it.

    Raises:
        SettingsError: a parameter can't be meant.
    """
    folder = node.get_parameter('record_folder').value or str(get_logging_directory())
    return RapidCodeDevice(_settings(node), record_folder=Path(folder))


def _settings(node: Node) -> RapidCodeSettings:
    values: dict[str, Any] = {}
    for each in fields(RapidCodeSettings):
        name = f'{PREFIX}.{each.name}'
        default: Any = each.default
        is_list = isinstance(default, tuple)
        if not node.has_parameter(name):
            declare(
                node,
                name,
                list(default) if is_list else default,
                each.metadata['description'],
                read_only=True,
            )
        value = node.get_parameter(name).value
        values[each.name] = tuple(value) if is_list else value
    return RapidCodeSettings(**values)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node's parameters: one for each field of its settings."""

from __future__ import annotations

from dataclasses import fields

from rclpy.node import Node

from elfin_bt.hardware.settings import HardwareSettings
from elfin_bt.ros.parameters import declare


def declare_settings(node: Node) -> None:
    """Declare a read-only parameter for each setting, with its description and range."""
    for each in fields(HardwareSettings):
        declare(
            node,
            each.name,
            each.default,
            each.metadata['description'],
            minimum=each.metadata['minimum'],
            maximum=each.metadata['maximum'],
            read_only=True,
        )


def read_settings(node: Node) -> HardwareSettings:
    """The settings by the node's parameters."""
    names = [each.name for each in fields(HardwareSettings)]
    return HardwareSettings(**{name: node.get_parameter(name).value for name in names})

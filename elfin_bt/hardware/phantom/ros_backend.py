# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The phantom firmware as a backend of the hardware node."""

from __future__ import annotations

from pathlib import Path

from rclpy.node import Node

from elfin_bt.hardware.phantom.client import PhantomClient
from elfin_bt.ros.parameters import declare


def make_device(node: Node) -> PhantomClient:
    """A client of the firmware that listens at the node's parameter ``socket``."""
    if not node.has_parameter('socket'):
        declare(node, 'socket', '', "path of the phantom firmware's socket", read_only=True)
        declare(
            node,
            'device_timeout',
            1.0,
            'silence after which the firmware is lost, s',
            minimum=0.05,
            maximum=10.0,
            read_only=True,
        )
    return PhantomClient(
        Path(node.get_parameter('socket').value),
        timeout=node.get_parameter('device_timeout').value,
    )

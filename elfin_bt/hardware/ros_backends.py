# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The devices that the hardware node can drive, by the name in its parameter ``backend``.

Each has a module ``ros_backend`` with a function ``make_device(node) -> Device``, which declares
the parameters of its own on the node and reads them. It is imported only when it is asked for. The
device is made anew each time that the node is configured.
"""

from __future__ import annotations

from importlib import import_module

from rclpy.node import Node

from elfin_bt.hardware.device import Device

BACKENDS = ('phantom', 'rapidcode', 'robco')


def make_device(backend: str, node: Node) -> Device:
    """The device of a backend, not connected yet.

    Raises:
        SettingsError: its parameters can't work, or what it needs is not installed.
    """
    module = import_module(f'elfin_bt.hardware.{backend}.ros_backend')
    device: Device = module.make_device(node)
    return device

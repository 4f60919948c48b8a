# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Declaring ROS parameters with a description and a range in one line each."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node


def declare(
    node: Node,
    name: str,
    default: Any,
    description: str,
    *,
    minimum: float | int | None = None,
    maximum: float | int | None = None,
    choices: tuple[str, ...] = (),
    read_only: bool = False,
) -> Any:
    """Declare one parameter and return its value.

    `minimum` and `maximum` (both or neither) become the descriptor's range, integer or floating
    point by the type of `default`; rclpy then refuses values outside. `choices` are named in the
    descriptor and checked here.

    Raises:
        ValueError: the value is not one of `choices`.
    """
    descriptor = ParameterDescriptor(description=description, read_only=read_only)
    if minimum is not None and maximum is not None:
        if isinstance(default, int) and not isinstance(default, bool):
            descriptor.integer_range = [
                IntegerRange(from_value=int(minimum), to_value=int(maximum), step=0)
            ]
        else:
            descriptor.floating_point_range = [
                FloatingPointRange(from_value=float(minimum), to_value=float(maximum), step=0.0)
            ]
    if choices:
        descriptor.additional_constraints = f'one of: {", ".join(choices)}'
    value = node.declare_parameter(name, default, descriptor).value
    if choices and value not in choices:
        raise ValueError(
            f"parameter '{name}' is '{value}', which is not one of: {', '.join(choices)}. "
            'Set one of these.'
        )
    return value

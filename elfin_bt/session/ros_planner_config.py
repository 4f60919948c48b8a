# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's configuration as parameters of the session node."""

from __future__ import annotations

import math

from rclpy.node import Node

from elfin_bt.planning.settings import Heights, PlannerConfig, Sampling
from elfin_bt.ros.parameters import declare


def declare_planner_config(node: Node) -> PlannerConfig:
    """Declare the parameters, read once when the planner's process starts."""
    config, heights, sampling = PlannerConfig(), Heights(), Sampling()

    def number(name: str, default: float, text: str, minimum: float, maximum: float) -> float:
        value: float = declare(
            node, name, default, text, minimum=minimum, maximum=maximum, read_only=True
        )
        return value

    return PlannerConfig(
        pen_yaw=number('pen_yaw', config.pen_yaw, 'turn of the pen, rad', -math.pi, math.pi),
        free_yaw=declare(
            node, 'free_yaw', config.free_yaw, 'the pen turns with the arm', read_only=True
        ),
        heights=Heights(
            contact_depth=number(
                'contact_depth', heights.contact_depth, 'below the paper, m', 0.0, 0.005
            ),
            lift=number('lift', heights.lift, 'between strokes, m', 0.005, 0.1),
            near_lift=number('near_lift', heights.near_lift, 'the same, near, m', 0.003, 0.1),
            settle=number('settle', heights.settle, 'rest on the paper first, s', 0.0, 5.0),
        ),
        sampling=Sampling(
            corner_tolerance=number(
                'corner_tolerance', sampling.corner_tolerance, 'of rounded corners, m', 5e-6, 0.001
            )
        ),
    )

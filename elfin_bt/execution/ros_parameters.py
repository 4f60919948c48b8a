# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor's parameters, one for each setting."""

from __future__ import annotations

from typing import Any

import numpy as np
from rclpy.node import Node

from elfin_bt.execution.chunk import JOINTS, MAX_POINTS
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.kinematics.limits import JointLimits
from elfin_bt.ros.parameters import declare

SIMULATED_PATIENCE = 2.0
"""Least time-out of the hardware node and longest wait for a successor, s, on simulated time: a
sped-up phantom holds its time still rather than starve, so that waiting drains no buffer."""

_SCALARS: tuple[tuple[str, str, float, float], ...] = (
    ('tcp_speed', 'largest speed of the pen tip, m/s', 0.001, 1.0),
    ('pen_length', 'from the flange to the pen tip, m', 0.0, 1.0),
    ('sample_period', "time between PVT points, s; a multiple of the firmware's", 0.0005, 0.02),
    ('chunk_points', 'points of a whole chunk', 8, MAX_POINTS),
    ('committed_depth', 'how far ahead points are sent, s', 0.05, 2.0),
    ('low_water', 'depth above which the executor waits for a successor, s', 0.05, 1.0),
    (
        'start_patience',
        'wait for a successor before a short path that ends in motion is begun, s',
        0.0,
        2.0,
    ),
    ('queue_size', 'goals that may wait', 1, 1000),
    ('max_points', 'points of a goal', 2, 100_000),
    ('max_duration', 'longest goal, s', 1.0, 86_400.0),
    ('max_start_delay', 'how far a header stamp may be in the future, s', 0.0, 3600.0),
    ('start_tolerance', 'how far a goal may start from the arm, rad', 0.0, 0.2),
    (
        'blend_tolerance',
        'up to here a gap at the start decays along the path; a larger one is closed first, rad',
        0.0,
        0.01,
    ),
    (
        'seam_position_tolerance',
        'how far a goal may start from the end of the queue, rad',
        0.0,
        1e-4,
    ),
    ('seam_velocity_tolerance', 'likewise, rad/s', 0.0, 1e-2),
    ('path_position_tolerance', 'default tolerance along the path, rad; 0: none', 0.0, 1.0),
    ('goal_position_tolerance', 'default tolerance at the end of a goal, rad', 1e-5, 0.1),
    ('goal_velocity_tolerance', 'largest speed that is rest, rad/s', 1e-4, 0.1),
    ('goal_time', 'default time after the end to be within tolerance, s', 0.1, 60.0),
    ('dwell', 'time within tolerance that is success, s', 0.0, 5.0),
    ('stream_horizon', 'how far ahead points of a stream are sent, s', 0.05, 0.5),
    ('stream_low_water', 'depth below which it is filled up to the horizon again, s', 0.05, 0.5),
    ('stream_timeout', 'silence after which a stream comes to rest, s', 0.02, 2.0),
    ('stream_slack', 'how late a window may come without a gap, s', 0.0, 0.2),
    ('stream_max_duration', 'longest message on the streaming topic, s', 0.1, 3600.0),
    ('ack_timeout', 'longest wait for the acknowledgement of a chunk, s', 0.02, 5.0),
    ('hardware_timeout', 'silence after which the hardware node is not relied on, s', 0.05, 10.0),
    ('lease_timeout', 'silence of ~/lease after which the arm comes to rest, s', 0.1, 10.0),
    ('firmware_sample', "the firmware's sample, s", 0.0001, 0.02),
    ('firmware_frames', "frames of the firmware's buffer", 64, 65536),
    (
        'firmware_watchdog',
        "frames below which the firmware's watchdog stops, as time, s",
        0.001,
        1.0,
    ),
    ('jitter', 'worst lateness of this node that low_water has to outlast, s', 0.0, 0.5),
)


_SWITCHES = (
    ('preempt', 'a goal that does not continue the queue ends it, on the path, and then runs'),
    (
        'allow_nonzero_velocity_at_trajectory_end',
        'take goals that end in motion: another has to continue them in time',
    ),
)

_NAMES = (
    ('joint_names', "what clients call the joints, in the arm's order"),
    ('device_joint_names', 'what dynamic_joint_states calls them, in the same order'),
)


def declare_settings(node: Node) -> None:
    """Declare a parameter for each setting, with its description and range."""
    defaults = ExecutorSettings()
    for name, description, minimum, maximum in _SCALARS:
        declare(
            node,
            name,
            getattr(defaults, name),
            description,
            minimum=minimum,
            maximum=maximum,
            read_only=True,
        )
    for name, description in _SWITCHES:
        declare(node, name, getattr(defaults, name), description, read_only=True)
    for name, description in _NAMES:
        declare(node, name, list(getattr(defaults, name)), description, read_only=True)
    for name, unit, values in (
        ('max_velocity', 'rad/s', defaults.limits.velocity),
        ('max_acceleration', 'rad/s2', defaults.limits.acceleration),
    ):
        declare(node, name, values.tolist(), f'limit of each joint, {unit}', read_only=True)


def read_settings(node: Node) -> ExecutorSettings:
    """Settings by the node's parameters.

    Raises:
        ValueError: they break a rule; says which, with the numbers.
    """
    arm = JointLimits.of_the_arm()
    limits = JointLimits(
        position=arm.position,
        velocity=_limit(node, 'max_velocity'),
        acceleration=_limit(node, 'max_acceleration'),
        jerk=arm.jerk,
    )
    names = [*(name for name, *_ in _SCALARS), *(name for name, _ in _SWITCHES)]
    values: dict[str, Any] = {name: node.get_parameter(name).value for name in names}
    values |= {name: tuple(node.get_parameter(name).value) for name, _ in _NAMES}
    settings = ExecutorSettings(limits=limits, **values)
    problems = settings.problems()
    if problems:
        raise ValueError('; '.join(problems))
    if node.get_parameter('use_sim_time').value:
        for name in ('ack_timeout', 'hardware_timeout', 'successor_patience'):
            values[name] = max(values.get(name, 0.0), SIMULATED_PATIENCE)
        settings = ExecutorSettings(limits=limits, **values)
    return settings


def _limit(node: Node, name: str) -> np.ndarray:
    values = np.array(node.get_parameter(name).value, dtype=np.float64)
    if values.shape != (JOINTS,) or not (values > 0.0).all():
        raise ValueError(f'{name} is {values.tolist()}: {JOINTS} positive numbers are needed')
    return values

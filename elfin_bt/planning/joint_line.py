# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A straight line in joint space, from rest to rest, as fast as joints and tip may.

All joints move along the line together, so one joint's velocity, acceleration or jerk limit decides
for all, and the problem is scalar. Its exact answer is an S-curve (s_curve.py). Where the tip would
be faster than its cap, which it is on some part of most long moves, the speed along the line gets
a cap that varies with the place, and time_law.py finds the motion below it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits, jacobian
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.s_curve import SCurve, s_curve
from elfin_bt.planning.time_law import path_motion
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]

_SPACING = 0.005  # rad along the way, all joints together
_CAP_SHARE = 0.998  # between two rows the tip is a little faster than at both
_LEAST_SLOPE = 1e-6  # m/rad


def joint_line(
    start: Array, goal: Array, limits: JointLimits, *, pen_length: float, tcp_cap: float
) -> Trajectory:
    """From `start` to another place `goal`, (6,) rad, both at rest.

    Args:
        start: where the line begins.
        goal: where it ends.
        limits: velocity, acceleration and jerk of the joints.
        pen_length: from the flange to the tip, m.
        tcp_cap: largest speed of the tip, m/s.
    """
    way = goal - start
    length = float(np.linalg.norm(way))
    direction = way / length
    curve = fastest(direction, length, limits)
    q = start + curve.distance[:, None] * direction
    if (_tip_slopes(q, direction, pen_length) * curve.speed).max() <= _CAP_SHARE * tcp_cap:
        trajectory = Trajectory(
            curve.time,
            _with_ends(q, start, goal),
            curve.speed[:, None] * direction,
            curve.acceleration[:, None] * direction,
        )
    else:
        trajectory = _capped(start, goal, limits, pen_length, tcp_cap)
    return trajectory


def fastest(direction: Array, length: float, limits: JointLimits) -> SCurve:
    """Motion over `length` rad along the unit vector `direction` (6,), limited by joints alone."""
    with np.errstate(divide='ignore'):
        speed, acceleration, jerk = (
            float((limit / np.abs(direction)).min())
            for limit in (limits.velocity, limits.acceleration, limits.jerk)
        )
    return s_curve(length, speed, acceleration, jerk)


def _capped(
    start: Array, goal: Array, limits: JointLimits, pen_length: float, tcp_cap: float
) -> Trajectory:
    way = goal - start
    length = float(np.linalg.norm(way))
    direction = way / length
    share = graded_rows(length, _SPACING)
    q = _with_ends(start + share[:, None] * way, start, goal)
    tip = np.maximum(_tip_slopes(q, direction, pen_length), _LEAST_SLOPE)
    path = JointPath(q, np.tile(direction, (len(q), 1)), np.zeros_like(q))
    motion = path_motion(
        path,
        length * np.diff(share),
        _CAP_SHARE * tcp_cap / np.maximum(tip[1:], tip[:-1]),
        limits,
    )
    return Trajectory(motion.time, q, *motion.joint_motion(path))


def graded_rows(length: float, spacing: float) -> Array:
    """Shares (N,) of a length, 0 to 1: at most `spacing` apart, closer where motion is slow.

    They grow with the square of their number from either end, as distance does with a
    constant acceleration.
    """
    u = np.linspace(0.0, 1.0, int(np.ceil(1.5 * length / spacing)) + 24)
    shares: Array = u * u * (3.0 - 2.0 * u)
    return shares


def _tip_slopes(q: Array, direction: Array, pen_length: float) -> Array:
    """Speed (N,) of the tip for a unit speed along the line, m/rad."""
    linear = jacobian(q, (0.0, 0.0, pen_length))[:, :3] @ direction
    slopes: Array = np.sqrt((linear * linear).sum(axis=1))
    return slopes


def _with_ends(q: Array, start: Array, goal: Array) -> Array:
    """Without the rounding of interpolation at both ends."""
    q[0], q[-1] = start, goal
    return q

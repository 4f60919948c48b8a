# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How a goal's path begins: exactly where the arm is, or where the queue ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.joint_path import JointPath, Waypoints

Array = NDArray[np.float64]

# A start that is a little off is taken up by a quintic; its share of the acceleration limit is what
# plans at 90 % leave, halved, and it takes at least this long.
_ENTRY_SHARE = 0.05
_SHORTEST_ENTRY = 0.05  # s

# A larger one is closed at rest with this share of the limit.
_LEAD_IN_SHARE = 0.25

# Largest acceleration of the cubic from rest to rest over 1 rad in unit time.
_CUBIC_PEAK = 6.0

# Largest acceleration of the quintic from offset 1 to 0 in unit time: 10 / sqrt(3).
_QUINTIC_PEAK = 10.0 / np.sqrt(3.0)


def splice_error(
    waypoints: Waypoints,
    position: Array,
    velocity: Array,
    position_tolerance: float,
    velocity_tolerance: float,
) -> tuple[int, str] | None:
    """Joint and text of the first disagreement of the first waypoint with a state (joints,)."""
    for name, unit, given, actual, limit in (
        ('position', 'rad', waypoints.positions[0], position, position_tolerance),
        ('velocity', 'rad/s', waypoints.velocities[0], velocity, velocity_tolerance),
    ):
        error = np.abs(given - actual)
        if error.max() > limit:
            joint = int(error.argmax())
            return joint, (
                f'{name} {given[joint]:.6f} {unit} (there {actual[joint]:.6f}, tolerance {limit:g})'
            )
    return None


@dataclass(frozen=True, eq=False)
class Entry:
    """A goal's path from where the arm is: `lead_in` s, and `gap` rad of the joint farthest off."""

    path: JointPath
    lead_in: float = 0.0
    gap: float = 0.0


def entered_path(
    waypoints: Waypoints,
    position: Array,
    velocity: Array,
    acceleration: Array,
    blend_tolerance: float,
) -> Entry:
    """Path of waypoints that begins at a state (joints,), for acceleration limits (joints,).

    A first point after time 0 is reached from the state by the goal's own interpolation. A first
    point at time 0 says where the arm is. A gap up to `blend_tolerance` rad decays along the path,
    within the line width of a pen. A larger one is closed first, from rest to rest, so that the
    path itself is executed as it is.
    """
    if waypoints.time[0] > 0.0:
        return Entry(JointPath(waypoints.starting_from(position, velocity)))
    path = JointPath(waypoints)
    gap = np.abs(position - waypoints.positions[0])
    if gap.max() > blend_tolerance:
        lead_in = float(np.sqrt(_CUBIC_PEAK * gap / (_LEAD_IN_SHARE * acceleration)).max())
        return Entry(path.led_into_from(position, lead_in), lead_in, float(gap.max()))
    shortest = np.sqrt(_QUINTIC_PEAK * gap / (_ENTRY_SHARE * acceleration)).max()
    duration = min(max(float(shortest), _SHORTEST_ENTRY), path.duration)
    return Entry(path.entered_from(position, velocity, duration))

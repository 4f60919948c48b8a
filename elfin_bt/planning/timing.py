# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A joint path becomes a trajectory within the limits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning import hermite
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.profile import durations, path_limits, squared_speeds

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class TimedRows:
    """Times (N,) s and joint velocities (N, 6) rad/s at the rows of a path.

    Two rows at the same place and rest, where runs meet, have the same time.
    """

    time: Array
    velocities: Array


def timed(path: PenPath, joints: JointPath, limits: JointLimits) -> TimedRows:
    """Run the path as fast as the limits allow, resting between its runs.

    The joints will move along cubics in time, which differ a little from the path's own: a run
    where they exceed an acceleration limit is slowed down as a whole.
    """
    rest = np.zeros(len(path), dtype=bool)
    between = np.flatnonzero(path.lengths == 0.0)
    rest[between] = rest[between + 1] = rest[0] = rest[-1] = True
    x = squared_speeds(
        path_limits(
            joints.positions,
            joints.slopes,
            path.lengths,
            path.speeds,
            limits.velocity,
            limits.acceleration,
        ),
        rest,
    )
    speed = np.sqrt(x)
    steps = durations(path.lengths, speed)
    velocities = speed[:, None] * joints.slopes
    excess = _acceleration_shares(joints.positions, velocities, steps, limits.acceleration)
    if excess.max(initial=0.0) > 1.0:
        # Time stretched by k: velocities fall by k, accelerations by k squared.
        first_of_run = np.insert(between + 1, 0, 0)
        worst = np.maximum.reduceat(np.append(excess, 0.0), first_of_run)
        run = np.cumsum(np.insert(path.lengths == 0.0, 0, False))
        stretch = np.sqrt(np.maximum(worst, 1.0))[run]
        steps = steps * stretch[:-1]
        velocities = velocities / stretch[:, None]
    return TimedRows(np.insert(np.cumsum(steps), 0, 0.0), velocities)


def _acceleration_shares(
    positions: Array, velocities: Array, steps: Array, acceleration: Array
) -> Array:
    """Largest share (N - 1,) of the acceleration limits that each interval's cubics use."""
    result = np.zeros(len(steps))
    for first in range(0, len(steps), _BLOCK):
        part = slice(first, first + _BLOCK)
        q, v = positions[first : first + _BLOCK + 1], velocities[first : first + _BLOCK + 1]
        h = np.where(steps[part] > 0.0, steps[part], np.inf)[:, None]
        a0, a1 = hermite.end_accelerations(h, q[:-1], q[1:], v[:-1], v[1:])
        result[part] = (np.maximum(np.abs(a0), np.abs(a1)) / acceleration).max(axis=1)
    return result

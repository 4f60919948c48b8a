# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The last check before the firmware: may the arm execute these points at all?

The executor has checked the whole trajectory with tighter numbers. This check trusts nobody: what
it refuses would hurt the arm, whoever sent it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.chunk import Chunk
from elfin_bt.kinematics.limits import JOINT_NAMES, POSITION, VELOCITY

Floats = NDArray[np.float64]

SLACK = 1e-6  # rad and rad/s; a value at its limit is fine
RESTING_VELOCITY = 0.01  # rad/s; a motion that ends faster would halt with a jerk


def objection(chunk: Chunk, start: Floats, sample_period: float) -> str | None:
    """Why the points of a chunk must not be executed from ``start`` (6,) rad; None if they may.

    ``start`` is the point before the chunk. Times are whole multiples of ``sample_period`` s.
    """
    return (
        _wrong_time(chunk.time, sample_period)
        or _wrong_position(chunk.positions)
        or _too_fast(chunk.velocities, 'velocity')
        or _too_fast(_mean_velocities(chunk, start), 'mean velocity')
        or (_ends_moving(chunk.velocities[-1]) if chunk.final else None)
    )


def _mean_velocities(chunk: Chunk, start: Floats) -> Floats:
    """Velocity (n, 6) that carries each joint from point to point: a jump shows here only."""
    return np.diff(chunk.positions, axis=0, prepend=start[None, :]) / chunk.time[:, None]


def _wrong_time(times: Floats, sample_period: float) -> str | None:
    samples = times / sample_period
    wrong = (samples < 0.5) | (np.abs(samples - np.rint(samples)) > 1e-6 * samples)
    if not wrong.any():
        return None
    point = int(np.argmax(wrong))
    return (
        f'point {point} lasts {times[point]:.9g} s, which is no whole multiple of '
        f'sample_period {sample_period:g} s'
    )


def _wrong_position(positions: Floats) -> str | None:
    outside = (positions < POSITION[:, 0] - SLACK) | (positions > POSITION[:, 1] + SLACK)
    if not outside.any():
        return None
    point, joint = np.unravel_index(int(np.argmax(outside)), outside.shape)
    lower, upper = POSITION[joint]
    return (
        f'{JOINT_NAMES[joint]} at {positions[point, joint]:.4f} rad in point {point} is outside '
        f'{lower:.4f} to {upper:.4f} rad'
    )


def _too_fast(velocities: Floats, name: str) -> str | None:
    outside = np.abs(velocities) > VELOCITY + SLACK
    if not outside.any():
        return None
    point, joint = np.unravel_index(int(np.argmax(outside)), outside.shape)
    return (
        f'{name} of {JOINT_NAMES[joint]} in point {point} is {velocities[point, joint]:.4f} rad/s, '
        f'the limit is {VELOCITY[joint]:.4f} rad/s'
    )


def _ends_moving(velocity: Floats) -> str | None:
    if np.all(np.abs(velocity) <= RESTING_VELOCITY):
        return None
    joint = int(np.argmax(np.abs(velocity)))
    return (
        f'the motion ends with {JOINT_NAMES[joint]} at {velocity[joint]:.4f} rad/s: '
        f'a final chunk ends at rest (at most {RESTING_VELOCITY:g} rad/s)'
    )

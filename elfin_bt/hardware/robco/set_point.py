# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The last check of a set point, after interpolation and before it is sent."""

from __future__ import annotations

import numpy as np

from elfin_bt.hardware.robco.command import Floats
from elfin_bt.kinematics.limits import JOINT_NAMES, POSITION, VELOCITY

SLACK = 1e-6  # rad and rad/s; a value at its limit is fine
JUMP_SLACK = 1.1  # between two points of a path the velocity may exceed that at both


def objection(position: Floats, velocity: Floats, before: Floats, elapsed: float) -> str | None:
    """Why a set point (6,) rad, (6,) rad/s must not be sent ``elapsed`` s after ``before`` (6,)."""
    for joint, (lower, upper) in enumerate(POSITION.tolist()):
        if not lower - SLACK <= position[joint] <= upper + SLACK:
            return (
                f'{JOINT_NAMES[joint]} at {position[joint]:.4f} rad is outside {lower:.4f} to '
                f'{upper:.4f} rad'
            )
    fast = ~(np.abs(velocity) <= JUMP_SLACK * VELOCITY)
    if fast.any():
        joint = int(np.argmax(fast))
        return (
            f'{JOINT_NAMES[joint]} at {velocity[joint]:.4f} rad/s, the limit is '
            f'{VELOCITY[joint]:.4f} rad/s'
        )
    jump = np.abs(position - before)
    far = ~(jump <= JUMP_SLACK * VELOCITY * elapsed + SLACK)
    if far.any():
        joint = int(np.argmax(far))
        return (
            f'{JOINT_NAMES[joint]} jumps by {jump[joint]:.5f} rad in {elapsed:.4f} s, faster than '
            f'{VELOCITY[joint]:.4f} rad/s'
        )
    return None

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Joint names and limits of the Elfin5.

Positions and velocities are the vendor's (its URDF); accelerations and jerks are those tried on the
real arm. config/joint_limits.yaml says the same in MoveIt's format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

JOINT_NAMES: Final = tuple(f'elfin_joint{number}' for number in range(1, 7))


def _constant(values: object) -> NDArray[np.float64]:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


# (6, 2) lower and upper bound, rad. Every range is shorter than one turn, so an angle has at most
# one representation within the limits and nothing ever needs unwrapping.
POSITION: Final = _constant([[-bound, bound] for bound in (3.14, 2.35, 2.61, 3.14, 2.56, 3.14)])
VELOCITY: Final = _constant([1.57] * 6)  # (6,) rad/s
ACCELERATION: Final = _constant([3.0] * 6)  # (6,) rad/s2
JERK: Final = _constant([30.0] * 6)  # (6,) rad/s3

JERK_PERIOD: Final = 0.004
"""Jerk is judged by third differences over this time, s: over one firmware sample, rounding and
single frames hide the motion."""


@dataclass(frozen=True)
class JointLimits:
    """Joint limits to plan with.

    Attributes:
        position: (6, 2) lower and upper bound, rad.
        velocity: (6,) rad/s.
        acceleration: (6,) rad/s2.
        jerk: (6,) rad/s3.
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]
    jerk: NDArray[np.float64]

    @classmethod
    def of_the_arm(cls) -> JointLimits:
        """The arm's own limits."""
        return cls(POSITION, VELOCITY, ACCELERATION, JERK)

    def scaled(self, factor: float) -> JointLimits:
        """The same positions, and `factor` times the velocity, acceleration and jerk."""
        return JointLimits(
            self.position, factor * self.velocity, factor * self.acceleration, factor * self.jerk
        )


def within_position_limits(
    q: NDArray[np.float64], position: NDArray[np.float64] = POSITION
) -> NDArray[np.bool_]:
    """Whether each configuration (..., 6) is within the position limits; NaN is not."""
    within: NDArray[np.bool_] = np.all((q >= position[:, 0]) & (q <= position[:, 1]), axis=-1)
    return within


def position_violation(
    q: NDArray[np.float64], position: NDArray[np.float64] = POSITION
) -> str | None:
    """What is wrong with one configuration (6,): the first joint outside, or None."""
    for name, value, (lower, upper) in zip(JOINT_NAMES, q, position, strict=True):
        if not lower <= value <= upper:
            return f'{name} at {value:.4f} rad is outside {lower:.4f} to {upper:.4f} rad'
    return None

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Tolerances of a goal: what control_msgs/JointTolerance says, and what it means joint by joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NO_LIMIT = -1.0
"""A tolerance of this value lifts the limit; 0 asks for the default."""


@dataclass(frozen=True)
class Tolerance:
    """One JointTolerance: 0 means the default, -1 no limit."""

    name: str
    position: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0


@dataclass(frozen=True, eq=False)
class JointTolerances:
    """How far each joint may be off: position (joints,) rad, velocity (joints,) rad/s.

    Infinite where there is no limit.
    """

    position: Array
    velocity: Array

    @classmethod
    def uniform(cls, position: float, velocity: float, joints: int) -> JointTolerances:
        """The same for every joint."""
        return cls(np.full(joints, position), np.full(joints, velocity))

    @property
    def limits_nothing(self) -> bool:
        """Whether there is nothing to supervise."""
        return bool(np.isinf(self.position).all() and np.isinf(self.velocity).all())

    def worst(self, position_error: Array, velocity_error: Array) -> tuple[int, str] | None:
        """Joint and text of what exceeds its tolerance most, by errors (joints,); None if none."""
        for name, unit, errors, limits in (
            ('position error', 'rad', np.abs(position_error), self.position),
            ('velocity error', 'rad/s', np.abs(velocity_error), self.velocity),
        ):
            if np.any(errors > limits):
                joint = int(np.argmax(errors - limits))
                return (
                    joint,
                    f'{name} is {_readable(errors[joint])} {unit}, tolerance {limits[joint]:g}',
                )
        return None


def read_tolerances(
    field: str,
    given: Sequence[Tolerance],
    default: JointTolerances,
    joint_names: Sequence[str],
) -> JointTolerances:
    """Tolerances of a goal's `field`, over those that hold by default.

    Raises:
        ValueError: one for a joint that we do not have or named before, or of a value that means
            nothing.
    """
    position, velocity = default.position.copy(), default.velocity.copy()
    seen: set[str] = set()
    for tolerance in given:
        name = tolerance.name
        if name not in joint_names:
            raise ValueError(
                f'{field} names {name!r}, which is not a joint of ours ({", ".join(joint_names)})'
            )
        if name in seen:
            raise ValueError(f'{field} names {name} twice; name it once')
        seen.add(name)
        joint = list(joint_names).index(name)
        for component in ('position', 'velocity', 'acceleration'):
            value = getattr(tolerance, component)
            if not (math.isfinite(value) and (value >= 0.0 or value == NO_LIMIT)):
                raise ValueError(
                    f'{field} of {name}: {component} is {value:g}; '
                    'it is positive, 0 (default) or -1 (no limit)'
                )
        if tolerance.acceleration > 0.0:
            raise ValueError(
                f'{field} of {name} limits acceleration, which is not measured; leave it 0'
            )
        for values, value in ((position, tolerance.position), (velocity, tolerance.velocity)):
            if value == NO_LIMIT:
                values[joint] = np.inf
            elif value > 0.0:
                values[joint] = value
    return JointTolerances(position, velocity)


def _readable(value: float) -> str:
    """Four places, or what there is of a smaller value."""
    return f'{value:.4f}' if value >= 1e-4 else f'{value:.3g}'

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From joints to axes and back: which drive moves a joint, in which direction, from which zero.

The MultiAxis gets its axes in joint order, so points need no reordering; user units are radians of
the joint as its drive counts them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.hardware.rapidcode.settings import RapidCodeSettings

Floats = NDArray[np.float64]


class JointMap:
    """``axes`` are the axis numbers in joint order."""

    def __init__(self, settings: RapidCodeSettings) -> None:
        self.axes = settings.drive_order
        self._signs: Floats = np.array(settings.signs, dtype=np.float64)
        self._zeros: Floats = np.array(settings.zero_positions, dtype=np.float64)

    def is_reversed(self, joint: int) -> bool:
        """Whether the drive of a joint counts against it."""
        return bool(self._signs[joint] < 0.0)

    def to_axes(self, positions: Floats) -> Floats:
        """User positions of joint positions, both (..., 6) rad."""
        return self._signs * positions + self._zeros

    def to_axis_velocities(self, velocities: Floats) -> Floats:
        """User velocities of joint velocities, both (..., 6) rad/s."""
        return self._signs * velocities

    def to_joints(self, positions: Floats) -> Floats:
        """Joint positions of user positions, both (..., 6) rad."""
        return self._signs * (positions - self._zeros)

    def to_joint_velocities(self, velocities: Floats) -> Floats:
        """Joint velocities of user velocities, both (..., 6) rad/s."""
        return self._signs * velocities

    def axis_limits(self, limits: Floats) -> Floats:
        """Lowest and highest user position of each joint, (6, 2) rad, from its (6, 2) limits."""
        ends = self._signs[:, None] * limits + self._zeros[:, None]
        return np.sort(ends, axis=1)

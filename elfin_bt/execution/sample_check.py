# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The last check before points leave for the arm: every sample against every limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import tip_positions

Array = NDArray[np.float64]

# Limits are compared with this much slack, so that a plan that lies on one passes.
_RELATIVE = 1e-3
_POSITION = 1e-6  # rad


@dataclass(frozen=True)
class SampleCheck:
    """Limits of consecutive samples.

    position (6, 2) rad; velocity (6,) rad/s; acceleration (6,) rad/s2; tcp_speed m/s of the pen's
    tip, pen_length m beyond the flange; period s between samples.
    """

    joint_names: tuple[str, ...]
    position: Array
    velocity: Array
    acceleration: Array
    tcp_speed: float
    pen_length: float
    period: float

    def violation(self, q: Array, v: Array) -> str | None:
        """What is wrong with samples 1 to n - 1 of q, v (n, 6); sample 0 was checked before.

        Names the first offending sample's joint, the value and the limit; None if all is well.
        """
        jump, acceleration = np.diff(q, axis=0) / self.period, np.diff(v, axis=0) / self.period
        fastest = self.velocity * (1.0 + _RELATIVE)
        hardest = self.acceleration * (1.0 + _RELATIVE)
        low, high = self.position[:, 0] - _POSITION, self.position[:, 1] + _POSITION
        found = [
            self._first_outside('position', 'rad', q[1:], low, high),
            self._first_outside('velocity', 'rad/s', v[1:], -fastest, fastest),
            self._first_outside('change of position a second', 'rad/s', jump, -fastest, fastest),
            self._first_outside('acceleration', 'rad/s2', acceleration, -hardest, hardest),
            self._first_too_fast_tip(q),
        ]
        return min((each for each in found if each), default=(0, None))[1]

    def _first_outside(
        self, name: str, unit: str, values: Array, low: Array, high: Array
    ) -> tuple[int, str] | None:
        """Sample and text of the first value outside low to high (6,)."""
        outside = (values < low) | (values > high)
        if not outside.any():
            return None
        sample, joint = np.argwhere(outside)[0]
        value = values[sample, joint]
        limit = low[joint] if value < low[joint] else high[joint]
        return int(sample), (
            f'{name} of {self.joint_names[joint]} would be {value:.5g} {unit}; limit {limit:.4g}'
        )

    def _first_too_fast_tip(self, q: Array) -> tuple[int, str] | None:
        tip = tip_positions(q, self.pen_length)
        speed = np.linalg.norm(np.diff(tip, axis=0), axis=1) / self.period
        fast = np.flatnonzero(speed > self.tcp_speed * (1.0 + _RELATIVE))
        if not fast.size:
            return None
        return int(fast[0]), (
            f'speed of the pen tip would be {speed[fast[0]]:.4f} m/s; limit {self.tcp_speed:g}'
        )

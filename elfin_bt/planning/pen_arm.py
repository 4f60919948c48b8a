# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The arm under an upright pen, for motion that is planned while it runs.

From the motion of the tip to that of the joints, exactly (kinematics/pen_down.py), and back: which
speeds, accelerations and jerks of the tip the joints allow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import BRANCHES, JointLimits, branch_of, tip_positions
from elfin_bt.kinematics.pen_down import PenDown
from elfin_bt.kinematics.singularity import (
    ELBOW_MINIMUM,
    SHOULDER_MINIMUM,
    WRIST_MINIMUM,
    singularity_measure,
)
from elfin_bt.planning.committed import JointMotion
from elfin_bt.planning.online import Bounds
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import PlannerConfig

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LARGEST_TILT = 1e-3
"""How far a joint may be from holding the pen upright at its yaw, rad; it stays as far off."""

_LIMIT_MARGIN = 0.01  # rad: goals keep this distance from position limits
_SINE_MARGIN = 0.005  # the same of |sin q3|, |sin q5|, and of metres at the shoulder
_JERK_SHARE = 0.9
_LEAST_SHARE = 0.2
_LEAST = 1e-9
_FULL = 0.999


class PenArm:
    """One branch of the arm, holding the pen as `start` does.

    Args:
        start: (6,) rad.
        config: the paper, the pen and its yaw.
        limits: of the joints.

    Raises:
        Unplannable: at `start` the pen isn't straight down, or at another yaw than it shall have.
    """

    def __init__(self, start: Array, config: PlannerConfig, limits: JointLimits) -> None:
        branch = BRANCHES[int(branch_of(start[None])[0])]
        self._arm = branch.shoulder, branch.elbow
        self._pen_length = config.pen_length
        self._yaw = config.paper.yaw + config.pen_yaw
        self._free_yaw = -config.pen_yaw if config.free_yaw else None
        self._offset = np.zeros(6)
        self.limits = limits
        self.tip: Array = tip_positions(start[None], config.pen_length)[0]
        upright = self._joints(self._over(self.tip[None]))[0]
        error = float(np.abs(start - upright).max())
        if not error <= LARGEST_TILT:
            raise Unplannable(
                f'the pen does not stand upright at its yaw: a joint is {error:.4f} rad off '
                f'(at most {LARGEST_TILT:g}); send the arm home first'
            )
        self._offset = start - upright

    def motion(self, positions: Array, velocities: Array, accelerations: Array) -> JointMotion:
        """Of the joints, when the tip moves so: (N, 3) each, world frame, m and s."""
        arm = self._over(positions)
        first, second = arm.derivatives(velocities.T, accelerations.T)
        if self._free_yaw is not None:
            first[5] = second[5] = 0.0
        return JointMotion(self._joints(arm), first.T, second.T)

    def usable(self, tip: Array) -> Mask:
        """Whether the arm can be (N,) with its tip at points (N, 3), with a margin to all limits.

        At a place with less than the margin others that are no worse are usable: see `shortfall`.
        """
        shortfall = self.shortfall(self._joints(self._over(tip)))
        first = shortfall[0] if np.isfinite(shortfall[0]) else 0.0
        mask: Mask = shortfall <= max(first, 0.0)
        return mask

    def shortfall(self, q: Array) -> Array:
        """By how much the worst margin is missed (N,), rad, sine or m; inf out of reach."""
        limits = self.limits.position
        distance = singularity_measure(q)
        short = np.max(
            [
                (limits[:, 0] + _LIMIT_MARGIN - q).max(axis=1),
                (q - limits[:, 1] + _LIMIT_MARGIN).max(axis=1),
                ELBOW_MINIMUM + _SINE_MARGIN - distance.elbow,
                WRIST_MINIMUM + _SINE_MARGIN - distance.wrist,
                SHOULDER_MINIMUM + _SINE_MARGIN - distance.shoulder,
            ],
            axis=0,
        )
        result: Array = np.where(np.isfinite(short), short, np.inf)
        return result

    def bounds(self, tip: Array, frame: Array, most: tuple[float, float, float]) -> Bounds:
        """What joints allow the tip to do along the first axis of a frame, over points (N, 3).

        The tip is to move along that axis only. With q', q'' the joints' derivatives along it:
        |q'| v, |q'| a + |q''| v^2 and |q'| j + 3 |q''| v a are kept to the limits.

        Args:
            tip: points on the way.
            frame: (3, 3) axes as rows.
            most: the tip's own largest speed, acceleration and jerk.
        """
        slope, bend = self._slopes(self._over(tip), frame[0])
        limits = self.limits
        with np.errstate(divide='ignore'):
            speed = min(
                most[0],
                _FULL * float((limits.velocity / slope).min()),
                float(np.sqrt(0.5 * limits.acceleration / bend).min()),
            )
            return self._bounds(slope, bend, speed, most)

    def bounds_all_ways(self, tip: Array, most: tuple[float, float, float]) -> Bounds:
        """The same where the tip moves along more than one axis: two of them at the most at once.

        The norm of q' over three axes is the largest in any direction; of accelerations and jerks,
        each axis gets 1 / sqrt(2).
        """
        arm = self._over(tip)
        parts = [self._slopes(arm, axis) for axis in np.eye(3)]
        slope = np.sqrt(sum(part[0] ** 2 for part in parts))
        bend = np.maximum(sum(part[1] for part in parts), _LEAST)
        half = np.sqrt(0.5)
        speed = min(most[0], _FULL * float((self.limits.velocity / slope).min()))
        return self._bounds(slope / half, bend, speed, (most[0], half * most[1], half * most[2]))

    def _bounds(
        self, slope: Array, bend: Array, speed: float, most: tuple[float, float, float]
    ) -> Bounds:
        limits = self.limits
        left = limits.acceleration - bend * speed**2
        left = np.maximum(left, _LEAST_SHARE * limits.acceleration)
        acceleration = min(most[1], _FULL * float((left / slope).min()))
        left = _JERK_SHARE * limits.jerk - 3.0 * bend * (speed * acceleration)
        left = np.maximum(left, _LEAST_SHARE * limits.jerk)
        jerk = min(most[2], float((left / slope).min()))
        return Bounds(np.full(3, speed), np.full(3, acceleration), np.full(3, jerk))

    def _slopes(self, arm: PenDown, axis: Array) -> tuple[Array, Array]:
        tangent = np.repeat(axis[:, None], len(arm.radius), axis=1)
        first, second = arm.derivatives(tangent, np.zeros_like(tangent))
        if self._free_yaw is not None:
            first[5] = second[5] = 0.0
        return np.maximum(np.abs(first.T), _LEAST), np.maximum(np.abs(second.T), _LEAST)

    def _over(self, tip: Array) -> PenDown:
        return PenDown(tip.T, self._pen_length, *self._arm)

    def _joints(self, arm: PenDown) -> Array:
        q = arm.joints(self._yaw)
        if self._free_yaw is not None:
            q[5] = self._free_yaw
        return q.T + self._offset

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The joints move at speeds that may change at any time, for as long as they are asked to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JOINT_NAMES, JointLimits, jacobian
from elfin_bt.kinematics.geometry import PEN_LENGTH
from elfin_bt.kinematics.limits import position_violation
from elfin_bt.planning.committed import ROUNDING, CommittedMotion, JointMotion, Rows
from elfin_bt.planning.online import Bounds, Course, State, course_at
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import TCP_CAP
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]

_SHARES = (1.0, 0.5, 0.2, 0.05)
_FRAME = np.eye(6)
_CAP_SHARE = 0.98  # the arm turns while it gets up to speed


class JointJog(CommittedMotion):
    """Jogs from joints `start` (6,) rad, at rest.

    Short of a position limit, or of a collision, it becomes slower and stops.

    Args:
        start: within the position limits.
        limits: of the joints, to plan with.
        pen_length: from the flange to the tip, m.
        tcp_cap: largest speed of the tip, m/s.
        spare: see CommittedMotion.

    Raises:
        Unplannable: `start` is outside the limits.
    """

    def __init__(
        self,
        start: Array,
        limits: JointLimits,
        *,
        pen_length: float = PEN_LENGTH,
        tcp_cap: float = TCP_CAP,
        spare: Callable[[Array], Array] | None = None,
    ) -> None:
        violation = position_violation(start, limits.position)
        if violation:
            raise Unplannable(f'no jogging where {violation}')
        super().__init__(State(start, np.zeros(6), np.zeros(6)), spare)
        self._limits = limits
        self._bounds = Bounds(limits.velocity, limits.acceleration, limits.jerk)
        self._tool = 0.0, 0.0, pen_length
        self._tcp_cap = tcp_cap
        self._velocity = np.zeros(6)

    def step(self, velocity: Array | None) -> Trajectory:
        """Commit the next cycle of motion, 20 ms.

        Args:
            velocity: (6,) rad/s to get to; None comes to rest.

        Returns:
            Knots 4 ms apart, the first where the cycle before ended.

        Raises:
            ValueError: not six finite numbers, or one above the limit. Nothing was committed.
        """
        wanted = np.zeros(6) if velocity is None else np.asarray(velocity, dtype=np.float64)
        if wanted.shape != (6,) or not np.isfinite(wanted).all():
            raise ValueError(f'a jog is six finite numbers in rad/s, not {wanted}')
        excess = np.abs(wanted) - self._limits.velocity
        if excess.max() > 0.0:
            joint = int(np.argmax(excess))
            raise ValueError(
                f'{JOINT_NAMES[joint]} cannot jog at {wanted[joint]:g} rad/s: '
                f'at most {self._limits.velocity[joint]:g}'
            )
        self._velocity = wanted
        self._way = None
        return self._committed()

    def _new_ways(self) -> Iterator[Course]:
        if not self._velocity.any():
            return  # the way to rest is there already
        linear = jacobian(self._state.position[None], self._tool)[0, :3] @ self._velocity
        speed = float(np.linalg.norm(linear))
        cap = min(1.0, _CAP_SHARE * self._tcp_cap / speed) if speed > 0.0 else 1.0
        for share in _SHARES:
            way = course_at(self._state, share * cap * self._velocity, _FRAME, self._bounds, True)
            if way is not None:
                yield way

    def _way_to_rest(self, state: State) -> Course | None:
        return course_at(state, np.zeros(6), _FRAME, self._bounds)

    def _joint_motion(self, rows: Rows) -> JointMotion:
        return JointMotion(*rows)

    def _sound(self, rows: Rows, motion: JointMotion) -> bool:
        q, position = motion.positions, self._limits.position
        linear = jacobian(q, self._tool)[:, :3] @ motion.velocities[:, :, None]
        speed = np.sqrt((linear**2).sum(axis=(1, 2)))
        return bool(
            motion.within(self._limits)
            and (q >= position[:, 0]).all()
            and (q <= position[:, 1]).all()
            and speed.max() <= self._tcp_cap * (1.0 + ROUNDING)
        )

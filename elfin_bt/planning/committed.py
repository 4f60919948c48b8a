# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Motion that is decided cycle by cycle, and can always come to rest.

Every cycle a short piece of motion is committed, and with it a way to rest from its end: both are
checked together, knot by knot. If no new way passes, the arm goes on along the way to rest that
did. So there always is one, whatever is asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning.online import Course, State
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]
Rows = tuple[Array, Array, Array]

KNOT = 0.004
"""Time between knots, s; over it jerk is judged."""

CYCLE = 0.020
"""Time between decisions, s."""

ROUNDING = 1e-6
"""Share by which a limit may be exceeded."""

_STEPS = round(CYCLE / KNOT)


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Joints, their velocities and accelerations, (N, 6) each; NaN out of reach."""

    positions: Array
    velocities: Array
    accelerations: Array

    def trajectory(self, count: int) -> Trajectory:
        """Its first knots, KNOT apart."""
        return Trajectory(
            _knots(count),
            self.positions[:count],
            self.velocities[:count],
            self.accelerations[:count],
        )

    def within(self, limits: JointLimits) -> bool:
        """Whether velocity, acceleration and jerk are within limits at knots KNOT apart."""
        q, qd, qdd = self.positions, self.velocities, self.accelerations
        more = 1.0 + ROUNDING
        return bool(
            (np.abs(qd) <= more * limits.velocity).all()
            and (np.abs(qdd) <= more * limits.acceleration).all()
            and (np.abs(np.diff(qdd, axis=0)) <= more * KNOT * limits.jerk).all()
            # Where an angle comes round the joints jump.
            and (np.abs(np.diff(q, axis=0)) <= 2.0 * KNOT * limits.velocity).all()
        )


class CommittedMotion(ABC):
    """The state after all that was committed, the way that is taken, and the way to rest.

    Args:
        start: the state, at rest.
        spare: distances (M,) m of joints (M, 6) from collisions, less what is to be kept; negative
            is too near. None does without. See CollisionChecker.clearance.
    """

    def __init__(self, start: State, spare: Callable[[Array], Array] | None) -> None:
        self._state = start
        self._spare = spare
        self._way: Course | None = None
        self._way_time = 0.0
        self._stop: Course | None = None  # None: at rest
        self._stop_time = 0.0

    @property
    def at_rest(self) -> bool:
        """Whether the arm rests after what was committed."""
        return self._state.at_rest()

    def way_to_rest(self) -> Trajectory:
        """From the end of what was committed until the arm rests: what a hold would lead to."""
        duration = self._stop.duration - self._stop_time if self._stop else 0.0
        count = max(int(np.ceil(duration / KNOT)), 1) + 1
        return self._joint_motion(self._stop_rows(count)).trajectory(count)

    @abstractmethod
    def _new_ways(self) -> Iterable[Course]:
        """Ways to try, the best first, where there is none or the one there was fails."""

    @abstractmethod
    def _way_to_rest(self, state: State) -> Course | None:
        """The way from a state to rest."""

    @abstractmethod
    def _joint_motion(self, rows: Rows) -> JointMotion:
        """Of the joints, for positions, velocities and accelerations (N, D)."""

    @abstractmethod
    def _sound(self, rows: Rows, motion: JointMotion) -> bool:
        """Whether all but clearance is as it must be, at knots KNOT apart."""

    def _committed(self) -> Trajectory:
        """The next cycle: on the way, on a new one, or on the way to rest."""
        motion = None
        if self._way is not None:
            motion = self._tried(self._way, self._way_time)
        if motion is None:
            motion = next(filter(None, (self._tried(way, 0.0) for way in self._new_ways())), None)
        if motion is None:
            self._way = None
            motion = self._advanced_to_rest()
        return motion.trajectory(_STEPS + 1)

    def _tried(self, way: Course, begin: float) -> JointMotion | None:
        """Commit a cycle of `way` from the time `begin` on, or nothing."""
        rows = way.sample(begin + _knots(_STEPS + 1))
        end = _last(rows)
        stop = None
        if not end.at_rest():
            stop = self._way_to_rest(end)
            if stop is None:
                return None
            after = stop.sample(_knots(int(np.ceil(stop.duration / KNOT)) + 2)[1:])
            rows = _joined(rows, after)
        motion = self._joint_motion(rows)
        if not (self._sound(rows, motion) and self._clear(motion.positions)):
            return None
        self._way, self._way_time = way, begin + CYCLE
        self._stop, self._stop_time = stop, 0.0
        self._state = end
        return motion

    def _clear(self, q: Array) -> bool:
        """Whether the cycle and the way to rest end clear, or no nearer than they begin."""
        if self._spare is None:
            return True
        begin, *ends = self._spare(q[[0, _STEPS, -1]])
        return bool(min(ends) >= min(0.0, begin) - ROUNDING)

    def _advanced_to_rest(self) -> JointMotion:
        rows = self._stop_rows(_STEPS + 1)
        self._state = _last(rows)
        self._stop_time += CYCLE
        if self._stop is not None and self._stop_time >= self._stop.duration:
            still = np.zeros_like(self._state.position)
            self._state, self._stop = State(self._state.position, still, still), None
        return self._joint_motion(rows)

    def _stop_rows(self, count: int) -> Rows:
        if self._stop is None:
            positions = np.repeat(self._state.position[None], count, axis=0)
            return positions, np.zeros_like(positions), np.zeros_like(positions)
        return self._stop.sample(self._stop_time + _knots(count))


def _knots(count: int) -> Array:
    times: Array = np.linspace(0.0, (count - 1) * KNOT, count)
    return times


def _last(rows: Rows) -> State:
    return State(rows[0][-1], rows[1][-1], rows[2][-1])


def _joined(first: Rows, second: Rows) -> Rows:
    position, velocity, acceleration = (
        np.concatenate(pair) for pair in zip(first, second, strict=True)
    )
    return position, velocity, acceleration

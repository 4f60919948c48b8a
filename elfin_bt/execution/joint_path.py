# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The path of one goal: a piecewise polynomial in path time, by the fields that the goal gives.

Positions and velocities are read as cubics, with accelerations as quintics: the rule of
ros2_controllers' joint_trajectory_controller. Its third rule, straight lines at constant speed for
positions alone, would step the velocity at every point; here the arm runs the same straight lines
from rest to rest. `PathNodes` is the dense view of a path that the trajectory clock plans on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CUBIC_TERMS = 4

SAME_TIME = 1e-9
"""Path times nearer than this, s, are one."""


@dataclass(frozen=True, eq=False)
class Waypoints:
    """Knots of a goal: time (n,) s strictly rising, the others (n, joints) rad, rad/s, rad/s2."""

    time: Array
    positions: Array
    velocities: Array
    accelerations: Array | None = None

    @classmethod
    def resting(cls, time: Array, positions: Array) -> Waypoints:
        """Straight lines from point to point with rest at each, of least jerk between them."""
        rest = np.zeros_like(positions)
        return cls(time, positions, rest, rest)

    def __len__(self) -> int:
        return len(self.time)

    def starting_from(self, position: Array, velocity: Array) -> Waypoints:
        """The same knots with one at time 0 before them; its acceleration is 0 where one is due."""
        rest = np.zeros((1, len(position)))
        return Waypoints(
            time=np.concatenate(([0.0], self.time)),
            positions=np.concatenate((position[None], self.positions)),
            velocities=np.concatenate((velocity[None], self.velocities)),
            accelerations=None
            if self.accelerations is None
            else np.concatenate((rest, self.accelerations)),
        )


@dataclass(frozen=True, eq=False)
class PathNodes:
    """Path derivatives at both ends of n consecutive intervals, none of which holds a knot.

    Attributes:
        time: (n + 1,) path time s.
        velocities: (n, 2, joints) dq/ds at the start and the end of each interval, rad/s.
        accelerations: (n, 2, joints) d2q/ds2 likewise; one-sided, since it may jump at a knot.
    """

    time: Array
    velocities: Array
    accelerations: Array

    @staticmethod
    def joined(parts: list[PathNodes]) -> PathNodes:
        """Consecutive parts as one."""
        return PathNodes(
            np.concatenate([parts[0].time, *(part.time[1:] for part in parts[1:])]),
            np.concatenate([part.velocities for part in parts]),
            np.concatenate([part.accelerations for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class _Entry:
    """An offset that decays to nothing over `duration`, by a quintic with these coefficients."""

    duration: float
    coefficients: Array  # (6, joints) in path time over duration


class JointPath:
    """Positions and their derivatives as functions of path time, from 0 to `duration`.

    waypoints: at least two, the first at time 0.
    """

    def __init__(self, waypoints: Waypoints) -> None:
        self._knots = waypoints.time
        self._coefficients = _coefficients(waypoints)
        self._entry: _Entry | None = None

    @property
    def duration(self) -> float:
        """Path time of the last knot, s."""
        return float(self._knots[-1])

    def entered_from(self, position: Array, velocity: Array, duration: float) -> JointPath:
        """This path, but starting at `position` and `velocity` and joining it after `duration`.

        The difference at the start decays by a quintic, so that a small one costs a small
        acceleration, instead of a step within a sample.
        """
        there, speed, _ = self.evaluate(np.zeros(1))
        offset, slope = position - there[0], velocity - speed[0]
        path = JointPath.__new__(JointPath)
        path._knots, path._coefficients, path._entry = self._knots, self._coefficients, None
        if np.any(offset) or np.any(slope):
            zero = np.zeros((1, len(offset)))
            decay = Waypoints(
                time=np.array([0.0, duration]),
                positions=np.concatenate((offset[None], zero)),
                velocities=np.concatenate((slope[None], zero)),
                accelerations=np.concatenate((zero, zero)),
            )
            path._entry = _Entry(duration, _coefficients(decay)[0])
        return path

    def led_into_from(self, position: Array, duration: float) -> JointPath:
        """This path after a straight line from rest at `position` to rest at its first knot."""
        first, _, _ = self.evaluate(np.zeros(1))
        rest = np.zeros((2, len(position)))
        line = Waypoints(
            np.array([0.0, duration]),
            np.concatenate((position[None], first)),
            rest,
            rest if self._coefficients.shape[1] > _CUBIC_TERMS else None,
        )
        path = JointPath.__new__(JointPath)
        path._knots = np.concatenate(([0.0], self._knots + duration))
        path._coefficients = np.concatenate((_coefficients(line), self._coefficients))
        path._entry = None
        return path

    def evaluate(self, time: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, each (m, joints), at path times (m,).

        Times outside the path read as its ends; at a knot, what follows the knot.
        """
        return self._evaluate(self._segments(time), time)

    def nodes(self, start: float, end: float, spacing: float) -> PathNodes:
        """Derivatives on a grid from `start` to `end` no coarser than `spacing`, knots included."""
        count = max(1, int(np.ceil((end - start) / spacing)))
        # A knot that is an end but for rounding must not make an interval of no length.
        knots = self._knots
        inside = knots[(knots > start + SAME_TIME) & (knots < end - SAME_TIME)]
        time = np.sort(np.concatenate((np.linspace(start, end, count + 1), inside)))
        time = time[np.concatenate(([True], np.diff(time) > SAME_TIME))]
        time[-1] = end
        segment = self._segments(0.5 * (time[1:] + time[:-1]))
        _, first_v, first_a = self._evaluate(segment, time[:-1])
        _, last_v, last_a = self._evaluate(segment, time[1:])
        return PathNodes(
            time, np.stack((first_v, last_v), axis=1), np.stack((first_a, last_a), axis=1)
        )

    def _segments(self, time: Array) -> NDArray[np.int64]:
        """Segment that each time lies in, the first or last one if rounding put it outside."""
        segment = np.searchsorted(self._knots, time, side='right') - 1
        return np.clip(segment, 0, len(self._knots) - 2)

    def _evaluate(self, segment: NDArray[np.int64], time: Array) -> tuple[Array, Array, Array]:
        start = self._knots[segment]
        width = self._knots[segment + 1] - start
        fraction = np.clip((time - start) / width, 0.0, 1.0)
        q, v, a = _horner(self._coefficients[segment], fraction[:, None], width[:, None])
        if self._entry is not None and np.any(time < self._entry.duration):
            width = np.full((len(time), 1), self._entry.duration)
            fraction = np.clip(time / self._entry.duration, 0.0, 1.0)[:, None]
            decay = np.broadcast_to(
                self._entry.coefficients, (len(time), *self._entry.coefficients.shape)
            )
            dq, dv, da = _horner(decay, fraction, width)
            q, v, a = q + dq, v + dv, a + da
        return q, v, a


def _coefficients(waypoints: Waypoints) -> Array:
    """Polynomial coefficients (segments, order + 1, joints) in the fraction of each segment.

    Hermite interpolation of the end values: order 3 or 5.
    """
    h = np.diff(waypoints.time)[:, None]
    p = waypoints.positions
    step = np.diff(p, axis=0)
    v0, v1 = h * waypoints.velocities[:-1], h * waypoints.velocities[1:]
    if waypoints.accelerations is None:
        return np.stack((p[:-1], v0, 3 * step - 2 * v0 - v1, v0 + v1 - 2 * step), axis=1)
    a0, a1 = h * h * waypoints.accelerations[:-1] / 2, h * h * waypoints.accelerations[1:] / 2
    return np.stack(
        (
            p[:-1],
            v0,
            a0,
            10 * step - 6 * v0 - 4 * v1 - 3 * a0 + a1,
            -15 * step + 8 * v0 + 7 * v1 + 3 * a0 - 2 * a1,
            6 * step - 3 * (v0 + v1) - a0 + a1,
        ),
        axis=1,
    )


def _horner(coefficients: Array, u: Array, width: Array) -> tuple[Array, Array, Array]:
    """Value and both derivatives by time of polynomials (m, order + 1, joints) at u (m, 1)."""
    q = np.zeros_like(coefficients[:, 0])
    v, a = np.zeros_like(q), np.zeros_like(q)
    for power in range(coefficients.shape[1] - 1, -1, -1):
        a = a * u + 2.0 * v
        v = v * u + q
        q = q * u + coefficients[:, power]
    return q, v / width, a / (width * width)

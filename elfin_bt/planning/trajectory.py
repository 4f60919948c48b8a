# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A joint trajectory: knots of time, position, velocity and mostly acceleration.

Between two knots it is read as quintic Hermite, or as cubic Hermite where it has no accelerations:
the rule of ros2_controllers' joint_trajectory_controller.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elfin_bt.planning import hermite

Array = NDArray[np.float64]

PIECE_DURATION = 0.5
PIECE_KNOTS = 200
"""Bounds of the pieces, s and knots, in which motions are handed to the executor."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """N >= 2 knots; immutable.

    time (N,) s, starts at 0, strictly rising; positions (N, J) rad; velocities (N, J) rad/s;
    accelerations (N, J) rad/s2 or None. Raises ValueError when the arrays don't fit together or
    hold a NaN.
    """

    time: Array
    positions: Array
    velocities: Array
    accelerations: Array | None = None

    def __post_init__(self) -> None:
        for name in ('time', 'positions', 'velocities', 'accelerations'):
            if getattr(self, name) is None:
                continue
            array = np.array(getattr(self, name), dtype=np.float64, order='C')
            if not np.isfinite(array).all():
                raise ValueError(f'trajectory {name} hold a value that is not finite')
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.time.ndim != 1 or len(self.time) < 2:
            raise ValueError(
                f'a trajectory needs 2 knots or more, times have shape {self.time.shape}'
            )
        if self.positions.shape != self.velocities.shape or (
            self.positions.ndim != 2 or len(self.positions) != len(self.time)
        ):
            raise ValueError(
                f'shapes differ: time {self.time.shape}, positions {self.positions.shape}, '
                f'velocities {self.velocities.shape}'
            )
        if self.accelerations is not None and self.accelerations.shape != self.positions.shape:
            raise ValueError(
                f'shapes differ: positions {self.positions.shape}, '
                f'accelerations {self.accelerations.shape}'
            )
        if self.time[0] != 0.0 or not (np.diff(self.time) > 0.0).all():
            raise ValueError('trajectory times must start at 0 and rise strictly')

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """Seconds from the first knot to the last."""
        return float(self.time[-1])

    def sample(self, t: ArrayLike) -> tuple[Array, Array]:
        """Positions and velocities (M, J) at the times t (M,), clipped to the trajectory."""
        t = np.clip(np.asarray(t, dtype=np.float64), 0.0, self.time[-1])
        k = np.clip(np.searchsorted(self.time, t, side='right') - 1, 0, len(self.time) - 2)
        h = (self.time[k + 1] - self.time[k])[:, None]
        u = (t - self.time[k])[:, None] / h
        p, v, a = self.positions, self.velocities, self.accelerations
        ends = (h, p[k], p[k + 1], v[k], v[k + 1])
        if a is None:
            return hermite.evaluate(u, *ends)
        return hermite.Quintic(*ends, a[k], a[k + 1]).evaluate(u)

    def peaks(self) -> tuple[Array, Array]:
        """Largest |velocity| and |acceleration| of each joint (J,).

        Exact for cubics; quintics are looked at in steps of an eighth.
        """
        p, v, a = self.positions, self.velocities, self.accelerations
        ends = (np.diff(self.time)[:, None], p[:-1], p[1:], v[:-1], v[1:])
        if a is None:
            a0, a1 = hermite.end_accelerations(*ends)
            acceleration = np.maximum(np.abs(a0), np.abs(a1)).max(axis=0)
            return hermite.peak_speed(*ends).max(axis=0), acceleration
        quintic = hermite.Quintic(*ends, a[:-1], a[1:])
        steps = np.linspace(0.0, 1.0, 9)
        speed = np.max([np.abs(quintic.evaluate(u)[1]).max(axis=0) for u in steps], axis=0)
        return speed, np.max([np.abs(quintic.acceleration(u)).max(axis=0) for u in steps], axis=0)

    def slice(self, first: int, last: int) -> 'Trajectory':
        """The part from knot `first` to knot `last`, both included, starting at time 0."""
        span = slice(first, last + 1)
        return Trajectory(
            self.time[span] - self.time[first],
            self.positions[span],
            self.velocities[span],
            None if self.accelerations is None else self.accelerations[span],
        )

    def split(
        self, max_duration: float = PIECE_DURATION, max_knots: int = PIECE_KNOTS
    ) -> Iterator['Trajectory']:
        """Parts joined at shared knots, each within both bounds; a longer interval stays whole."""
        cuts = [0]
        while cuts[-1] < len(self) - 1:
            first = cuts[-1]
            reach = int(np.searchsorted(self.time, self.time[first] + max_duration, 'right')) - 1
            cuts.append(min(max(reach, first + 1), first + max_knots - 1, len(self) - 1))
        return (self.slice(first, last) for first, last in pairwise(cuts))


def join(parts: list[Trajectory]) -> Trajectory:
    """One trajectory from parts of which each starts at the last knot of the one before.

    Raises ValueError where some have accelerations and others don't.
    """
    with_accelerations = {part.accelerations is not None for part in parts}
    if len(with_accelerations) > 1:
        raise ValueError('trajectories with and without accelerations cannot be joined')
    offsets = np.cumsum([0.0] + [part.duration for part in parts[:-1]])
    time = [p.time[1:] + t for p, t in zip(parts[1:], offsets[1:], strict=True)]
    return Trajectory(
        np.concatenate([parts[0].time, *time]),
        _chained([part.positions for part in parts]),
        _chained([part.velocities for part in parts]),
        _chained([part.accelerations for part in parts if part.accelerations is not None])
        if with_accelerations == {True}
        else None,
    )


def _chained(arrays: list[Array]) -> Array:
    return np.concatenate([arrays[0], *(array[1:] for array in arrays[1:])])

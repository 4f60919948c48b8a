# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A joint trajectory: knots of time, position and velocity, read as cubic Hermite between them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elfin_bt.planning import hermite

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """N >= 2 knots; immutable.

    time (N,) s, starts at 0, strictly rising; positions (N, J) rad; velocities (N, J) rad/s.
    Raises ValueError when the arrays don't fit together or hold a NaN.
    """

    time: Array
    positions: Array
    velocities: Array

    def __post_init__(self) -> None:
        for name in ('time', 'positions', 'velocities'):
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
        p, v = self.positions, self.velocities
        return hermite.evaluate(u, h, p[k], p[k + 1], v[k], v[k + 1])

    def peaks(self) -> tuple[Array, Array]:
        """Largest |velocity| and |acceleration| of each joint (J,), exact for the cubics."""
        p, v = self.positions, self.velocities
        ends = (np.diff(self.time)[:, None], p[:-1], p[1:], v[:-1], v[1:])
        a0, a1 = hermite.end_accelerations(*ends)
        acceleration = np.maximum(np.abs(a0), np.abs(a1)).max(axis=0)
        return hermite.peak_speed(*ends).max(axis=0), acceleration

    def slice(self, first: int, last: int) -> 'Trajectory':
        """The part from knot `first` to knot `last`, both included, starting at time 0."""
        span = slice(first, last + 1)
        return Trajectory(
            self.time[span] - self.time[first], self.positions[span], self.velocities[span]
        )

    def split(self, max_duration: float, max_knots: int) -> Iterator['Trajectory']:
        """Parts joined at shared knots, each within both bounds; a longer interval stays whole."""
        cuts = [0]
        while cuts[-1] < len(self) - 1:
            first = cuts[-1]
            reach = int(np.searchsorted(self.time, self.time[first] + max_duration, 'right')) - 1
            cuts.append(min(max(reach, first + 1), first + max_knots - 1, len(self) - 1))
        return (self.slice(first, last) for first, last in pairwise(cuts))


def join(parts: list[Trajectory]) -> Trajectory:
    """One trajectory from parts of which each starts at the last knot of the one before."""
    offsets = np.cumsum([0.0] + [part.duration for part in parts[:-1]])
    first = parts[0]
    return Trajectory(
        np.concatenate(
            [first.time, *(p.time[1:] + t for p, t in zip(parts[1:], offsets[1:], strict=True))]
        ),
        np.concatenate([first.positions, *(p.positions[1:] for p in parts[1:])]),
        np.concatenate([first.velocities, *(p.velocities[1:] for p in parts[1:])]),
    )

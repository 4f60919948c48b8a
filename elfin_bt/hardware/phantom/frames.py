# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The frame buffer: the points that are loaded and not executed yet, and the path through them.

A segment is fixed by its two end points alone, so it is the cubic Hermite polynomial between them:
velocity is continuous at the points and acceleration may jump (RMP documentation, motion
streaming). The place on the path is counted in firmware samples from the opening of the move, so
that the points, a whole number of samples apart, sit at exact integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.hardware.device import FRAMES_PER_POINT

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class FrameBuffer:
    """At most ``capacity`` frames of path for ``joints`` joints; ``sample`` is one sample in s."""

    def __init__(self, *, capacity: int, joints: int, sample: float) -> None:
        self.capacity = capacity
        self._sample = sample
        self._joints = joints
        self.open(np.zeros(joints))

    def open(self, position: Floats, *, retain: bool = False) -> None:
        """Drop everything; a new path begins at rest in ``position`` (j,), at place 0.

        With ``retain`` executed points are kept, as many as there is room for beside those ahead,
        and the path can be retraced to the oldest of them.
        """
        self.retains = retain
        self._reached = 0  # row of the point that was reached last; the points ahead follow it
        self._knots: Integers = np.zeros(1, dtype=np.int64)
        self._positions: Floats = np.array(position, dtype=np.float64).reshape(1, self._joints)
        self._velocities: Floats = np.zeros((1, self._joints))
        # Columns: number of the move call, index of the point in it.
        self._ids: Integers = np.zeros((1, 2), dtype=np.int64)

    @property
    def points(self) -> int:
        """How many points are not reached yet."""
        return len(self._knots) - 1 - self._reached

    @property
    def loaded(self) -> int:
        """Frames still to execute; those of a point count until it is reached."""
        return FRAMES_PER_POINT * self.points

    @property
    def free(self) -> int:
        """Frames that can still be loaded."""
        return self.capacity - self.loaded

    @property
    def start(self) -> int:
        """Place of the oldest point that is kept: no way leads back behind it."""
        return int(self._knots[0])

    @property
    def end(self) -> int:
        """Place of the last point."""
        return int(self._knots[-1])

    @property
    def executing(self) -> tuple[int, int]:
        """Move call and index in it of the point being approached, or of the last one reached."""
        row = self._reached + 1 if self.points else self._reached
        return int(self._ids[row, 0]), int(self._ids[row, 1])

    def append(
        self,
        positions: Floats,
        velocities: Floats,
        durations: Integers,
        call: int,
        first: int = 0,
    ) -> None:
        """Add n points of move call ``call``, the ``first`` and following ones of it.

        ``durations`` (n,) are in samples. The caller has checked that they fit.
        """
        ids = np.column_stack(
            (np.full(len(durations), call, dtype=np.int64), first + np.arange(len(durations)))
        )
        self._knots = np.concatenate((self._knots, self.end + np.cumsum(durations)))
        self._positions = np.concatenate((self._positions, positions))
        self._velocities = np.concatenate((self._velocities, velocities))
        self._ids = np.concatenate((self._ids, ids))
        self._forget(len(self._knots) - 1 - self.capacity // FRAMES_PER_POINT)

    def starvation(self, empty_count: int) -> float:
        """Place from which on fewer than ``empty_count`` frames are left; -inf: already now."""
        needed = -(-empty_count // FRAMES_PER_POINT)
        if len(self._knots) - 1 < needed:
            return -np.inf
        return float(self._knots[len(self._knots) - needed])

    def evaluate(self, places: Floats) -> tuple[Floats, Floats]:
        """Position (n, j) rad and velocity at feed rate 1 (n, j) rad/s at ``places`` (n,).

        The places lie between ``start`` and ``end``.
        """
        after = np.searchsorted(self._knots[1:], places, side='left') + 1
        before = after - 1
        duration = (self._knots[after] - self._knots[before])[:, None]
        u = (places - self._knots[before])[:, None] / duration
        h = duration * self._sample
        step = self._positions[after] - self._positions[before]
        v0, v1 = self._velocities[before], self._velocities[after]
        positions = (
            self._positions[before]
            + step * (u * u * (3.0 - 2.0 * u))
            + h * (v0 * (u * (1.0 - u) ** 2) - v1 * (u * u * (1.0 - u)))
        )
        velocities = (
            step / h * (6.0 * u * (1.0 - u))
            + v0 * ((1.0 - u) * (1.0 - 3.0 * u))
            + v1 * (u * (3.0 * u - 2.0))
        )
        return positions, velocities

    def consume(self, place: float) -> None:
        """Count every point at or before ``place`` as reached, and free it if it is not kept."""
        self._reached = int(np.searchsorted(self._knots[1:], place, side='right'))
        if not self.retains:
            self._forget(self._reached)

    def _forget(self, count: int) -> None:
        """Drop the oldest ``count`` points; none if it is not positive."""
        if count > 0:
            self._reached -= count
            self._knots = self._knots[count:]
            self._positions = self._positions[count:]
            self._velocities = self._velocities[count:]
            self._ids = self._ids[count:]

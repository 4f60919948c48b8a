# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The first points of a motion, held until there are enough to open it with.

The opening call arms the firmware's watchdog: opened with one chunk, a move would starve if the
next were a few milliseconds late.
"""

from __future__ import annotations

import numpy as np

from elfin_bt.execution.chunk import JOINTS, MAX_POINTS, Chunk
from elfin_bt.hardware.chunk_limits import Floats
from elfin_bt.hardware.device import FRAMES_PER_POINT


class Preload:
    """Room for ``frames`` frames and one chunk more, allocated once.

    Attributes:
        points: how many are held.
        since: ``now`` of the first of them, s.
        final: whether the motion ends with the last of them.
    """

    def __init__(self, frames: int) -> None:
        room = frames // FRAMES_PER_POINT + MAX_POINTS
        self._positions = np.empty((room, JOINTS))
        self._velocities = np.empty((room, JOINTS))
        self._times = np.empty(room)
        self.points = 0
        self.since = 0.0
        self.final = False

    @property
    def frames(self) -> int:
        """Frames that the held points will take."""
        return FRAMES_PER_POINT * self.points

    def add(self, chunk: Chunk, now: float) -> None:
        """Hold the points of a chunk."""
        if not self.points:
            self.since = now
        end = self.points + len(chunk)
        self._positions[self.points : end] = chunk.positions
        self._velocities[self.points : end] = chunk.velocities
        self._times[self.points : end] = chunk.time
        self.points, self.final = end, chunk.final

    def take(self) -> tuple[Floats, Floats, Floats]:
        """Positions (n, 6), velocities (n, 6) and times (n,), valid until the next ``add``."""
        count, self.points = self.points, 0
        return self._positions[:count], self._velocities[:count], self._times[:count]

    def clear(self) -> None:
        """Drop everything."""
        self.points = 0

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From wall time to whole firmware samples: the one place that knows about speed-up."""

from __future__ import annotations

import math

HOST_LEASE = 3.0  # s of wall time
_LONGEST_STEP = 0.05  # s of wall time


class PhantomClock:
    """Says how many samples are due at a wall time.

    At speed-up 1 that is all of them, always: real time, in which a host that is late starves the
    move. Above 1, samples that would starve an open move are dropped, so that device time slows
    down while the host catches up. This holds while the host has fed the move within the last
    ``HOST_LEASE`` s, so that a dead host still ends in a stop. Only feeding counts: a host that
    merely watches would otherwise hold a half-dead cell still for ever.
    """

    def __init__(self, *, wall: float, sample: float, speedup: float) -> None:
        self._sample = sample
        self.speedup = speedup
        self._origin = wall
        self._executed = 0
        self._wall = wall
        self._silence = math.inf

    def fed(self) -> None:
        """The host has fed the open move: its lease starts again."""
        self._silence = 0.0

    def due(self, wall: float, runway: int | None) -> int:
        """Samples to execute now, at ``wall`` s; a time in the past gives 0.

        ``runway`` samples can pass before the open move starves (None: it can't).
        """
        # A long step is a pause of this process, not a silence of the host.
        self._silence += min(max(wall - self._wall, 0.0), _LONGEST_STEP)
        self._wall = max(wall, self._wall)
        due = math.floor((wall - self._origin) * self.speedup / self._sample) - self._executed
        due = max(due, 0)
        if self.speedup > 1.0 and runway is not None and self._silence < HOST_LEASE:
            dropped = max(0, due - runway)
            self._origin += dropped * self._sample / self.speedup
            due -= dropped
        self._executed += due
        return due

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The path clock: the feed rate and its ramps, integrated to a place on the path.

Every stop of the firmware is a ramp of this rate along the path that is already buffered (RMP
documentation, stopping rates): the arm slows down on its path and never leaves it. The rate falls
linearly, so a ramp of T samples from rate 1 eats T/2 samples of path.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class PathClock:
    """Place on the path in samples, and the rate at which it grows per sample."""

    def __init__(self) -> None:
        self.restart(1.0)

    def restart(self, rate: float) -> None:
        """Begin a new path at place 0 with ``rate``, not ramping."""
        self.place = 0.0
        self.rate = rate
        self._settle(rate)

    @property
    def ramping(self) -> bool:
        """Whether the rate is on its way to another one."""
        return self._elapsed < self._duration

    @property
    def remaining(self) -> int:
        """Samples until the ramp ends, 0 when there is none."""
        return max(0, self._duration - self._elapsed)

    @property
    def top_rate(self) -> float:
        """The largest rate from now on, as long as no other ramp begins."""
        return max(self.rate, self._target)

    def ramp(self, target: float, full_ramp: int) -> None:
        """Ramp to ``target``; ``full_ramp`` samples are what a change of the rate by 1 takes.

        Smaller changes take proportionally less (RMP's ramps keep their slope).
        """
        self._settle(target)
        if target != self.rate:
            self._duration = max(1, round(full_ramp * abs(target - self.rate)))

    def halt(self) -> None:
        """Rate 0 at once, without a ramp."""
        self.rate = 0.0
        self._settle(0.0)

    def preview(self, samples: int) -> tuple[Floats, Floats]:
        """Place and rate after each of the next ``samples`` samples, both (samples,)."""
        k = np.arange(self._elapsed + 1, self._elapsed + samples + 1, dtype=np.float64)
        if self._duration == 0:
            return self._base + self.rate * k, np.full(samples, self.rate)
        on_ramp = np.minimum(k, self._duration)
        change = self._target - self._base_rate
        places = (
            self._base
            + self._base_rate * on_ramp
            + change * on_ramp**2 / (2 * self._duration)
            + self._target * (k - on_ramp)
        )
        # The end of the ramp is exact: a rest has to be a rest.
        rates = np.where(
            k >= self._duration, self._target, self._base_rate + change * on_ramp / self._duration
        )
        return places, rates

    def advance(self, samples: int) -> None:
        """Let ``samples`` samples (at least one) pass."""
        places, rates = self.preview(samples)
        self.place, self.rate = float(places[-1]), float(rates[-1])
        self._elapsed += samples
        if self._duration and not self.ramping:
            self._settle(self.rate)

    def _settle(self, target: float) -> None:
        # Places are computed from here and not summed up, so that no rounding accumulates.
        self._base = self.place
        self._base_rate = self.rate
        self._target = target
        self._duration = 0
        self._elapsed = 0

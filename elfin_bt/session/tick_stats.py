# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How long ticks take."""

from __future__ import annotations

from collections import deque

import numpy as np

WINDOW = 500


class TickStats:
    """Durations in s of the last 500 ticks, and how many have overrun their period."""

    def __init__(self, period: float) -> None:
        self._period = period
        self._durations: deque[float] = deque(maxlen=WINDOW)
        self.count = 0
        self.overruns = 0

    def add(self, duration: float) -> None:
        """Count one tick."""
        self.count += 1
        self.overruns += duration > self._period
        self._durations.append(duration)

    def percentile(self, percent: float) -> float:
        """Return the duration in s that ``percent`` of the last ticks did not exceed; 0 if none."""
        return float(np.percentile(self._durations, percent)) if self._durations else 0.0

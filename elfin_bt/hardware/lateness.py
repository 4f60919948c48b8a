# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How late a loop woke up, counted into bins."""

from __future__ import annotations

from bisect import bisect_left

EDGES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # ms


class LatenessHistogram:
    """Counts of lateness since the start; the worst since it was last asked for.

    ``counts`` has one entry for each of EDGES, lateness up to that many ms, and one for all above.
    """

    def __init__(self) -> None:
        self.counts = [0] * (len(EDGES) + 1)
        self._worst = 0.0

    def add(self, lateness: float) -> None:
        """Count one wake-up that came ``lateness`` s behind its deadline."""
        self.counts[bisect_left(EDGES, 1000.0 * lateness)] += 1
        self._worst = max(self._worst, lateness)

    def take_worst(self) -> float:
        """Largest lateness in s since the last call."""
        worst, self._worst = self._worst, 0.0
        return worst

    def values(self) -> dict[str, int]:
        """The counts, named for diagnostics."""
        names = [*(f'late_up_to_{edge:g}_ms' for edge in EDGES), f'late_over_{EDGES[-1]:g}_ms']
        return dict(zip(names, self.counts, strict=True))

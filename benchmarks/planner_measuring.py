# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Times with the noise of the machine: the best of some runs, and how far the others are off."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Seconds(NamedTuple):
    """The fastest of some runs, and the median of all above it, as a share."""

    best: float
    spread: float

    def each(self, count: int) -> dict[str, float]:
        """Microseconds for one of `count` things."""
        return {'us': 1e6 * self.best / max(count, 1), 'spread': self.spread}


def of_runs(times: list[float]) -> Seconds:
    """What some runs took."""
    best = min(times)
    return Seconds(best, float(np.median(times)) / best - 1.0)


def cpu_time(function: Callable[[], Any], runs: int) -> tuple[Seconds, Any]:
    """CPU seconds of this process for a call, and its result."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        result = function()
        times.append(time.process_time() - began)
    return of_runs(times), result

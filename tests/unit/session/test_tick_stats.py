# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest

from elfin_bt.session.tick_stats import WINDOW, TickStats


def test_percentiles_are_of_the_last_ticks_and_overruns_of_all():
    stats = TickStats(period=0.02)
    assert stats.percentile(99.0) == 0.0
    stats.add(0.03)
    for _ in range(WINDOW):
        stats.add(0.001)
    assert stats.percentile(100.0) == pytest.approx(0.001)
    assert (stats.count, stats.overruns) == (WINDOW + 1, 1)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
from elfin_bt.hardware.lateness import LatenessHistogram


def test_each_wake_up_is_counted_in_the_bin_that_holds_it():
    histogram = LatenessHistogram()
    for milliseconds in (0.0, 0.1, 0.11, 33.0, 99.0, 101.0):
        histogram.add(milliseconds / 1000.0)
    values = histogram.values()
    assert values['late_up_to_0.1_ms'] == 2
    assert values['late_up_to_0.2_ms'] == 1
    assert values['late_up_to_50_ms'] == 1
    assert values['late_up_to_100_ms'] == 1
    assert values['late_over_100_ms'] == 1
    assert sum(values.values()) == 6


def test_the_worst_is_told_once():
    histogram = LatenessHistogram()
    histogram.add(0.002)
    histogram.add(0.001)
    assert histogram.take_worst() == 0.002
    assert histogram.take_worst() == 0.0

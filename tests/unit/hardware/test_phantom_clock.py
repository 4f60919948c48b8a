# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Wall time in, samples out. All times are binary fractions: no sample is lost to rounding."""

from elfin_bt.hardware.phantom.clock import HOST_LEASE, PhantomClock

SAMPLE = 2**-10
WAKE = 2**-9  # two samples


def clock(speedup: float = 1.0) -> PhantomClock:
    return PhantomClock(wall=100.0, sample=SAMPLE, speedup=speedup)


def test_at_speed_one_device_time_is_wall_time():
    phantom = clock()
    assert phantom.due(100.0, None) == 0
    assert phantom.due(101.0, None) == 1024
    assert phantom.due(101.0 + 1.5 * SAMPLE, None) == 1
    assert phantom.due(101.0 + 2.0 * SAMPLE, None) == 1


def test_a_time_in_the_past_asks_for_nothing_and_loses_nothing():
    phantom = clock()
    assert phantom.due(101.0, None) == 1024
    assert phantom.due(100.5, None) == 0
    assert phantom.due(101.0 + SAMPLE, None) == 1


def test_at_speed_one_a_late_host_starves_the_move():
    phantom = clock()
    phantom.fed()
    assert phantom.due(100.0 + 60 * SAMPLE, runway=10) == 60


def test_sped_up_time_runs_that_many_times_faster():
    phantom = clock(speedup=20.0)
    assert phantom.due(101.0, None) == 20 * 1024


def test_sped_up_time_holds_still_rather_than_starving_and_then_goes_on_without_a_rush():
    phantom = clock(speedup=8.0)
    phantom.fed()
    assert phantom.due(100.0 + WAKE, runway=10) == 10  # of 16
    assert phantom.due(100.0 + 2 * WAKE, runway=0) == 0
    phantom.fed()
    assert phantom.due(100.0 + 3 * WAKE, runway=1000) == 16


def test_a_host_that_feeds_no_more_starves_when_its_lease_ends():
    phantom = clock(speedup=8.0)
    phantom.fed()
    due = [phantom.due(100.0 + wake * WAKE, runway=0) for wake in range(1, 4000)]
    held = next(wake for wake, samples in enumerate(due) if samples)
    assert held * WAKE == HOST_LEASE - WAKE


def test_without_any_feeding_there_is_no_lease():
    phantom = clock(speedup=8.0)
    assert phantom.due(100.0 + WAKE, runway=0) == 16


def test_a_pause_of_the_firmware_process_is_not_held_against_the_host():
    phantom = clock(speedup=8.0)
    phantom.fed()
    phantom.due(100.0 + WAKE, runway=0)
    assert phantom.due(130.0, runway=5) == 5

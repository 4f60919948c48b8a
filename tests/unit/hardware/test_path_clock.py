# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest

from elfin_bt.hardware.phantom.path_clock import PathClock


def clock_at_rate(rate: float) -> PathClock:
    clock = PathClock()
    clock.restart(rate)
    return clock


def test_at_rate_one_a_sample_of_time_is_a_sample_of_path():
    clock = clock_at_rate(1.0)
    clock.advance(1_000_000)
    assert clock.place == 1_000_000


def test_a_full_ramp_of_fifty_samples_eats_twenty_five_samples_of_path():
    clock = clock_at_rate(1.0)
    clock.advance(100)
    clock.ramp(0.0, 50)
    assert clock.remaining == 50
    clock.advance(50)
    assert (clock.place, clock.rate) == (125.0, 0.0)


def test_halfway_down_the_ramp_the_rate_is_a_half():
    clock = clock_at_rate(1.0)
    clock.ramp(0.0, 50)
    places, rates = clock.preview(25)
    assert rates[-1] == pytest.approx(0.5)
    assert places[-1] == pytest.approx(25 - 25**2 / 100)


def test_a_smaller_change_takes_proportionally_less_time():
    clock = clock_at_rate(0.4)
    clock.ramp(0.0, 50)
    assert clock.remaining == 20
    clock.advance(20)
    assert clock.place == pytest.approx(0.4 * 20 / 2)


def test_after_the_ramp_the_new_rate_holds():
    clock = clock_at_rate(1.0)
    clock.ramp(0.5, 100)
    places, rates = clock.preview(60)
    assert rates[-1] == 0.5
    assert places[-1] == pytest.approx(0.75 * 50 + 0.5 * 10)


def test_a_ramp_begun_on_a_ramp_starts_from_the_present_rate():
    clock = clock_at_rate(1.0)
    clock.ramp(0.0, 500)
    clock.advance(250)
    clock.ramp(0.0, 50)
    assert clock.remaining == 25
    _, rates = clock.preview(1)
    assert rates[0] == pytest.approx(0.5 * 24 / 25)


def test_no_change_is_no_ramp():
    clock = clock_at_rate(1.0)
    clock.ramp(1.0, 50)
    assert not clock.ramping

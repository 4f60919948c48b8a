# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Pause and resume by the firmware's feed rate, and what they mean beside stop and reset.

Chunks hold 64 points of 1 ms, 0.1 rad/s; the ramp (stop_time) takes 100 samples here.
"""

import numpy as np
import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.device import DeviceState
from elfin_bt.hardware.settings import HardwareSettings

STEP = 1e-4  # rad per sample
RAMP = 100


@pytest.fixture
def moving(make_bench, chunk):
    """A bench 50 samples into a motion of seven chunks, closed."""
    bench = make_bench(HardwareSettings(stop_time=0.1)).start()
    for sequence in range(7):
        bench.send(chunk(sequence, final=sequence == 6))
    bench.run(50)
    return bench


def test_a_pause_rests_on_the_path_and_a_resume_continues_along_it(moving):
    assert moving.core.pause() == (True, 'paused; call ~/resume')
    rows = moving.run(1000)
    ramp = np.arange(1, RAMP + 1)
    assert rows[:, 1] == pytest.approx(STEP * (50 + ramp - ramp**2 / (2 * RAMP)), abs=1e-12)
    loaded = moving.core.snapshot.frames_loaded
    assert moving.axis.state is DeviceState.MOVING
    assert loaded == 2 * (448 - 100)  # nothing is dropped
    moving.run(10_000)
    assert not moving.core.latched
    assert moving.core.snapshot.frames_loaded == loaded
    assert moving.core.resume() == (True, 'resumed')
    rows = moving.run(1000)
    assert rows[:RAMP, 1] == pytest.approx(STEP * (100 + ramp**2 / (2 * RAMP)), abs=1e-12)
    assert rows[-1, 1] == pytest.approx(STEP * 448, abs=1e-12)
    assert moving.axis.state is DeviceState.IDLE


def test_the_deceleration_of_a_pause_is_bounded_by_its_ramp(moving):
    moving.core.pause()
    rows = moving.run(200)
    speed = np.diff(rows[:, 1], prepend=50 * STEP) / 0.001
    assert np.abs(np.diff(speed, prepend=0.1)).max() / 0.001 <= 0.1 / 0.1 * (1 + 1e-6)


def test_both_are_idempotent(moving):
    moving.core.pause()
    moving.run(30)
    assert moving.core.pause() == (True, 'paused already; call ~/resume')
    rows = moving.run(RAMP)
    assert len(rows) == RAMP - 30  # the ramp was not begun anew
    moving.core.resume()
    assert moving.core.resume() == (True, 'not paused')


def test_a_resume_in_the_middle_of_the_ramp_turns_it_round(moving):
    moving.core.pause()
    moving.run(RAMP // 2)
    assert moving.core.snapshot.feed_rate == pytest.approx(0.5)
    moving.core.resume()
    moving.run(RAMP // 2)
    assert moving.core.snapshot.feed_rate == 1.0


def test_a_pause_at_rest_holds_the_next_motion_until_it_is_resumed(make_bench, chunk):
    bench = make_bench().start()
    assert bench.core.pause()[0]
    assert bench.core.snapshot.paused
    bench.send(chunk(0, final=True))
    assert len(bench.run(1000)) == 0
    assert bench.axis.state is DeviceState.MOVING
    bench.core.resume()
    bench.run(1000)
    assert bench.axis.state is DeviceState.IDLE
    assert bench.axis.snapshot().position[0] == pytest.approx(64 * STEP)


def test_chunks_are_taken_while_paused(moving, make_bench, chunk):
    bench = make_bench().start()
    for sequence in range(3):
        bench.send(chunk(sequence))
    bench.core.pause()
    bench.run(20)
    for sequence in range(3, 7):
        bench.send(chunk(sequence))
    assert not bench.core.latched
    assert bench.core.sequence == 6


def test_a_motion_that_is_not_fed_during_its_ramp_still_starves_on_the_path(make_bench, chunk):
    bench = make_bench(HardwareSettings(stop_time=0.5)).start()
    for sequence in range(3):
        bench.send(chunk(sequence))
    bench.run(50)
    bench.core.pause()  # 250 samples of path are needed and 142 are loaded
    bench.run(2000)
    assert bench.core.fault is Fault.OUT_OF_FRAMES
    assert bench.axis.state is DeviceState.ERROR


def test_a_stop_while_paused_is_an_error_at_once_and_moves_nothing(moving):
    moving.core.pause()
    moving.run(200)
    where = moving.axis.snapshot().position
    moving.core.stop(Fault.STOP_REQUESTED)
    assert moving.axis.state is DeviceState.ERROR
    moving.run(200)
    assert np.array_equal(moving.axis.snapshot().position, where)
    assert moving.core.fault is Fault.STOP_REQUESTED


@pytest.mark.parametrize('call', ['pause', 'resume'])
def test_while_latched_both_are_refused_with_the_fault(moving, call):
    moving.core.stop(Fault.STOP_REQUESTED)
    done, text = getattr(moving.core, call)()
    assert not done
    assert 'STOP_REQUESTED is latched' in text
    moving.run(200)
    assert moving.axis.state is DeviceState.ERROR


def test_a_reset_ends_a_pause_with_everything_that_was_paused(moving, chunk):
    moving.core.pause()
    moving.run(200)
    where = moving.axis.snapshot().position[0]
    moving.core.stop(Fault.STOP_REQUESTED)
    assert moving.core.reset()[0]
    assert not moving.core.snapshot.paused
    assert len(moving.run(200)) == 0
    points = chunk(0, motion=2, epoch=moving.core.epoch, final=True)
    points.positions[:, 0] += where
    moving.send(points)
    moving.run(64)
    assert moving.axis.snapshot().position[0] == pytest.approx(where + 64 * STEP)


def test_a_reset_with_nothing_latched_leaves_a_pause_alone(moving):
    moving.core.pause()
    assert moving.core.reset() == (False, 'nothing latched')
    assert moving.core.snapshot.paused


def test_a_pause_outlives_the_client_that_asked_for_it(make_bench):
    bench = make_bench().start()
    bench.core.pause()
    bench.core.close()
    bench.core.connect()
    assert bench.core.snapshot.paused
    assert bench.core.pause()[0]


def test_a_lost_device_can_not_be_paused(moving):
    moving.device.lost = True
    assert moving.core.pause() == (False, 'gone')
    assert moving.core.fault is Fault.FIRMWARE_LOST
    assert not moving.core.resume()[0]

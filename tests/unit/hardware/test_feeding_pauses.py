# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Pauses of whoever feeds, on a simulated clock: what is loaded outlasts them, or the arm stops.

The executor is played here: it sends a chunk of 64 points whenever less than the committed depth is
loaded, looking every 4 ms. Joint 1 moves at 0.1 rad/s.
"""

import random

import numpy as np
import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.device import DeviceState

STEP = 1e-4  # rad of path per sample
CHUNK = 64
CHUNKS = 40
CYCLE = 4  # samples


def stroke(bench, chunk, *, depth: int, pause: int, every: int, seed: int = 0):
    """Execute CHUNKS chunks with `depth` points committed, pausing about once in `every` samples.

    Returns the executed joint 1 and the fewest points loaded while the motion was open.
    """
    chance = random.Random(seed)
    sent, paused, next_pause = 0, 0, chance.randrange(every)
    rows, least = [], np.inf
    for sample in range(0, CHUNKS * CHUNK + 1000, CYCLE):
        if sample >= next_pause:
            paused, next_pause = pause, sample + pause + chance.randrange(every)
        if paused > 0:
            paused -= CYCLE
            rows.append(bench.axis.advance(CYCLE))  # nobody looks either
            bench.now += CYCLE * bench.axis.sample
        else:
            while sent < CHUNKS and loaded(bench) + CHUNK <= depth and not bench.core.latched:
                bench.send(chunk(sent, final=sent == CHUNKS - 1))
                sent += 1
            rows.append(bench.run(CYCLE))
        if 0 < sent < CHUNKS:
            least = min(least, loaded(bench))
    return np.concatenate(rows)[:, 1], least


def loaded(bench) -> int:
    return (bench.axis.snapshot().frames_loaded + bench.core.frames_waiting) // 2


@pytest.mark.parametrize('pause', [20, 40, 80])
@pytest.mark.parametrize('seed', range(3))
def test_strokes_at_the_default_depth_survive_every_pause(bench, chunk, pause, seed):
    path, least = stroke(bench, chunk, depth=400, pause=pause, every=200, seed=seed)
    assert bench.core.fault is Fault.NONE
    assert bench.axis.state is DeviceState.IDLE
    assert path == pytest.approx(STEP * np.arange(1, CHUNKS * CHUNK + 1), abs=1e-9)
    # A chunk less than the depth, minus the pause and a cycle: far above the watchdog's 60.
    assert least >= 400 - CHUNK - pause - 2 * CYCLE > 60


@pytest.mark.parametrize(('depth', 'pause', 'survives'), [(200, 60, True), (200, 120, False)])
def test_which_depth_survives_which_pause_is_a_sum(bench, chunk, depth, pause, survives):
    """Depth - chunk - pause against the watchdog's 60 points: 76 is enough and 16 is not."""
    stroke(bench, chunk, depth=depth, pause=pause, every=300)
    assert (bench.core.fault is Fault.NONE) == survives


@pytest.mark.parametrize('seed', range(5))
def test_a_pause_that_is_too_long_ends_on_the_path_and_never_with_a_step(bench, chunk, seed):
    path, _ = stroke(bench, chunk, depth=400, pause=600, every=900, seed=seed)
    assert bench.core.fault is Fault.OUT_OF_FRAMES
    assert bench.axis.state is DeviceState.ERROR
    assert loaded(bench) > 0  # at rest before the buffer was empty
    moved = len(path) - 50
    ramp = np.arange(1, 51)
    steps = np.concatenate((np.arange(1, moved + 1), moved + ramp - ramp**2 / 100))
    assert path == pytest.approx(STEP * steps, abs=1e-9)
    # |a| in a firmware stop: speed / EStopTime.
    speed = np.diff(path, prepend=0.0) / 0.001
    assert np.abs(np.diff(speed)).max() / 0.001 <= 0.1 / 0.05 * (1 + 1e-6)


@pytest.mark.parametrize(
    ('lost', 'fault'),
    [(9, Fault.CHUNK_LOST), (CHUNKS - 1, Fault.OUT_OF_FRAMES)],
    ids=['one of many', 'the last one'],
)
def test_a_lost_chunk_ends_in_a_stop_before_the_buffer_does(bench, chunk, lost, fault):
    """The one behind it tells; where there is none, the watchdog does."""
    for sequence in range(CHUNKS):
        while loaded(bench) + CHUNK > 400:
            bench.run(CYCLE)
        if sequence != lost:
            bench.send(chunk(sequence, final=sequence == CHUNKS - 1))
    bench.run(1000)
    assert bench.core.fault is fault
    assert bench.axis.state is DeviceState.ERROR
    assert loaded(bench) > 0
    assert bench.axis.snapshot().position[0] < STEP * CHUNK * lost

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Points that do not fit wait in the library's queue, which lives and dies with its client."""

import numpy as np
import pytest

from elfin_bt.hardware.device import DeviceState, ErrorNumber, FirmwareError, Source
from elfin_bt.hardware.phantom.move_arguments import LARGEST_CALL
from elfin_bt.hardware.phantom.multi_axis import MultiAxis

STEP = 1e-4  # rad of path per sample


def load(axis, points, *, final=False):
    axis.move_pvt(points.positions, points.velocities, points.times, empty_count=120, final=final)


def test_a_call_larger_than_the_buffer_is_loaded_a_piece_at_a_time(stream):
    axis = MultiAxis()
    points = stream(2000)
    points.velocities[-1] = 0.0
    load(axis, points, final=True)
    snapshot = axis.snapshot()
    assert (snapshot.frames_loaded, snapshot.frames_free) == (1024, 0)
    rows = []
    while axis.state is DeviceState.MOVING:
        rows.append(axis.advance(10))
        axis.reload()
    assert (axis.state, axis.source) == (DeviceState.IDLE, Source.NONE)
    assert np.concatenate(rows)[:, 1] == pytest.approx(STEP * np.arange(1, 2001), abs=1e-9)
    assert axis.snapshot().element_id == 1999  # one call, whatever it was cut into


def test_it_is_loaded_when_a_quarter_of_the_buffer_is_left(stream):
    axis = MultiAxis()
    load(axis, stream(1000))
    axis.advance(383)  # 129 points are left
    axis.reload()
    assert axis.snapshot().frames_loaded == 2 * 129
    axis.advance(1)
    axis.reload()
    assert axis.snapshot().frames_loaded == 1024


def test_later_calls_wait_behind_it(stream):
    axis = MultiAxis()
    load(axis, stream(600))
    load(axis, stream(150, first=601))
    axis.advance(420)
    axis.reload()
    assert axis.snapshot().frames_loaded == 2 * 330
    axis.advance(182)
    assert (axis.snapshot().motion_id, axis.snapshot().element_id) == (2, 2)


@pytest.mark.parametrize('gone', [False, True], ids=['client hangs', 'client died'])
def test_a_client_that_does_not_come_back_starves_the_move(stream, gone):
    axis = MultiAxis()
    points = stream(1000)
    points.velocities[-1] = 0.0
    load(axis, points, final=True)
    if gone:
        axis.client_gone()
        axis.reload()
    rows = axis.advance(2000)
    assert (axis.state, axis.source) == (DeviceState.ERROR, Source.OUT_OF_FRAMES)
    # Starved with 59 of 512 points left, then a ramp of 50 samples.
    assert len(rows) == 512 - 59 + 50


def test_an_e_stop_discards_what_waits(stream):
    axis = MultiAxis()
    load(axis, stream(1000))
    axis.estop()
    axis.advance(100)
    axis.reload()
    axis.clear_faults()
    assert axis.snapshot().frames_free == 1024


def test_behind_a_final_call_nothing_is_taken_though_it_still_waits(stream):
    axis = MultiAxis()
    load(axis, stream(1000), final=True)
    with pytest.raises(FirmwareError, match='closed by a final call'):
        load(axis, stream(10, first=1001))


def test_more_than_the_queue_holds_is_refused_as_a_whole(stream):
    axis = MultiAxis()
    load(axis, stream(60_000))
    with pytest.raises(FirmwareError, match='of 65536 wait already') as refusal:
        load(axis, stream(10_000))
    assert refusal.value.number is ErrorNumber.BUFFER_FULL
    load(axis, stream(5000))


def test_a_call_has_fewer_points_than_its_sixteen_bit_index_can_count(stream):
    with pytest.raises(FirmwareError, match='at most 65535'):
        load(MultiAxis(), stream(LARGEST_CALL + 1))


def test_a_client_may_use_its_arrays_again(stream):
    axis = MultiAxis()
    points = stream(700)
    load(axis, points)
    points.positions[:] = 9.0
    axis.advance(420)
    axis.reload()
    axis.advance(130)
    assert axis.snapshot().position[0] == pytest.approx(550 * STEP)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware core on a phantom in this process. Chunks hold 64 points of 1 ms, 0.1 rad/s."""

import numpy as np
import pytest

from elfin_bt.execution.chunk import NO_SEQUENCE, encode_chunk
from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.device import DeviceState, Source
from elfin_bt.hardware.settings import HardwareSettings, SettingsError

EPOCH = 1000


def move(bench, chunk, chunks=5):
    """Send the first chunks of an open motion and let it run for 50 ms."""
    for sequence in range(chunks):
        bench.send(chunk(sequence))
    bench.run(50)
    assert bench.axis.state is DeviceState.MOVING
    assert not bench.core.latched


# Feeding


def test_a_motion_is_executed_and_acknowledged(bench, chunk):
    assert bench.core.ack().sequence == NO_SEQUENCE
    for sequence in range(4):
        bench.send(chunk(sequence, final=sequence == 3))
        ack = bench.core.ack()
        assert (ack.epoch, ack.motion, ack.sequence, ack.fault) == (EPOCH, 1, sequence, 0)
    assert ack.free_frames == 1024 - 4 * 128
    rows = bench.run(300)
    assert bench.axis.state is DeviceState.IDLE
    assert rows[-1, 1] == pytest.approx(256 * 1e-4)
    assert bench.core.ack().free_frames == 1024


def test_a_motion_is_opened_when_enough_has_arrived_for_its_watchdog(bench, chunk):
    bench.send(chunk(0))
    assert bench.axis.state is DeviceState.IDLE
    assert bench.core.frames_waiting == 128
    assert bench.core.ack().free_frames == 1024 - 128
    bench.send(chunk(1))
    assert bench.axis.state is DeviceState.MOVING
    assert bench.core.frames_waiting == 0
    assert bench.device.calls.count('move_pvt') == 1
    bench.send(chunk(2))
    assert bench.device.calls.count('move_pvt') == 2


def test_a_short_motion_is_opened_at_once(bench, chunk):
    bench.send(chunk(0, final=True, n=10))
    assert bench.axis.state is DeviceState.MOVING


def test_a_motion_that_gets_no_more_is_opened_after_a_while_and_then_starves(bench, chunk):
    bench.send(chunk(0))
    bench.run(19)
    assert bench.axis.state is DeviceState.IDLE
    bench.run(1)
    assert bench.axis.state is DeviceState.MOVING
    bench.run(100)
    assert bench.core.fault is Fault.OUT_OF_FRAMES


def test_the_next_motion_may_begin_when_the_last_has_ended(bench, chunk):
    bench.send(chunk(0, final=True))
    bench.axis.advance(64)  # the core has not polled since: it must look for itself
    back = chunk(0, motion=2, final=True)
    back.positions[:, 0] = 64e-4
    bench.send(back)
    assert not bench.core.latched
    assert bench.axis.state is DeviceState.MOVING


def test_a_motion_may_not_begin_before_the_last_has_ended(bench, chunk):
    bench.send(chunk(0, final=True))
    bench.run(30)
    bench.send(chunk(0, motion=2))
    assert bench.core.fault is Fault.CHUNK_INVALID
    assert 'while the device is MOVING' in bench.core.fault_text


def test_a_motion_may_not_begin_with_a_jump(bench, chunk):
    far = chunk(0)
    far.positions[:, 0] += 0.1
    bench.send(far)
    assert bench.core.fault is Fault.CHUNK_INVALID
    assert 'mean velocity of elfin_joint1 in point 0' in bench.core.fault_text
    assert bench.axis.snapshot().position[0] == 0.0


def test_a_jump_between_chunks_is_found(bench, chunk):
    move(bench, chunk)
    far = chunk(5)
    far.positions[:, 0] += 0.1
    bench.send(far)
    assert bench.core.fault is Fault.CHUNK_INVALID


# Faults of the stream


def corrupted(chunk, index, value):
    data = encode_chunk(chunk(5))
    data[index] = value
    return data


@pytest.mark.parametrize(
    ('fault', 'make'),
    [
        (Fault.CHUNK_LOST, lambda chunk: encode_chunk(chunk(6))),
        (Fault.CHUNK_REPEATED, lambda chunk: encode_chunk(chunk(4))),
        (Fault.CHUNK_REORDERED, lambda chunk: encode_chunk(chunk(3))),
        (Fault.CHUNK_LOST, lambda chunk: encode_chunk(chunk(0, motion=2))),
        (Fault.CHUNK_FOREIGN_EPOCH, lambda chunk: encode_chunk(chunk(5, epoch=EPOCH + 1))),
        (Fault.CHUNK_FOREIGN_EPOCH, lambda chunk: encode_chunk(chunk(5, epoch=EPOCH - 1))),
        (Fault.CHUNK_INVALID, lambda chunk: corrupted(chunk, 20, np.nan)),
        (Fault.CHUNK_INVALID, lambda chunk: corrupted(chunk, 20, np.inf)),
        (Fault.CHUNK_INVALID, lambda chunk: corrupted(chunk, 4, 0.0)),
        (Fault.CHUNK_INVALID, lambda chunk: corrupted(chunk, 4, 0.0015)),
        (Fault.CHUNK_INVALID, lambda chunk: corrupted(chunk, 11, 2.0)),
        (Fault.CHUNK_INVALID, lambda chunk: encode_chunk(chunk(5))[:-1]),
        (Fault.CHUNK_INVALID, lambda chunk: encode_chunk(chunk(5))[:4]),
        (Fault.CHUNK_INVALID, lambda chunk: []),
    ],
)
def test_a_wrong_chunk_stops_the_motion_on_its_path_with_a_named_fault(bench, chunk, fault, make):
    move(bench, chunk)
    bench.core.take(make(chunk), bench.now)
    assert bench.core.fault is fault
    assert bench.core.fault_text.startswith(fault.name)
    assert bench.core.ack().fault == fault
    assert bench.core.epoch == EPOCH + 1
    assert bench.axis.state is DeviceState.STOPPING_ERROR
    rows = bench.run(100)
    assert bench.axis.state is DeviceState.ERROR
    ramp = np.arange(1, 51)
    assert rows[:, 1] == pytest.approx(1e-4 * (50 + ramp - ramp**2 / 100), abs=1e-9)
    # What follows is refused and counted, and the fault stays what it was.
    bench.send(chunk(5))
    bench.send(chunk(0, motion=2, epoch=bench.core.epoch))
    text = bench.core.fault_text
    bench.core.take([], bench.now)
    assert bench.core.refused == 3
    assert (bench.core.fault, bench.core.fault_text) == (fault, text)
    assert bench.core.epoch == EPOCH + 1


def test_more_than_the_buffer_holds_is_an_overflow(bench, chunk):
    for sequence in range(8):
        bench.send(chunk(sequence))
    assert not bench.core.latched
    bench.send(chunk(8))
    assert bench.core.fault is Fault.BUFFER_OVERFLOW
    assert 'chunk 8 of motion 1 needs 128 frames and 0 are free' in bench.core.fault_text


def test_a_starved_stream_latches_out_of_frames(bench, chunk):
    move(bench, chunk, chunks=2)
    bench.run(100)
    assert bench.core.fault is Fault.OUT_OF_FRAMES
    assert bench.axis.state is DeviceState.ERROR


def test_a_chunk_that_comes_just_too_late_is_not_blamed_for_it(bench, chunk):
    move(bench, chunk, chunks=2)
    bench.axis.advance(30)  # starved, and the core has not seen it yet
    assert bench.axis.state is DeviceState.STOPPING_ERROR
    bench.send(chunk(2))
    assert bench.core.fault is Fault.OUT_OF_FRAMES


def test_before_activation_chunks_are_refused(make_bench, chunk):
    bench = make_bench().start()
    bench.core.active = False
    bench.send(chunk(0, final=True))
    assert (bench.core.refused, bench.core.latched) == (1, False)
    assert bench.axis.state is DeviceState.IDLE


# Stop and reset


def test_stop_is_idempotent_and_drops_what_waits(bench, chunk):
    bench.send(chunk(0))
    bench.core.stop(Fault.STOP_REQUESTED)
    bench.core.stop(Fault.STOP_REQUESTED)
    assert bench.core.frames_waiting == 0
    bench.run(100)
    assert 'move_pvt' not in bench.device.calls
    assert (bench.core.fault, bench.core.epoch) == (Fault.STOP_REQUESTED, EPOCH + 1)
    assert bench.axis.snapshot().position[0] == 0.0


def test_reset_needs_something_latched(bench):
    assert bench.core.reset() == (False, 'nothing latched')
    assert bench.core.epoch == EPOCH


def test_reset_works_at_rest_only(bench, chunk):
    move(bench, chunk)
    bench.core.stop(Fault.STOP_REQUESTED)
    bench.run(49)
    done, text = bench.core.reset()
    assert not done
    assert 'still coming to rest' in text
    bench.run(1)
    assert bench.core.reset() == (True, 'cleared STOP_REQUESTED')
    assert bench.axis.state is DeviceState.IDLE
    assert bench.core.ack().fault == 0
    assert bench.core.epoch == EPOCH + 2
    assert bench.core.fault_text == ''


def test_after_a_reset_a_new_motion_runs_and_an_old_chunk_does_not(bench, chunk):
    move(bench, chunk)
    bench.core.stop(Fault.STOP_REQUESTED)
    bench.run(100)
    bench.core.reset()
    stopped_at = bench.axis.snapshot().position[0]
    bench.send(chunk(5))  # was on its way when the stop came
    assert (bench.core.refused, bench.core.latched) == (1, False)
    points = chunk(0, motion=2, epoch=bench.core.epoch, final=True)
    points.positions[:, 0] += stopped_at
    bench.send(points)
    bench.run(64)
    assert bench.axis.snapshot().position[0] == pytest.approx(stopped_at + 64e-4)
    assert bench.axis.state is DeviceState.IDLE


def test_an_old_chunk_in_the_middle_of_a_new_motion_stops_it(bench, chunk):
    bench.core.stop(Fault.STOP_REQUESTED)
    bench.core.reset()
    bench.send(chunk(0, epoch=bench.core.epoch))
    bench.send(chunk(1, epoch=EPOCH))
    assert bench.core.fault is Fault.CHUNK_FOREIGN_EPOCH


def test_one_reset_clears_stop_and_fault_together(bench, chunk):
    move(bench, chunk, chunks=2)
    bench.run(100)
    bench.core.stop(Fault.STOP_REQUESTED)
    assert bench.core.fault is Fault.OUT_OF_FRAMES
    assert '; then STOP_REQUESTED' in bench.core.fault_text
    assert bench.core.reset() == (True, 'cleared OUT_OF_FRAMES')
    assert not bench.core.latched


def test_a_reset_does_not_hide_a_fault_that_nobody_has_seen_yet(bench, chunk):
    bench.core.stop(Fault.STOP_REQUESTED)
    bench.axis.source = Source.OUT_OF_FRAMES  # a fault of the device, since the last poll
    done, text = bench.core.reset()
    assert not done
    assert 'a further fault came to light' in text and 'OUT_OF_FRAMES' in text
    assert bench.axis.state is DeviceState.ERROR
    assert bench.core.reset()[0]


def test_an_e_stop_that_nobody_here_asked_for_is_a_firmware_error(bench):
    bench.axis.estop()
    bench.run(1)
    assert bench.core.fault is Fault.FIRMWARE_ERROR
    assert 'source USER' in bench.core.fault_text


def test_the_latch_survives_deactivation(bench):
    bench.core.stop(Fault.STOP_REQUESTED)
    bench.core.stop(Fault.NODE_DEACTIVATED)
    bench.core.active = False
    done, text = bench.core.reset()
    assert not done
    assert 'activate' in text
    bench.core.active = True
    assert bench.core.reset() == (True, 'cleared STOP_REQUESTED')


# Losing and finding the device


def test_a_lost_device_is_latched_and_found_again_by_a_reset(bench, chunk):
    move(bench, chunk)
    bench.device.lost = True
    bench.run(1)
    assert bench.core.fault is Fault.FIRMWARE_LOST
    assert bench.core.snapshot is None
    assert bench.core.ack().free_frames == 0
    done, text = bench.core.reset()
    assert not done and 'gone' in text
    assert bench.core.fault is Fault.FIRMWARE_LOST
    bench.device.lost = False
    bench.axis.advance(1000)  # it starved meanwhile: that is shown before it is cleared
    done, text = bench.core.reset()
    assert not done and 'OUT_OF_FRAMES' in text
    assert bench.core.reset() == (True, 'cleared FIRMWARE_LOST')
    assert bench.axis.state is DeviceState.IDLE


def test_losing_the_device_while_feeding_or_stopping_is_latched(bench, chunk):
    move(bench, chunk)
    bench.device.lost = True
    bench.send(chunk(5))
    assert bench.core.fault is Fault.FIRMWARE_LOST
    bench.core.stop(Fault.STOP_REQUESTED)
    assert '; then STOP_REQUESTED' in bench.core.fault_text


def test_a_stop_of_a_device_that_just_went_names_both(bench, chunk):
    move(bench, chunk)
    bench.device.lost = True
    bench.core.stop(Fault.STOP_REQUESTED)
    assert bench.core.fault is Fault.STOP_REQUESTED
    assert '; then FIRMWARE_LOST: gone' in bench.core.fault_text


@pytest.mark.parametrize('samples', [30, 100], ids=['moving', 'starved'])
def test_what_an_earlier_client_left_is_brought_to_rest_and_latched(make_bench, stream, samples):
    bench = make_bench()
    points = stream(100)
    bench.axis.move_pvt(
        points.positions, points.velocities, points.times, empty_count=120, final=False
    )
    bench.axis.advance(samples)
    state = bench.axis.state
    bench.start()
    bench.run(100)
    assert bench.axis.state is DeviceState.ERROR
    starved = bench.axis.source is Source.OUT_OF_FRAMES
    assert starved == (samples == 100)
    assert bench.core.fault is (Fault.OUT_OF_FRAMES if starved else Fault.FIRMWARE_ERROR)
    assert f'the device was {state.name}' in bench.core.fault_text
    assert bench.core.reset()[0]
    assert bench.axis.state is DeviceState.IDLE


def test_settings_that_do_not_fit_are_refused_before_anything_is_set(make_bench):
    bench = make_bench(HardwareSettings(empty_count=48))
    with pytest.raises(SettingsError):
        bench.core.connect()
    assert bench.device.calls == []


def test_records_are_the_devices_business(bench):
    assert bench.core.record(True) == (True, '/a/record')
    bench.device.lost = True
    assert bench.core.record(False) == (False, 'gone')
    assert bench.core.fault is Fault.FIRMWARE_LOST

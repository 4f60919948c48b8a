# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of drives and fieldbus through the core: named, never hidden, never cleared early.

Chunks hold 64 points of 1 ms, 0.1 rad/s.
"""

import numpy as np
import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.device import DeviceState, Source
from elfin_bt.hardware.phantom.stop_actions import StopAction


@pytest.fixture
def moving(bench, chunk):
    for sequence in range(5):
        bench.send(chunk(sequence))
    bench.run(50)
    return bench


FAULTS = [
    ('amp_fault elfin_joint3', Fault.AMP_FAULT, 'AMP_FAULT of elfin_joint3'),
    ('limit_positive elfin_joint2', Fault.LIMIT_REACHED, 'HW_LIMIT_POSITIVE of elfin_joint2'),
    ('limit_negative', Fault.LIMIT_REACHED, 'HW_LIMIT_NEGATIVE of elfin_joint1'),
    ('communication_loss', Fault.NETWORK_LOST, 'NETWORK of the arm'),
]


@pytest.mark.parametrize(('injected', 'fault', 'text'), FAULTS)
def test_each_has_its_name_its_joint_and_a_remedy(moving, injected, fault, text):
    assert moving.core.inject(injected)[0]
    moving.run(100)
    assert moving.core.fault is fault
    assert text in moving.core.fault_text
    assert fault.text in moving.core.fault_text
    assert moving.core.ack().fault == fault
    assert moving.axis.state is DeviceState.ERROR


def test_a_following_error_tells_where_the_joint_is_and_where_it_should_be(bench, chunk):
    for sequence in range(4):
        bench.send(chunk(sequence, velocity=1.0))
    bench.core.inject('following_error elfin_joint1')
    bench.run(200)
    assert bench.core.fault is Fault.FOLLOWING_ERROR
    assert 'POSITION_ERROR of elfin_joint1 (at 0.0000 rad, commanded 0.1' in bench.core.fault_text


@pytest.mark.parametrize(('injected', 'fault', 'text'), FAULTS)
def test_a_reset_fails_while_the_cause_is_there_and_works_afterwards(moving, injected, fault, text):
    moving.core.inject(injected)
    moving.run(100)
    for _ in range(3):
        done, reply = moving.core.reset()
        assert not done
        assert 'is still there: remove the cause first' in reply
        assert moving.core.fault is fault
        assert moving.axis.state is DeviceState.ERROR
    moving.core.inject('')
    assert moving.core.reset() == (True, f'cleared {fault.name}')
    assert moving.axis.state is DeviceState.IDLE


def test_a_drive_fault_that_came_with_a_stop_is_not_hidden_by_its_reset(moving):
    """The first source is our own e-stop; the drive's bit stands beside it."""
    moving.core.stop(Fault.STOP_REQUESTED)
    moving.axis.advance(20)
    moving.axis.inject('amp_fault elfin_joint4')  # behind the core's back, between two looks
    moving.axis.inject('')  # and gone again
    assert moving.axis.source is Source.USER
    done, text = moving.core.reset()
    assert not done
    assert 'a further fault came to light' in text and 'AMP_FAULT' in text
    assert moving.core.fault is Fault.STOP_REQUESTED
    assert moving.core.reset() == (True, 'cleared STOP_REQUESTED')


def test_what_comes_after_the_look_and_before_the_clearing_is_found_by_the_device(moving):
    moving.core.stop(Fault.STOP_REQUESTED)
    moving.run(100)
    clear = moving.device.clear_faults

    def fault_first():
        moving.axis.inject('amp_fault')
        return clear()

    moving.device.clear_faults = fault_first
    done, text = moving.core.reset()
    assert not done and 'AMP_FAULT of elfin_joint1 is still there' in text


def test_the_arm_stays_without_power_until_a_person_switches_it_on(moving, chunk):
    moving.core.inject('amp_fault')
    moving.core.inject('')
    done, text = moving.core.switch_amps(True)
    assert not done and 'AMP_FAULT is latched: call ~/reset_fault first' in text
    moving.core.reset()
    assert not moving.core.snapshot.amps_enabled
    where = moving.axis.snapshot().position[0]
    points = chunk(0, motion=2, epoch=moving.core.epoch, final=True)
    points.positions[:, 0] += where
    moving.send(points)
    assert moving.core.fault is Fault.AMPS_DISABLED
    moving.core.reset()
    assert moving.core.switch_amps(True) == (True, 'amplifiers on')
    again = chunk(0, motion=3, epoch=moving.core.epoch, final=True)
    again.positions[:, 0] += where
    moving.send(again)
    moving.run(64)
    assert moving.axis.snapshot().position[0] == pytest.approx(where + 64e-4)


def test_amplifiers_are_switched_off_at_rest_only(moving):
    done, text = moving.core.switch_amps(False)
    assert not done and 'wait until the arm is at rest' in text
    assert moving.core.snapshot.amps_enabled
    moving.core.stop(Fault.STOP_REQUESTED)
    moving.run(100)
    assert moving.core.switch_amps(False) == (True, 'amplifiers off')


def test_a_device_that_does_not_stop_for_its_fault_is_stopped(make_bench, chunk):
    actions = {Source.HW_LIMIT_POSITIVE: StopAction.STOP}
    bench = make_bench(limit_actions=actions).start()
    for sequence in range(5):
        bench.send(chunk(sequence))
    bench.run(50)
    bench.axis.inject('limit_positive')
    rows = bench.run(1)
    assert bench.core.fault is Fault.LIMIT_REACHED
    assert bench.axis.state is DeviceState.STOPPING_ERROR
    rows = np.concatenate((rows, bench.run(100)))
    assert np.all(np.diff(rows[:, 1]) >= 0.0)
    assert bench.axis.state is DeviceState.ERROR


def test_a_starved_motion_says_how_long_no_chunk_came(moving):
    moving.run(400)
    assert moving.core.fault is Fault.OUT_OF_FRAMES
    silence = float(moving.core.fault_text.split('no chunk for ')[1].split(' s')[0])
    assert silence == pytest.approx(0.450)


def test_the_devices_log_is_passed_on(moving):
    moving.core.inject('limit_positive')
    (line,) = moving.core.take_error_log()
    assert 'HW_LIMIT_POSITIVE of elfin_joint1' in line
    assert moving.core.take_error_log() == []


def test_a_fault_that_an_earlier_client_left_keeps_its_name(make_bench):
    bench = make_bench()
    bench.axis.inject('amp_fault elfin_joint5')
    bench.start()
    assert bench.core.fault is Fault.AMP_FAULT
    assert 'as an earlier client left it' in bench.core.fault_text


def test_points_executed_are_counted_over_motions(bench, chunk):
    for sequence in range(4):
        bench.send(chunk(sequence, final=sequence == 3))
    bench.run(100)
    assert bench.core.report().points_executed == 100
    bench.run(300)
    assert bench.core.report().points_executed == 256

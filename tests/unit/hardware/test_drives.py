# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated drives under the firmware: lag, following error, faults and what they lead to.

Streams move joint 1 at 0.1 rad/s: 0.1 mrad of path per sample.
"""

import numpy as np
import pytest

from elfin_bt.hardware.device import DeviceState, ErrorNumber, FirmwareError, Source, Status
from elfin_bt.hardware.phantom.drives import INJECTIONS
from elfin_bt.hardware.phantom.multi_axis import MultiAxis
from elfin_bt.hardware.phantom.stop_actions import LIMIT_ACTIONS, StopAction

STEP = 1e-4  # rad of path per sample


def load(axis, points, *, final=False):
    axis.move_pvt(points.positions, points.velocities, points.times, empty_count=120, final=final)


def moving(stream, points=400, **options) -> MultiAxis:
    """An axis 100 samples into an open move."""
    axis = MultiAxis(**options)
    load(axis, stream(points))
    axis.advance(100)
    return axis


# Following


def test_without_a_lag_the_arm_is_where_it_is_commanded(stream):
    snapshot = moving(stream).snapshot()
    assert np.array_equal(snapshot.actual_position, snapshot.position)
    assert snapshot.actual_velocity[0] == pytest.approx(0.1)


@pytest.mark.parametrize('lag', [0.005, 0.02])
def test_a_first_order_lag_trails_by_speed_times_time_constant(stream, lag):
    snapshot = moving(stream, lag=lag).snapshot()
    # x' = (c - x) / T behind a ramp c = v t: error -> v T; sampled, the sample counts to it.
    keep = np.exp(-0.001 / lag)
    steady = STEP * keep / (1.0 - keep) * (1.0 - keep**100)
    assert snapshot.position[0] - snapshot.actual_position[0] == pytest.approx(steady, rel=1e-9)
    assert steady == pytest.approx(0.1 * lag, rel=0.12)


def test_after_the_command_has_ended_the_arm_settles_and_says_so(stream):
    axis = MultiAxis(lag=0.02)
    points = stream(200, velocity=0.5)
    points.velocities[-1] = 0.0
    load(axis, points, final=True)
    axis.advance(200)
    assert axis.state is DeviceState.IDLE
    status = axis.snapshot().status
    assert Status.AT_TARGET in status and Status.SETTLED not in status
    assert Status.DONE not in status
    rows = axis.advance(1000)
    assert axis.snapshot().actual_position[0] == pytest.approx(0.1, abs=1e-8)
    assert rows[-1, 1] == pytest.approx(0.1, abs=1e-8)
    assert {Status.SETTLED, Status.DONE, Status.IN_COARSE} <= set(axis.snapshot().status)
    assert len(axis.advance(100)) == 0


def test_how_time_is_cut_makes_no_difference_to_a_lagging_arm(stream):
    at_once, in_pieces = moving(stream, lag=0.01), moving(stream, lag=0.01)
    expected = at_once.advance(1000)
    rows = np.concatenate([in_pieces.advance(cut) for cut in (1, 2, 60, 37, 200, 700)])
    assert np.allclose(rows, expected, atol=1e-12)
    assert in_pieces.state is at_once.state


def test_motion_bits_tell_start_speed_and_end(stream):
    axis = MultiAxis()
    assert Status.DONE in axis.snapshot().status
    load(axis, stream(400))
    axis.advance(1)
    assert axis.snapshot().status == Status.IN_COARSE | Status.MOTION_START | Status.AT_VELOCITY
    axis.estop()
    axis.advance(1)
    assert Status.AT_VELOCITY not in axis.snapshot().status
    axis.advance(100)
    status = axis.snapshot().status
    # Stopped short of its target.
    assert Status.DONE in status and Status.AT_TARGET not in status


# Faults


@pytest.mark.parametrize(
    ('fault', 'source'),
    [('amp_fault elfin_joint3', Source.AMP_FAULT), ('communication_loss', Source.NETWORK)],
)
def test_a_drive_without_power_halts_at_once(stream, fault, source):
    axis = moving(stream)
    axis.inject(fault)
    snapshot = axis.snapshot()
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, source)
    assert not snapshot.amps_enabled
    assert snapshot.source_joint == (2 if source is Source.AMP_FAULT else -1)
    assert len(axis.advance(100)) == 0


@pytest.mark.parametrize(
    ('kind', 'source'),
    [
        ('limit_positive', Source.HW_LIMIT_POSITIVE),
        ('limit_negative', Source.HW_LIMIT_NEGATIVE),
    ],
)
def test_a_limit_e_stops_along_the_path_with_power_on(stream, kind, source):
    axis = moving(stream)
    axis.inject(f'{kind} elfin_joint6')
    assert axis.state is DeviceState.STOPPING_ERROR
    rows = axis.advance(1000)
    assert (axis.state, axis.source) == (DeviceState.ERROR, source)
    assert axis.snapshot().source_joint == 5
    assert axis.snapshot().amps_enabled
    ramp = np.arange(1, 51)
    assert rows[:, 1] == pytest.approx(STEP * (100 + ramp - ramp**2 / 100), abs=1e-12)


def test_a_blocked_joint_trips_at_the_position_error_limit(stream):
    axis = MultiAxis()
    load(axis, stream(500, velocity=1.0))
    axis.advance(10)
    axis.inject('following_error elfin_joint1')
    assert axis.state is DeviceState.MOVING
    axis.advance(100)  # 0.1 rad at 1 rad/s: at the limit, not over it
    assert axis.state is DeviceState.MOVING
    axis.advance(1)
    snapshot = axis.snapshot()
    assert (snapshot.state, snapshot.source) == (DeviceState.STOPPING_ERROR, Source.POSITION_ERROR)
    assert snapshot.source_joint == 0
    assert snapshot.actual_position[0] == pytest.approx(0.010)


@pytest.mark.parametrize('kind', ['amp_fault', 'limit_positive', 'communication_loss'])
def test_faults_can_not_be_cleared_while_their_cause_is_there(stream, kind):
    axis = moving(stream)
    axis.inject(kind)
    axis.advance(100)
    with pytest.raises(FirmwareError, match='is still there') as refusal:
        axis.clear_faults()
    assert refusal.value.number is ErrorNumber.FAULT_PERSISTS
    assert axis.state is DeviceState.ERROR
    axis.inject('')
    axis.clear_faults()
    assert (axis.state, axis.source) == (DeviceState.IDLE, Source.NONE)
    assert axis.snapshot().active == frozenset()


def test_a_drive_fault_during_our_own_e_stop_is_noted_beside_it(stream):
    axis = moving(stream)
    axis.estop()
    axis.advance(10)
    axis.inject('amp_fault elfin_joint2')
    snapshot = axis.snapshot()
    assert snapshot.source is Source.USER
    assert snapshot.active == {Source.USER, Source.AMP_FAULT}
    assert snapshot.drive_faults == [Source.AMP_FAULT]
    # It had no power to finish the ramp with.
    assert (snapshot.state, snapshot.amps_enabled) == (DeviceState.ERROR, False)


def test_power_comes_back_by_clear_faults_and_amp_enable_only(stream):
    axis = moving(stream)
    axis.inject('amp_fault')
    axis.inject('')
    axis.clear_faults()
    with pytest.raises(FirmwareError) as refusal:
        load(axis, stream(100))
    assert refusal.value.number is ErrorNumber.AMPS_DISABLED
    axis.amp_enable()
    assert axis.snapshot().amps_enabled


def test_amplifiers_go_off_at_rest_only_and_the_arm_stays_where_it_is_then(stream):
    axis = moving(stream, lag=0.02)
    with pytest.raises(FirmwareError, match='wait until the arm is at rest'):
        axis.amp_disable()
    axis.abort()
    where = axis.snapshot().actual_position
    axis.advance(100)
    assert np.array_equal(axis.snapshot().actual_position, where)
    axis.clear_faults()
    axis.amp_enable()
    assert np.array_equal(axis.snapshot().position, where)


@pytest.mark.parametrize(
    ('action', 'powered', 'ramp'),
    [
        (StopAction.E_STOP, True, 50),
        (StopAction.E_STOP_ABORT, False, 50),
        (StopAction.E_STOP_CMD_EQ_ACT, False, 50),
        (StopAction.ABORT, False, 0),
    ],
)
def test_each_stop_action_ramps_and_ends_as_its_name_says(stream, action, powered, ramp):
    axis = MultiAxis(lag=0.02, limit_actions={Source.HW_LIMIT_POSITIVE: action})
    load(axis, stream(400))
    axis.advance(100)
    axis.inject('limit_positive')
    while axis.state is DeviceState.STOPPING_ERROR:
        axis.advance(1)
    assert axis.samples == 100 + ramp
    snapshot = axis.snapshot()
    assert (snapshot.state, snapshot.amps_enabled) == (DeviceState.ERROR, powered)
    is_actual = np.array_equal(snapshot.position, snapshot.actual_position)
    assert is_actual == (action is StopAction.E_STOP_CMD_EQ_ACT)


def test_a_limit_without_an_action_and_one_that_only_stops(stream):
    axis = MultiAxis(stop_time=0.1, limit_actions={Source.HW_LIMIT_NEGATIVE: StopAction.STOP})
    points = stream(400)
    points.velocities[-1] = 0.0
    load(axis, points, final=True)
    axis.inject('limit_positive')
    axis.advance(100)
    assert axis.state is DeviceState.MOVING
    axis.inject('limit_negative')
    axis.advance(100)
    assert (axis.state, axis.source) == (DeviceState.STOPPED, Source.NONE)


@pytest.mark.parametrize('text', ['fire', 'amp_fault elfin_joint7', 'amp_fault elfin_joint1 now'])
def test_what_can_not_be_injected_is_refused_with_what_can(text):
    with pytest.raises(FirmwareError, match='KIND one of amp_fault, following_error'):
        MultiAxis().inject(text)


def test_every_drive_fault_has_its_action():
    assert set(INJECTIONS.values()) == set(LIMIT_ACTIONS)


# Error log


def test_errors_are_logged_once_with_device_time_and_taken_once(stream):
    axis = moving(stream)
    axis.inject('limit_positive elfin_joint4')
    axis.advance(100)
    assert axis.error_log() == ['0.100 s: HW_LIMIT_POSITIVE of elfin_joint4 in MOVING']
    assert axis.error_log() == []


def test_a_log_that_nobody_reads_keeps_the_last_hundred_lines():
    axis = MultiAxis()
    for number in range(150):
        axis.log(str(number))
    lines = axis.error_log()
    assert (len(lines), lines[0], lines[-1]) == (100, '0.000 s: 50', '0.000 s: 149')

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The firmware's rules. Streams move joint 1 at 0.1 rad/s: 0.1 mrad of path per sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.hardware.device import DeviceState, ErrorNumber, FirmwareError, Source
from elfin_bt.hardware.phantom.multi_axis import MultiAxis

EMPTY_COUNT = 120
STEP = 1e-4  # rad of path per sample


def load(axis, points, *, final=False, empty_count=EMPTY_COUNT):
    axis.move_pvt(
        points.positions, points.velocities, points.times, empty_count=empty_count, final=final
    )


def at_rest_at_the_end(points):
    points.velocities[-1] = 0.0
    return points


def joint1(axis) -> float:
    return float(axis.snapshot().position[0])


# Moving


def test_a_closed_move_is_executed_to_its_end_and_leaves_idle(stream):
    axis = MultiAxis()
    load(axis, at_rest_at_the_end(stream(200)), final=True)
    assert axis.state is DeviceState.MOVING
    rows = axis.advance(500)
    assert axis.state is DeviceState.IDLE
    assert len(rows) == 200
    assert rows[:, 0] == pytest.approx(0.001 * np.arange(1, 201))
    assert rows[:, 1] == pytest.approx(STEP * np.arange(1, 201), abs=1e-12)
    assert axis.snapshot().time == pytest.approx(0.5)
    assert np.all(axis.snapshot().velocity == 0.0)


def test_the_path_begins_at_the_commanded_state(stream):
    axis = MultiAxis(position=np.full(6, 0.5))
    points = stream(10, period=0.01)
    points.positions[:] = 0.5
    points.velocities[:] = 0.0
    load(axis, points, final=True)
    rows = axis.advance(100)
    assert np.allclose(rows[:, 1:], 0.5, atol=1e-15)


def test_calls_append_to_an_open_move_without_a_dip_in_speed(stream):
    axis = MultiAxis()
    load(axis, stream(100))
    load(axis, at_rest_at_the_end(stream(100, first=101)), final=True)
    rows = axis.advance(200)
    assert np.diff(rows[1:199, 1]) == pytest.approx(STEP, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=12))
def test_how_time_is_cut_into_calls_makes_no_difference(cuts):
    def scene(cuts):
        axis = MultiAxis()
        n = 150
        positions = np.linspace(0, 0.1, n)[:, None] * np.arange(1, 7)
        velocities = np.full((n, 6), 0.3)
        axis.move_pvt(positions, velocities, np.full(n, 0.002), empty_count=80, final=False)
        axis.set_feed_rate(0.7)
        rows = [axis.advance(cut) for cut in cuts]
        return axis, np.concatenate(rows)

    at_once, expected = scene([sum(cuts)])
    in_pieces, rows = scene(cuts)
    assert np.allclose(rows, expected, atol=1e-13)
    assert in_pieces.state is at_once.state


# Starving (OUT_OF_FRAMES)


def test_a_starved_stream_e_stops_within_one_sample_and_on_its_path(stream):
    axis = MultiAxis()
    load(axis, stream(200))
    axis.advance(140)  # 60 points are left: 120 frames, not fewer than the empty count
    assert axis.state is DeviceState.MOVING
    axis.advance(1)  # 118 frames
    assert axis.state is DeviceState.STOPPING_ERROR
    assert axis.source is Source.OUT_OF_FRAMES
    rows = axis.advance(1000)
    assert axis.state is DeviceState.ERROR
    assert axis.source.name == 'OUT_OF_FRAMES'
    # The ramp takes 50 samples and eats 25 samples of path.
    assert len(rows) == 50
    ramp = np.arange(1, 51)
    assert rows[:, 1] == pytest.approx(STEP * (141 + ramp - ramp**2 / 100), abs=1e-12)
    assert joint1(axis) == pytest.approx(0.0141 + 0.1 * 0.025)


def test_an_opening_call_with_fewer_frames_than_the_empty_count_starves_at_once(stream):
    axis = MultiAxis()
    load(axis, stream(59))
    axis.advance(1)
    assert axis.source is Source.OUT_OF_FRAMES


def test_a_closed_move_does_not_starve(stream):
    axis = MultiAxis()
    load(axis, stream(100))
    load(axis, at_rest_at_the_end(stream(1, first=101)), final=True)
    axis.advance(101)
    assert (axis.state, axis.source) == (DeviceState.IDLE, Source.NONE)


def test_after_starving_only_clear_faults_at_rest_leads_to_a_new_move(stream):
    axis = MultiAxis()
    load(axis, stream(200))
    axis.advance(150)
    with pytest.raises(FirmwareError, match='ClearFaults in STOPPING_ERROR') as mid_ramp:
        axis.clear_faults()
    assert mid_ramp.value.number is ErrorNumber.WRONG_STATE
    with pytest.raises(FirmwareError, match='MovePVT in STOPPING_ERROR'):
        load(axis, stream(10, first=201))
    axis.advance(100)
    with pytest.raises(FirmwareError, match='MovePVT in ERROR'):
        load(axis, stream(10, first=201))
    stopped_at = joint1(axis)
    axis.clear_faults()
    assert (axis.state, axis.source) == (DeviceState.IDLE, Source.NONE)
    assert axis.snapshot().frames_loaded == 0
    back = at_rest_at_the_end(stream(100))
    back.positions[:, 0] = stopped_at * np.linspace(1, 0, 101)[1:]
    back.velocities[:, 0] = -10 * stopped_at
    load(axis, at_rest_at_the_end(back), final=True)
    rows = axis.advance(100)
    assert axis.state is DeviceState.IDLE
    assert abs(rows[0, 1] - stopped_at) < 0.02 * stopped_at
    assert joint1(axis) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ('empty_count', 'halts'),
    [(64, False), (52, False), (50, True), (40, True)],
    ids=['32 ms', '26 ms', '25 ms', '20 ms'],
)
def test_frames_shorter_than_half_the_e_stop_end_in_a_halt_with_a_jerk(stream, empty_count, halts):
    axis = MultiAxis(estop_time=0.05)
    load(axis, stream(200), empty_count=empty_count)
    rows = axis.advance(1000)
    assert (axis.state, axis.source) == (DeviceState.ERROR, Source.OUT_OF_FRAMES)
    last_speed = (rows[-1, 1] - rows[-2, 1]) / 0.001
    # A whole ramp ends with a sample at 1 % of the speed.
    assert (last_speed > 0.01) == halts
    # It never leaves the path.
    assert rows[-1, 1] <= 200 * STEP + 1e-12


# Stopping


def test_e_stop_eats_half_its_time_of_path_and_bounds_the_deceleration(stream):
    axis = MultiAxis()
    load(axis, stream(400))
    axis.advance(100)
    axis.estop()
    assert axis.state is DeviceState.STOPPING_ERROR
    rows = axis.advance(1000)
    assert (axis.state, axis.source) == (DeviceState.ERROR, Source.USER)
    assert joint1(axis) - 100 * STEP == pytest.approx(0.1 * 0.025, abs=1e-12)
    speed = np.diff(rows[:, 1], prepend=100 * STEP) / 0.001
    deceleration = np.diff(speed, prepend=0.1) / 0.001
    assert np.abs(deceleration).max() <= 0.1 / 0.05 * (1 + 1e-6)


def test_the_commanded_velocity_follows_the_ramp(stream):
    axis = MultiAxis()
    load(axis, stream(400))
    axis.advance(100)
    axis.estop()
    axis.advance(25)
    assert axis.snapshot().velocity[0] == pytest.approx(0.05)
    assert axis.snapshot().feed_rate == pytest.approx(0.5)


def test_e_stop_discards_its_frames_only_when_faults_are_cleared(stream):
    axis = MultiAxis()
    load(axis, stream(400))
    axis.advance(100)
    axis.estop()
    axis.advance(50)
    assert axis.snapshot().frames_loaded == 2 * (400 - 125)
    axis.clear_faults()
    assert axis.snapshot().frames_loaded == 0


def test_e_stop_at_rest_is_an_error_at_once_and_a_second_one_changes_nothing(stream):
    axis = MultiAxis()
    axis.estop()
    assert axis.state is DeviceState.ERROR
    axis.estop()
    assert axis.source is Source.USER


def test_a_second_e_stop_does_not_restart_the_ramp(stream):
    axis = MultiAxis()
    load(axis, stream(400))
    axis.advance(100)
    axis.estop()
    axis.advance(30)
    axis.estop()
    axis.advance(20)
    assert axis.state is DeviceState.ERROR


def test_an_e_stop_of_a_starving_stream_does_not_hide_that_it_starved(stream):
    axis = MultiAxis()
    load(axis, stream(200))
    axis.advance(150)
    axis.estop()
    axis.advance(100)
    assert (axis.state, axis.source) == (DeviceState.ERROR, Source.OUT_OF_FRAMES)


def test_an_e_stop_whose_frames_end_during_the_ramp_is_out_of_frames(stream):
    axis = MultiAxis()
    load(axis, stream(200), empty_count=30)
    axis.advance(180)
    axis.estop()  # 20 points are left and the ramp needs 25
    assert axis.source is Source.USER
    axis.advance(100)
    assert (axis.state, axis.source) == (DeviceState.ERROR, Source.OUT_OF_FRAMES)
    assert joint1(axis) == pytest.approx(STEP * 200)


def test_stop_on_a_closed_move_and_resume_stay_exactly_on_the_path(stream):
    axis = MultiAxis(stop_time=0.1)
    load(axis, at_rest_at_the_end(stream(400)), final=True)
    axis.advance(100)
    axis.stop()
    assert axis.state is DeviceState.STOPPING
    axis.advance(100)
    assert axis.state is DeviceState.STOPPED
    assert joint1(axis) == pytest.approx(STEP * 150, abs=1e-12)
    axis.advance(50)
    axis.resume()
    assert axis.state is DeviceState.MOVING
    axis.advance(100)
    assert joint1(axis) == pytest.approx(STEP * 200, abs=1e-12)
    axis.advance(200)
    assert axis.state is DeviceState.IDLE
    assert joint1(axis) == pytest.approx(STEP * 400, abs=1e-12)


def test_stop_on_an_open_stream_ends_out_of_frames(stream):
    axis = MultiAxis(stop_time=0.5)
    load(axis, stream(200))
    axis.advance(10)
    axis.stop()
    axis.advance(1000)
    assert (axis.state, axis.source) == (DeviceState.ERROR, Source.OUT_OF_FRAMES)


def test_a_move_after_stop_without_resume_drops_the_old_points(stream):
    axis = MultiAxis(stop_time=0.01)
    load(axis, stream(400))
    axis.advance(100)
    axis.stop()
    axis.advance(20)
    stopped_at = joint1(axis)
    hold = stream(100)
    hold.positions[:, 0], hold.velocities[:, 0] = stopped_at, 0.0
    load(axis, hold, final=True)
    assert axis.snapshot().frames_loaded == 200
    axis.advance(100)
    assert axis.state is DeviceState.IDLE
    assert joint1(axis) == pytest.approx(stopped_at)


def test_a_move_after_stop_and_resume_appends(stream):
    axis = MultiAxis(stop_time=0.01)
    load(axis, stream(300))
    axis.advance(100)
    axis.stop()
    axis.advance(20)
    axis.resume()
    load(axis, at_rest_at_the_end(stream(10, first=301)), final=True)
    axis.advance(1000)
    assert axis.state is DeviceState.IDLE
    assert joint1(axis) == pytest.approx(STEP * 310)


def test_a_closed_move_that_ends_during_a_stop_is_stopped_at_its_end(stream):
    axis = MultiAxis(stop_time=0.5)
    load(axis, at_rest_at_the_end(stream(100)), final=True)
    axis.advance(50)
    axis.stop()
    axis.advance(1000)
    assert axis.state is DeviceState.STOPPED
    axis.resume()
    assert axis.state is DeviceState.IDLE


def test_abort_halts_at_once_with_amplifiers_off(stream):
    axis = MultiAxis()
    load(axis, stream(400))
    axis.advance(100)
    axis.abort()
    assert axis.state is DeviceState.ERROR
    assert joint1(axis) == pytest.approx(STEP * 100)
    assert len(axis.advance(10)) == 0
    axis.clear_faults()
    with pytest.raises(FirmwareError, match='AmpEnable') as refusal:
        load(axis, stream(100))
    assert refusal.value.number is ErrorNumber.AMPS_DISABLED
    axis.amp_enable()
    load(axis, stream(100))


@pytest.mark.parametrize('call', ['resume', 'amp_enable'])
def test_calls_that_make_no_sense_while_moving_are_refused(stream, call):
    axis = MultiAxis()
    load(axis, stream(400))
    with pytest.raises(FirmwareError, match='in MOVING'):
        getattr(axis, call)()


# Feed rate


def test_a_pause_keeps_its_frames_and_does_not_starve(stream):
    axis = MultiAxis(stop_time=0.1)
    load(axis, stream(400))
    axis.advance(100)
    axis.set_feed_rate(0.0)
    axis.advance(100)
    assert axis.snapshot().velocity[0] == 0.0
    loaded = axis.snapshot().frames_loaded
    assert loaded == 2 * (400 - 150)
    assert len(axis.advance(10_000)) == 0
    assert (axis.state, axis.snapshot().frames_loaded) == (DeviceState.MOVING, loaded)
    axis.set_feed_rate(1.0)
    axis.advance(100)
    assert joint1(axis) == pytest.approx(STEP * 200)


def test_a_feed_rate_of_a_half_takes_twice_as_long(stream):
    axis = MultiAxis()
    axis.set_feed_rate(0.5)
    load(axis, at_rest_at_the_end(stream(100)), final=True)
    assert len(axis.advance(1000)) == 200


def test_an_e_stop_from_half_rate_takes_half_the_time(stream):
    axis = MultiAxis(estop_time=0.05)
    axis.set_feed_rate(0.5)
    load(axis, stream(400))
    axis.advance(100)
    axis.estop()
    axis.advance(24)
    assert axis.state is DeviceState.STOPPING_ERROR
    axis.advance(1)
    assert axis.state is DeviceState.ERROR
    assert joint1(axis) == pytest.approx(STEP * (50 + 0.5 * 25 / 2), abs=1e-12)


@pytest.mark.parametrize('rate', [-2.1, 2.1, np.nan])
def test_feed_rates_out_of_range_are_refused(rate):
    with pytest.raises(FirmwareError, match='lies between -2 and 2'):
        MultiAxis().set_feed_rate(rate)


# Retracing


def retained(stream, points=400, **options):
    """An axis 200 samples into an open move that keeps its points; ramps take 20 samples."""
    axis = MultiAxis(stop_time=0.02, **options)
    line = stream(points)
    axis.move_pvt(
        line.positions, line.velocities, line.times, empty_count=120, final=False, retain=True
    )
    axis.advance(200)
    return axis


def test_a_negative_feed_rate_retraces_the_path_and_a_positive_one_goes_on(stream):
    axis = retained(stream)
    axis.set_feed_rate(-1.0)
    axis.advance(40)  # forward by 10 samples of path and back again
    assert joint1(axis) == pytest.approx(200 * STEP, abs=1e-12)
    rows = axis.advance(100)
    assert rows[:, 1] == pytest.approx(STEP * np.arange(199, 99, -1), abs=1e-12)
    assert axis.snapshot().velocity[0] == pytest.approx(-0.1)
    assert axis.snapshot().frames_loaded == 2 * 300
    assert axis.snapshot().element_id == 100
    axis.set_feed_rate(1.0)
    axis.advance(40)
    assert joint1(axis) == pytest.approx(100 * STEP, abs=1e-12)
    axis.advance(200)
    assert joint1(axis) == pytest.approx(300 * STEP, abs=1e-12)


def test_back_at_the_oldest_point_the_arm_is_paused_there(stream):
    axis = retained(stream)
    axis.set_feed_rate(-2.0)
    axis.advance(1000)
    snapshot = axis.snapshot()
    assert snapshot.position[0] == 0.0 and snapshot.velocity[0] == 0.0
    assert (snapshot.state, snapshot.feed_target) == (DeviceState.MOVING, 0.0)
    axis.set_feed_rate(1.0)
    axis.advance(110)
    assert joint1(axis) == pytest.approx(100 * STEP, abs=1e-12)


def test_retained_points_give_way_to_new_ones(stream):
    axis = retained(stream, points=400)
    assert axis.snapshot().frames_free == 1024 - 2 * 200
    load(axis, stream(300, first=401))  # 700 points, 512 have room: 188 are forgotten
    axis.set_feed_rate(-1.0)
    axis.advance(1000)
    assert joint1(axis) == pytest.approx(188 * STEP, abs=1e-12)


def test_an_e_stop_while_retracing_ends_on_the_path(stream):
    axis = retained(stream, estop_time=0.05)
    axis.set_feed_rate(-1.0)
    axis.advance(90)
    axis.estop()
    rows = axis.advance(100)
    assert axis.state is DeviceState.ERROR
    ramp = np.arange(1, 51)
    assert rows[:, 1] == pytest.approx(STEP * (150 - ramp + ramp**2 / 100), abs=1e-12)
    axis.clear_faults()
    assert axis.snapshot().feed_target == 0.0


def test_what_is_not_retained_can_not_be_retraced(stream):
    axis = MultiAxis()
    for _ in range(2):  # at rest, then in a move that does not keep its points
        with pytest.raises(FirmwareError, match='opened with retain'):
            axis.set_feed_rate(-0.5)
        load(axis, stream(200))


# Refusals


def test_a_move_call_behind_the_final_one_is_refused(stream):
    axis = MultiAxis()
    load(axis, at_rest_at_the_end(stream(100)), final=True)
    with pytest.raises(FirmwareError, match='closed by a final call'):
        load(axis, stream(10, first=101))


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        ({'times': np.full(3, 0.0015)}, 'time 0 is 0.0015 s'),
        ({'times': np.array([0.001, 0.0, 0.001])}, 'time 1 is 0 s'),
        ({'times': np.array([0.001, 0.001, np.inf])}, 'not a finite number'),
        ({'positions': np.full((3, 6), np.nan)}, 'not a finite number'),
        ({'positions': np.zeros((3, 5))}, 'shapes'),
        ({'velocities': np.zeros((2, 6))}, 'shapes'),
        ({'empty_count': 0}, 'emptyCount is 0'),
    ],
)
def test_wrong_arguments_are_refused_and_nothing_moves(change, text):
    axis = MultiAxis()
    call = {
        'positions': np.zeros((3, 6)),
        'velocities': np.zeros((3, 6)),
        'times': np.full(3, 0.001),
        'empty_count': 2,
        'final': True,
    }
    with pytest.raises(FirmwareError, match=text) as refusal:
        axis.move_pvt(**(call | change))
    assert refusal.value.number is ErrorNumber.INVALID_ARGUMENT
    assert axis.state is DeviceState.IDLE


# Progress


def test_identifiers_wrap_at_sixteen_bits_and_progress_stays_monotone(stream):
    axis = MultiAxis()
    hold = stream(1, velocity=0.0)
    load(axis, hold, empty_count=2)
    axis._calls += 65_000  # the state after so many calls, without the seconds they take
    load(axis, hold, empty_count=2)
    axis.advance(1)
    progress = 65_002
    assert axis.snapshot().motion_id == progress
    for _ in range(1000):
        load(axis, hold, empty_count=2)
        axis.advance(1)
        ahead = (axis.snapshot().motion_id - progress) % 65_536
        assert ahead == 1
        progress += ahead
    assert axis.state is DeviceState.MOVING
    assert axis.snapshot().motion_id == 66_002 - 65_536


def test_the_runway_is_what_may_pass_before_the_watchdog_trips(stream):
    axis = MultiAxis()
    assert axis.runway is None
    load(axis, stream(200))
    runway = axis.runway
    axis.advance(runway)
    assert (axis.state, axis.runway) == (DeviceState.MOVING, 0)
    axis.advance(1)
    assert axis.state is DeviceState.STOPPING_ERROR


def test_a_closed_move_has_no_runway_to_watch(stream):
    axis = MultiAxis()
    load(axis, at_rest_at_the_end(stream(100)), final=True)
    assert axis.runway is None

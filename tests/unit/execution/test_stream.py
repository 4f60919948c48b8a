# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The streaming topic through the core: bounded motion whatever comes, and never by itself."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.execution.goal import GoalRequest, Point
from elfin_bt.execution.points import GoalError
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.execution.stream_window import WindowRequest
from elfin_bt.kinematics.limits import JOINT_NAMES

SHARED = Path(os.environ.get('ELFIN_SHARED', Path(__file__).resolve().parents[4] / 'shared'))
RECORDED = SHARED / 'reference' / 'moveit'
ACCELERATION, JERK = 3.0, 30.0
PERIOD = 0.01  # s between windows


@dataclass
class Window:
    """When a window is sent, s from the beginning, and its knots in stream time."""

    due: float
    time: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray


def rolling(positions, points=20, due=None):
    """The windows that MoveIt Servo makes of states at 100 Hz: the last `points`, the newest new.

    Its velocities are central differences, one-sided at the ends.
    """
    time = PERIOD * np.arange(len(positions))
    due = time if due is None else due
    windows = []
    for last in range(2, len(positions)):
        part = slice(max(0, last + 1 - points), last + 1)
        velocities = np.gradient(positions[part], time[part], axis=0)
        windows.append(Window(due[last], time[part], positions[part], velocities))
    return windows


def stream(bench, windows, *, skew=0.0, stamped=True):
    """Send windows when they are due, in order; return refusals by time."""
    begin, refusals = bench.now, []
    for window in windows:
        while bench.now < begin + window.due:
            bench.run(0.004)
        # Servo's newest point is meant for 0.1 s after it was sent.
        stamp = bench.stamp_now - bench.now + begin + window.time[0] + 0.1 + skew
        points = [
            Point(float(t - window.time[0]), tuple(q), tuple(v))
            for t, q, v in zip(window.time, window.positions, window.velocities, strict=True)
        ]
        request = WindowRequest(JOINT_NAMES, points, stamp if stamped else 0.0)
        refusal = bench.core.hear_window(request, bench.now, bench.stamp_now)
        bench.act()
        if refusal:
            refusals.append((bench.now - begin, refusal))
    return refusals


def run_out(bench, limit=5.0):
    end = bench.now + limit
    while bench.core.streams and bench.now < end:
        bench.run(0.004)
    assert not bench.core.streams


def assert_bounded(bench, before):
    executed = bench.executed(before)
    assert bench.device.fault is Fault.NONE
    assert np.abs(np.diff(executed, 2, axis=0)).max() / 1e-6 < ACCELERATION
    assert np.abs(np.diff(executed[::4], 3, axis=0)).max() / 0.004**3 < 1.01 * JERK
    finals = [chunk for chunk in bench.device.chunks if chunk.final]
    assert len(finals) == len({chunk.motion for chunk in bench.device.chunks})
    assert all(np.abs(chunk.velocities[-1]).max() < 1e-9 for chunk in finals)
    return executed


def distance_to_polyline(points, corners):
    """Largest distance (max norm) of points to the polyline through corners."""
    start, step = corners[:-1], np.diff(corners, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-18)
    worst = 0.0
    for point in points:
        along = np.clip(((point - start) * step).sum(axis=1) / length, 0.0, 1.0)
        offset = np.abs(point - start - along[:, None] * step).max(axis=1)
        worst = max(worst, float(offset.min()))
    return worst


def swing(ready, duration=3.0, size=0.15, frequency=0.4):
    """States at 100 Hz of a joint that swings to and fro from rest to rest."""
    t = np.arange(0.0, duration, PERIOD)
    positions = np.tile(ready, (len(t), 1))
    x = np.clip(np.minimum(t, duration - t) / 1.0, 0.0, 1.0)
    envelope = x**3 * (10 - 15 * x + 6 * x * x)
    positions[:, 0] += size * envelope * (1.0 - np.cos(2.0 * np.pi * frequency * t)) / 2.0
    return np.concatenate((positions, np.tile(positions[:1], (15, 1))))


# --- recorded streams


@pytest.fixture(params=['accel', 'butterworth', 'nosmooth'])
def recorded(request):
    path = RECORDED / f'servo_node_{request.param}.json'
    if not path.exists():
        pytest.skip(f'{path} is not there: ELFIN_SHARED names the folder of recorded data')
    record = json.loads(path.read_text())
    positions = np.array(record['stream_positions_last_point'])
    return positions, np.array(record['stream_recv_time'])


def test_a_recorded_servo_stream_is_followed_within_the_limits(tools, recorded):
    positions, received = recorded
    bench = tools.Bench(position=positions[0])
    assert stream(bench, rolling(positions, due=received)) == []
    run_out(bench)
    executed = assert_bounded(bench, positions[0])
    assert len({chunk.motion for chunk in bench.device.chunks}) == 1
    # It begins with a step to full speed, which takes a while to catch up with, and falls silent in
    # motion, up to 0.7 s from rest. In between the arm is on the streamed path.
    assert distance_to_polyline(executed[1000:-700:20], positions) < 1e-3
    assert distance_to_polyline(executed[:1000:20], positions) < 6e-3


@pytest.mark.parametrize('skew', [10.0, -10.0])
def test_a_clock_that_is_10_s_off_changes_nothing(tools, recorded, skew):
    positions, received = recorded
    executed = []
    for each in (0.0, skew):
        bench = tools.Bench(position=positions[0])
        assert stream(bench, rolling(positions, due=received), skew=each) == []
        run_out(bench)
        executed.append(assert_bounded(bench, positions[0]))
    assert len(executed[0]) == len(executed[1])
    np.testing.assert_allclose(executed[0], executed[1], atol=1e-6)


@pytest.mark.parametrize('seed', range(2))
def test_jitter_does_not_shake_the_arm(tools, recorded, seed):
    positions, received = recorded
    rng = np.random.default_rng(seed)
    # Late by up to 15 ms, in order as a reliable topic delivers.
    late = np.maximum.accumulate(received + rng.uniform(0.0, 0.015, len(received)))
    runs = []
    for due in (received, late):
        bench = tools.Bench(position=positions[0])
        assert stream(bench, rolling(positions, due=due)) == []
        run_out(bench)
        runs.append(assert_bounded(bench, positions[0]))
    count = min(map(len, runs)) - 400
    assert np.abs(runs[0][:count] - runs[1][:count]).max() < 2e-3


@pytest.mark.parametrize('gap', [0.05, 0.1, 0.15, 0.2, 0.3])
def test_gaps_end_in_a_tail_or_are_bridged_and_the_stream_goes_on(tools, recorded, gap):
    positions, received = recorded
    bench = tools.Bench(position=positions[0])
    windows = [
        window
        for window in rolling(positions, due=received)
        if not any(begin <= window.due < begin + gap for begin in (0.9, 1.8))
    ]
    refusals = stream(bench, windows)
    run_out(bench)
    assert_bounded(bench, positions[0])
    if gap < 0.3:
        assert len({chunk.motion for chunk in bench.device.chunks}) == 1
        assert not refusals
    assert all('coming to rest' in text for _, text in refusals)


# --- what a streamer may do


def test_a_stream_is_followed_to_its_end_at_rest_exactly(tools, bench):
    positions = swing(tools.READY)
    assert stream(bench, rolling(positions)) == []
    run_out(bench)
    executed = assert_bounded(bench, tools.READY)
    np.testing.assert_allclose(bench.device.position, positions[-1], atol=1e-9)
    assert abs(executed[:, 0].max() - positions[:, 0].max()) < 2e-3
    np.testing.assert_allclose(executed[:, 1:], np.tile(tools.READY[1:], (len(executed), 1)))


def test_the_committed_horizon_is_never_more_than_150_ms(tools, bench):
    depths = []
    execute = bench.device.execute

    def watch(samples):
        execute(samples)
        depths.append(len(bench.device.points))

    bench.device.execute = watch
    stream(bench, rolling(swing(tools.READY)))
    assert max(depths) <= 150
    # and it never comes near the watchdog's 60
    assert min(depths[20:]) > 115


def test_a_change_of_mind_reaches_the_arm_after_the_horizon(tools, bench):
    still = np.tile(tools.READY, (100, 1))
    still[50:, 0] += 0.02
    stream(bench, rolling(still))
    run_out(bench)
    moved = np.flatnonzero(np.abs(np.array(bench.device.executed)[:, 0]) > 1e-5)[0]
    # Window 50 is sent at 0.5 s and its newest point lies (0.15 + 0.02) s behind the committed end.
    assert 480 < moved < 520 + 150 + 40


@pytest.mark.parametrize('seed', range(4))
def test_reversals_and_steps_are_bounded(tools, bench, seed):
    rng = np.random.default_rng(seed)
    speeds = np.repeat(rng.uniform(-0.2, 0.2, (25, 6)), 12, axis=0) * [0.6, 0.4, 0.4, 1, 1, 1]
    positions = tools.READY + np.cumsum(speeds * PERIOD, axis=0)
    stream(bench, rolling(positions))
    run_out(bench)
    assert_bounded(bench, tools.READY)


def test_silence_in_motion_is_a_tail_along_the_straight_line(tools, bench):
    t = np.arange(0.0, 1.0, PERIOD)[:, None]
    ramp = tools.READY + np.array([0.15, 0.05, 0.0, 0.0, 0.1, 0.0]) * t**2
    stream(bench, rolling(ramp))
    silent = len(bench.device.executed) + len(bench.device.points)
    run_out(bench)
    executed = assert_bounded(bench, tools.READY)
    # time-out 0.1 s, then |dv| 0.3 rad/s: sqrt(6 x 0.3 / 30) = 0.25 s, 0.4 s with its acceleration
    assert len(executed) - silent < 100 + 50 + 500
    tail = executed[silent + 150 :]
    direction = tail[-1] - tail[0]
    along = (tail - tail[0]) @ direction / (direction @ direction)
    assert np.abs(tail - tail[0] - along[:, None] * direction).max() < 2e-3
    assert (np.diff(along) > -1e-9).all()


def test_one_message_is_executed_to_its_end(tools, bench):
    target = tools.READY + np.array([0.1, 0.05, 0.0, 0.0, 0.0, 0.3])
    request = WindowRequest(JOINT_NAMES, [Point(2.0, tuple(target))])
    assert bench.core.hear_window(request, bench.now, bench.stamp_now) == ''
    run_out(bench)
    executed = assert_bounded(bench, tools.READY)
    np.testing.assert_allclose(executed[-1], target, atol=1e-9)
    assert 1900 < len(executed) < 2400


def test_positions_alone_are_a_stream_too(tools, bench):
    windows = rolling(swing(tools.READY))
    for window in windows:
        window.velocities = np.zeros((len(window.time), 0))
    assert stream(bench, windows) == []
    run_out(bench)
    executed = assert_bounded(bench, tools.READY)
    assert executed[:, 0].max() > 0.14


def test_messages_without_stamps_are_a_stream_too(tools, bench):
    assert stream(bench, rolling(swing(tools.READY)), stamped=False) == []
    run_out(bench)
    assert assert_bounded(bench, tools.READY)[:, 0].max() > 0.14


def test_a_late_old_window_is_left_out(tools, bench):
    windows = rolling(swing(tools.READY))
    windows[60].due, windows[61].due = windows[61].due, windows[60].due
    refusals = stream(bench, [*windows[:60], windows[61], windows[60], *windows[62:]])
    assert [text for _, text in refusals] == ['the window is 0.010 s older than the last one']
    run_out(bench)
    assert_bounded(bench, tools.READY)


# --- what is refused


def test_windows_are_checked_like_goals(tools, bench):
    def refusal(points, names=JOINT_NAMES):
        return bench.core.hear_window(WindowRequest(names, points), bench.now, bench.stamp_now)

    ready, zero = tuple(tools.READY), (0.0,) * 6
    assert 'missing: elfin_joint1' in refusal([Point(0.1, ready)], names=JOINT_NAMES[1:])
    assert 'not a finite number' in refusal([Point(0.1, (np.nan, *ready[1:]))])
    assert 'limits' in refusal([Point(0.1, (3.2, *ready[1:]))])
    assert 'limit 1.57' in refusal([Point(0.1, ready, (2.0, 0, 0, 0, 0, 0))])
    assert 'must rise' in refusal([Point(0.1, ready, zero), Point(0.1, ready, zero)])
    assert 'effort' in refusal([Point(0.1, ready, effort=zero)])
    assert 'limit 60 s' in refusal([Point(61.0, ready)])
    far = (ready[0] + 1.0, *ready[1:])
    assert '1.000 rad from elfin_joint1' in refusal([Point(0.1, far)])
    bench.run(0.2)
    assert not bench.device.chunks
    assert not bench.core.streams


def test_a_stream_too_fast_for_the_pen_tip_is_brought_to_rest_within_its_limit(tools, bench):
    t = np.arange(0.0, 2.0, PERIOD)[:, None]
    # 0.57 m from axis 1 with the pen: 0.6 rad/s is 0.25 m/s and more.
    fast = tools.READY + np.array([0.35, 0, 0, 0, 0, 0]) * t**2
    stream(bench, rolling(fast))
    run_out(bench)
    assert_bounded(bench, tools.READY)
    assert not bench.stops


def test_action_and_topic_exclude_each_other_and_change_at_rest(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(1))
    bench.send('a', tools.request_of(waypoints))
    bench.run(0.3)
    refusals = stream(bench, rolling(swing(tools.READY))[:3])
    assert len(refusals) == 3
    assert 'a goal owns the arm' in refusals[0][1]
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)

    stream(bench, rolling(swing(bench.device.position))[:50])
    with pytest.raises(GoalError, match='a stream on ~/joint_trajectory owns the arm'):
        bench.send('b', tools.request_of(waypoints))
    run_out(bench)
    there = tools.random_waypoints(np.random.default_rng(2), start=bench.device.position)
    bench.send('c', tools.request_of(there))
    bench.run_until_idle()
    assert bench.outcome('c') == ('succeeded', 0)
    assert_bounded(bench, tools.READY)


@pytest.mark.parametrize('end', ['empty message', 'pause', 'speed 0', 'lease'])
def test_soft_stops_of_a_stream_hold_until_it_was_silent(tools, bench, end):
    windows = rolling(swing(tools.READY, duration=6.0))
    if end == 'lease':
        bench.core.hear_lease(bench.now + 0.3)
    stream(bench, windows[:100])
    match end:
        case 'empty message':
            request = WindowRequest(JOINT_NAMES, [])
            assert bench.core.hear_window(request, bench.now, bench.stamp_now) == ''
        case 'pause':
            bench.device.paused = True
        case 'speed 0':
            bench.core.limit_speed(0.0)
    bench.run(0.004)
    for window in windows[100:]:
        window.due -= 1.0
    refusals = stream(bench, windows[100:300])
    assert len(refusals) == 200
    assert not bench.core.streams
    finals = [chunk for chunk in bench.device.chunks if chunk.final]
    assert len(finals) == 1
    bench.device.paused = False
    bench.core.limit_speed(1.0)
    bench.run(0.2)
    assert stream(bench, rolling(swing(bench.device.position))) == []
    run_out(bench)
    assert_bounded(bench, tools.READY)


def test_an_empty_message_brings_a_goal_to_rest_too(tools, bench):
    bench.send('a', tools.request_of(tools.random_waypoints(np.random.default_rng(1))))
    bench.run(0.5)
    bench.core.hear_window(WindowRequest((), []), bench.now, bench.stamp_now)
    bench.run_until_idle()
    assert bench.outcome('a') == ('aborted', -1)
    assert 'empty trajectory' in bench.results['a'].text


def test_a_window_from_before_a_stop_or_reset_never_moves_the_arm(tools, bench):
    windows = rolling(swing(tools.READY, duration=6.0))
    stream(bench, windows[:100])
    bench.core.stop(bench.now)
    bench.act()
    executed = len(bench.device.executed)
    for window in windows[100:]:
        window.due -= 1.0
    refusals = stream(bench, windows[100:150])
    assert len(refusals) == 50
    assert 'STOP_REQUESTED' in refusals[0][1]
    bench.device.reset()
    bench.run(0.02)
    for window in windows[150:]:
        window.due -= 0.5
    refusals = stream(bench, windows[150:250])
    assert len(refusals) == 100, 'what has streamed on through the reset is not followed'
    assert 'has not been silent' in refusals[0][1]
    assert len(bench.device.executed) == executed
    bench.run(0.2)
    assert stream(bench, rolling(swing(bench.device.position))) == []
    run_out(bench)
    assert len(bench.device.executed) > executed


@pytest.mark.parametrize('fault', [Fault.OUT_OF_FRAMES, Fault.FOLLOWING_ERROR])
def test_a_fault_ends_the_stream(tools, bench, fault):
    stream(bench, rolling(swing(tools.READY))[:100])
    bench.device.latch(fault)
    bench.run(0.01)
    assert not bench.core.streams
    assert fault.name in stream(bench, rolling(swing(tools.READY))[:1])[0][1]


def test_a_stalled_feeder_starves_the_watchdog_only_beyond_the_horizon(tools, bench):
    """60 ms survive; 100 ms are more than low water and watchdog leave: the firmware stops."""
    for pause, fault in ((0.02, Fault.NONE), (0.06, Fault.NONE), (0.1, Fault.OUT_OF_FRAMES)):
        bench = tools.Bench()
        windows = rolling(swing(tools.READY))
        stream(bench, windows[:100])
        bench.device.execute(round(pause / 0.001))
        bench.now += pause
        for window in windows[100:]:
            window.due -= 1.0
        stream(bench, windows[100:])
        assert bench.device.fault is fault, pause
        if fault is Fault.NONE:
            run_out(bench)
            assert_bounded(bench, tools.READY)


def test_settings_of_a_longer_horizon_survive_a_longer_stall(tools):
    bench = tools.Bench(settings=ExecutorSettings(stream_horizon=0.2, stream_low_water=0.18))
    windows = rolling(swing(tools.READY))
    stream(bench, windows[:100])
    bench.device.execute(100)
    bench.now += 0.1
    for window in windows[100:]:
        window.due -= 1.0
    stream(bench, windows[100:])
    assert bench.device.fault is Fault.NONE


def test_a_goal_request_is_no_window(tools, bench):
    """A goal while nothing streams is as good as ever."""
    bench.send('a', GoalRequest(JOINT_NAMES, [Point(1.0, tuple(tools.READY + 0.01))]))
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)

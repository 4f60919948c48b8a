# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Speed limit, pause, preemption, tolerances along the path: all on the path, within the limits."""

from dataclasses import replace

import numpy as np
import pytest

from elfin_bt.execution.actions import Log
from elfin_bt.execution.faults import Fault
from elfin_bt.execution.goal import GoalRequest, Point
from elfin_bt.execution.joint_path import JointPath
from elfin_bt.execution.points import ErrorCode, GoalError
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.execution.tolerances import Tolerance
from elfin_bt.kinematics.limits import JOINT_NAMES

LIMIT = 3.0


def assert_limits(executed):
    assert np.abs(np.diff(executed, 2, axis=0)).max() / 1e-6 < LIMIT


def deviation(waypoints, positions):
    """Largest distance of positions (m, 6) from the path, in rad of the worst joint.

    By dense samples 0.1 ms apart and the tangents there.
    """
    time = np.linspace(0.0, waypoints.time[-1], round(waypoints.time[-1] / 1e-4) + 1)
    path, speed, _ = JointPath(waypoints).evaluate(time)
    worst, previous = 0.0, 0
    for position in positions:
        window = slice(previous, previous + 40)
        offset = position - path[window]
        along = (offset * speed[window]).sum(axis=1)
        along /= np.maximum((speed[window] ** 2).sum(axis=1), 1e-12)
        along = np.clip(along, -1e-4, 1e-4)
        distance = np.abs(offset - along[:, None] * speed[window]).max(axis=1)
        worst, previous = max(worst, distance.min()), previous + int(distance.argmin())
    return worst


@pytest.fixture
def swing(tools):
    return tools.random_waypoints(np.random.default_rng(21), duration=4.0)


def logs(bench):
    """Collect what is logged from now on."""
    texts = []
    take = bench.core.take_actions

    def collecting():
        actions = take()
        texts.extend(action.text for action in actions if isinstance(action, Log))
        return actions

    bench.core.take_actions = collecting
    return texts


# --- cancel


@pytest.mark.parametrize('seed', range(8))
def test_cancel_at_peak_speed_stays_on_the_path_and_holds(tools, bench, seed):
    waypoints = tools.random_waypoints(np.random.default_rng(300 + seed), duration=3.0)
    time = np.linspace(0.0, 3.0, 3001)
    _, velocity, _ = JointPath(waypoints).evaluate(time)
    peak = time[np.abs(velocity).max(axis=1).argmax()]
    bench.send('a', tools.request_of(waypoints))
    while len(bench.device.executed) < max(1, 1000 * (peak - 0.4)):
        bench.run(tools.TICK)
    begun = len(bench.device.executed)
    bench.core.cancel('a')
    bench.run_until_idle()
    assert bench.outcome('a') == ('canceled', 0)
    assert_limits(bench.executed())
    assert deviation(waypoints, bench.device.executed) < 1e-4
    # Committed depth, and |v| / a and a little more for the ramp.
    assert len(bench.device.executed) - begun < 400 + 1000 * 1.57 / 3.0 + 100
    rest = bench.device.position
    bench.run(1.0)
    np.testing.assert_array_equal(bench.device.position, rest)


# --- speed limit


@pytest.mark.parametrize('factor', [0.5, 0.1, 0.03])
def test_a_speed_limit_stretches_time_and_nothing_else(tools, bench, factor):
    waypoints = tools.random_waypoints(np.random.default_rng(3), duration=1.0)
    bench.core.limit_speed(factor)
    bench.send('a', tools.request_of(waypoints))
    bench.run_until_idle(limit=100.0)
    assert bench.outcome('a') == ('succeeded', 0)
    samples = round(1000 / factor)
    assert abs(len(bench.device.executed) - samples) <= 1
    expected, _, _ = JointPath(waypoints).evaluate(factor * 0.001 * np.arange(1, samples))
    np.testing.assert_allclose(bench.device.executed[: samples - 1], expected, atol=1e-9)


@pytest.mark.parametrize('seed', range(10))
def test_the_limit_may_change_at_any_time(tools, bench, seed):
    rng = np.random.default_rng(seed)
    waypoints = tools.random_waypoints(rng, duration=4.0)
    # In pieces, the last but one ending in motion for a while.
    for number, (first, last) in enumerate(((0, 60), (60, 140), (140, 200))):
        bench.send(number, tools.request_of(tools.slice_of(waypoints, first, last)))
    for _ in range(12):
        bench.core.limit_speed(rng.choice([0.0, 0.05, 0.3, 0.7, 1.0]))
        bench.run(rng.uniform(0.05, 0.7))
    bench.core.limit_speed(1.0)
    bench.run_until_idle()
    assert [bench.outcome(number)[0] for number in range(3)] == ['succeeded'] * 3
    assert not bench.device.fault
    assert_limits(bench.executed())
    assert deviation(waypoints, bench.device.executed) < 1e-6
    assert len({chunk.motion for chunk in bench.device.chunks}) == 1


def test_0_percent_waits_at_rest_on_the_path_with_a_live_stream(tools, bench, swing):
    bench.send('a', tools.request_of(swing))
    bench.run(1.0)
    bench.core.limit_speed(0.0)
    # The committed depth and a ramp.
    bench.run(0.4 + 0.6)
    rest = bench.device.position
    assert bench.core.progress().rate == 0.0
    bench.run(2.0)
    np.testing.assert_array_equal(bench.device.position, rest)
    assert not bench.results
    bench.core.limit_speed(1.0)
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)
    assert_limits(bench.executed())


@pytest.mark.parametrize('factor', [0.0, 0.2])
def test_a_slowed_goal_can_be_canceled(tools, bench, swing, factor):
    bench.send('a', tools.request_of(swing))
    bench.run(1.0)
    bench.core.limit_speed(factor)
    bench.run(1.5)
    bench.core.cancel('a')
    bench.run_until_idle()
    assert bench.outcome('a') == ('canceled', 0)
    assert_limits(bench.executed())


def test_nothing_begins_at_0_percent(tools, bench, swing):
    bench.core.limit_speed(0.0)
    bench.send('a', tools.request_of(swing))
    bench.run(1.0)
    assert not bench.device.chunks
    bench.core.limit_speed(1.0)
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)


# --- pause


def test_a_pause_of_the_firmware_fails_nothing_and_lets_nothing_begin(tools, bench, swing):
    request = tools.request_of(swing, path_tolerance=[Tolerance(JOINT_NAMES[0], 0.01)])
    bench.send('a', request)
    bench.run(1.0)
    execute, bench.device.execute = bench.device.execute, lambda samples: None
    bench.device.paused = True
    bench.run(5.0)
    assert not bench.results
    assert bench.core.paused
    bench.device.execute, bench.device.paused = execute, False
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)

    bench.device.paused = True
    bench.run(0.1)
    back = tools.random_waypoints(np.random.default_rng(5), start=bench.device.position)
    bench.send('b', tools.request_of(back))
    motion = bench.device.motion
    bench.run(1.0)
    assert bench.device.motion == motion
    bench.device.paused = False
    bench.run_until_idle()
    assert bench.outcome('b') == ('succeeded', 0)


def test_amplifiers_that_are_off_refuse_goals_with_what_to_do(tools, bench, swing):
    report = bench.device.report
    bench.device.report = lambda stamp: replace(report(stamp), amps_enabled=False)
    bench.run(0.01)
    with pytest.raises(GoalError, match='amplifiers are off: enable them'):
        bench.send('a', tools.request_of(swing))


# --- tolerances along the path


def lagging(bench, joint, by, begin):
    """Let the reports be `by` rad off on a joint from `begin` s on."""
    report = bench.device.report
    start = bench.now

    def off(stamp):
        honest = report(stamp)
        if bench.now - start < begin:
            return honest
        position = honest.position.copy()
        position[joint] += by
        return replace(honest, position=position)

    bench.device.report = off


def test_an_arm_that_leaves_its_path_comes_to_rest_and_the_goal_says_so(tools, bench, swing):
    tolerance = [Tolerance(JOINT_NAMES[4], position=0.01)]
    bench.send('a', tools.request_of(swing, path_tolerance=tolerance))
    lagging(bench, 4, 0.012, 1.0)
    bench.run_until_idle()
    assert bench.outcome('a') == ('aborted', -4)
    assert 'elfin_joint5 left its path: position error is 0.0120 rad' in bench.results['a'].text
    assert 1000 < len(bench.device.executed) < 1000 + 400 + 700
    assert_limits(bench.executed())
    assert deviation(swing, bench.device.executed) < 1e-4


@pytest.mark.parametrize(
    'tolerance',
    [
        [],
        [Tolerance(JOINT_NAMES[3], position=0.01)],
        [Tolerance(JOINT_NAMES[4], position=0.02)],
        [Tolerance(JOINT_NAMES[4], position=-1.0)],
    ],
)
def test_what_is_within_tolerance_or_not_limited_is_left_alone(tools, bench, swing, tolerance):
    bench.send('a', tools.request_of(swing, path_tolerance=tolerance))
    lagging(bench, 4, 0.012, 1.0)
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)


def test_a_velocity_tolerance_is_supervised_too(tools, bench, swing):
    tolerance = [Tolerance(JOINT_NAMES[2], velocity=0.05)]
    bench.send('a', tools.request_of(swing, path_tolerance=tolerance))
    bench.run(1.0)
    report = bench.device.report
    bench.device.report = lambda stamp: replace(
        report(stamp), velocity=report(stamp).velocity - [0, 0, 0.06, 0, 0, 0]
    )
    bench.run(0.1)
    bench.device.report = report
    bench.run_until_idle()
    assert bench.outcome('a') == ('aborted', -4)
    assert 'elfin_joint3 left its path: velocity error is 0.0600' in bench.results['a'].text


def test_the_default_tolerance_is_a_parameter_and_minus_1_lifts_it(tools, swing):
    for given, outcome in (([], ('aborted', -4)), (-1.0, ('succeeded', 0))):
        bench = tools.Bench(settings=ExecutorSettings(path_position_tolerance=0.01))
        tolerance = [Tolerance(name, given) for name in JOINT_NAMES] if given else []
        bench.send('a', tools.request_of(swing, path_tolerance=tolerance))
        lagging(bench, 0, 0.015, 1.0)
        bench.run_until_idle()
        assert bench.outcome('a') == outcome


@pytest.mark.parametrize('factor', [1.0, 0.4, 0.0])
def test_supervision_follows_the_scaled_clock(tools, bench, swing, factor):
    """An arm that does what it is sent is never off its path, however slow it is made."""
    tolerance = [Tolerance(name, 1e-6, 1e-6) for name in JOINT_NAMES]
    bench.send('a', tools.request_of(swing, path_tolerance=tolerance))
    bench.run(0.8)
    bench.core.limit_speed(factor)
    bench.run(2.0)
    bench.core.limit_speed(1.0)
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)


def test_a_following_error_of_the_drives_has_the_code_of_the_path(tools, bench, swing):
    bench.send('a', tools.request_of(swing))
    bench.run(0.5)
    bench.device.latch(Fault.FOLLOWING_ERROR)
    bench.run(tools.TICK)
    assert bench.outcome('a') == ('aborted', -4)
    assert bench.results['a'].text.startswith('FAULT: FOLLOWING_ERROR')


# --- preemption


@pytest.fixture
def preempting(tools):
    return tools.Bench(settings=ExecutorSettings(preempt=True))


def test_a_goal_from_elsewhere_preempts_on_the_path_and_starts_from_where_the_arm_is(
    tools, preempting, swing
):
    bench = preempting
    bench.send('a', tools.request_of(swing))
    bench.run(0.6)
    # Beginning anywhere: it has no point at time 0.
    target = tools.READY + 0.1
    bench.send('b', GoalRequest(JOINT_NAMES, [Point(4.0, tuple(target))]))
    bench.run_until_idle()
    assert bench.outcome('a') == ('aborted', -1)
    assert 'preempted' in bench.results['a'].text
    assert bench.outcome('b') == ('succeeded', 0)
    np.testing.assert_allclose(bench.device.position, target, atol=1e-9)
    assert_limits(bench.executed())
    assert sorted({chunk.motion for chunk in bench.device.chunks}) == [1, 2]


def test_a_preempting_goal_that_starts_where_the_arm_does_not_rest_is_aborted(
    tools, preempting, swing
):
    bench = preempting
    bench.send('a', tools.request_of(swing))
    bench.run(0.6)
    far = replace(swing, positions=swing.positions + 0.3)
    bench.send('b', tools.request_of(far))
    bench.run_until_idle()
    assert bench.outcome('b') == ('aborted', -1)
    assert 'differs from the arm' in bench.results['b'].text


def test_a_goal_that_continues_is_chained_even_so(tools, preempting, swing):
    bench = preempting
    bench.send('a', tools.request_of(tools.slice_of(swing, 0, 100)))
    bench.run(0.6)
    bench.send('b', tools.request_of(tools.slice_of(swing, 100, 200)))
    bench.run_until_idle()
    assert bench.outcome('a') == bench.outcome('b') == ('succeeded', 0)
    assert len(bench.device.executed) == 4000


def test_the_newest_of_several_preempting_goals_runs(tools, preempting, swing):
    bench = preempting
    bench.send('a', tools.request_of(swing))
    bench.run(0.6)
    for name in 'bcd':
        bench.send(name, GoalRequest(JOINT_NAMES, [Point(4.0, tuple(tools.READY + 0.05))]))
        bench.run(0.02)
    assert bench.outcome('b') == bench.outcome('c') == ('aborted', -1)
    bench.run_until_idle()
    assert bench.outcome('d') == ('succeeded', 0)


@pytest.mark.parametrize('end', ['cancel', 'stop'])
def test_a_waiting_goal_can_be_canceled_and_stopped(tools, preempting, swing, end):
    bench = preempting
    bench.send('a', tools.request_of(swing))
    bench.run(0.6)
    bench.send('b', GoalRequest(JOINT_NAMES, [Point(4.0, tuple(tools.READY))]))
    if end == 'cancel':
        bench.core.cancel('b')
        bench.act()
        assert bench.outcome('b') == ('canceled', 0)
        bench.run_until_idle()
    else:
        bench.core.stop(bench.now)
        bench.act()
        assert bench.outcome('b') == ('aborted', -1)
        assert 'STOP_REQUESTED' in bench.results['b'].text
    assert bench.core.goals == 0


# --- delayed starts


def test_a_goal_with_a_stamp_waits_at_rest_until_it_is_due(tools, bench, swing):
    bench.send('a', tools.request_of(swing, stamp=bench.stamp_now + 1.5))
    bench.run(1.49)
    assert not bench.device.chunks
    bench.run(0.02)
    assert bench.device.chunks
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)


def test_a_waiting_goal_can_be_canceled_and_the_arm_may_not_move_meanwhile(tools, bench, swing):
    bench.send('a', tools.request_of(swing, stamp=bench.stamp_now + 1.5))
    bench.run(0.5)
    bench.core.cancel('a')
    bench.act()
    assert bench.outcome('a') == ('canceled', 0)
    bench.send('b', tools.request_of(swing, stamp=bench.stamp_now + 1.0))
    bench.device.position = bench.device.position + 0.06
    bench.run(1.1)
    assert bench.outcome('b') == ('aborted', -1)
    assert 'has moved' in bench.results['b'].text


def test_a_queued_goal_waits_at_rest_and_a_continuation_in_motion_is_in_time(tools, bench, swing):
    back = tools.random_waypoints(np.random.default_rng(4), start=swing.positions[-1])
    first, second = tools.slice_of(swing, 0, 100), tools.slice_of(swing, 100, 200)
    bench.send('a', tools.request_of(first))
    # Its stamp is when the queue gets there: fine.
    bench.send('b', tools.request_of(second, stamp=bench.stamp_now + 2.0))
    bench.send('c', tools.request_of(back, stamp=bench.stamp_now + 6.0))
    bench.run(5.9)
    assert bench.outcome('b') == ('succeeded', 0)
    assert len(bench.device.executed) == 4000
    bench.run_until_idle()
    assert bench.outcome('c') == ('succeeded', 0)
    assert sorted({chunk.motion for chunk in bench.device.chunks}) == [1, 2]


def test_a_continuation_in_motion_cannot_wait(tools, bench, swing):
    first, second = tools.slice_of(swing, 0, 100), tools.slice_of(swing, 100, 200)
    bench.send('a', tools.request_of(first))
    with pytest.raises(GoalError, match='ends in motion 1.000 s before its header stamp') as caught:
        bench.send('b', tools.request_of(second, stamp=bench.stamp_now + 3.0))
    assert not caught.value.rejected


# --- where a goal begins


@pytest.mark.parametrize('share', ['cubic', 'quintic'])
def test_a_gap_at_the_start_is_closed_first_and_the_path_is_executed_exactly(tools, bench, share):
    waypoints = tools.random_waypoints(np.random.default_rng(8), duration=2.0)
    if share == 'quintic':
        _, _, accelerations = JointPath(waypoints).evaluate(waypoints.time)
        waypoints = replace(waypoints, accelerations=accelerations)
    bench.device.position = waypoints.positions[0] + 0.05
    bench.run(2 * tools.TICK)
    texts = logs(bench)
    bench.send('a', tools.request_of(waypoints))
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)
    # by hand: T = sqrt(6 x 0.05 / (0.25 x 3)) = 0.632 s
    assert any('0.0500 rad from the arm' in text and '0.63 s' in text for text in texts)
    executed = bench.executed(before=waypoints.positions[0] + 0.05)
    assert_limits(executed)
    lead_in = np.array(bench.device.executed[:632])
    assert (np.diff(lead_in, axis=0) <= 1e-12).all(), 'straight to the first point, not beyond'
    assert deviation(waypoints, bench.device.executed[634:]) < 1e-6


def test_a_gap_within_a_line_width_decays_along_the_path(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(8), duration=2.0)
    bench.device.position = waypoints.positions[0] + 0.0009
    bench.run(2 * tools.TICK)
    bench.send('a', tools.request_of(waypoints))
    bench.run_until_idle()
    assert len(bench.device.executed) == 2000
    expected, _, _ = JointPath(waypoints).evaluate(np.arange(1, 2001) * 0.001)
    assert np.abs(bench.device.executed - expected).max() < 0.0009
    # by hand: sqrt(10 / sqrt(3) x 0.0009 / (0.05 x 3)) = 0.186 s, then the path itself
    np.testing.assert_allclose(bench.device.executed[190:], expected[190:], atol=1e-9)


# --- other rules


def test_a_goal_that_nobody_continued_has_the_code_of_a_missed_end(tools, bench, swing):
    bench.send('a', tools.request_of(tools.slice_of(swing, 0, 100)))
    bench.run_until_idle()
    assert bench.outcome('a') == ('aborted', int(ErrorCode.GOAL_TOLERANCE_VIOLATED))
    assert 'no goal that continues it came in time' in bench.results['a'].text
    assert len(bench.device.executed) > 1800, 'braked at the last moment'
    assert_limits(bench.executed())
    assert deviation(swing, bench.device.executed) < 1e-4


def test_a_deactivated_executor_says_so_and_not_that_somebody_pressed_stop(tools, bench, swing):
    bench.send('a', tools.request_of(swing))
    bench.run(0.5)
    bench.core.deactivate(bench.now)
    bench.act()
    bench.run(0.1)
    bench.core.activate()
    assert bench.core.fault is Fault.STOP_REQUESTED
    assert 'the executor was deactivated in motion' in bench.core.refusal
    assert 'a stop was requested' not in bench.core.refusal
    bench.device.reset()
    bench.run(0.1)
    assert bench.core.refusal == ''
    bench.core.stop(bench.now)
    bench.act()
    bench.run(0.1)
    assert 'a stop was requested' in bench.core.refusal


def test_a_storm_of_stops_asks_the_hardware_once(bench):
    bench.device.mute = True
    for _ in range(50):
        bench.core.stop(bench.now)
    bench.act()
    assert len(bench.stops) == 1


def test_joints_go_by_the_names_that_are_configured(tools, swing):
    names = tuple(f'left_{name}' for name in JOINT_NAMES)
    bench = tools.Bench(settings=ExecutorSettings(joint_names=names))
    order = (3, 0, 5, 1, 4, 2)
    request = tools.request_of(swing)
    shuffled = GoalRequest(
        joint_names=[names[joint] for joint in order],
        points=[
            replace(
                point,
                positions=[point.positions[joint] for joint in order],
                velocities=[point.velocities[joint] for joint in order],
            )
            for point in request.points
        ],
    )
    bench.send('a', shuffled)
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)
    expected, _, _ = JointPath(swing).evaluate(np.arange(1, 4001) * 0.001)
    np.testing.assert_allclose(bench.device.executed, expected, atol=1e-12)
    with pytest.raises(GoalError, match='missing: left_elfin_joint1') as caught:
        bench.send('b', request)
    assert caught.value.code is ErrorCode.INVALID_JOINTS


def test_where_the_arm_will_be_can_be_asked(tools, bench, swing):
    assert bench.core.state_in(0.0) is None
    bench.send('a', tools.request_of(swing))
    bench.run(1.0)
    for ahead in (0.0, 0.2, 1.0, 2.5):
        executed = len(bench.device.executed)
        time = np.array([0.001 * executed + ahead])
        expected = JointPath(swing).evaluate(time)
        for given, value, slack in zip(
            bench.core.state_in(ahead), expected, (0.01, 0.03, 0.3), strict=True
        ):
            np.testing.assert_allclose(given, value[0], atol=slack)
    assert bench.core.state_in(4.0) is None


def test_10_000_short_goals_are_one_motion_without_a_dip(tools, bench):
    """A swing over 100 s in pieces of 10 ms, each sent when the queue has room for it."""
    duration, pieces = 100.0, 10_000
    edges = np.linspace(0.0, duration, pieces + 1)
    rate = 2.0 * np.pi / 5.0

    def knots(times):
        q, v = np.tile(tools.READY, (len(times), 1)), np.zeros((len(times), 6))
        a = np.zeros_like(v)
        window = np.clip(np.minimum(times, duration - times) / 2.0, 0.0, 1.0)
        gate = window**3 * (10 - 15 * window + 6 * window**2)
        slope = 30 * window**2 * (1 - window) ** 2 / 2.0 * np.sign(duration / 2 - times)
        bend = 60 * window * (1 - window) * (1 - 2 * window) / 4.0
        bend = np.where((window > 0.0) & (window < 1.0), bend, 0.0)
        s, c = np.sin(rate * times), np.cos(rate * times)
        q[:, 0] += 0.2 * gate * s
        v[:, 0] = 0.2 * (slope * s + gate * rate * c)
        a[:, 0] = 0.2 * (bend * s + 2 * slope * rate * c - gate * rate**2 * s)
        return q, v, a

    sent = 0
    while len(bench.results) < pieces:
        # In handfuls: each growth of the queue costs a look ahead.
        room = 32 - bench.core.goals if bench.core.goals <= 28 else 0
        for _ in range(min(room, pieces - sent)):
            q, v, a = knots(edges[sent : sent + 2])
            length = edges[sent + 1] - edges[sent]
            points = [
                Point(t, tuple(q[i]), tuple(v[i]), tuple(a[i])) for i, t in enumerate((0.0, length))
            ]
            bench.send(sent, GoalRequest(JOINT_NAMES, points))
            sent += 1
        bench.run(tools.TICK)
        assert bench.now < 10.0 + 1.05 * duration, 'it does not dip'
    assert {result.outcome.value for result in bench.results.values()} == {'succeeded'}
    assert len({chunk.motion for chunk in bench.device.chunks}) == 1
    samples = np.arange(1, len(bench.device.executed) + 1) * 0.001
    assert abs(len(samples) - 100_000) <= 1
    expected, _, _ = knots(np.minimum(samples, duration))
    assert np.abs(bench.device.executed - expected).max() < 1e-6
    assert_limits(bench.executed())

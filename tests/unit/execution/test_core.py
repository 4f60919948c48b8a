# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor core against a simulated device: motions, chains, ways of coming to rest."""

import numpy as np
import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.execution.goal import GoalError
from elfin_bt.execution.joint_path import JointPath
from elfin_bt.execution.settings import ExecutorSettings

ACCELERATION_LIMIT = 3.0


def accelerations(positions):
    return np.diff(positions, 2, axis=0) / 1e-6


def assert_on_path(waypoints, positions, tolerance=1e-6):
    """Every position lies on the path of the waypoints, and the path is only run forwards."""
    dense = np.linspace(0.0, waypoints.time[-1], round(waypoints.time[-1] / 0.0002) + 1)
    path, speed, _ = JointPath(waypoints).evaluate(dense)
    previous = 0
    for position in positions:
        window = slice(previous, previous + 12)
        # Distance to the path's tangents: the dense points are 0.2 ms apart.
        offset = position - path[window]
        along = (offset * speed[window]).sum(axis=1)
        along /= np.maximum((speed[window] ** 2).sum(axis=1), 1e-12)
        along = np.clip(along, -0.0002, 0.0002)
        distance = np.abs(offset - along[:, None] * speed[window]).max(axis=1)
        assert distance.min() < tolerance
        previous += int(distance.argmin())


def test_goal_is_executed_to_the_sample_and_succeeds_after_the_dwell(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(1))
    bench.send('a', tools.request_of(waypoints))
    bench.run_until_idle()

    assert bench.outcome('a') == ('succeeded', 0)
    assert len(bench.device.executed) == 2000
    expected, _, _ = JointPath(waypoints).evaluate(np.arange(1, 2001) * 0.001)
    np.testing.assert_allclose(bench.device.executed, expected, atol=1e-12)
    np.testing.assert_allclose(bench.device.executed[-1], waypoints.positions[-1], atol=1e-12)
    assert bench.device.chunks[-1].final
    assert not any(chunk.final for chunk in bench.device.chunks[:-1])
    np.testing.assert_array_equal(bench.device.chunks[-1].velocities[-1], np.zeros(6))
    assert bench.device.fault is Fault.NONE


def test_success_is_not_declared_before_the_device_is_idle_and_still(tools, bench):
    bench.send('a', tools.request_of(tools.random_waypoints(np.random.default_rng(1))))
    while len(bench.device.executed) < 2000:
        bench.run(tools.TICK)
    bench.run(0.08)
    assert 'a' not in bench.results
    bench.run(0.04)
    assert bench.outcome('a') == ('succeeded', 0)


@pytest.mark.parametrize('seed', range(6))
def test_chained_goals_run_as_one_motion_without_rounding(tools, bench, seed):
    rng = np.random.default_rng(seed)
    # 13 ms knots and cuts at random: no goal lasts a whole number of samples of the others' grid.
    waypoints = tools.random_waypoints(rng, duration=2.6013, spacing=0.01317)
    cuts = [0, *sorted(rng.choice(np.arange(8, 180), 9, replace=False)), len(waypoints) - 1]
    for number, (first, last) in enumerate(zip(cuts[:-1], cuts[1:], strict=True)):
        bench.send(number, tools.request_of(tools.slice_of(waypoints, first, last)))
    bench.run_until_idle()

    assert [bench.outcome(number) for number in range(10)] == [('succeeded', 0)] * 10
    assert len({chunk.motion for chunk in bench.device.chunks}) == 1
    assert len(bench.device.executed) == int(np.ceil(2601.3))
    expected, _, _ = JointPath(waypoints).evaluate(np.arange(1, 2602) * 0.001)
    np.testing.assert_allclose(bench.device.executed[:-1], expected, atol=1e-9)
    assert np.abs(accelerations(bench.executed())).max() < ACCELERATION_LIMIT


def test_a_short_piece_that_ends_in_motion_waits_for_its_successor_before_it_begins(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(2))
    bench.send('a', tools.request_of(tools.slice_of(waypoints, 0, 5)))
    bench.run(0.09)
    assert not bench.device.executed
    bench.send('b', tools.request_of(tools.slice_of(waypoints, 5, 100)))
    bench.run_until_idle()
    assert bench.outcome('a') == bench.outcome('b') == ('succeeded', 0)
    assert len(bench.device.executed) == 2000


@pytest.mark.parametrize('patience', [0.0, 0.5])
def test_braking_is_put_off_while_device_time_stands_still(tools, patience):
    """A device that holds its time still with few frames left waits for a late successor."""
    bench = tools.Bench(settings=ExecutorSettings(successor_patience=patience))
    waypoints = tools.random_waypoints(np.random.default_rng(2))
    bench.send('a', tools.request_of(tools.slice_of(waypoints, 0, 50)))
    bench.run(0.4)
    while len(bench.device.points) > 90:
        bench.run(tools.TICK)
    execute, bench.device.execute = bench.device.execute, lambda samples: None
    bench.run(0.3)
    assert bench.device.chunks[-1].final == (patience == 0.0)
    if patience:
        bench.send('b', tools.request_of(tools.slice_of(waypoints, 50, 100)))
        bench.device.execute = execute
        bench.run_until_idle()
        assert len(bench.device.executed) == 2000
        assert len({chunk.motion for chunk in bench.device.chunks}) == 1


def test_goals_succeed_in_order_while_the_motion_goes_on(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(2))
    for number in range(4):
        part = tools.slice_of(waypoints, 25 * number, 25 * number + 25)
        bench.send(number, tools.request_of(part))
    bench.run(0.54)
    assert list(bench.results) == [0]
    bench.run(0.5)
    assert list(bench.results) == [0, 1]


@pytest.mark.parametrize('seed', range(12))
def test_late_successors_never_break_the_path_or_the_limits(tools, bench, seed):
    """Pieces arrive at random: early, in the ramp, or never. The arm stays on the path."""
    rng = np.random.default_rng(seed)
    waypoints = tools.random_waypoints(rng, duration=3.0)
    sent = refused = 0
    for first in range(0, 150, 10):
        part = tools.slice_of(waypoints, first, first + 10)
        try:
            bench.send(first, tools.request_of(part))
        except GoalError:
            refused += 1
            break
        sent += 1
        bench.run(rng.uniform(0.1, 0.26))
    bench.run_until_idle()

    assert bench.device.fault is Fault.NONE
    assert bench.device.chunks[-1].final
    assert np.abs(accelerations(bench.executed())).max() < ACCELERATION_LIMIT
    assert_on_path(waypoints, bench.device.executed)
    outcomes = [bench.outcome(goal)[0] for goal in bench.results]
    if not refused:
        assert outcomes == ['succeeded'] * sent
    else:
        assert outcomes == ['succeeded'] * (sent - 1) + ['aborted']
        assert 'ends in motion' in bench.results[max(bench.results)].text


def test_the_path_slows_for_a_late_successor_and_goes_on(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(5), duration=3.0)
    bench.send('a', tools.request_of(tools.slice_of(waypoints, 0, 75)))
    while bench.core.progress().rate == 1.0:
        bench.run(tools.TICK)
    bench.send('b', tools.request_of(tools.slice_of(waypoints, 75, 150)))
    bench.run_until_idle()
    assert bench.outcome('a') == bench.outcome('b') == ('succeeded', 0)
    assert 3000 < len(bench.device.executed) < 3100
    assert len({chunk.motion for chunk in bench.device.chunks}) == 1
    assert np.abs(accelerations(bench.executed())).max() < ACCELERATION_LIMIT


@pytest.mark.parametrize('seed', range(12))
def test_cancel_comes_to_rest_on_the_path_within_the_limits(tools, bench, seed):
    rng = np.random.default_rng(100 + seed)
    waypoints = tools.random_waypoints(rng, duration=2.0)
    bench.send('a', tools.request_of(tools.slice_of(waypoints, 0, 60)))
    bench.send('b', tools.request_of(tools.slice_of(waypoints, 60, 100)))
    bench.run(rng.uniform(0.05, 1.0))
    begun = len(bench.device.executed)
    bench.core.cancel('a')
    with pytest.raises(GoalError, match='coming to rest|too late|busy'):
        bench.send('c', tools.request_of(waypoints))
    bench.run_until_idle()

    assert bench.outcome('a') == ('canceled', 0)
    assert bench.outcome('b') == ('aborted', -1)
    assert 'canceled' in bench.results['b'].text
    # At rest within the committed depth and a ramp.
    assert len(bench.device.executed) - begun < 400 + 300
    assert bench.device.chunks[-1].final
    assert np.abs(accelerations(bench.executed())).max() < ACCELERATION_LIMIT
    assert_on_path(waypoints, bench.device.executed)


def test_cancelling_a_goal_that_has_not_begun_lets_the_one_before_finish(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(3))
    back = tools.random_waypoints(np.random.default_rng(4), start=waypoints.positions[-1])
    bench.send('a', tools.request_of(waypoints))
    bench.send('b', tools.request_of(back))
    bench.run(0.3)
    bench.core.cancel('b')
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)
    assert bench.outcome('b') == ('canceled', 0)
    assert len(bench.device.executed) == 2000


def test_a_goal_from_rest_after_the_last_point_was_sent_opens_a_new_motion(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(3))
    back = tools.random_waypoints(np.random.default_rng(4), start=waypoints.positions[-1])
    bench.send('a', tools.request_of(waypoints))
    while not (bench.device.chunks and bench.device.chunks[-1].final):
        bench.run(tools.TICK)
    bench.send('b', tools.request_of(back))
    bench.run_until_idle()
    assert bench.outcome('a') == bench.outcome('b') == ('succeeded', 0)
    assert sorted({chunk.motion for chunk in bench.device.chunks}) == [1, 2]
    assert len(bench.device.executed) == 4000
    assert np.abs(accelerations(bench.executed())).max() < ACCELERATION_LIMIT


def test_stop_discards_everything_and_refuses_until_reset(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(6))
    bench.send('a', tools.request_of(tools.slice_of(waypoints, 0, 50)))
    bench.send('b', tools.request_of(tools.slice_of(waypoints, 50, 100)))
    bench.run(0.4)
    bench.core.stop(bench.now)
    bench.act()
    executed = len(bench.device.executed)
    assert bench.outcome('a') == bench.outcome('b') == ('aborted', -1)
    assert bench.results['a'].text.startswith('FAULT: STOP_REQUESTED')
    assert len(bench.stops) == 1
    with pytest.raises(GoalError, match='STOP_REQUESTED'):
        bench.send('c', tools.request_of(waypoints))
    bench.run(0.5)
    bench.core.stop(bench.now)
    bench.act()
    with pytest.raises(GoalError, match='STOP_REQUESTED'):
        bench.send('c', tools.request_of(waypoints))

    bench.device.reset()
    bench.run(0.5)
    assert len(bench.device.executed) == executed
    assert len(bench.stops) == 2
    there = tools.random_waypoints(np.random.default_rng(7), start=bench.device.position)
    bench.send('d', tools.request_of(there))
    bench.run_until_idle()
    assert bench.outcome('d') == ('succeeded', 0)


def test_a_stop_is_repeated_until_the_hardware_confirms(bench):
    bench.device.mute = True
    bench.core.stop(bench.now)
    bench.run(0.6)
    assert len(bench.stops) == 3
    bench.device.mute = False
    bench.run(0.6)
    assert bench.device.fault is Fault.STOP_REQUESTED
    assert len(bench.stops) == 4


@pytest.mark.parametrize('fault', [Fault.OUT_OF_FRAMES, Fault.CHUNK_LOST])
def test_a_fault_of_the_hardware_aborts_with_its_text(tools, bench, fault):
    bench.send('a', tools.request_of(tools.random_waypoints(np.random.default_rng(6))))
    bench.run(0.3)
    bench.device.latch(fault)
    bench.run(tools.TICK)
    assert bench.outcome('a') == ('aborted', -1)
    assert bench.results['a'].text == fault.abort_text


def test_a_new_epoch_aborts_the_motion(tools, bench):
    bench.send('a', tools.request_of(tools.random_waypoints(np.random.default_rng(6))))
    bench.run(0.3)
    bench.device.epoch = 77
    bench.device.points.clear()
    bench.run(tools.TICK)
    assert 'restarted or reset' in bench.results['a'].text


def test_silent_hardware_ends_the_motion_and_refuses_goals(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(6))
    bench.send('a', tools.request_of(waypoints))
    bench.run(0.3)
    bench.device.mute = True
    bench.run(0.52)
    assert bench.outcome('a') == ('aborted', -1)
    assert 'hardware not answering' in bench.results['a'].text
    assert bench.stops

    idle = tools.Bench()
    idle.device.mute = True
    idle.run(0.6)
    with pytest.raises(GoalError, match='hardware not answering'):
        idle.send('a', tools.request_of(waypoints))


def test_a_lost_chunk_is_named(tools, bench):
    bench.send('a', tools.request_of(tools.random_waypoints(np.random.default_rng(6))))
    bench.run(0.3)
    bench.device.take = lambda chunk: None
    bench.run(0.4)
    assert bench.results['a'].text.startswith('FAULT: CHUNK_LOST')


def test_a_silent_lease_brings_the_arm_to_rest_on_the_path(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(8), duration=3.0)
    bench.send('a', tools.request_of(waypoints))
    for _ in range(5):
        bench.core.hear_lease(bench.now)
        bench.run(0.1)
    bench.run_until_idle()
    assert bench.outcome('a') == ('aborted', -1)
    assert 'lease' in bench.results['a'].text
    assert len(bench.device.executed) < 500 + 500 + 400 + 100
    assert np.abs(accelerations(bench.executed())).max() < ACCELERATION_LIMIT
    assert bench.device.chunks[-1].final

    # The lease has lapsed: a client without one is exempt.
    there = tools.random_waypoints(np.random.default_rng(9), start=bench.device.position)
    bench.send('b', tools.request_of(there))
    bench.run_until_idle()
    assert bench.outcome('b') == ('succeeded', 0)


def test_deactivation_stops_a_motion_and_refuses_goals(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(8))
    bench.send('a', tools.request_of(waypoints))
    bench.run(0.3)
    bench.core.deactivate(bench.now)
    bench.act()
    assert bench.stops
    assert 'deactivated' in bench.results['a'].text
    bench.device.reset()
    bench.run(0.1)
    with pytest.raises(GoalError, match='not active'):
        bench.send('b', tools.request_of(waypoints))


def test_frames_stay_between_watchdog_and_buffer(tools, bench):
    """400 points are committed at most, and whole chunks follow as soon as they fit."""
    depths = []
    bench.send('a', tools.request_of(tools.random_waypoints(np.random.default_rng(8), 4.0)))
    for _ in range(800):
        bench.run(tools.TICK)
        depths.append(len(bench.device.points))
    assert 336 < max(depths) <= 400
    assert min(depths[1:]) > 336 - 8  # refilled by whole chunks, two ticks late at most


def test_a_goal_that_breaks_a_limit_between_its_points_moves_nothing(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(8), share=8.0)
    bench.send('a', tools.request_of(waypoints))
    bench.run(0.2)
    assert bench.outcome('a') == ('aborted', -1)
    assert 'limit' in bench.results['a'].text
    assert not bench.device.executed


def test_a_bad_successor_leaves_the_arm_at_rest_on_the_path_before(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(8), duration=3.0)
    bench.send('a', tools.request_of(tools.slice_of(waypoints, 0, 75)))
    bench.run(0.2)
    bad = tools.slice_of(waypoints, 75, 150)
    # 4 x 0.03 / 0.02 = 6 rad/s2 on top between the points, which no point shows.
    bad.velocities[40, 2] += 0.03
    bench.send('b', tools.request_of(bad))
    bench.run_until_idle()
    assert 'elfin_joint3' in bench.results['b'].text
    assert 'ends in motion' in bench.results['a'].text
    assert_on_path(waypoints, bench.device.executed)
    assert np.abs(accelerations(bench.executed())).max() < ACCELERATION_LIMIT


def test_goal_tolerance_and_time_are_kept(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(8))
    bench.send('a', tools.request_of(waypoints, goal_time=0.2))
    bench.run(1.95)
    bench.run(0.05)
    while bench.device.points:
        bench.run(tools.TICK)
    bench.device.position = bench.device.position + np.array([0, 0, 0.03, 0, 0, 0])
    bench.run(0.15)
    assert not bench.results
    bench.run(0.15)
    assert bench.outcome('a') == ('aborted', -5)
    assert 'elfin_joint3' in bench.results['a'].text
    assert '0.0300' in bench.results['a'].text


def test_a_start_that_is_off_is_taken_up_smoothly(tools, bench):
    waypoints = tools.random_waypoints(np.random.default_rng(8), duration=3.0)
    bench.device.position = waypoints.positions[0] + 0.02
    bench.run(2 * tools.TICK)
    bench.send('a', tools.request_of(waypoints))
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)
    executed = bench.executed(before=waypoints.positions[0] + 0.02)
    assert np.abs(accelerations(executed)).max() < ACCELERATION_LIMIT
    np.testing.assert_allclose(executed[-1], waypoints.positions[-1], atol=1e-12)


def test_a_single_point_of_positions_is_reached_in_time_on_a_straight_line(tools, bench):
    from elfin_bt.execution.goal import GoalRequest, Point
    from elfin_bt.kinematics.limits import JOINT_NAMES

    target = tools.READY + np.array([0.1, 0.05, -0.05, 0.0, 0.1, 0.2])
    bench.send('a', GoalRequest(JOINT_NAMES, [Point(2.0, tuple(target))]))
    bench.run_until_idle()
    assert bench.outcome('a') == ('succeeded', 0)
    assert len(bench.device.executed) == 2000
    offset = np.array(bench.device.executed) - tools.READY
    np.testing.assert_allclose(offset, offset[:, :1] * (target - tools.READY) / 0.1, atol=1e-12)
    np.testing.assert_array_equal(offset[-1] + tools.READY, bench.device.position)
    np.testing.assert_allclose(bench.device.position, target, atol=1e-12)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Where a goal may begin: at the arm, or at the end of the queue."""

import numpy as np
import pytest

from elfin_bt.execution.goal import GoalError
from elfin_bt.execution.joint_path import Waypoints
from elfin_bt.execution.settings import ExecutorSettings


@pytest.fixture
def waypoints(tools):
    return tools.random_waypoints(np.random.default_rng(3))


@pytest.mark.parametrize('offset, good', [(0.0, True), (0.051, True), (0.053, False)])
def test_the_first_point_at_time_0_asserts_where_the_arm_is(tools, bench, waypoints, offset, good):
    waypoints.positions[:, 4] += offset
    if good:
        bench.send('a', tools.request_of(waypoints))
        return
    with pytest.raises(GoalError, match='elfin_joint5.*arm') as caught:
        bench.send('a', tools.request_of(waypoints))
    assert not caught.value.rejected


def test_a_goal_may_not_begin_in_motion_while_the_arm_rests(tools, bench, waypoints):
    part = tools.slice_of(waypoints, 40, 100)
    bench.device.position = part.positions[0]
    bench.run(2 * tools.TICK)
    with pytest.raises(GoalError, match='velocity'):
        bench.send('a', tools.request_of(part))


@pytest.mark.parametrize(
    'position, velocity, good',
    [(9e-7, 9e-5, True), (2e-6, 0.0, False), (0.0, 2e-4, False)],
)
def test_a_busy_executor_takes_what_continues_its_queue(
    tools, bench, waypoints, position, velocity, good
):
    first, second = tools.slice_of(waypoints, 0, 50), tools.slice_of(waypoints, 50, 100)
    bench.send('a', tools.request_of(first))
    bench.run(0.1)
    second.positions[:, 1] += position
    second.velocities[0, 1] += velocity
    if not good:
        with pytest.raises(GoalError, match='busy.*elfin_joint2') as caught:
            bench.send('b', tools.request_of(second))
        assert caught.value.rejected
        return
    bench.send('b', tools.request_of(second))
    bench.run_until_idle()
    assert bench.outcome('b') == ('succeeded', 0)
    # What the seam is off by is taken up within the limits.
    assert np.abs(np.diff(bench.executed(), 2, axis=0)).max() / 1e-6 < 3.0


def test_a_goal_without_a_point_at_time_0_continues_from_the_queue(tools, bench, waypoints):
    first, second = tools.slice_of(waypoints, 0, 50), tools.slice_of(waypoints, 50, 100)
    bench.send('a', tools.request_of(first))
    later = Waypoints(second.time[1:], second.positions[1:], second.velocities[1:])
    bench.send('b', tools.request_of(later))
    bench.run_until_idle()
    assert bench.outcome('b') == ('succeeded', 0)
    assert len(bench.device.executed) == 2000


def test_the_queue_is_bounded(tools):
    bench = tools.Bench(settings=ExecutorSettings(queue_size=3))
    waypoints = tools.random_waypoints(np.random.default_rng(3))
    for number in range(3):
        part = tools.slice_of(waypoints, 20 * number, 20 * number + 20)
        bench.send(number, tools.request_of(part))
    with pytest.raises(GoalError, match='3 goals are queued'):
        bench.send(3, tools.request_of(tools.slice_of(waypoints, 60, 80)))


def test_a_device_that_moves_for_somebody_else_is_left_alone(tools, bench, waypoints):
    bench.device.points.extend([(bench.device.position, np.zeros(6))] * 500)
    bench.run(2 * tools.TICK)
    with pytest.raises(GoalError, match='state 1'):
        bench.send('a', tools.request_of(waypoints))


def test_a_lost_device_is_named(tools, bench, waypoints):
    bench.device.position = np.full(6, np.nan)
    bench.run(2 * tools.TICK)
    with pytest.raises(GoalError, match='no joint positions'):
        bench.send('a', tools.request_of(waypoints))

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a goal must be, row by row: the code, the way of refusing it, and the words."""

from dataclasses import replace

import numpy as np
import pytest

from elfin_bt.execution.goal import (
    ErrorCode,
    GoalError,
    GoalRequest,
    Point,
    Tolerance,
    read_goal,
)
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.kinematics.limits import JOINT_NAMES

NOW = 1000.0
LIMITS = ExecutorSettings().goal_limits()
ZERO = (0.0,) * 6
GOOD = GoalRequest(
    joint_names=JOINT_NAMES,
    points=[Point(0.0, ZERO, ZERO), Point(1.0, (0.1,) * 6, (0.2,) * 6), Point(2.0, ZERO, ZERO)],
)


def read(request):
    return read_goal(request, LIMITS, NOW)


def with_point(index, **fields):
    points = list(GOOD.points)
    points[index] = replace(points[index], **fields)
    return replace(GOOD, points=points)


def one_off(value, joint=2):
    row = [0.0] * 6
    row[joint] = value
    return tuple(row)


REJECTED = {
    'no points': (replace(GOOD, points=[]), 'no points'),
    'no positions': (replace(GOOD, points=[Point(1.0)]), 'positions'),
    'too few positions': (with_point(1, positions=(0.0,) * 5), 'point 1 gives 5 positions for 6'),
    'too many velocities': (with_point(2, velocities=(0.0,) * 7), 'point 2 gives 7 velocities'),
    'velocities missing once': (with_point(1, velocities=()), 'point 1 gives 0 velocities'),
    'accelerations once': (with_point(1, accelerations=ZERO), 'point 0 gives 0 accelerations'),
    'accelerations without velocities': (
        replace(GOOD, points=[Point(1.0, ZERO, (), ZERO)]),
        'accelerations are given without velocities',
    ),
    'effort': (with_point(1, effort=ZERO), 'effort'),
    'time falls': (with_point(2, time=0.5), 'point 2 is at 0.5 s, the one before at 1 s'),
    'time stands': (with_point(2, time=1.0), 'must rise'),
    'time negative': (with_point(0, time=-0.1), '-0.1 s'),
    'one point now': (replace(GOOD, points=[Point(0.0, ZERO)]), 'lasts 0 s'),
    'too short': (replace(GOOD, points=[Point(0.0005, ZERO)]), 'lasts 0.0005 s; at least 0.001'),
    'NaN position': (with_point(1, positions=one_off(np.nan)), 'elfin_joint3 at point 1 is nan'),
    'infinite velocity': (with_point(1, velocities=one_off(np.inf)), 'elfin_joint3.*inf'),
    'position above': (
        with_point(1, positions=one_off(2.62)),
        r'elfin_joint3 at point 1 is 2.62 rad; limits -2.61 to 2.61',
    ),
    'position below': (with_point(1, positions=one_off(-2.36, 1)), 'elfin_joint2.*-2.36'),
    'velocity': (
        with_point(1, velocities=one_off(-1.6)),
        'elfin_joint3 at point 1 is -1.6 rad/s; limit 1.57',
    ),
    'NaN path tolerance': (
        replace(GOOD, path_tolerance=[Tolerance(JOINT_NAMES[0], position=np.nan)]),
        'path_tolerance of elfin_joint1: position is nan',
    ),
    'NaN path velocity tolerance': (
        replace(GOOD, path_tolerance=[Tolerance(JOINT_NAMES[0], velocity=np.nan)]),
        'path_tolerance of elfin_joint1: velocity is nan',
    ),
    'infinite goal tolerance': (
        replace(GOOD, goal_tolerance=[Tolerance(JOINT_NAMES[5], position=np.inf)]),
        'goal_tolerance of elfin_joint6: position is inf',
    ),
    'NaN acceleration tolerance': (
        replace(GOOD, goal_tolerance=[Tolerance(JOINT_NAMES[5], acceleration=np.nan)]),
        'acceleration is nan',
    ),
    'a joint twice in a tolerance': (
        replace(GOOD, goal_tolerance=[Tolerance(JOINT_NAMES[1])] * 2),
        'elfin_joint2 twice',
    ),
    'path tolerance of a stranger': (
        replace(GOOD, path_tolerance=[Tolerance('wrist')]),
        "path_tolerance names 'wrist'",
    ),
    'goal time NaN': (replace(GOOD, goal_time=np.nan), 'goal_time_tolerance is nan'),
    'time NaN': (with_point(1, time=np.nan), 'point 1 is not finite'),
    'too many points': (
        replace(GOOD, points=[Point(0.001 * k, ZERO, ZERO) for k in range(20_001)]),
        '20001 points, limit 20000',
    ),
    'too long': (
        replace(GOOD, points=[Point(2e9, ZERO)]),
        'lasts 2e[+]09 s, limit 3600 s',
    ),
    'velocities of another motion': (
        with_point(1, velocities=(1.5,) * 6),
        # by hand: the mean velocity is 0.1 rad/s, (0 + 1.5) / 2 by velocities, 3 x 1 / 4 apart
        'elfin_joint1 do not belong together between points 1 and 2: the mean velocity is -0.1000',
    ),
    'tolerance of a stranger': (replace(GOOD, goal_tolerance=[Tolerance('elbow')]), 'elbow'),
    'negative tolerance': (
        replace(GOOD, goal_tolerance=[Tolerance(JOINT_NAMES[1], position=-0.5)]),
        'goal_tolerance of elfin_joint2: position is -0.5',
    ),
    'acceleration tolerance': (
        replace(GOOD, goal_tolerance=[Tolerance(JOINT_NAMES[1], acceleration=1.0)]),
        'acceleration',
    ),
    'negative goal time': (replace(GOOD, goal_time=-1.0), 'goal_time_tolerance is -1 s'),
    'multi dof': (replace(GOOD, unsupported=['multi_dof_trajectory']), 'multi_dof_trajectory'),
}


@pytest.mark.parametrize('request_, words', REJECTED.values(), ids=REJECTED.keys())
def test_a_goal_of_the_wrong_form_is_rejected(request_, words):
    with pytest.raises(GoalError, match=words) as caught:
        read(request_)
    assert caught.value.rejected
    assert caught.value.code is ErrorCode.INVALID_GOAL


@pytest.mark.parametrize(
    'names, words',
    [
        (JOINT_NAMES[:5], 'missing: elfin_joint6'),
        ((*JOINT_NAMES, 'elbow'), 'unknown: elbow'),
        ((*JOINT_NAMES[:5], 'elfin_joint1'), 'missing: elfin_joint6; twice: elfin_joint1'),
        ((), 'missing: elfin_joint1'),
    ],
)
def test_other_joints_are_accepted_and_aborted_so_that_the_client_reads_why(names, words):
    with pytest.raises(GoalError, match=words) as caught:
        read(replace(GOOD, joint_names=names))
    assert caught.value.code is ErrorCode.INVALID_JOINTS
    assert not caught.value.rejected


@pytest.mark.parametrize('stamp', [0.0, NOW - 1.9, NOW, NOW + 0.004])
def test_a_stamp_of_zero_or_the_near_past_means_now(stamp):
    assert read(replace(GOOD, stamp=stamp)).start_time is None


def test_a_trajectory_that_was_over_before_it_came_has_a_code_of_its_own():
    with pytest.raises(GoalError, match='ended 1.000 s before it arrived') as caught:
        read(replace(GOOD, stamp=NOW - 3.0))
    assert caught.value.code is ErrorCode.OLD_HEADER_TIMESTAMP
    assert not caught.value.rejected


def test_a_stamp_in_the_future_is_when_it_begins_and_a_distant_one_is_a_wrong_clock():
    assert read(replace(GOOD, stamp=NOW + 2.5)).start_time == NOW + 2.5
    with pytest.raises(GoalError, match='61.000 s in the future, limit 60 s') as caught:
        read(replace(GOOD, stamp=NOW + 61.0))
    assert not caught.value.rejected


def test_a_trajectory_may_be_required_to_end_at_rest():
    moving = replace(GOOD, points=list(GOOD.points[:2]))
    assert not read(moving).ends_at_rest
    strict = replace(LIMITS, may_end_moving=False)
    with pytest.raises(GoalError, match='elfin_joint1 at the last point is 0.2000 rad/s') as caught:
        read_goal(moving, strict, NOW)
    assert caught.value.rejected
    assert read_goal(GOOD, strict, NOW).ends_at_rest


def test_joints_come_in_any_order():
    order = (3, 0, 5, 1, 4, 2)
    row = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    request = GoalRequest(
        joint_names=[JOINT_NAMES[joint] for joint in order],
        points=[Point(1.0, [row[joint] for joint in order], [row[joint] / 2 for joint in order])],
    )
    waypoints = read(request).waypoints
    np.testing.assert_array_equal(waypoints.positions, [row])
    np.testing.assert_array_equal(waypoints.velocities, np.array([row]) / 2)


def test_tolerances_are_default_given_or_none():
    request = replace(
        GOOD,
        goal_tolerance=[
            Tolerance(JOINT_NAMES[1], position=0.001, velocity=-1.0),
            Tolerance(JOINT_NAMES[4], position=-1.0),
        ],
        goal_time=3.0,
    )
    goal = read(request)
    np.testing.assert_array_equal(
        goal.goal_tolerance.position, [0.02, 0.001, 0.02, 0.02, np.inf, 0.02]
    )
    np.testing.assert_array_equal(
        goal.goal_tolerance.velocity, [0.01, np.inf, 0.01, 0.01, 0.01, 0.01]
    )
    assert goal.time_tolerance == 3.0
    assert read(GOOD).time_tolerance == 1.0

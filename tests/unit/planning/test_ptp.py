# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Point to point: every way is free, within limits and cap by differences, and ends at rest."""

from math import pi

import coal
import numpy as np
import pinocchio
import pytest

from elfin_bt.kinematics import (
    BRANCHES,
    JointLimits,
    PaperFrame,
    branch_of,
    fk,
    ik_branch,
    tip_positions,
)
from elfin_bt.kinematics.limits import ACCELERATION, JERK, POSITION, VELOCITY
from elfin_bt.planning.collision import CLEARANCE, CollisionChecker
from elfin_bt.planning.ptp import plan_ptp
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.resources import share_path

URDF = share_path('config/elfin5.urdf')
READY = np.array([0.0, 0.0, -pi / 2, 0.0, -pi / 2, 0.0])
LIMITS = JointLimits.of_the_arm().scaled(0.9)
TCP_CAP = 0.25
BOARD = 0.10


@pytest.fixture(scope='module')
def checker():
    return CollisionChecker(URDF)


@pytest.fixture(scope='module')
def touches():
    """Whether the arm or the pen touches itself or the board: plain coal collision queries."""
    model = pinocchio.buildModelFromUrdf(str(URDF))
    geometry = pinocchio.buildGeomFromUrdf(model, str(URDF), pinocchio.GeometryType.COLLISION)
    pen = pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, 0.1565 + 0.075]))
    geometry.addGeometryObject(pinocchio.GeometryObject('pen', 6, pen, coal.Cylinder(0.006, 0.15)))
    joints = [shape.parentJoint for shape in geometry.geometryObjects]
    for first in range(len(joints)):
        for second in range(first):
            if abs(joints[first] - joints[second]) > 1:
                geometry.addCollisionPair(pinocchio.CollisionPair(second, first))
    board = pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, BOARD - 0.5]))
    index = geometry.addGeometryObject(
        pinocchio.GeometryObject('board', 0, board, coal.Box(10.0, 10.0, 1.0))
    )
    for shape in range(index - 1):  # the pen, the last one, may touch it
        if joints[shape] >= 2:
            geometry.addCollisionPair(pinocchio.CollisionPair(shape, index))
    data, geometry_data = model.createData(), geometry.createData()

    def touch(q):
        return pinocchio.computeCollisions(model, data, geometry, geometry_data, q, True)

    return touch


def over_paper(points, pen_yaw=0.0):
    """Joints on the ready pose's branch with the pen's tip at points (N, 3) of the paper."""
    branch = BRANCHES[int(branch_of(READY[None])[0])]
    poses = PaperFrame().pen_poses(np.array(points, dtype=float), pen_yaw)
    return ik_branch(poses, branch)


def assert_sound(motion, start, goal, touches, lowest_tip=0.0):
    """Limits, cap and freedom by samples at 1 ms; bounds and ends exactly."""
    trajectory = motion.trajectory
    np.testing.assert_array_equal(trajectory.positions[0], start)
    np.testing.assert_array_equal(trajectory.positions[-1], goal)
    assert not trajectory.velocities[[0, -1]].any()
    time = np.append(np.arange(0.0, trajectory.duration, 1e-3), trajectory.duration)
    q, _ = trajectory.sample(time)
    assert (q >= POSITION[:, 0]).all()
    assert (q <= POSITION[:, 1]).all()
    whole = q[: len(q) - 1]  # the last step may be shorter than 1 ms
    assert (np.abs(np.diff(whole, axis=0)) <= 1e-3 * VELOCITY).all()
    assert (np.abs(np.diff(whole, 2, axis=0)) <= 1e-6 * ACCELERATION).all()
    third = whole[12:] - 3.0 * whole[8:-4] + 3.0 * whole[4:-8] - whole[:-12]
    assert (np.abs(third) <= 4e-3**3 * JERK).all()
    tip = tip_positions(q)
    assert np.linalg.norm(np.diff(tip, axis=0), axis=1).max() <= TCP_CAP * 1e-3
    assert tip[:, 2].min() - BOARD >= lowest_tip - 1e-4
    # At the cap nothing is nearer to anything in 20 ms than by a few mm: look at each 20th sample.
    assert not any(touches(row) for row in q[::20])


def phases(motion):
    return [leg.phase for leg in motion.legs]


def test_home_to_ready_is_one_straight_line_in_joint_space(checker, touches):
    motion = plan_ptp(np.zeros(6), READY, LIMITS, checker)
    assert phases(motion) == ['ptp']
    assert (motion.legs[0].first, motion.legs[0].last) == (0, len(motion.trajectory) - 1)
    assert_sound(motion, np.zeros(6), READY, touches)
    q, _ = motion.trajectory.sample(np.linspace(0.0, motion.trajectory.duration, 50))
    np.testing.assert_allclose(q[:, 4], q[:, 2], atol=1e-12)
    assert not q[:, [0, 1, 3, 5]].any()


def test_the_cap_is_used_where_it_binds_and_the_joints_where_they_do(checker):
    motion = plan_ptp(np.zeros(6), READY, LIMITS, checker)
    q, _ = motion.trajectory.sample(np.arange(0.0, motion.trajectory.duration, 1e-3))
    speed = np.linalg.norm(np.diff(tip_positions(q), axis=0), axis=1) * 1e3
    assert speed.max() > 0.98 * TCP_CAP
    # Joint 6 does not move the tip: only its own limits bind, 1.413 rad/s, 2.7 rad/s2, 27 rad/s3.
    turn = READY + [0, 0, 0, 0, 0, 2.0]
    assert plan_ptp(READY, turn, LIMITS, checker).trajectory.duration == pytest.approx(
        2.0 / 1.413 + 1.413 / 2.7 + 2.7 / 27.0, rel=1e-9
    )


def test_a_lower_cap_slows_the_tip(checker):
    motion = plan_ptp(np.zeros(6), READY, LIMITS, checker, tcp_cap=0.1)
    q, _ = motion.trajectory.sample(np.arange(0.0, motion.trajectory.duration, 1e-3))
    assert np.linalg.norm(np.diff(tip_positions(q), axis=0), axis=1).max() <= 1e-4


def test_no_motion_where_the_arm_is_there_already(checker):
    motion = plan_ptp(READY, READY, LIMITS, checker)
    assert motion.legs == ()
    assert not motion.trajectory.velocities.any()


@pytest.mark.parametrize('depth', [0.0005, 0.015, 0.0, -0.004])
def test_a_pen_that_is_down_is_lifted_straight_up_first(checker, touches, depth):
    start = over_paper([[0.06, -0.09, -depth]])[0]
    motion = plan_ptp(start, READY, LIMITS, checker)
    assert phases(motion) == ['lift', 'ptp']
    assert_sound(motion, start, READY, touches, lowest_tip=-depth)
    lift = motion.trajectory.slice(motion.legs[0].first, motion.legs[0].last)
    assert not lift.velocities[-1].any()
    q, _ = lift.sample(np.linspace(0.0, lift.duration, 300))
    tip = PaperFrame().to_paper(tip_positions(q))
    np.testing.assert_allclose(tip[:, :2], np.tile([0.06, -0.09], (300, 1)), atol=2e-6)
    assert (np.diff(tip[:, 2]) >= 0.0).all()
    assert tip[-1, 2] == pytest.approx(0.020, abs=1e-9)
    np.testing.assert_allclose(fk(q)[:, :3, 2], np.tile([0.0, 0.0, -1.0], (300, 1)), atol=1e-5)


def test_a_pen_that_is_high_enough_is_not_lifted(checker):
    start = over_paper([[0.0, 0.1, 0.0200001]])[0]
    assert phases(plan_ptp(start, READY, LIMITS, checker)) == ['ptp']


def test_a_pen_too_deep_is_refused(checker):
    start = over_paper([[0.0, 0.0, -0.025]])[0]
    with pytest.raises(Unplannable, match=r'the pen tip goes 25\.0 mm below the paper; move it'):
        plan_ptp(start, READY, LIMITS, checker)


def test_an_arm_in_the_board_is_refused_by_name(checker):
    start = np.array([0.0, pi / 2, -pi / 2, 0.0, -pi / 2, 0.0])
    with pytest.raises(Unplannable, match=r'where it is: board overlaps elfin_link6 by 345'):
        plan_ptp(start, READY, LIMITS, checker)


def test_a_goal_in_collision_is_refused(checker):
    with pytest.raises(Unplannable, match='goal is refused: the pen tip goes'):
        plan_ptp(READY, over_paper([[0.0, 0.0, -0.001]])[0], LIMITS, checker)


@pytest.mark.parametrize('value', [2.4, np.nan, np.inf])
def test_joints_outside_their_limits_are_refused(checker, value):
    outside = READY.copy()
    outside[1] = value
    with pytest.raises(Unplannable, match='elfin_joint2 at .* is outside -2.3500 to 2.3500 rad'):
        plan_ptp(outside, READY, LIMITS, checker)
    with pytest.raises(Unplannable, match='the goal is refused: elfin_joint2'):
        plan_ptp(READY, outside, LIMITS, checker)


def test_from_any_free_start_there_is_a_sound_way_to_ready(checker, touches):
    random = np.random.default_rng(10)
    planned = refused = 0
    for start in random.uniform(*POSITION.T, (250, 6)):
        try:
            motion = plan_ptp(start, READY, LIMITS, checker)
        except Unplannable as reason:
            assert 'cannot move from where it is' in str(reason)
            deep = tip_positions(start[None])[0, 2] < BOARD - 0.02
            assert deep or checker.clearance(start[None])[0] < 0.005
            refused += 1
            continue
        height = tip_positions(start[None])[0, 2] - BOARD
        assert_sound(motion, start, READY, touches, lowest_tip=min(height, 0.0))
        planned += 1
    assert planned > 100
    assert refused > 50


def test_ways_between_any_two_low_poses_are_sound(checker, touches):
    random = np.random.default_rng(11).uniform(*POSITION.T, (6000, 6))
    heights = tip_positions(random)[:, 2] - BOARD
    low = [q for q in random[(heights > 0.0) & (heights < 0.08)] if not checker.check(q[None])]
    for start, goal in zip(low[:40:2], low[1:40:2], strict=True):
        assert_sound(plan_ptp(start, goal, LIMITS, checker), start, goal, touches)


@pytest.mark.parametrize(
    'start',
    [
        # Folded: the pen beside the upper arm, so that neither the direct line nor raising is free.
        [-2.6218, -1.3774, -2.5480, -2.8587, 2.4635, 0.2411],
        [1.6742, -0.5967, -2.3953, 0.2549, -2.4331, -1.0364],
        [-0.4014, -1.2445, -2.4569, -2.8061, 2.5362, -1.1760],
    ],
)
def test_a_folded_arm_backs_off_first(checker, touches, start):
    start = np.array(start)
    assert checker.check(np.array([start, READY])) is not None
    motion = plan_ptp(start, READY, LIMITS, checker)
    assert phases(motion) == ['ptp']
    assert_sound(motion, start, READY, touches)


def test_an_arm_stopped_nearer_than_the_clearance_gets_away(checker, touches):
    near = READY.copy()
    low, high = 0.0, 1.2  # lean until the arm is 8 mm from something
    while high - low > 1e-6:
        near[1] = (low + high) / 2
        low, high = (near[1], high) if checker.clearance(near[None])[0] > 0.008 else (low, near[1])
    near[1] = low
    assert checker.check(near[None], 1.0).distance < CLEARANCE
    if tip_positions(near[None])[0, 2] > BOARD:
        assert_sound(plan_ptp(near, READY, LIMITS, checker), near, READY, touches)


def test_the_same_question_has_the_same_answer(checker):
    start = np.array([-0.4014, -1.2445, -2.4569, -2.8061, 2.5362, -1.1760])
    first, second = (plan_ptp(start, READY, LIMITS, checker).trajectory for _ in range(2))
    np.testing.assert_array_equal(first.positions, second.positions)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pinocchio
import pytest

from elfin_bt.kinematics import (
    BRANCHES,
    PaperFrame,
    branch_of,
    fk,
    ik_branch,
    jacobian,
    tip_positions,
)
from elfin_bt.kinematics.singularity import WRIST_MINIMUM
from elfin_bt.planning.joints import follow, joints_over, slopes_along
from elfin_bt.planning.settings import READY_POSE, PlannerConfig
from elfin_bt.resources import share_path

READY = np.array(READY_POSE)
PAPER = PaperFrame(origin=(-0.45, 0.02, 0.11), yaw=0.3)


def test_slopes_solve_the_jacobian_for_a_translation():
    rng = np.random.default_rng(0)
    q = rng.uniform(-1.5, 1.5, (200, 6))
    direction = rng.normal(size=(200, 3))
    slopes = slopes_along(q, direction)
    twist = np.einsum('nij,nj->ni', jacobian(q), slopes)
    scale = np.abs(slopes).max(axis=1, keepdims=True)
    np.testing.assert_allclose(twist[:, :3] / scale, direction / scale, atol=1e-12)
    np.testing.assert_allclose(twist[:, 3:] / scale, 0.0, atol=1e-12)


def test_the_pen_is_held_straight_down_over_every_point_on_one_branch():
    rng = np.random.default_rng(1)
    paper = PaperFrame(yaw=0.3)
    points = rng.uniform([-0.1, -0.1, -0.001], [0.1, 0.1, 0.02], (50, 3))
    joints = follow(READY, points, np.tile([1.0, 0.0, 0.0], (50, 1)), paper, 0.2, 0.15)
    np.testing.assert_allclose(tip_positions(joints.positions), paper.to_world(points), atol=1e-12)
    flange = fk(joints.positions)
    np.testing.assert_allclose(flange[:, :3, 2], np.tile([0, 0, -1], (50, 1)), atol=1e-12)
    assert (branch_of(joints.positions) == branch_of(READY[None])[0]).all()


def helix(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Arc length, points, tangents and curvatures of a helix over the paper."""
    s = np.linspace(0.0, 0.3, count)
    radius, climb = 0.06, 0.3
    rate = np.sqrt(1.0 - climb**2) / radius
    c, n, z = np.cos(rate * s), np.sin(rate * s), np.zeros(count)
    points = np.stack([radius * c, radius * n, climb * s], axis=1)
    tangents = np.stack([-radius * rate * n, radius * rate * c, z + climb], axis=1)
    return s, points, tangents, -radius * rate**2 * np.stack([c, n, z], axis=1)


ARM_STARTS = [  # each shoulder with each elbow
    READY,
    np.array([0.0, 2.1, 1.9, 0.0, 2.9, 0.0]),
    np.array([3.0, -2.1, -1.9, 0.0, -2.9, 0.0]),
    np.array([3.0, 0.0, np.pi / 2, 0.0, np.pi / 2, 0.0]),
]


@pytest.mark.parametrize('start', ARM_STARTS)
def test_the_joints_are_those_of_the_general_inverse_kinematics(start):
    _, points, tangents, _ = helix(500)
    paper = PaperFrame(yaw=0.3)
    joints = follow(start, points, tangents, paper, 0.2, 0.17)
    branch = BRANCHES[branch_of(joints.positions[:1])[0]]
    general = ik_branch(paper.pen_poses(points, 0.2, 0.17), branch)
    np.testing.assert_allclose(joints.positions, general, atol=1e-12)
    slopes = slopes_along(joints.positions, tangents @ paper.matrix[:3, :3].T)
    np.testing.assert_allclose(joints.slopes, slopes, atol=1e-10)


@pytest.mark.parametrize('start', ARM_STARTS)
def test_bends_are_the_second_derivative_of_the_joints(start):
    s, points, tangents, curvatures = helix(3001)
    joints = follow(start, points, tangents, PaperFrame(yaw=0.3), 0.2, 0.15, curvatures)
    numeric = np.gradient(joints.slopes, s, axis=0, edge_order=2)
    scale = np.abs(numeric).max()
    np.testing.assert_allclose(joints.bends / scale, numeric / scale, atol=1e-5)


def test_bends_leave_the_flange_the_acceleration_of_the_path_and_no_turn():
    # Pinocchio: the tip accelerates by d2p/ds2 and the hand doesn't turn faster or slower.
    model = pinocchio.buildModelFromUrdf(str(share_path('config/elfin5.urdf')))
    tip = model.addFrame(
        pinocchio.Frame(
            'tip',
            6,
            model.getFrameId('elfin_end_link'),
            model.frames[model.getFrameId('elfin_end_link')].placement
            * pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, 0.15])),
            pinocchio.FrameType.OP_FRAME,
        )
    )
    data = model.createData()
    _, points, tangents, curvatures = helix(50)
    joints = follow(READY, points, tangents, PaperFrame(), 0.2, 0.15, curvatures)
    for q, slope, bend, curvature in zip(
        joints.positions, joints.slopes, joints.bends, curvatures, strict=True
    ):
        pinocchio.forwardKinematics(model, data, q, slope, bend)
        acceleration = pinocchio.getFrameClassicalAcceleration(
            model, data, tip, pinocchio.LOCAL_WORLD_ALIGNED
        )
        np.testing.assert_allclose(acceleration.linear, curvature, atol=1e-9)
        np.testing.assert_allclose(acceleration.angular, 0.0, atol=1e-9)


def test_without_curvatures_the_path_is_straight():
    _, points, tangents, curvatures = helix(20)
    straight = follow(READY, points, tangents, PaperFrame(), 0.0, 0.15)
    as_zeros = follow(READY, points, tangents, PaperFrame(), 0.0, 0.15, 0.0 * curvatures)
    np.testing.assert_array_equal(straight.bends, as_zeros.bends)
    assert np.abs(straight.bends).max() > 1.0  # a straight line still bends the joints


def test_slopes_are_the_derivative_of_the_joints_in_the_frame_of_a_turned_paper():
    paper = PaperFrame(yaw=0.3)
    s = np.linspace(0.0, 0.05, 201)
    points = np.stack([s, np.zeros_like(s), np.zeros_like(s)], axis=1)
    joints = follow(READY, points, np.tile([1.0, 0.0, 0.0], (201, 1)), paper, 0.0, 0.15)
    numeric = np.gradient(joints.positions, s, axis=0, edge_order=2)
    np.testing.assert_allclose(joints.slopes, numeric, atol=1e-5)


@pytest.mark.parametrize('start', ARM_STARTS)
def test_with_free_yaw_the_pen_turns_with_the_arm_and_joint_6_stands_still(start):
    s, points, tangents, curvatures = helix(3001)
    joints = follow(start, points, tangents, PAPER, 0.4, 0.15, curvatures, free_yaw=True)
    assert (joints.positions[:, 5] == -0.4).all()
    np.testing.assert_allclose(tip_positions(joints.positions), PAPER.to_world(points), atol=1e-12)
    z = fk(joints.positions)[:, :3, 2]
    np.testing.assert_allclose(z, np.tile([0, 0, -1], (3001, 1)), atol=1e-12)
    slopes = np.gradient(np.unwrap(joints.positions, axis=0), s, axis=0, edge_order=2)
    bends = np.gradient(joints.slopes, s, axis=0, edge_order=2)
    np.testing.assert_allclose(joints.slopes, slopes, atol=1e-5 * np.abs(slopes).max())
    np.testing.assert_allclose(joints.bends, bends, atol=1e-5 * np.abs(bends).max())


def test_a_fixed_yaw_is_the_same_all_over_the_paper():
    _, points, tangents, _ = helix(50)
    joints = follow(READY, points, tangents, PAPER, 0.4, 0.15)
    flange = fk(joints.positions)[:, :3, :3]
    expected = PAPER.pen_poses(points[:1], 0.4)[0, :3, :3]
    np.testing.assert_allclose(flange, np.tile(expected, (50, 1, 1)), atol=1e-12)


@pytest.mark.parametrize('free', [False, True])
@pytest.mark.parametrize('branch', [b for b in BRANCHES if b.wrist == b.elbow])
def test_joints_over_points_are_those_of_follow(branch, free):
    _, points, tangents, _ = helix(50)
    config = PlannerConfig(paper=PAPER, pen_yaw=0.4, pen_length=0.17, free_yaw=free)
    over = joints_over(points, branch, config)
    along = follow(over[0], points, tangents, PAPER, 0.4, 0.17, free_yaw=free)
    np.testing.assert_array_equal(over, along.positions)


def test_no_path_turns_joint_4_or_flips_the_wrist():
    rng = np.random.default_rng(5)
    for start in ARM_STARTS:
        corners = rng.uniform([-0.15, -0.15, -0.001], [0.15, 0.15, 0.12], (40, 3))
        share = np.linspace(0.0, 1.0, 200)[:, None, None]
        way = ((1 - share) * corners[:-1] + share * corners[1:]).swapaxes(0, 1).reshape(-1, 3)
        q = follow(start, way, way, PaperFrame(), 0.0, 0.15).positions
        q = q[np.isfinite(q).all(axis=1)]
        assert (q[:, 3] == 0.0).all()
        near_flip = np.abs(np.sin(q[:, 4])) < WRIST_MINIMUM
        flips = np.diff(np.sign(q[:, 4])) != 0.0
        assert not (flips & ~near_flip[1:] & ~near_flip[:-1]).any()

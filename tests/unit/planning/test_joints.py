# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np

from elfin_bt.kinematics import PaperFrame, branch_of, fk, jacobian, tip_positions
from elfin_bt.planning.joints import follow, slopes_along
from elfin_bt.planning.settings import READY_POSE

READY = np.array(READY_POSE)


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


def test_slopes_are_the_derivative_of_the_joints_in_the_frame_of_a_turned_paper():
    paper = PaperFrame(yaw=0.3)
    s = np.linspace(0.0, 0.05, 201)
    points = np.stack([s, np.zeros_like(s), np.zeros_like(s)], axis=1)
    joints = follow(READY, points, np.tile([1.0, 0.0, 0.0], (201, 1)), paper, 0.0, 0.15)
    numeric = np.gradient(joints.positions, s, axis=0, edge_order=2)
    np.testing.assert_allclose(joints.slopes, numeric, atol=1e-5)

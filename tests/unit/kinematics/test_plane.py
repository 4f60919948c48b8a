# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The paper frame and the flange poses over it."""

from math import pi

import numpy as np

from elfin_bt.kinematics import BRANCHES, PaperFrame, branch_of, fk, ik_branch, tip_positions

READY = np.array([[0.0, 0.0, -pi / 2, 0.0, -pi / 2, 0.0]])


def test_the_paper_lies_where_it_was_calibrated():
    paper = PaperFrame(origin=(-0.46, 0.0, 0.10), yaw=pi / 2)
    world = paper.to_world(np.array([[0.1, 0.0, 0.02]]))
    np.testing.assert_allclose(world, [[-0.46, 0.1, 0.12]], atol=1e-15)
    np.testing.assert_allclose(paper.matrix[:3, :3] @ [0.1, 0, 0], [0, 0.1, 0], atol=1e-15)


def test_there_and_back_again():
    paper = PaperFrame(origin=(-0.4, 0.05, 0.12), yaw=0.3)
    points = np.random.default_rng(4).normal(size=(50, 3))
    np.testing.assert_allclose(paper.to_paper(paper.to_world(points)), points, atol=1e-15)


def test_pen_yaw_zero_is_the_orientation_of_the_ready_pose():
    pose = PaperFrame().pen_poses(np.array([[0.04, 0.0, 0.1935]]))
    np.testing.assert_allclose(pose, fk(READY), atol=1e-15)


def test_the_tip_is_on_the_point_and_the_pen_points_down():
    paper = PaperFrame(origin=(-0.45, 0.02, 0.11), yaw=-0.2)
    points = np.random.default_rng(5).uniform(-0.1, 0.1, (100, 3))
    poses = paper.pen_poses(points, pen_yaw=0.4, pen_length=0.17)
    q = ik_branch(poses, BRANCHES[branch_of(READY)[0]])
    np.testing.assert_allclose(paper.to_paper(tip_positions(q, 0.17)), points, atol=1e-14)
    np.testing.assert_allclose(poses[:, :3, 2], np.tile([0, 0, -1.0], (100, 1)), atol=1e-15)


def test_pen_yaw_turns_the_flange_about_the_vertical():
    still = PaperFrame().pen_poses(np.zeros((1, 3)))[0]
    turned = PaperFrame().pen_poses(np.zeros((1, 3)), pen_yaw=pi / 2)[0]
    np.testing.assert_allclose(still[:3, 0], [-1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(turned[:3, 0], [0, -1, 0], atol=1e-15)
    np.testing.assert_allclose(still[:3, 3], turned[:3, 3])

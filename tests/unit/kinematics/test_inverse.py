# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: every branch reaches the pose, EAIK finds the same ones, singular poses."""

from math import pi

import numpy as np
import pytest

from elfin_bt.kinematics import BRANCHES, branch_of, fk, ik, ik_branch
from elfin_bt.kinematics.geometry import FLANGE, FOREARM, SHOULDER_HEIGHT, UPPER_ARM
from elfin_bt.kinematics.inverse import Branch


def random_joints(count, seed=2):
    return np.random.default_rng(seed).uniform(-pi, pi, (count, 6))


def pose(position, rotation=None):
    matrix = np.eye(4)
    matrix[:3, 3] = position
    if rotation is not None:
        matrix[:3, :3] = rotation
    return matrix[None]


def difference(a, b):
    """Smallest difference of angles."""
    return np.abs((a - b + pi) % (2 * pi) - pi)


@pytest.mark.parametrize('branch', range(8))
def test_every_branch_reaches_the_pose(branch):
    flange = fk(random_joints(2000))
    np.testing.assert_allclose(fk(ik(flange)[:, branch]), flange, atol=5e-15)


def test_branches_are_in_the_documented_order():
    assert BRANCHES[0] == Branch(shoulder=1, elbow=1, wrist=1)
    assert BRANCHES[1] == Branch(shoulder=1, elbow=1, wrist=-1)
    assert BRANCHES[2] == Branch(shoulder=1, elbow=-1, wrist=1)
    assert BRANCHES[4] == Branch(shoulder=-1, elbow=1, wrist=1)
    solutions = ik(fk(random_joints(500)))
    for index, branch in enumerate(BRANCHES):
        q = solutions[:, index]
        assert (branch_of(q) == index).all()
        assert (np.sign(q[:, 2]) == branch.elbow).all()
        assert (np.sign(q[:, 4]) == branch.wrist).all()
        wrist = fk(q)[:, :3, 3] - FLANGE * fk(q)[:, :3, 2]
        in_front = np.cos(q[:, 0]) * wrist[:, 0] + np.sin(q[:, 0]) * wrist[:, 1]
        assert (np.sign(in_front) == branch.shoulder).all()


def test_one_branch_alone_is_the_same_as_among_all():
    flange = fk(random_joints(500))
    for index, branch in enumerate(BRANCHES):
        alone = ik_branch(flange, branch)
        assert difference(alone, ik(flange)[:, index]).max() < 1e-12


def test_the_joints_come_back_through_their_own_branch():
    q = random_joints(2000)
    back = ik(fk(q))[np.arange(len(q)), branch_of(q)]
    assert difference(back, q).max() < 1e-9


def test_angles_are_in_the_half_open_turn():
    solutions = ik(fk(random_joints(5000)))
    assert solutions.min() > -pi
    assert solutions.max() <= pi


def test_eaik_finds_the_same_solutions():
    hp_robot = pytest.importorskip('eaik.IK_HP', reason='EAIK is not installed').HPRobot
    # Axes and points of the zero pose (product of exponentials).
    axes = np.array([[0, 0, 1], [0, -1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1]])
    offsets = np.array(
        [
            [0, 0, SHOULDER_HEIGHT],
            [0, 0, 0],
            [0, 0, UPPER_ARM],
            [0, 0, FOREARM],
            [0, 0, 0],
            [0, 0, 0],
            [0, 0, FLANGE],
        ]
    )
    robot = hp_robot(axes.astype(float), offsets.astype(float))
    flange = fk(random_joints(50, seed=3))
    for target, ours in zip(flange, ik(flange), strict=True):
        theirs = robot.IK(target)
        solutions = np.array(theirs.Q)[~np.array(theirs.is_LS)]
        assert len(solutions) == 8
        for solution in solutions:
            assert difference(ours, solution).max(axis=1).min() < 1e-6


@pytest.mark.parametrize('distance', [0.8001, 1.5])
def test_a_pose_too_far_is_nan_in_all_branches(distance):
    assert np.isnan(ik(pose([distance, 0.0, SHOULDER_HEIGHT + FLANGE]))).all()


def test_a_pose_too_near_is_nan_in_all_branches():
    nearest = FOREARM - UPPER_ARM
    assert np.isnan(ik(pose([nearest - 1e-4, 0.0, SHOULDER_HEIGHT + FLANGE]))).all()
    assert np.isfinite(ik(pose([nearest + 1e-4, 0.0, SHOULDER_HEIGHT + FLANGE]))).all()


@pytest.mark.parametrize('value', [np.nan, np.inf])
@pytest.mark.parametrize('entry', [(0, 0), (0, 3), (2, 2)])
def test_numbers_that_are_not_finite_give_nan_and_spare_the_others(value, entry):
    flange = np.repeat(pose([0.3, 0.1, 0.4]), 2, axis=0)
    flange[0][entry] = value
    with np.errstate(invalid='ignore'):
        solutions = ik(flange)
    assert np.isnan(solutions[0]).all()
    assert np.isfinite(solutions[1]).all()


def test_the_arm_straight_up_is_found_although_it_is_singular_three_times():
    home = np.zeros((1, 6))
    solutions = ik(fk(home))[0]
    np.testing.assert_allclose(solutions[0], home[0], atol=1e-15)
    np.testing.assert_allclose(fk(solutions), np.repeat(fk(home), 8, axis=0), atol=1e-15)


def test_with_the_wrist_in_line_joint_6_takes_the_turn():
    q = np.array([[0.3, -0.2, 1.1, 0.4, 0.0, 0.5]])
    solution = ik(fk(q))[0, branch_of(q)[0]]
    np.testing.assert_allclose(solution, [0.3, -0.2, 1.1, 0.0, 0.0, 0.9], atol=1e-12)


def test_precision_holds_next_to_the_straight_arm():
    q = np.array([[0.1, 0.2, bend, 0.3, 0.4, 0.5] for bend in (1e-3, 1e-5, 1e-7)])
    solutions = ik(fk(q))[np.arange(3), branch_of(q)]
    np.testing.assert_allclose(fk(solutions), fk(q), atol=2e-9)
    np.testing.assert_allclose(solutions[0, 2], 1e-3, rtol=1e-9)


def test_a_continuous_path_stays_continuous_in_its_branch():
    angle = np.linspace(0.0, 2 * pi, 2000)
    flange = np.repeat(pose([0, 0, 0], np.diag([-1.0, 1.0, -1.0])), len(angle), axis=0)
    flange[:, 0, 3], flange[:, 1, 3] = -0.46 + 0.1 * np.cos(angle), 0.1 * np.sin(angle)
    flange[:, 2, 3] = 0.25
    for branch in BRANCHES:
        q = ik_branch(flange, branch)
        assert difference(q[1:], q[:-1]).max() < 0.002

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Link transforms against the closed-form forward kinematics, which knows nothing of the URDF."""

import numpy as np
import pytest

from elfin_bt.kinematics import JOINT_NAMES, fk, tip_positions
from elfin_bt.resources import share_path
from elfin_bt.session.robot_state import RobotState


def matrix(transform):
    x, y, z, w = transform.rotation
    result = np.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    result[:3, 3] = transform.translation
    return result


@pytest.fixture(scope='module')
def robot():
    return RobotState(share_path('config/elfin5.urdf').read_text(encoding='utf-8'))


def pose(robot, link, joints):
    """The pose of a link in the world, by following the tree of frames up."""
    moving = robot.moving(dict(zip(JOINT_NAMES, joints, strict=True)))
    by_child = {transform.child: transform for transform in [*robot.fixed(), *moving]}
    result = np.eye(4)
    while link != 'world':
        result = matrix(by_child[link]) @ result
        link = by_child[link].parent
    return result


@pytest.mark.parametrize('seed', range(5))
def test_the_frames_lead_to_the_flange_and_the_pen(robot, seed):
    joints = np.random.default_rng(seed).uniform(-2.0, 2.0, 6)
    np.testing.assert_allclose(
        pose(robot, 'elfin_end_link', joints), fk(joints[None])[0], atol=1e-9
    )
    np.testing.assert_allclose(
        pose(robot, 'pen_tip', joints)[:3, 3], tip_positions(joints[None])[0], atol=1e-9
    )


def test_rotations_are_unit_quaternions(robot):
    joints = dict(zip(JOINT_NAMES, np.linspace(-2, 2, 6), strict=True))
    for transform in [*robot.fixed(), *robot.moving(joints)]:
        assert np.linalg.norm(transform.rotation) == pytest.approx(1.0)


def test_a_joint_that_is_neither_fixed_nor_revolute_is_refused():
    urdf = (
        '<robot><joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>'
        '</joint></robot>'
    )
    with pytest.raises(ValueError, match="'slide' is prismatic"):
        RobotState(urdf)

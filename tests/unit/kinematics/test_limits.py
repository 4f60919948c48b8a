# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The limits say the same in Python, in the URDF and in MoveIt's file."""

import numpy as np
import pinocchio
import pytest

from elfin_bt.kinematics import limits
from elfin_bt.resources import share_path


def test_the_urdf_has_the_same_joints_and_limits():
    model = pinocchio.buildModelFromUrdf(str(share_path('config/elfin5.urdf')))
    assert tuple(model.names)[1:] == limits.JOINT_NAMES
    np.testing.assert_array_equal(model.lowerPositionLimit, limits.POSITION[:, 0])
    np.testing.assert_array_equal(model.upperPositionLimit, limits.POSITION[:, 1])
    np.testing.assert_array_equal(model.velocityLimit, limits.VELOCITY)


def test_moveits_file_has_the_same_limits():
    yaml = pytest.importorskip('yaml')
    joints = yaml.safe_load(share_path('config/joint_limits.yaml').read_text())['joint_limits']
    assert tuple(joints) == limits.JOINT_NAMES
    for index, joint in enumerate(joints.values()):
        assert [joint['min_position'], joint['max_position']] == list(limits.POSITION[index])
        assert joint['max_velocity'] == limits.VELOCITY[index]
        assert joint['max_acceleration'] == limits.ACCELERATION[index]
        assert joint['max_jerk'] == limits.JERK[index]


def test_the_limits_cannot_be_changed_by_accident():
    with pytest.raises(ValueError, match='read-only'):
        limits.VELOCITY[0] = 9.0


def test_scaling_leaves_positions_alone():
    scaled = limits.JointLimits.of_the_arm().scaled(0.9)
    np.testing.assert_array_equal(scaled.position, limits.POSITION)
    np.testing.assert_allclose(scaled.velocity, 1.413)
    np.testing.assert_allclose(scaled.acceleration, 2.7)
    np.testing.assert_allclose(scaled.jerk, 27.0)


def test_position_limits_include_their_bounds_and_exclude_nan():
    q = np.zeros((4, 6))
    q[1, 1], q[2, 1], q[3, 1] = 2.35, 2.3500001, np.nan
    assert limits.within_position_limits(q).tolist() == [True, True, False, False]


def test_a_violation_names_joint_value_and_limit():
    q = np.array([0.0, -2.5, 0.0, 0.0, 0.0, 9.0])
    assert limits.position_violation(q) == (
        'elfin_joint2 at -2.5000 rad is outside -2.3500 to 2.3500 rad'
    )
    assert limits.position_violation(np.zeros(6)) is None

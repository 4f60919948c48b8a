# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and Jacobian: Pinocchio on our URDF, a MoveIt table, check values."""

import json
from math import pi

import numpy as np
import pinocchio
import pytest

from elfin_bt.kinematics import fk, jacobian, tip_heights, tip_positions
from elfin_bt.kinematics.geometry import PEN_LENGTH
from elfin_bt.kinematics.limits import POSITION
from elfin_bt.resources import share_path

READY = np.array([[0.0, 0.0, -pi / 2, 0.0, -pi / 2, 0.0]])


@pytest.fixture(scope='module')
def model():
    return pinocchio.buildModelFromUrdf(str(share_path('config/elfin5.urdf')))


@pytest.fixture(scope='module')
def q():
    return np.random.default_rng(1).uniform(*POSITION.T, (300, 6))


def in_pinocchio(model, q, frame, value):
    data, index = model.createData(), model.getFrameId(frame)
    return np.array([value(data, index, row) for row in q])


def placement(model, q, frame):
    def homogeneous(data, index, row):
        pinocchio.framesForwardKinematics(model, data, row)
        return data.oMf[index].homogeneous

    return in_pinocchio(model, q, frame, homogeneous)


def test_flange_pose_is_that_of_the_urdf(model, q):
    np.testing.assert_allclose(fk(q), placement(model, q, 'elfin_end_link'), atol=1e-14)


def test_pen_tip_is_that_of_the_urdf(model, q):
    np.testing.assert_allclose(
        tip_positions(q), placement(model, q, 'pen_tip')[:, :3, 3], atol=1e-14
    )


def test_tip_heights_are_those_of_the_tip_positions(q):
    np.testing.assert_allclose(tip_heights(q, 0.17), tip_positions(q, 0.17)[:, 2], atol=1e-14)


def test_jacobian_is_that_of_the_urdf(model, q):
    def of_pinocchio(data, index, row):
        return pinocchio.computeFrameJacobian(
            model, data, row, index, pinocchio.LOCAL_WORLD_ALIGNED
        )

    np.testing.assert_allclose(
        jacobian(q), in_pinocchio(model, q, 'pen_tip', of_pinocchio), atol=1e-14
    )


def test_jacobian_of_a_tool_off_the_flange_axis(q):
    tool, h = np.array([0.03, -0.05, 0.11]), 1e-6

    def position(q):
        pose = fk(q)
        return pose[:, :3, 3] + pose[:, :3, :3] @ tool

    for joint in range(6):
        step = h * np.eye(6)[joint]
        slope = (position(q + step) - position(q - step)) / (2 * h)
        np.testing.assert_allclose(jacobian(q, tuple(tool))[:, :3, joint], slope, atol=1e-8)


@pytest.mark.parametrize(
    ('q', 'position', 'z_axis', 'rounding'),
    [
        ([0, 0, 0, 0, 0, 0], (0, 0, 1.1765), (0, 0, 1), 0.0),
        ([0, 0, -pi / 2, 0, -pi / 2, 0], (-0.420, 0, 0.4435), (0, 0, -1), 0.0),
        # Published for 1.57, read as pi/2.
        ([0, 0, 1.57, 0, 1.57, 0], (0.420, 0, 0.4438), (0, 0, -1), 2e-3),
    ],
)
def test_published_check_values(q, position, z_axis, rounding):
    pose = fk(np.array([q], dtype=float))[0]
    np.testing.assert_allclose(pose[:3, 3], position, atol=1e-15 + 0.2 * rounding)
    np.testing.assert_allclose(pose[:3, 2], z_axis, atol=1e-15 + rounding)


def test_ready_pose_holds_the_pen_straight_down():
    np.testing.assert_allclose(
        tip_positions(READY), [[-0.420, 0.0, 0.4435 - PEN_LENGTH]], atol=1e-15
    )


def test_forward_kinematics_of_a_real_moveit(shared):
    table = shared('reference/moveit/cartesian_totg_pilz.json')
    rows = json.loads(table.read_text())['fk_table']
    pose = fk(np.array([row['q'] for row in rows]))
    # That model has its angles rounded to 1.5708 and 3.1416: worth up to 10 um and 20 urad.
    np.testing.assert_allclose(pose[:, :3, 3], [row['tip']['xyz'] for row in rows], atol=10e-6)
    for matrix, row in zip(pose, rows, strict=True):
        theirs = pinocchio.Quaternion(*np.roll(row['tip']['quat_xyzw'], 1)).toRotationMatrix()
        assert np.linalg.norm(pinocchio.log3(matrix[:3, :3].T @ theirs)) < 20e-6


def test_an_empty_batch_stays_empty():
    assert fk(np.empty((0, 6))).shape == (0, 4, 4)
    assert tip_positions(np.empty((0, 6))).shape == (0, 3)
    assert jacobian(np.empty((0, 6))).shape == (0, 6, 6)

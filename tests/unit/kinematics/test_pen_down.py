# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The pen straight down: the general inverse kinematics finds the same joints, in each arm."""

import numpy as np
import pytest

from elfin_bt.kinematics import BRANCHES, PaperFrame, branch_of, fk, ik
from elfin_bt.kinematics.geometry import FLANGE, FOREARM, SHOULDER_HEIGHT, UPPER_ARM
from elfin_bt.kinematics.pen_down import ARMS, PenDown

LENGTH = 0.17
YAW = 0.7


def poses(tip):
    """Flange poses for tips (3, N) in the world."""
    return PaperFrame(origin=(0.0, 0.0, 0.0)).pen_poses(tip.T, YAW, LENGTH)


def tips(count):
    return np.random.default_rng(3).uniform([-0.6, -0.6, 0.0], [0.6, 0.6, 0.5], (count, 3)).T


@pytest.mark.parametrize('arm', ARMS)
def test_joints_are_those_of_the_general_inverse_kinematics(arm):
    tip = tips(2000)
    q = PenDown(tip, LENGTH, *arm).joints(YAW).T
    general = ik(poses(tip))
    there = np.isfinite(q).all(axis=1)
    assert 0.5 < there.mean() < 1.0
    assert (there == np.isfinite(general[:, 0]).all(axis=1)).all()
    branch = branch_of(q[there])
    assert all((BRANCHES[b].shoulder, BRANCHES[b].elbow) == arm for b in np.unique(branch))
    np.testing.assert_allclose(q[there], general[there][np.arange(there.sum()), branch], atol=1e-11)
    np.testing.assert_allclose(fk(q[there]), poses(tip)[there], atol=1e-13)
    assert (q[there, 3] == 0.0).all()


def test_the_other_wrist_needs_half_a_turn_of_joint_4():
    tip = tips(500)
    for arm in ARMS:
        q = PenDown(tip, LENGTH, *arm).joints(YAW).T
        q = q[np.isfinite(q).all(axis=1)]
        other = ik(fk(q))[np.arange(len(q)), branch_of(q) ^ 1]
        np.testing.assert_allclose(np.abs(other[:, 3]), np.pi, atol=1e-12)


def test_out_of_reach_and_on_axis_1_is_nan_and_spares_the_others():
    centre = SHOULDER_HEIGHT - FLANGE - LENGTH  # height of the tip with the wrist at the shoulder's
    far, near = UPPER_ARM + FOREARM, FOREARM - UPPER_ARM
    tip = np.array(
        [
            [far + 1e-6, 0.0, centre],
            [near - 1e-6, 0.0, centre],
            [0.0, 0.0, centre + 0.5],
            [np.nan, 0.3, centre],
            [far - 1e-6, 0.0, centre],
            [near + 1e-6, 0.0, centre],
        ]
    ).T
    for arm in ARMS:
        q = PenDown(tip, LENGTH, *arm).joints(0.0)
        assert np.isnan(q[:, :4]).all()
        assert np.isfinite(q[:, 4:]).all()


def test_precision_holds_next_to_the_straight_arm():
    bend = np.array([1e-2, 1e-3, 1e-4])
    q = np.array([[0.3, -0.9, b, 0.0, np.pi - (b + 0.9), 0.3 - YAW] for b in bend])
    tip = (fk(q)[:, :3, 3] + LENGTH * fk(q)[:, :3, 2]).T
    found = PenDown(tip, LENGTH, 1, 1).joints(YAW).T
    np.testing.assert_allclose(found[:, 2], bend, atol=1e-11)

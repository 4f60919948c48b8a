# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The three singularities, against the Jacobian's own determinant."""

import numpy as np
import pytest

from elfin_bt.kinematics import fk, jacobian
from elfin_bt.kinematics.geometry import FLANGE, FOREARM, UPPER_ARM
from elfin_bt.kinematics.limits import POSITION
from elfin_bt.kinematics.singularity import singularity_measure


def test_the_three_measures_are_the_factors_of_the_determinant():
    # For an arm with a spherical wrist |det J| = a2 d4 |sin q3| r |sin q5|.
    q = np.random.default_rng(6).uniform(*POSITION.T, (200, 6))
    measure = singularity_measure(q)
    product = UPPER_ARM * FOREARM * measure.elbow * measure.shoulder * measure.wrist
    np.testing.assert_allclose(np.abs(np.linalg.det(jacobian(q))), product, atol=1e-14)


def test_the_shoulder_measure_is_the_wrists_distance_from_axis_1():
    q = np.random.default_rng(7).uniform(*POSITION.T, (200, 6))
    wrist = fk(q)[:, :3, 3] - FLANGE * fk(q)[:, :3, 2]
    np.testing.assert_allclose(
        singularity_measure(q).shoulder, np.hypot(wrist[:, 0], wrist[:, 1]), atol=1e-14
    )


@pytest.mark.parametrize(
    ('joints', 'name'),
    [
        ([0, 0.3, -1.5, 0, 0.05, 0], 'wrist singularity: |sin q5| 0.050 is below'),
        ([0, 0.8, -0.05, 0, -1.5, 0], 'elbow singularity: |sin q3| 0.050 is below'),
        ([0, 0.5, 0.95, 0, -1.5, 0], 'shoulder singularity: wrist centre'),
    ],
)
def test_the_first_configuration_too_near_is_named(joints, name):
    ready = [0, 0, -np.pi / 2, 0, -np.pi / 2, 0]
    assert singularity_measure(np.array([ready])).first_below_minimum() is None
    measure = singularity_measure(np.array([ready, joints, joints]))
    index, text = measure.first_below_minimum()
    assert index == 1
    assert text.startswith(name)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Arrival is tolerance and rest for a while, by device time; too late is an error with numbers."""

import numpy as np
import pytest

from elfin_bt.execution.actions import DeviceReport
from elfin_bt.execution.stillness import Stillness
from elfin_bt.execution.tolerances import JointTolerances
from elfin_bt.kinematics.limits import JOINT_NAMES


@pytest.fixture
def stillness():
    return Stillness(JOINT_NAMES, np.zeros(6), JointTolerances.uniform(0.02, 0.01, 6), 1.0, 0.1)


def report(stamp, position=0.0, velocity=0.0, state=0):
    row = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    return DeviceReport(stamp, state, 0, position * row, velocity * row)


def test_the_dwell_has_to_be_uninterrupted(stillness):
    assert stillness.observe(report(5.0)) is None
    assert stillness.observe(report(5.09)) is None
    assert stillness.observe(report(5.095, velocity=0.02)) is None
    assert stillness.observe(report(5.15)) is None
    assert stillness.observe(report(5.24)) is None
    assert stillness.observe(report(5.26)) == ''


@pytest.mark.parametrize(
    'given, words',
    [
        ({'position': -0.03}, 'elfin_joint2: position error is 0.0300 rad, tolerance 0.02'),
        ({'velocity': 0.05}, 'elfin_joint2: velocity error is 0.0500 rad/s, tolerance 0.01'),
        ({'state': 3}, 'the device is in state 3'),
    ],
)
def test_too_late_is_told_with_what_is_wrong(stillness, given, words):
    assert stillness.observe(report(5.0, **given)) is None
    assert stillness.observe(report(6.0, **given)) is None
    error = stillness.observe(report(6.01, **given))
    assert words in error
    assert error.endswith('1 s after the end')

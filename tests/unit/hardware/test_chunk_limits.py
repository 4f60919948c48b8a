# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.hardware.chunk_limits import objection

START = np.zeros(6)


def test_points_within_the_limits_may_be_executed(chunk):
    assert objection(chunk(velocity=1.5), START, 0.001) is None


def test_a_joint_at_its_limits_may_be_executed(chunk):
    points = chunk(velocity=1.57)
    assert objection(points, START, 0.001) is None
    points.velocities[:] = 0.0
    points.positions[:] = (3.14, -2.35, 2.61, 3.14, -2.56, 3.14)
    assert objection(points, points.positions[0], 0.001) is None


def test_a_position_outside_names_joint_value_and_limit(chunk):
    points = chunk(velocity=0.0)
    points.positions[:, 2] = 2.7
    assert objection(points, points.positions[0], 0.001) == (
        'elfin_joint3 at 2.7000 rad in point 0 is outside -2.6100 to 2.6100 rad'
    )


def test_a_velocity_above_the_limit_names_joint_value_and_limit(chunk):
    points = chunk()
    points.velocities[5, 4] = -1.6
    assert objection(points, START, 0.001) == (
        'velocity of elfin_joint5 in point 5 is -1.6000 rad/s, the limit is 1.5700 rad/s'
    )


@pytest.mark.parametrize('point', [0, 30])
def test_a_jump_is_found_although_every_velocity_is_small(chunk, point):
    points = chunk()
    points.positions[point:, 1] += 0.01
    assert objection(points, START, 0.001).startswith(
        f'mean velocity of elfin_joint2 in point {point} is 10.0'
    )


def test_times_that_are_no_multiple_of_the_sample_period(chunk):
    points = chunk()
    points.time[3] = 0.0015
    assert 'point 3 lasts 0.0015 s' in objection(points, START, 0.001)


def test_times_shorter_than_the_sample_period(chunk):
    assert 'point 0 lasts 0.001 s' in objection(chunk(), START, 0.004)


def test_a_motion_does_not_end_at_speed(chunk):
    points = chunk(final=True)
    assert objection(points, START, 0.001) is None
    points.velocities[-1, 0] = 0.1
    assert 'ends with elfin_joint1 at 0.1000 rad/s' in objection(points, START, 0.001)

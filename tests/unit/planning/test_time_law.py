# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The time law against S-curves that can be worked out by hand, and against the limits."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.time_law import JERK_SHARE, PathMotion, path_motion
from elfin_bt.planning.trajectory import Trajectory

from .joint_paths import differences, graded, straight, waves

ARM = JointLimits.of_the_arm()
LIMITS = ARM.scaled(0.9)
SLOPE = 4.0  # rad/m
A = 0.9 * 3.0 / SLOPE  # of the path, m/s2
J = JERK_SHARE * 0.9 * 30.0 / SLOPE  # m/s3


def s_curve(length: float, speed: float) -> float:
    """Time from rest to rest at constant jerk J, acceleration up to A, speed up to `speed`."""

    def ramp(v: float) -> float:
        return v / A + A / J if v >= A * A / J else 2.0 * np.sqrt(v / J)

    def both_ramps(v: float) -> float:  # their length: mean speed v / 2
        return v * ramp(v)

    if both_ramps(speed) <= length:
        return 2.0 * ramp(speed) + (length - both_ramps(speed)) / speed
    low, high = 0.0, speed
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if both_ramps(middle) <= length else (low, middle)
    return 2.0 * ramp(low)


def run(s: np.ndarray, path: JointPath, speed: float) -> PathMotion:
    lengths = np.diff(s)
    return path_motion(path, lengths, np.full(len(lengths), speed), LIMITS)


def trajectory(path: JointPath, motion: PathMotion) -> Trajectory:
    keep = np.insert(motion.steps > 0.0, 0, True)
    velocities, accelerations = motion.joint_motion(path)
    return Trajectory(
        motion.time[keep], path.positions[keep], velocities[keep], accelerations[keep]
    )


@pytest.mark.parametrize('length', [5e-4, 2e-3, 0.01, 0.05, 0.3])
@pytest.mark.parametrize('speed', [0.02, 0.08, 0.2])
def test_a_straight_move_takes_the_time_of_an_s_curve(length, speed):
    s, path = straight(length, SLOPE)
    # A very short move has few rows to shape its jerk with.
    tolerance = 0.12 if length < 1e-3 else 0.03
    assert run(s, path, speed).time[-1] == pytest.approx(s_curve(length, speed), rel=tolerance)


def test_a_joint_at_its_velocity_limit_sets_the_speed():
    s, path = straight(2.0, SLOPE)
    motion = run(s, path, 1.0)
    assert motion.speed.max() == pytest.approx(0.9 * 1.57 / SLOPE)


def test_where_a_length_is_0_the_path_rests_and_takes_no_time():
    s, path = straight(0.02, SLOPE)
    twice = JointPath(*(np.concatenate([a, a + offset]) for a, offset in (
        (path.positions, path.positions[-1]), (path.slopes, 0.0), (path.bends, 0.0)
    )))  # fmt: skip
    lengths = np.concatenate([np.diff(s), [0.0], np.diff(s)])
    motion = path_motion(twice, lengths, np.full(len(lengths), 0.08), LIMITS)
    assert motion.speed[len(s) - 1] == motion.speed[len(s)] == 0.0
    assert motion.steps[len(s) - 1] == 0.0
    assert motion.time[-1] == pytest.approx(2.0 * run(s, path, 0.08).time[-1])


def test_two_rows_from_rest_to_rest_are_one_quintic():
    q = np.zeros((2, 6))
    q[1, 0] = SLOPE * 1e-3
    slopes = np.zeros((2, 6))
    slopes[:, 0] = SLOPE
    path = JointPath(q, slopes, np.zeros((2, 6)))
    motion = path_motion(path, np.array([1e-3]), np.array([0.2]), LIMITS)
    # Jerk of the quintic of least jerk: 60 s / T^3.
    assert motion.time[-1] == pytest.approx(np.cbrt(60.0 * 1e-3 / J))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_no_joint_exceeds_any_limit(seed):
    s, path, speed = waves(np.random.default_rng(seed))
    motion = run(s, path, speed)
    assert motion.speed.max() <= speed * (1.0 + 1e-9)
    assert motion.speed[0] == motion.speed[-1] == 0.0
    moved = trajectory(path, motion)
    assert (differences(moved, 1, 1) <= ARM.velocity).all()
    assert (differences(moved, 2, 1) <= ARM.acceleration).all()
    assert (differences(moved, 3, 4) <= ARM.jerk).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 100_000))
def test_what_is_run_backwards_takes_as_long(seed):
    s, path, speed = waves(np.random.default_rng(seed))
    back = JointPath(path.positions[::-1], -path.slopes[::-1], path.bends[::-1])
    there = run(s, path, speed).time[-1]
    assert run(s[-1] - s[::-1], back, speed).time[-1] == pytest.approx(there, rel=0.05)


def test_no_jerk_limit_leaves_a_trapezoid():
    s, path = straight(0.3, SLOPE)
    lengths = np.diff(s)
    limits = replace(LIMITS, jerk=np.full(6, 1e5))
    motion = path_motion(path, lengths, np.full(len(lengths), 0.2), limits)
    assert motion.time[-1] == pytest.approx(0.3 / 0.2 + 0.2 / A, rel=0.02)


def test_rows_are_closest_where_the_path_begins_and_ends():
    s = graded(0.1)
    assert (np.diff(s) > 0.0).all()
    assert s[0] == 0.0
    assert s[-1] == pytest.approx(0.1)

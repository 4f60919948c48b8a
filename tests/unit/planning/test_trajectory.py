# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.planning.trajectory import Trajectory, join


def parabola(duration: float = 2.0, knots: int = 5, acceleration: float = 0.5) -> Trajectory:
    """One joint from rest at constant acceleration: a cubic Hermite reproduces it exactly."""
    t = np.linspace(0.0, duration, knots)
    return Trajectory(t, 0.5 * acceleration * t[:, None] ** 2, acceleration * t[:, None])


def random_trajectory(seed: int, knots: int = 40) -> Trajectory:
    rng = np.random.default_rng(seed)
    time = np.insert(np.cumsum(rng.uniform(0.01, 0.3, knots - 1)), 0, 0.0)
    return Trajectory(time, rng.normal(size=(knots, 6)), rng.normal(size=(knots, 6)))


def test_constant_acceleration_is_reproduced_between_knots():
    t = np.linspace(0.0, 2.0, 101)
    q, qd = parabola().sample(t)
    np.testing.assert_allclose(q[:, 0], 0.25 * t**2, atol=1e-14)
    np.testing.assert_allclose(qd[:, 0], 0.5 * t, atol=1e-14)


def test_knots_are_met_exactly_and_times_outside_are_clipped():
    trajectory = random_trajectory(1)
    q, qd = trajectory.sample(trajectory.time)
    np.testing.assert_allclose(q, trajectory.positions, atol=1e-12)
    np.testing.assert_allclose(qd, trajectory.velocities, atol=1e-10)
    outside, _ = trajectory.sample([-1.0, trajectory.duration + 1.0])
    np.testing.assert_allclose(outside, trajectory.positions[[0, -1]], atol=1e-12)


def test_peaks_of_a_parabola():
    velocity, acceleration = parabola().peaks()
    np.testing.assert_allclose(velocity, [1.0])
    np.testing.assert_allclose(acceleration, [0.5])


@pytest.mark.parametrize('seed', range(5))
def test_peaks_bound_a_dense_sampling_tightly(seed):
    trajectory = random_trajectory(seed)
    velocity, acceleration = trajectory.peaks()
    t = np.linspace(0.0, trajectory.duration, 200_001)
    q, qd = trajectory.sample(t)
    np.testing.assert_allclose(np.abs(qd).max(axis=0), velocity, rtol=1e-3)
    second = np.diff(q, n=2, axis=0) / (t[1] - t[0]) ** 2
    assert (np.abs(second).max(axis=0) <= acceleration * (1 + 1e-5)).all()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 1000), st.floats(0.05, 2.0), st.integers(2, 50))
def test_parts_of_a_split_keep_both_bounds_and_join_again(seed, longest, knots):
    trajectory = random_trajectory(seed)
    parts = list(trajectory.split(longest, knots))
    for part in parts:
        assert len(part) <= knots
        assert part.duration <= longest + 1e-9 or len(part) == 2
    for before, after in zip(parts, parts[1:], strict=False):
        np.testing.assert_array_equal(before.positions[-1], after.positions[0])
        np.testing.assert_array_equal(before.velocities[-1], after.velocities[0])
    joined = join(parts)
    np.testing.assert_array_equal(joined.positions, trajectory.positions)
    np.testing.assert_allclose(joined.time, trajectory.time, atol=1e-12)


@pytest.mark.parametrize(
    ('time', 'positions', 'complaint'),
    [
        ([0.0], [[0.0]], '2 knots'),
        ([0.0, 0.0], [[0.0], [1.0]], 'rise strictly'),
        ([0.1, 0.2], [[0.0], [1.0]], 'start at 0'),
        ([0.0, 1.0], [[0.0], [np.nan]], 'not finite'),
        ([0.0, 1.0, 2.0], [[0.0], [1.0]], 'shapes differ'),
    ],
)
def test_arrays_that_are_no_trajectory_are_refused(time, positions, complaint):
    with pytest.raises(ValueError, match=complaint):
        Trajectory(np.array(time), np.array(positions), np.zeros_like(positions))


def test_a_trajectory_cannot_be_changed():
    with pytest.raises(ValueError, match='read-only'):
        parabola().positions[0, 0] = 1.0

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A path that arrives in parts, against the same path known at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.look_ahead import LookAhead, TimedRows
from elfin_bt.planning.time_law import path_motion
from elfin_bt.planning.trajectory import Trajectory

from .joint_paths import cut, differences, straight, waves

ARM = JointLimits.of_the_arm()
LIMITS = ARM.scaled(0.9)


def random_cuts(rng: np.random.Generator, rows: int, most: int) -> list[int]:
    inner = rng.integers(1, rows - 1, rng.integers(1, most))
    return sorted({0, rows - 1, *inner.tolist()})


def extend(engine: LookAhead, s: np.ndarray, path: JointPath, speed: float, a: int, b: int) -> None:
    engine.extend(cut(path, a, b), np.diff(s[a : b + 1]), np.full(b - a, speed))


def joined(parts: list[TimedRows]) -> Trajectory:
    def chain(name: str) -> np.ndarray:
        first, *others = (getattr(part, name) for part in parts)
        return np.concatenate([first, *(array[1:] for array in others)])

    return Trajectory(*(chain(n) for n in ('time', 'positions', 'velocities', 'accelerations')))


def assert_within_limits(trajectory: Trajectory) -> None:
    assert (differences(trajectory, 1, 1) <= ARM.velocity).all()
    assert (differences(trajectory, 2, 1) <= ARM.acceleration).all()
    assert (differences(trajectory, 3, 4) <= ARM.jerk).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_taken_as_it_settles_it_is_run_like_a_path_known_at_once(seed):
    rng = np.random.default_rng(seed)
    s, path, speed = waves(rng)
    engine, parts = LookAhead(LIMITS), []
    cuts = random_cuts(rng, len(s), 30)
    for a, b in zip(cuts, cuts[1:], strict=False):
        extend(engine, s, path, speed, a, b)
        if engine.settled > engine.taken:
            parts.append(engine.take(engine.settled))
    parts.append(engine.take(engine.last))
    whole = path_motion(path, np.diff(s), np.full(len(s) - 1, speed), LIMITS).time[-1]
    assert parts[-1].time[-1] <= 1.025 * whole
    assert_within_limits(joined(parts))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_taken_at_any_time_it_keeps_the_limits_and_what_was_taken(seed):
    rng = np.random.default_rng(seed)
    s, path, speed = waves(rng)
    engine, parts = LookAhead(LIMITS), []
    cuts = random_cuts(rng, len(s), 30)
    for a, b in zip(cuts, cuts[1:], strict=False):
        extend(engine, s, path, speed, a, b)
        row = int(rng.integers(engine.taken, engine.last + 1))
        if row > engine.taken:
            parts.append(engine.take(row))
    if engine.last > engine.taken:
        parts.append(engine.take(engine.last))
    for before, after in zip(parts, parts[1:], strict=False):
        for name in ('positions', 'velocities', 'accelerations', 'time'):
            np.testing.assert_allclose(getattr(before, name)[-1], getattr(after, name)[0])
    motion = joined(parts)
    np.testing.assert_array_equal(motion.positions[[0, -1]], path.positions[[0, -1]])
    assert not motion.velocities[[0, -1]].any()
    assert_within_limits(motion)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100_000))
def test_what_is_known_can_always_be_run_to_rest(seed):
    rng = np.random.default_rng(seed)
    s, path, speed = waves(rng)
    engine = LookAhead(LIMITS)
    cuts = random_cuts(rng, len(s), 10)
    for a, b in zip(cuts, cuts[1:-1], strict=False):
        extend(engine, s, path, speed, a, b)
        engine.take(int(rng.integers(engine.taken, engine.last + 1)))
    rest = engine.take(engine.last)
    assert not rest.velocities[-1].any()
    assert rest.time[-1] == pytest.approx(engine.duration)


def test_a_straight_path_does_not_slow_down_at_its_seams():
    s, path = straight(0.3, 4.0)
    engine, parts = LookAhead(LIMITS), []
    for a in range(0, len(s) - 1, 40):
        extend(engine, s, path, 0.08, a, min(a + 40, len(s) - 1))
        if engine.settled > engine.taken:
            parts.append(engine.take(engine.settled))
    parts.append(engine.take(engine.last))
    speed = np.concatenate([part.speed for part in parts])
    cruising = np.flatnonzero(speed > 0.079)
    assert (speed[cruising[0] : cruising[-1]] > 0.079).all()


def test_the_settled_part_does_not_change():
    s, path = straight(0.3, 4.0)
    first, second = LookAhead(LIMITS), LookAhead(LIMITS)
    extend(first, s, path, 0.08, 0, 150)
    extend(second, s, path, 0.08, 0, 150)
    row = first.settled
    assert row > 0
    extend(second, s, path, 0.08, 150, len(s) - 1)
    np.testing.assert_allclose(first.take(row).time, second.take(row).time)


def test_a_row_that_is_not_known_can_not_be_taken():
    engine = LookAhead(LIMITS)
    with pytest.raises(ValueError, match='row 0 is not one of'):
        engine.take(0)
    s, path = straight(0.01, 4.0)
    extend(engine, s, path, 0.08, 0, len(s) - 1)
    engine.take(10)
    for row in (9, len(s)):
        with pytest.raises(ValueError, match=f'row {row} is not one of 10 to {len(s) - 1}'):
            engine.take(row)

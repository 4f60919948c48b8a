# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The trajectory clock: every change of rate stays within the joints' acceleration limits."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.execution.clock import TrajectoryClock
from elfin_bt.execution.goal_queue import GoalQueue
from elfin_bt.execution.joint_path import JointPath, Waypoints

LIMIT = np.full(6, 3.0)
PERIOD = 0.001


def stretch_of(*pieces):
    queue = GoalQueue(PERIOD)
    for piece in pieces:
        goal = queue.append(object(), SimpleNamespace(start_time=None), JointPath(piece))
        goal.checked_to = np.inf
    return queue.stretch(stamp_now=0.0)


def ramp(speed, seconds=2.0):
    """One joint at a constant speed."""
    time = np.array([0.0, seconds])
    direction = np.array([1.0, 0, 0, 0, 0, 0])
    velocity = np.outer(np.ones(2), direction) * speed
    return Waypoints(time, np.outer(time, direction) * speed, velocity)


def walk(clock, stretch, count):
    """Positions of the next samples."""
    samples = clock.take(count)
    return stretch.evaluate(samples.place)[0], samples


def test_at_rate_1_the_samples_are_those_of_the_path():
    stretch = stretch_of(ramp(0.5, 1.0), ramp(0.5, 1.0))
    clock = TrajectoryClock(0.0, LIMIT, PERIOD)
    assert clock.run(stretch)
    samples = clock.take(1500)
    np.testing.assert_allclose(samples.place, np.arange(1, 1501) * PERIOD, atol=1e-12)
    np.testing.assert_array_equal(samples.rate, 1.0)


def test_a_ramp_from_constant_speed_is_as_short_as_physics_allows():
    """From 1.5 rad/s at 0.98 of 3 rad/s2: v/a = 510 ms and v^2/2a = 0.383 rad = 255 ms of path."""
    stretch = stretch_of(ramp(1.5))
    clock = TrajectoryClock(0.0, LIMIT, PERIOD)
    clock.run(stretch)
    clock.take(1000)
    clock.come_to_rest(stretch)
    assert abs(clock.remaining - 510) <= 1
    samples = clock.take(1000)
    assert samples.at_rest
    assert abs(samples.place[-1] - 1.255) < 0.001
    assert samples.rate[-1] == 0.0


def test_a_path_that_ends_in_motion_is_braked_to_rest_at_its_end_and_not_before_it_must():
    stretch = stretch_of(ramp(1.5))
    clock = TrajectoryClock(0.0, LIMIT, PERIOD)
    clock.run(stretch)
    assert abs(clock.uncontested - 1745) <= 1
    samples = clock.take(5000)
    assert samples.place[-1] == 2.0
    assert abs(len(samples.place) - (1745 + 510)) <= 2


def test_an_end_too_near_to_stop_at_is_refused_and_changes_nothing():
    long, short = stretch_of(ramp(1.5)), stretch_of(ramp(1.5, 1.1))
    clock = TrajectoryClock(0.0, LIMIT, PERIOD)
    clock.run(long)
    clock.take(1000)
    remaining = clock.remaining
    assert not clock.run(short)
    assert clock.remaining == remaining


def test_the_last_sample_is_moved_up_and_nothing_else_is_rounded(tools):
    waypoints = tools.random_waypoints(np.random.default_rng(0), duration=1.00037)
    stretch = stretch_of(waypoints)
    clock = TrajectoryClock(0.0, LIMIT, PERIOD)
    clock.run(stretch)
    samples = clock.take(5000)
    assert len(samples.place) == 1001
    assert samples.place[-1] == waypoints.time[-1]
    np.testing.assert_allclose(samples.place[:-1], np.arange(1, 1001) * PERIOD, atol=1e-12)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    knots=st.floats(0.004, 0.05),
    events=st.lists(st.tuples(st.integers(1, 400), st.booleans()), max_size=6),
)
def test_whatever_comes_when_the_limits_hold_and_it_ends_at_rest(tools, seed, knots, events):
    """The path grows piece by piece at random times, and may be told to rest at any."""
    rng = np.random.default_rng(seed)
    waypoints = tools.random_waypoints(rng, duration=1.5, spacing=knots)
    count = len(waypoints)
    cuts = [0, *sorted(rng.choice(np.arange(1, count - 1), 3, replace=False)), count - 1]
    pieces = [tools.slice_of(waypoints, a, b) for a, b in zip(cuts[:-1], cuts[1:], strict=True)]

    known = 1
    stretch = stretch_of(*pieces[:known])
    clock = TrajectoryClock(0.0, LIMIT, PERIOD)
    assert clock.run(stretch)
    walked = [np.tile(waypoints.positions[0], (3, 1))]
    places = [np.zeros(1)]
    resting = False
    for samples, rest in [*events, (10_000, False)]:
        positions, taken = walk(clock, stretch, samples)
        walked.append(positions)
        places.append(taken.place)
        if taken.at_rest:
            break
        if rest and not resting:
            resting = True
            clock.come_to_rest(stretch)
        elif not resting and known < len(pieces):
            known += 1
            stretch = stretch_of(*pieces[:known])
            assert clock.run(stretch)
    assert taken.at_rest

    place = np.concatenate(places)
    assert (np.diff(place) >= 0.0).all()
    assert np.diff(place).max() <= PERIOD + 1e-12
    q = np.concatenate([*walked, np.tile(walked[-1][-1], (3, 1))])
    assert np.abs(np.diff(q, 2, axis=0)).max() / PERIOD**2 < LIMIT[0]
    # The pieces are one path: the original's.
    np.testing.assert_allclose(
        np.concatenate(walked[1:]), JointPath(waypoints).evaluate(place[1:])[0], atol=1e-9
    )

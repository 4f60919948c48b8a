# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Jogging: within every limit whatever is asked for, and at rest short of what is in the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.kinematics import JointLimits, tip_positions
from elfin_bt.kinematics.limits import ACCELERATION, JERK, POSITION, VELOCITY
from elfin_bt.planning.joint_jog import JointJog
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import READY_POSE
from elfin_bt.planning.trajectory import join

READY = np.array(READY_POSE)
LIMITS = JointLimits.of_the_arm().scaled(0.9)


def run(jog, wanted):
    motion = join([jog.step(velocity) for velocity in wanted])
    return motion.sample(np.arange(round(motion.duration / 1e-3) + 1) * 1e-3)[0]


def axis(joint, speed):
    return speed * np.eye(6)[joint]


def assert_sound(q):
    assert (q >= POSITION[:, 0]).all()
    assert (q <= POSITION[:, 1]).all()
    assert (np.abs(np.diff(q, axis=0)) <= 1e-3 * VELOCITY).all()
    assert (np.abs(np.diff(q, 2, axis=0)) <= 1e-6 * ACCELERATION).all()
    third = q[12:] - 3.0 * q[8:-4] + 3.0 * q[4:-8] - q[:-12]
    assert (np.abs(third) <= 4e-3**3 * JERK).all()
    assert np.linalg.norm(np.diff(tip_positions(q), axis=0), axis=1).max() <= 0.2501e-3


def test_a_joint_gets_to_its_speed_and_back_to_rest():
    jog = JointJog(READY, LIMITS)
    q = run(jog, [axis(5, 1.0)] * 50 + [None] * 50)
    assert_sound(q)
    assert jog.at_rest
    speed = np.diff(q[:, 5]) * 1e3
    assert speed.max() == pytest.approx(1.0)
    assert np.argmax(speed > 0.999) * 1e-3 == pytest.approx(1.0 / 2.7 + 2.7 / 27.0, abs=0.02)
    assert not np.diff(q[:, :5], axis=0).any()


def test_the_tip_keeps_to_its_cap():
    jog = JointJog(READY, LIMITS)
    q = run(jog, [axis(0, 1.0)] * 100)
    assert_sound(q)
    speed = np.linalg.norm(np.diff(tip_positions(q), axis=0), axis=1).max() * 1e3
    assert 0.23 < speed <= 0.25


def test_a_position_limit_is_approached_and_not_passed():
    jog = JointJog(READY, LIMITS)
    q = run(jog, [axis(5, 1.0)] * 300)
    assert_sound(q)
    assert 3.13 < q[-1, 5] <= 3.14
    assert np.abs(np.diff(q[-20:], axis=0)).max() < 1e-4
    back = run(jog, [axis(5, -1.0)] * 50)
    assert_sound(back)
    assert back[-1, 5] < 2.9


def test_a_collision_is_kept_away_from():
    jog = JointJog(READY, LIMITS, spare=lambda q: 0.5 - q[:, 5])
    q = run(jog, [axis(5, 0.5)] * 200)
    assert_sound(q)
    assert 0.49 < q[-1, 5] <= 0.5 + 1e-6


speeds = st.lists(st.floats(-1.4, 1.4), min_size=6, max_size=6)


@settings(max_examples=25, deadline=None)
@given(moves=st.lists(st.tuples(st.none() | speeds, st.integers(1, 30)), min_size=1, max_size=8))
def test_whatever_is_asked_for_limits_hold_and_it_can_rest(moves):
    jog = JointJog(READY, LIMITS)
    wanted = [velocity for velocity, cycles in moves for _ in range(cycles)]
    q = run(jog, wanted)
    promised = jog.way_to_rest()
    assert not promised.velocities[-1].any()
    rest = run(jog, [None] * 60)
    assert jog.at_rest
    assert_sound(np.concatenate([q, rest[1:]]))


@pytest.mark.parametrize('wanted', [[0.0] * 5, [np.nan] * 6, [0, 0, 0, 0, 0, 1.5]])
def test_what_cannot_be_jogged_is_refused(wanted):
    jog = JointJog(READY, LIMITS)
    with pytest.raises(ValueError, match='six finite numbers|elfin_joint6 cannot jog at 1.5 rad/s'):
        jog.step(wanted)
    assert jog.at_rest


def test_no_jog_outside_the_limits():
    with pytest.raises(Unplannable, match='elfin_joint2 at 2.4000'):
        JointJog(READY + [0, 2.4, 0, 0, 0, 0], LIMITS)

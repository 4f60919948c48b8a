# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Following: straight, within every limit whatever the targets do, and always able to rest."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.kinematics import BRANCHES, JointLimits, PaperFrame, branch_of, fk, ik_branch
from elfin_bt.kinematics import tip_positions as tips
from elfin_bt.kinematics.limits import ACCELERATION, JERK, POSITION, VELOCITY
from elfin_bt.planning.committed import CYCLE
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import READY_POSE, PlannerConfig
from elfin_bt.planning.target_follower import FollowSettings, TargetFollower
from elfin_bt.planning.trajectory import join

READY = np.array(READY_POSE)
LIMITS = JointLimits.of_the_arm().scaled(0.9)
CONFIG = PlannerConfig()
SPEED = FollowSettings().speed


def over(point, paper=CONFIG.paper, pen_length=CONFIG.pen_length, seed=READY):
    branch = BRANCHES[int(branch_of(seed[None])[0])]
    poses = paper.pen_poses(np.array([point], dtype=float), 0.0, pen_length)
    return ik_branch(poses, branch)[0]


def follower(point=(0.0, 0.0, 0.02), **options):
    return TargetFollower(over(point), CONFIG, LIMITS, **options)


def run(follow, targets):
    """What is committed for one target a cycle, at 1 ms."""
    motion = join([follow.step(target) for target in targets])
    return sampled(motion)


def sampled(motion):
    return motion.sample(np.arange(round(motion.duration / 1e-3) + 1) * 1e-3)[0]


def until_rest(follow, target, most=1000):
    parts = [follow.step(target)]
    while not follow.at_rest and len(parts) < most:
        parts.append(follow.step(target))
    assert follow.at_rest
    return sampled(join(parts))


def assert_sound(q, speed=SPEED):
    """By differences, against the arm's own limits, as the drawings are judged."""
    assert (q >= POSITION[:, 0]).all()
    assert (q <= POSITION[:, 1]).all()
    assert (np.abs(np.diff(q, axis=0)) <= 1e-3 * VELOCITY).all()
    assert (np.abs(np.diff(q, 2, axis=0)) <= 1e-6 * ACCELERATION).all()
    third = q[12:] - 3.0 * q[8:-4] + 3.0 * q[4:-8] - q[:-12]
    assert (np.abs(third) <= 4e-3**3 * JERK).all()
    tip = tips(q)
    assert np.linalg.norm(np.diff(tip, axis=0), axis=1).max() <= 1.001e-3 * speed
    radius = np.hypot(tip[:, 0], tip[:, 1])
    assert radius.min() >= CONFIG.reach[0] - 1e-5
    assert radius.max() <= CONFIG.reach[1] + 1e-5
    height = CONFIG.paper.to_paper(tip)[:, 2]
    assert height.min() >= -0.0005 - 1e-5
    assert height.max() <= 0.120 + 1e-5
    np.testing.assert_allclose(fk(q)[:, 2, 2], -1.0, atol=1e-9)


def off_line(points, start, end):
    direction = (end - start) / np.linalg.norm(end - start)
    away = points - start
    return np.linalg.norm(away - np.outer(away @ direction, direction), axis=1).max()


@pytest.mark.parametrize(
    'target', [(0.08, 0.05, 0.02), (-0.05, 0.1, 0.06), (0.0, -0.12, -0.0005), (0.001, 0.0, 0.02)]
)
def test_a_target_is_reached_on_a_straight_line(target):
    follow = follower()
    q = until_rest(follow, target)
    assert_sound(q)
    tip = CONFIG.paper.to_paper(tips(q))
    np.testing.assert_allclose(tip[-1], target, atol=1e-7)
    np.testing.assert_allclose(follow.tip, target, atol=1e-7)
    assert off_line(tip, np.array([0.0, 0.0, 0.02]), np.array(target)) < 1e-6
    along = np.linalg.norm(tip - target, axis=1)
    assert (np.diff(along) <= 1e-9).all()  # without overshoot


def test_the_speed_is_reached_and_the_time_is_that_of_an_s_curve():
    q = until_rest(follower(), (0.0, 0.12, 0.02))
    # L / v + v / a + a / j with a = 1 m/s2 and j = 10 m/s3: joint limits allow more here.
    assert len(q) * 1e-3 == pytest.approx(0.12 / 0.1 + 0.1 / 1.0 + 1.0 / 10.0, abs=CYCLE + 0.002)
    assert np.linalg.norm(np.diff(tips(q), axis=0), axis=1).max() == pytest.approx(1e-4, rel=1e-3)


def test_holding_comes_to_rest_on_the_line_and_says_how_before():
    follow = follower()
    target = np.array([0.1, 0.06, 0.05])
    q = run(follow, [target] * 20)
    promised = sampled(follow.way_to_rest())
    rest = until_rest(follow, None)
    np.testing.assert_allclose(rest[: len(promised)], promised[: len(rest)], atol=1e-12)
    assert len(rest) * 1e-3 < 0.3
    both = np.concatenate([q, rest[1:]])
    assert_sound(both)
    assert off_line(CONFIG.paper.to_paper(tips(both)), np.array([0.0, 0.0, 0.02]), target) < 1e-6


def test_after_a_hold_the_target_is_taken_up_again():
    follow = follower()
    run(follow, [np.array([0.1, 0.0, 0.02])] * 10)
    until_rest(follow, None)
    until_rest(follow, (0.1, 0.0, 0.02))
    np.testing.assert_allclose(follow.tip, (0.1, 0.0, 0.02), atol=1e-7)


def test_a_target_beyond_the_rim_holds_at_the_nearest_place_and_slides_along():
    follow = follower()
    far = CONFIG.paper.to_paper(np.array([[-0.9, 0.3, 0.12]]))[0]
    until_rest(follow, far)
    rim = CONFIG.reach[1] * np.array([-0.9, 0.3]) / np.hypot(0.9, 0.3)
    np.testing.assert_allclose(follow.tip, follow.goal)
    np.testing.assert_allclose(CONFIG.paper.to_world(follow.tip[None])[0, :2], rim, atol=1e-6)
    targets = [far + [0.0, -0.002 * k, 0.0] for k in range(200)]
    q = run(follow, targets)
    assert_sound(q)
    assert tips(q)[-1, 1] < 0.0  # it has moved along


def test_the_hole_around_the_first_axis_is_not_crossed():
    follow = follower()
    behind = CONFIG.paper.to_paper(np.array([[0.46, 0.02, 0.12]]))[0]
    q = until_rest(follow, behind)
    assert_sound(q)
    radius = np.hypot(*tips(q[-1:])[0, :2])
    assert radius == pytest.approx(CONFIG.reach[0], abs=1e-3)


def test_a_joint_limit_ahead_stops_the_tip_short_of_it():
    tight = JointLimits(
        np.array([[-0.1, 0.1], *POSITION[1:].tolist()]),
        LIMITS.velocity,
        LIMITS.acceleration,
        LIMITS.jerk,
    )
    follow = TargetFollower(over((0.0, 0.0, 0.02)), CONFIG, tight)
    q = until_rest(follow, (0.0, 0.1, 0.02))
    assert_sound(q)
    assert 0.08 < np.abs(q[:, 0]).max() <= 0.1


@pytest.mark.parametrize('share', [0.05, 0.2])
def test_slow_joints_slow_the_tip(share):
    slow = LIMITS.scaled(share)
    follow = TargetFollower(over((0.0, 0.0, 0.02)), CONFIG, slow)
    motion = join([follow.step(np.array([0.1, 0.1, 0.02])) for _ in range(300)])
    q, qd = motion.sample(np.arange(6000) * 1e-3)
    ratio = np.abs(qd) / slow.velocity
    assert ratio.max() <= 1.0 + 1e-6
    third = q[12:] - 3.0 * q[8:-4] + 3.0 * q[4:-8] - q[:-12]
    assert (np.abs(third) <= 1.02 * 4e-3**3 * slow.jerk).all()


def test_a_collision_ahead_is_kept_away_from():
    follow = follower(spare=lambda q: 0.05 - CONFIG.paper.to_paper(tips(q))[:, 0])
    q = run(follow, [np.array([0.1, 0.0, 0.02])] * 200)
    assert_sound(q)
    x = CONFIG.paper.to_paper(tips(q))[:, 0]
    assert 0.04 < x.max() <= 0.05
    assert np.abs(np.diff(q[-20:], axis=0)).max() < 1e-6


targets = st.tuples(st.floats(-0.2, 0.13), st.floats(-0.4, 0.4), st.floats(-0.02, 0.15))


@settings(max_examples=25, deadline=None)
@given(
    moves=st.lists(st.tuples(st.none() | targets, st.integers(1, 25)), min_size=2, max_size=10),
    last=st.tuples(st.floats(-0.1, 0.08), st.floats(-0.1, 0.1), st.floats(0.0, 0.1)),
)
def test_whatever_the_targets_do_limits_hold_and_the_last_one_is_reached(moves, last):
    follow = follower()
    parts = [follow.step(target) for target, cycles in moves for _ in range(cycles)]
    while len(parts) < 2000 and not (follow.at_rest and np.allclose(follow.tip, last, atol=1e-6)):
        parts.append(follow.step(last))
    assert_sound(sampled(join(parts)))
    np.testing.assert_allclose(follow.tip, last, atol=1e-6)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), cycles=st.integers(1, 60))
def test_a_new_target_every_cycle_and_then_a_hold(seed, cycles):
    follow = follower()
    random = np.random.default_rng(seed).uniform(
        [-0.2, -0.4, -0.02], [0.13, 0.4, 0.15], (cycles, 3)
    )
    moving = [follow.step(target) for target in random]
    promised = sampled(follow.way_to_rest())
    rest = until_rest(follow, None)
    assert_sound(np.concatenate([sampled(join(moving)), rest[1:]]))
    np.testing.assert_allclose(rest[: len(promised)], promised[: len(rest)], atol=1e-9)


def test_the_same_targets_give_the_same_motion():
    moves = np.random.default_rng(4).uniform(-0.1, 0.1, (40, 3))
    first, second = (run(follower(), moves) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize('target', [(np.nan, 0.0, 0.0), (0.0, np.inf, 0.0), (0.0, 0.0), 1.0])
def test_what_is_no_target_is_refused_and_moves_nothing(target):
    follow = follower()
    with pytest.raises(ValueError, match='three finite numbers'):
        follow.step(target)
    assert follow.at_rest


def test_a_tilted_pen_is_refused():
    with pytest.raises(Unplannable, match='upright at its yaw: a joint is 0.0100 rad off'):
        TargetFollower(READY + [0, 0, 0, 0.01, 0, 0], CONFIG, LIMITS)


@pytest.mark.parametrize(
    ('options', 'words'),
    [
        ({'speed': 0.3}, 'choose at most 0.25'),
        ({'jerk': 0.0}, 'jerk is 0'),
        ({'speed': np.nan}, 'speed is nan'),
        ({'lowest': 0.2}, 'choose lowest below'),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        FollowSettings(**options)


def recorded_servo(name):
    shared = Path(os.environ.get('ELFIN_SHARED', Path(__file__).parents[4] / 'shared'))
    path = shared / 'reference' / 'moveit' / name
    if not path.exists():
        pytest.skip(f'no recorded Servo runs: {path} is absent')
    return json.loads(path.read_text())


def circle_speed(tip):
    """Speed along it, m/s, from samples 1 ms apart."""
    return np.linalg.norm(np.diff(tip, axis=0), axis=1).mean() * 1e3


def test_servos_circle_is_followed_at_its_true_speed_without_a_filters_loss():
    """Servo was sent poses on a circle of 50 mm at 0.1 m/s; we follow what it ran."""
    record = recorded_servo('servo_cpp_nosmooth.json')['pose']['path_first_turn']
    servo = np.array([row['tip'] for row in record])  # of the flange, every 10 ms
    paper = PaperFrame(origin=(servo[0, 0], servo[0, 1], servo[0, 2]))
    config = PlannerConfig(paper=paper, pen_length=0.0)
    start = over((0, 0, 0), paper, 0.0, np.array([0.0, 0.0, 1.57, 0.0, 1.57, 0.0]))
    # The circle is run at the speed that was asked for; the joints allow more than 1 m/s2.
    follow = TargetFollower(start, config, LIMITS, FollowSettings(speed=0.11, lowest=-0.01))
    circle = paper.to_paper(servo)
    q = run(follow, [*np.concatenate([circle[::2], circle[::2]])])
    tip = tips(q, 0.0)[2000:]
    asked = np.linalg.norm(np.diff(servo, axis=0), axis=1).mean() / 0.01
    assert asked == pytest.approx(0.1, rel=0.01)
    centre = servo.mean(axis=0)[:2]
    radius = np.linalg.norm(tip[:, :2] - centre, axis=1)
    filtered = recorded_servo('servo_cpp_butterworth.json')['twist']['path_first_turn']
    lost = np.array([row['tip'] for row in filtered])
    assert np.ptp(lost[:, 1]) < 0.06  # a circle of 100 mm came out as 57 mm
    assert np.ptp(tip[:, 1]) > 0.095
    assert circle_speed(tip) == pytest.approx(asked, rel=0.04)
    assert np.abs(radius - 0.05).max() < 0.0025
    assert np.ptp(tip[:, 2]) < 2e-5

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Paths that the reach band would let pass, but an arm can't follow."""

import numpy as np
import pytest

from elfin_bt.kinematics import JointLimits, PaperFrame
from elfin_bt.planning import checks
from elfin_bt.planning.collision import CLEARANCE, FIGURE_TOLERANCE, CollisionChecker
from elfin_bt.planning.joints import JointPath, follow
from elfin_bt.planning.path import Leg, PenPath
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import READY_POSE
from elfin_bt.resources import share_path

READY = np.array(READY_POSE)
PAPER = PaperFrame()
LIMITS = JointLimits.of_the_arm()


def line(start: tuple[float, float, float], end: tuple[float, float, float]) -> PenPath:
    """A stroke in 1 mm steps between two points of the paper, m."""
    way = np.subtract(end, start)
    length = np.linalg.norm(way)
    count = int(np.ceil(length / 1e-3)) + 1
    points = start + np.linspace(0.0, 1.0, count)[:, None] * way
    return PenPath(
        points,
        np.tile(way / length, (count, 1)),
        np.zeros((count, 3)),
        np.full(count - 1, length / (count - 1)),
        np.full(count - 1, 0.08),
        (Leg('draw', 0, 0, count - 1),),
        ('stroke 1 (nose)',),
    )


def joints_along(path: PenPath) -> JointPath:
    return follow(READY, path.points, path.tangents, PAPER, 0.0, 0.15)


@pytest.mark.parametrize(
    ('height', 'end', 'cause'),
    [
        (0.0, -0.60, 'out of reach'),
        (0.0, 0.45, 'elfin_joint3 at -2.61.. rad is outside -2.6100 to 2.6100'),
        (0.25, 0.45, 'shoulder singularity: wrist centre 0.0.. m from axis 1 is below 0.080 m'),
    ],
)
def test_stroke_point_and_cause_are_named(height, end, cause):
    path = line((0.0, 0.0, height), (end, 0.0, height))
    with pytest.raises(Unplannable, match=cause) as caught:
        checks.check_joints(path, joints_along(path), LIMITS)
    assert 'stroke 1 (nose)' in str(caught.value)
    assert 'mm from the centre of the paper' in str(caught.value)


def test_a_joint_outside_its_limits_is_named_with_value_and_limits():
    path = line((0.0, 0.0, 0.0), (0.05, 0.0, 0.0))
    joints = joints_along(path)
    narrow = JointLimits(LIMITS.position.copy(), *[np.ones(6)] * 3)
    narrow.position[2] = -1.0, 1.0
    with pytest.raises(Unplannable, match=r'elfin_joint3 at -\d\.\d+ rad is outside -1.0+ to 1.0+'):
        checks.check_joints(path, joints, narrow)


def arc(radius: float, first: float, last: float, centre: tuple[float, float]) -> PenPath:
    """A stroke around a point of the paper, in 1 mm steps."""
    angle = np.linspace(first, last, int(radius * abs(last - first) / 1e-3) + 1)
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(len(angle))
    points = np.stack([centre[0] + radius * c, centre[1] + radius * s, o - 0.0005], axis=1)
    step = radius * abs(last - first) / (len(angle) - 1)
    return PenPath(
        points,
        np.sign(last - first) * np.stack([-s, c, o], axis=1),
        np.stack([-c, -s, o], axis=1) / radius,
        np.full(len(angle) - 1, step),
        np.full(len(angle) - 1, 0.08),
        (Leg('draw', 0, 0, len(angle) - 1),),
        ('stroke 1 (rim)',),
    )


def test_a_circle_at_the_rim_of_the_working_disc_is_drawn():
    path = arc(0.1599, 0.0, 2.0 * np.pi, (0.0, 0.0))
    joints = joints_along(path)
    checker = CollisionChecker(share_path('config/elfin5.urdf'), PAPER)
    checks.check_reach(path, PAPER, (0.30, 0.62))
    checks.check_joints(path, joints, LIMITS)
    clearance = checks.check_collisions(path, joints, checker, 0.0005)
    # The shoulder is 0.12 m over the board and its link's radius 0.06 m: nothing gets nearer.
    assert clearance == pytest.approx(0.06, abs=1e-6)
    assert checker.clearance(joints.positions).min() > CLEARANCE
    assert clearance <= checker.clearance(joints.positions).min() + FIGURE_TOLERANCE


def test_a_circle_beyond_the_rim_is_refused_for_its_distance():
    path = arc(0.1601, 0.0, 2.0 * np.pi, (0.0, 0.0))
    with pytest.raises(Unplannable, match=r'at \(160\.1, .*0\.300 m .* outside 0\.30 to 0\.62 m'):
        checks.check_reach(path, PAPER, (0.30, 0.62))


@pytest.mark.parametrize(
    ('height', 'reason'),
    [
        (0.50, r'stroke 1 \(rim\) at \(.*\) mm .* is out of reach, after 32 % of the way: move'),
        (-0.50, r'stroke 1 \(rim\) at .* is too near a wrist singularity: .*: move the drawing'),
    ],
)
def test_at_the_rim_over_a_board_too_low_or_high_the_reason_is_the_arms(height, reason):
    board = PaperFrame(origin=(-0.46, 0.0, height))
    path = arc(0.1599, 0.0, 2.0 * np.pi, (0.0, 0.0))
    joints = follow(READY, path.points, path.tangents, board, 0.0, 0.15)
    checks.check_reach(path, board, (0.30, 0.62))
    with pytest.raises(Unplannable, match=reason):
        checks.check_joints(path, joints, LIMITS)


def test_far_around_the_robot_a_fixed_yaw_runs_into_joint_6_and_a_free_one_does_not():
    path = arc(0.46, np.pi - 1.2, np.pi + 1.2, (0.46, 0.0))  # around axis 1
    for free in (False, True):
        joints = follow(READY, path.points, path.tangents, PAPER, 2.5, 0.15, free_yaw=free)
        if free:
            checks.check_joints(path, joints, LIMITS)
        else:
            with pytest.raises(Unplannable, match='elfin_joint6 at .*: choose another pen yaw'):
                checks.check_joints(path, joints, LIMITS)


def test_a_jump_to_another_branch_is_noticed():
    path = line((0.0, 0.0, 0.0), (0.05, 0.0, 0.0))
    joints = joints_along(path)
    joints.positions[20:, 5] += 0.5
    with pytest.raises(Unplannable, match='elfin_joint6 jumps by 0.5'):
        checks.check_joints(path, joints, LIMITS)


@pytest.mark.parametrize('row', [1, 7, 8, 9, 20])
def test_a_jump_is_placed_right_in_whatever_block_it_is(row, monkeypatch):
    monkeypatch.setattr('elfin_bt.planning.checks._BLOCK', 8)
    path = line((0.0, 0.0, 0.0), (0.02, 0.0, 0.0))
    joints = joints_along(path)
    checks.check_joints(path, joints, LIMITS)
    joints.positions[row:, 5] += 0.5
    with pytest.raises(Unplannable, match=rf'at \({row - 1}\.0, 0\.0\) mm .* jumps by 0\.5'):
        checks.check_joints(path, joints, LIMITS)


def test_how_far_the_arm_would_get_is_said():
    path = line((0.0, 0.0, 0.0), (-0.60, 0.0, 0.0))
    with pytest.raises(Unplannable, match=r'is out of reach, after 5\d % of the way'):
        checks.check_joints(path, joints_along(path), LIMITS)

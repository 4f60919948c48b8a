# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Paths that the reach band would let pass, but an arm can't follow."""

import numpy as np
import pytest

from elfin_bt.kinematics import JointLimits, PaperFrame
from elfin_bt.planning import checks
from elfin_bt.planning.joints import JointPath, follow
from elfin_bt.planning.path import Leg, PenPath
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import READY_POSE
from elfin_bt.planning.timing import timed

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


def test_a_jump_to_another_branch_is_noticed():
    path = line((0.0, 0.0, 0.0), (0.05, 0.0, 0.0))
    joints = joints_along(path)
    joints.positions[20:, 5] += 0.5
    with pytest.raises(Unplannable, match='elfin_joint6 jumps by 0.5'):
        checks.check_joints(path, joints, LIMITS)


def test_a_chord_error_is_measured_and_limited():
    # Slopes that are wrong bend the path between its knots, which themselves stay in place.
    path = line((0.0, 0.0, 0.0), (0.05, 0.0, 0.0))
    whole = PenPath(
        path.points,
        path.tangents,
        path.lengths,
        path.speeds,
        (Leg('approach', 0, 0, 1), Leg('draw', 0, 1, len(path) - 1)),
        path.stroke_names,
    )
    joints = joints_along(path)
    rows = timed(whole, joints, LIMITS)
    assert checks.chord_error(whole, joints, rows, PAPER, 0.15) < 1e-7
    rows.velocities[20, 0] += 1.0
    with pytest.raises(Unplannable, match=r'off its path \(at most 0\.02 mm\)'):
        checks.chord_error(whole, joints, rows, PAPER, 0.15)

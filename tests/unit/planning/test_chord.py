# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How far the tip strays between two knots."""

from dataclasses import replace

import numpy as np
import pytest

from elfin_bt.kinematics import JointLimits, PaperFrame
from elfin_bt.planning.chord import ChordCheck
from elfin_bt.planning.joints import follow
from elfin_bt.planning.path import Leg, PenPath
from elfin_bt.planning.path_plan import PathPlan
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import READY_POSE

PAPER = PaperFrame()
CHECK = ChordCheck(PAPER, 0.15)


def circle_rows(turn: float) -> PathPlan:
    """A circle of 10 mm radius, a row each `turn` rad, after an approach of one interval."""
    angle = np.arange(0.0, 3.0, turn)
    zero, ones = np.zeros_like(angle), np.ones_like(angle)
    radius = np.stack([np.cos(angle), np.sin(angle), zero], axis=1)
    path = PenPath(
        0.01 * radius,
        np.stack([-np.sin(angle), np.cos(angle), zero], axis=1),
        -100.0 * radius,
        0.01 * turn * ones[1:],
        0.08 * ones[1:],
        (Leg('approach', 0, 0, 1), Leg('draw', 0, 1, len(angle) - 1)),
        ('stroke 1 (nose)',),
    )
    joints = follow(
        np.array(READY_POSE), path.points, path.tangents, PAPER, 0.0, 0.15, path.curvatures
    )
    return PathPlan(path, joints, JointLimits.of_the_arm().scaled(0.9), CHECK)


def test_rows_near_each_other_leave_no_error():
    plan = circle_rows(0.05)
    assert max(CHECK.error(plan.path, rows) for rows in plan.timed()) < 1e-6


def test_it_is_the_distance_of_the_tip_half_way():
    plan = circle_rows(0.05)
    (rows,) = plan.timed()
    # Joint 1 turns the whole arm: 1 rad/s more at one knot moves the middle by T / 8 rad at 0.46 m.
    velocities = rows.velocities.copy()
    velocities[30, 0] += 0.01
    step = rows.time[31] - rows.time[30]
    wrong = replace(rows, velocities=velocities)
    expected = 0.01 * 5.0 / 32.0 * step * 0.46
    assert CHECK.error(plan.path, wrong) == pytest.approx(expected, rel=0.1)


def test_an_error_beyond_the_limit_names_stroke_and_place():
    plan = circle_rows(0.05)
    (rows,) = plan.timed()
    velocities = rows.velocities.copy()
    velocities[30, 0] += 1.0
    with pytest.raises(Unplannable, match=r'nose.* mm off its path \(at most 0\.04 mm\)'):
        CHECK.error(plan.path, replace(rows, velocities=velocities))


def test_the_approach_is_left_out():
    plan = circle_rows(0.05)
    (rows,) = plan.timed()
    velocities = rows.velocities.copy()
    velocities[0, 0] += 1.0
    assert CHECK.error(plan.path, replace(rows, velocities=velocities)) < 1e-6

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Lines in joint space: the times of textbooks and of Pilz; what a cap on the tip costs."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from elfin_bt.kinematics import JointLimits, tip_positions
from elfin_bt.kinematics.limits import POSITION
from elfin_bt.planning.joint_line import fastest, joint_line
from elfin_bt.planning.s_curve import s_curve

LIMITS = JointLimits.of_the_arm().scaled(0.9)
RECORD = 'reference/moveit/cartesian_totg_pilz.json'


@pytest.mark.parametrize(
    ('distance', 'duration'),
    [
        # Peak speed and acceleration reached: L / v + v / a + a / j.
        (2.0, 2.0 / 1.0 + 1.0 / 2.0 + 2.0 / 20.0),
        # Acceleration reached, speed not: a / 2j + sqrt((a / 2j)^2 + L / a), twice.
        (0.3, 2.0 * (0.05 + math.sqrt(0.05**2 + 0.3 / 2.0))),
        # Neither: four phases of constant jerk, 4 (L / 2j)^(1/3).
        (0.02, 4.0 * (0.02 / 40.0) ** (1 / 3)),
    ],
)
def test_an_s_curve_takes_the_time_of_the_textbook(distance, duration):
    curve = s_curve(distance, 1.0, 2.0, 20.0)
    assert curve.duration == pytest.approx(duration, rel=1e-9)
    assert np.diff(curve.time).max() <= 0.02 + 1e-12
    assert (curve.distance[0], curve.distance[-1]) == (0.0, distance)
    jerk = np.diff(curve.acceleration) / np.diff(curve.time)
    np.testing.assert_allclose(jerk[np.abs(jerk) > 1e-3], np.sign(jerk[np.abs(jerk) > 1e-3]) * 20.0)


def test_an_s_curve_over_nothing_is_refused():
    with pytest.raises(ValueError, match='over 0 with speed 1.* must be positive'):
        s_curve(0.0, 1.0, 1.0, 1.0)


def recorded_pilz():
    shared = Path(os.environ.get('ELFIN_SHARED', Path(__file__).parents[4] / 'shared'))
    if not (shared / RECORD).exists():
        pytest.skip(f'no recorded MoveIt runs: {shared / RECORD} is absent')
    record = json.loads((shared / RECORD).read_text())
    return {name: run for name, run in record['pilz'].items() if name.startswith('PTP')}


def test_times_are_those_of_pilz_where_jerk_is_unlimited():
    runs = recorded_pilz()
    assert len(runs) == 6
    for run in runs.values():
        start, goal = np.array(run['start_q']), np.array(run['trajectory']['positions'][-1])
        limits = JointLimits(
            POSITION,
            np.full(6, 1.57 * run['velocity_scaling']),
            np.full(6, 12.56 * run['acceleration_scaling']),
            np.full(6, math.inf),
        )
        length = float(np.linalg.norm(goal - start))
        curve = fastest((goal - start) / length, length, limits)
        assert curve.duration == pytest.approx(run['duration_s'], rel=1e-6)
        # Pilz's samples, but for the last, which it puts at rest.
        for time, q in zip(
            run['trajectory']['time_from_start'][:-1], run['trajectory']['positions'], strict=False
        ):
            assert np.interp(time, curve.time, curve.distance) == pytest.approx(
                np.linalg.norm(np.array(q) - start), abs=2e-3
            )


@pytest.mark.parametrize('seed', range(8))
def test_a_capped_line_takes_little_longer_than_its_tip_at_the_cap(seed):
    start, goal = np.random.default_rng(seed).uniform(-2.0, 2.0, (2, 6))
    line = joint_line(start, goal, LIMITS, pen_length=0.15, tcp_cap=0.25)
    q = start + np.linspace(0.0, 1.0, 4000)[:, None] * (goal - start)
    tip = np.linalg.norm(np.diff(tip_positions(q), axis=0), axis=1) / 0.25
    joints = (np.abs(goal - start) / LIMITS.velocity).max() / len(tip)
    bound = np.maximum(tip, joints).sum()  # without any acceleration limit
    assert bound < line.duration < 1.02 * bound + 0.8

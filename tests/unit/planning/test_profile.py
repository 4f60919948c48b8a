# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The time law against motions that can be worked out by hand."""

import numpy as np
import pytest

from elfin_bt.planning.profile import durations, path_limits, squared_speeds

VELOCITY = np.full(6, 1.0)
ACCELERATION = np.full(6, 2.0)


def straight(length: float, slope: float, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joint 1 turns by `slope` rad a metre, the others stand still."""
    s = np.linspace(0.0, length, rows)
    positions, slopes = np.zeros((rows, 6)), np.zeros((rows, 6))
    positions[:, 0], slopes[:, 0] = slope * s, slope
    return positions, slopes, np.diff(s)


def total_time(positions, slopes, lengths, speed, rest=None) -> float:
    speeds = np.full(len(lengths), speed)
    limits = path_limits(positions, slopes, lengths, speeds, VELOCITY, ACCELERATION)
    if rest is None:
        rest = np.zeros(len(positions), dtype=bool)
        rest[[0, -1]] = True
    v = np.sqrt(squared_speeds(limits, rest))
    return float(durations(lengths, v).sum())


def test_a_short_move_accelerates_to_the_middle_and_brakes():
    # 2 rad/s2 at 4 rad/m are a = 0.5 m/s2; 0.1 m from rest to rest take 2 sqrt(0.1 / 0.5) s.
    path = straight(0.1, 4.0, 201)
    assert total_time(*path, speed=10.0) == pytest.approx(2.0 * np.sqrt(0.2), rel=1e-6)


def test_a_long_move_is_a_trapezoid_under_the_speed_cap():
    # a = 0.5 m/s2, v = 0.1 m/s: length / v + v / a. The corners of the trapezoid fall on rows.
    path = straight(0.5, 4.0, 51)
    assert total_time(*path, speed=0.1) == pytest.approx(0.5 / 0.1 + 0.1 / 0.5, rel=1e-6)


def test_a_joint_at_its_velocity_limit_sets_the_speed():
    # 1 rad/s at 4 rad/m is 0.25 m/s.
    path = straight(2.0, 4.0, 2001)
    expected = 2.0 / 0.25 + 0.25 / 0.5
    assert total_time(*path, speed=10.0) == pytest.approx(expected, rel=1e-4)


def test_a_bend_takes_the_acceleration_that_it_needs():
    # q1 = sin(10 s) has |q''| = 100 rad/m2 at its crests, where v^2 = 2 / 100 is all it can take.
    s = np.linspace(0.0, 2.0, 4001)
    positions, slopes = np.zeros((len(s), 6)), np.zeros((len(s), 6))
    positions[:, 0], slopes[:, 0] = np.sin(10.0 * s), 10.0 * np.cos(10.0 * s)
    positions[:, 1], slopes[:, 1] = np.cos(10.0 * s), -10.0 * np.sin(10.0 * s)
    lengths = np.diff(s)
    speeds = np.full(len(lengths), 10.0)
    limits = path_limits(positions, slopes, lengths, speeds, np.full(6, 9.0), ACCELERATION)
    rest = np.zeros(len(s), dtype=bool)
    rest[[0, -1]] = True
    x = squared_speeds(limits, rest)
    crest = np.argmin(np.abs(s - (np.pi / 2 + 2 * np.pi) / 10.0))
    assert abs(positions[crest, 0]) > 0.9999
    assert x[crest] == pytest.approx(2.0 / 100.0, rel=0.01)


def test_no_row_exceeds_any_limit():
    rng = np.random.default_rng(3)
    s = np.linspace(0.0, 1.0, 400)
    frequency, phase = rng.uniform(1, 30, 6), rng.uniform(0, 6, 6)
    q = np.sin(s[:, None] * frequency + phase)
    dq = frequency * np.cos(s[:, None] * frequency + phase)
    ddq = -(frequency**2) * q
    limits = path_limits(q, dq, np.diff(s), np.full(399, 0.3), VELOCITY, ACCELERATION)
    rest = np.zeros(400, dtype=bool)
    rest[[0, 150, 399]] = True
    x = squared_speeds(limits, rest)
    assert (x[[0, 150, 399]] == 0.0).all()
    assert (np.sqrt(x) <= 0.3 + 1e-12).all()
    assert (np.abs(dq) * np.sqrt(x)[:, None] <= VELOCITY + 1e-9).all()
    a = np.diff(x) / (2.0 * np.diff(s))
    for end in (slice(0, -1), slice(1, None)):
        acceleration = dq[end] * a[:, None] + ddq[end] * x[end, None]
        assert (np.abs(acceleration) <= 1.01 * ACCELERATION).all()


def test_resting_in_between_costs_the_time_of_two_moves():
    positions, slopes, lengths = straight(0.4, 4.0, 401)
    rest = np.zeros(401, dtype=bool)
    rest[[0, 200, 400]] = True
    one = total_time(*straight(0.2, 4.0, 201), speed=10.0)
    assert total_time(positions, slopes, lengths, 10.0, rest) == pytest.approx(2 * one, rel=1e-9)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Interpolation by the fields that a goal gives, and the dense view of the path."""

import numpy as np
import pytest

from elfin_bt.execution.joint_path import JointPath, Waypoints


@pytest.fixture
def knots():
    rng = np.random.default_rng(0)
    time = np.concatenate(([0.0], np.cumsum(rng.uniform(0.001, 0.3, 40))))
    return time, *(rng.normal(size=(41, 6)) for _ in range(3))


def test_every_knot_is_landed_on(knots):
    time, p, v, a = knots
    for waypoints in (
        Waypoints.resting(time, p),
        Waypoints(time, p, v),
        Waypoints(time, p, v, a),
    ):
        q, qd, qdd = JointPath(waypoints).evaluate(time)
        np.testing.assert_allclose(q, p, atol=1e-12)
        np.testing.assert_allclose(qd, waypoints.velocities, atol=1e-9)
        if waypoints.accelerations is not None:
            np.testing.assert_allclose(qdd, waypoints.accelerations, atol=1e-7)


def test_a_cubic_and_a_quintic_reproduce_themselves():
    """Polynomials of degree 3 and 5 are their own Hermite interpolants."""
    time = np.array([0.0, 0.4, 0.7])
    at = np.linspace(0.0, 0.7, 50)
    for degree in (3, 5):
        polynomial = np.polynomial.Polynomial(np.arange(1.0, degree + 2))
        rows = [
            np.repeat(polynomial.deriv(k)(time)[:, None] if k else polynomial(time)[:, None], 6, 1)
            for k in range(3)
        ]
        path = JointPath(Waypoints(time, rows[0], rows[1], rows[2] if degree == 5 else None))
        for k, values in enumerate(path.evaluate(at)):
            expected = polynomial.deriv(k)(at) if k else polynomial(at)
            np.testing.assert_allclose(values[:, 0], expected, rtol=1e-10, atol=1e-10)


def test_positions_alone_run_straight_from_rest_to_rest(knots):
    time, p, *_ = knots
    path = JointPath(Waypoints.resting(time, p))
    middle, *_ = path.evaluate(0.5 * (time[1:] + time[:-1]))
    np.testing.assert_allclose(middle, 0.5 * (p[1:] + p[:-1]), atol=1e-12)


def test_nodes_hold_both_sides_of_a_jump_in_acceleration():
    time = np.array([0.0, 0.1, 0.2])
    p = np.array([[0.0], [0.1], [0.2]])
    v = np.array([[0.0], [1.5], [0.0]])
    path = JointPath(Waypoints(time, p, v))
    nodes = path.nodes(0.0999, 0.1003, 0.001)
    np.testing.assert_allclose(nodes.time, [0.0999, 0.1, 0.1003])
    # Hermite cubic on [0, h] with ends (p0, v0), (p1, v1): q''(h) = -6 dp/h^2 + (2 v0 + 4 v1)/h.
    before = -6 * 0.1 / 0.01 + 4 * 1.5 / 0.1
    after = 6 * 0.1 / 0.01 - 4 * 1.5 / 0.1
    assert nodes.accelerations[0, 1, 0] == pytest.approx(before)
    assert nodes.accelerations[1, 0, 0] == pytest.approx(after)


def test_an_entry_starts_at_the_state_and_joins_the_path(knots):
    time, p, v, _ = knots
    path = JointPath(Waypoints(time, p, v))
    entered = path.entered_from(p[0] + 0.01, v[0] - 0.02, 0.3)
    q, qd, _ = entered.evaluate(np.array([0.0]))
    np.testing.assert_allclose(q[0], p[0] + 0.01)
    np.testing.assert_allclose(qd[0], v[0] - 0.02)
    later = np.linspace(0.3, path.duration, 20)
    for mine, its in zip(entered.evaluate(later), path.evaluate(later), strict=True):
        np.testing.assert_array_equal(mine, its)

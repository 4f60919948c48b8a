# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The search for the smallest distance, on distances that are known everywhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.planning.clearance import BLOCK, search

REACH = np.array([[1.0, 0.7, 0.5, 0.2, 0.1, 0.0], [0.0, 0.9, 0.0, 0.3, 0.0, 0.2]])


class Points:
    """Distances with exactly the given reach: weighted sums of angles from two configurations."""

    def __init__(self, near):
        self.near = near  # (2, 6)
        self.evaluations = 0

    def __call__(self, q):
        self.evaluations += 1
        return (REACH * np.abs(q - self.near)).sum(axis=1)

    def along(self, q):
        """Smallest distance on the path, from dense samples between its rows."""
        share = np.linspace(0.0, 1.0, 20)[:, None, None]
        dense = ((1.0 - share) * q[:-1] + share * q[1:]).reshape(-1, 6)
        return (REACH * np.abs(dense[:, None] - self.near)).sum(axis=2).min()


def curve(seed, count, size):
    """A smooth random path."""
    random = np.random.default_rng(seed)
    turn = np.linspace(0.0, 6.0, count)[:, None]
    return size * np.sin(turn * random.uniform(0.3, 3.0, 6) + random.uniform(0.0, 6.0, 6))


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 400),
    st.sampled_from([0.01, 0.3, 1.5]),
    st.sampled_from([0.0, 0.02, 0.3]),
)
def test_nothing_nearer_than_the_bound_is_ever_missed(seed, count, size, tolerance):
    q = curve(seed, count, size)
    distances = Points(np.random.default_rng(seed).uniform(-1.0, 1.0, (2, 6)))
    found = search(q, distances, REACH, required=0.3, proven=0.25, tolerance=tolerance)
    unsettled = [distances.along(q[i : i + BLOCK + 1]) for i in found.unsettled if count > 1]
    true = distances.along(q) if count > 1 else distances(q[0]).min()
    if found.nearest < 0.3:
        assert true < 0.3
        return
    assert true >= min([found.bound, *unsettled]) - 1e-12
    assert found.bound >= 0.25
    assert found.nearest >= true - 1e-12


def test_a_single_bad_row_between_good_ones_is_seen():
    q = np.zeros((1000, 6))
    q[:, 0] = 1.0
    for row in (0, 1, 7, 8, 500, 998, 999):
        bad = q.copy()
        bad[row, 0] = 0.01
        found = search(
            bad,
            Points(np.zeros((2, 6)) - [[0], [9]]),
            REACH,
            required=0.3,
            proven=0.25,
            tolerance=0.02,
        )
        near_row = [first for first in found.unsettled if first <= row <= first + BLOCK]
        assert found.nearest < 0.3 or near_row


def test_a_bad_place_between_two_rows_is_left_to_a_closer_look():
    q = np.zeros((9, 6))
    q[4:, 0] = 2.0  # the distance to 1.0 is 1.0 at all rows, and 0 between two of them
    distances = Points(np.array([[1.0, 0, 0, 0, 0, 0], [0, 9.0, 0, 0, 0, 0]]))
    found = search(q, distances, REACH, required=0.3, proven=0.25, tolerance=0.02)
    assert found.nearest == pytest.approx(1.0)
    assert found.unsettled == (0,)


def test_a_path_that_comes_by_again_and_again_costs_no_more():
    once = curve(3, 500, 0.3)
    near = np.full((2, 6), 2.0)
    counts = []
    for times in (1, 40):
        q = np.concatenate([once, once[::-1]] * times)
        distances = Points(near)
        search(q, distances, REACH, required=0.1, proven=0.05, tolerance=0.02)
        counts.append(distances.evaluations)
    assert counts[1] <= 1.5 * counts[0]


def test_the_figure_is_as_near_as_asked():
    q = curve(4, 3000, 0.5)
    distances = Points(np.full((2, 6), 0.8))
    found = search(q, distances, REACH, required=0.01, proven=0.005, tolerance=0.03)
    assert found.unsettled == ()
    true = distances.along(q)
    assert found.bound <= true <= found.nearest <= true + 0.03

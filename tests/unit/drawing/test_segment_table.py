# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The arrays of a table against the segments they were made from."""

import numpy as np
import pytest

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.drawing.segment_table import SegmentTable


def random_segments(count, seed=3):
    draw = np.random.default_rng(seed)
    for _ in range(count):
        yield Line(*draw.uniform(-9, 9, (2, 2)))
        yield EllipseArc(*draw.uniform(-9, 9, (3, 2)), *draw.uniform(-7, 7, 2))
        yield CubicBezier(*draw.uniform(-9, 9, (4, 2)))


SEGMENTS = list(random_segments(40))
TABLE = SegmentTable(SEGMENTS)


def test_points_and_derivatives_are_those_of_the_segments():
    for u in (0.0, 0.3, 1.0):
        rows = np.arange(TABLE.size)
        points, slopes = TABLE.point(rows, 0 * rows + u), TABLE.derivative(rows, 0 * rows + u)
        np.testing.assert_allclose(points, [s.point(u)[0] for s in SEGMENTS], atol=1e-12)
        np.testing.assert_allclose(slopes, [s.derivative(u)[0] for s in SEGMENTS], atol=1e-12)


def test_lengths_are_those_of_the_segments():
    np.testing.assert_allclose(TABLE.lengths(), [s.length() for s in SEGMENTS], rtol=1e-8)


def test_boxes_are_tight():
    u = np.linspace(0.0, 1.0, 20_001)
    for segment in SEGMENTS:
        points = segment.point(u)
        lower, upper = SegmentTable([segment]).bounds()
        np.testing.assert_allclose(lower, points.min(axis=0), atol=1e-5)
        np.testing.assert_allclose(upper, points.max(axis=0), atol=1e-5)
        assert (lower <= points + 1e-12).all() and (upper >= points - 1e-12).all()


def test_box_of_a_quarter_circle_by_hand():
    # From 45 to 135 degrees: the top is at 90, the sides are at the ends.
    quarter = EllipseArc((0, 0), (10, 0), (0, 10), np.pi / 4, np.pi / 2)
    side = 10 / np.sqrt(2)
    np.testing.assert_allclose(SegmentTable([quarter]).bounds(), [[-side, side], [side, 10]])


@pytest.mark.parametrize('tolerance', [0.5, 0.02, 1e-3])
def test_chords_of_flat_steps_stay_within_the_tolerance(tolerance):
    for segment, steps in zip(SEGMENTS, TABLE.flat_steps(tolerance), strict=True):
        u = np.linspace(0.0, 1.0, 40 * steps + 1)
        ends = segment.point(np.linspace(0.0, 1.0, steps + 1))
        fraction = (np.arange(40 * steps + 1) / 40 % 1.0)[:, None]
        index = np.minimum(np.arange(40 * steps + 1) // 40, steps - 1)
        fraction[-1] = 1.0
        chord = ends[index] * (1 - fraction) + ends[index + 1] * fraction
        assert np.hypot(*(segment.point(u) - chord).T).max() <= tolerance * (1 + 1e-9)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What counts as ink, how far it is off, and what is missing, worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.drawing.ink import (
    MISSED_TOLERANCE,
    find_ink,
    measure,
    missed,
    path_length,
    pen_up_paths,
)

CIRCLE = EllipseArc([0, 0], [0.03, 0], [0, 0.03], 0.0, math.tau)
SQUARE = [
    Line([0.0, 0.0], [0.04, 0.0]),
    Line([0.04, 0.0], [0.04, 0.04]),
    Line([0.04, 0.04], [0.0, 0.04]),
    Line([0.0, 0.04], [0.0, 0.0]),
]


def circle(radius, count=4000, start=0.0, sweep=math.tau):
    angle = np.linspace(start, start + sweep, count)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def trace(*corners, step=8e-5):
    """Points every 0.08 mm, as the pen leaves them at 80 mm/s."""
    parts = []
    for start, end in zip(corners[:-1], corners[1:], strict=True):
        start, end = np.array(start), np.array(end)
        count = max(2, round(np.linalg.norm(end - start) / step) + 1)
        parts.append(np.linspace(start, end, count))
    return np.concatenate(parts)


def motion(z, x=None):
    """Time and tip for heights z (mm), moving by 0.1 mm a sample along x unless given."""
    z = np.array(z, dtype=float) / 1000.0
    x = np.arange(len(z)) * 1e-4 if x is None else np.array(x)
    return np.arange(len(z)) * 1e-3, np.column_stack([x, np.full(len(z), 0.02), z])


# --- finding it ---------------------------------------------------------------------------------


def test_ink_begins_and_ends_where_the_tip_crosses_the_paper():
    # Down from +0.03 to -0.01 mm: the surface is crossed after 3/4 of the first sample; up from
    # -0.01 to +0.04 mm: after 1/5 of the last.
    time, tip = motion([0.03, -0.01, -0.5, -0.01, 0.04])
    (run,) = find_ink(time, tip)
    assert (run.start, run.stop) == (1, 4)
    assert_allclose(run.time * 1000.0, [0.75, 1, 2, 3, 3.2])
    assert_allclose(run.points[:, 0] * 1e4, [0.75, 1, 2, 3, 3.2])
    assert_allclose(run.points[:, 1], 0.02)
    assert run.length == pytest.approx(2.45e-4)


def test_two_strokes_are_two_runs():
    time, tip = motion([1, -1, -1, 1, 1, -1, 1])
    runs = find_ink(time, tip)
    assert [(run.start, run.stop) for run in runs] == [(1, 3), (5, 6)]


def test_rounding_above_the_surface_is_ink_and_a_tenth_of_a_micrometre_is_not():
    time, tip = motion([1, 1e-6, 1e-6, 1])  # mm: one nanometre
    (run,) = find_ink(time, tip)
    assert (run.start, run.stop) == (1, 3)
    assert find_ink(*motion([1, 1e-4, 1e-4, 1])) == []


def test_ink_at_the_ends_of_the_record_has_no_crossing():
    time, tip = motion([-1, -1, 1, -1])
    first, last = find_ink(time, tip)
    assert_allclose(first.time * 1000.0, [0, 1, 1.5])
    assert_allclose(last.time * 1000.0, [2.5, 3])


def test_no_samples_no_ink():
    assert find_ink(np.empty(0), np.empty((0, 3))) == []


def test_pen_up_paths_are_before_between_and_after_the_ink():
    time, tip = motion([1, 1, -1, -1, 1, 1, -1, 1])
    paths = pen_up_paths(tip, find_ink(time, tip))
    assert_allclose([path[[0, -1], 0] * 1e4 for path in paths], [[0, 2], [3, 6], [6, 7]])
    assert paths[0].shape == (3, 3)


def test_pen_up_paths_within_a_part_of_the_record():
    time, tip = motion([1, -1, 1, 1, 1, -1, 1, 1, 1])
    paths = pen_up_paths(tip, find_ink(time, tip), 2, 8)
    assert_allclose([path[[0, -1], 0] * 1e4 for path in paths], [[2, 5], [5, 7]])


def test_without_ink_the_whole_way_is_pen_up():
    _, tip = motion([1, 1, 1])
    (path,) = pen_up_paths(tip, [])
    assert path_length(path) == pytest.approx(2e-4)


# --- how far it is off --------------------------------------------------------------------------


def test_a_circle_drawn_too_large():
    deviation = measure([circle(0.03005)], [CIRCLE])
    assert deviation.max == pytest.approx(5e-5, abs=1e-7)
    assert deviation.rms == pytest.approx(5e-5, abs=1e-7)


def test_distance_is_to_the_curve_and_not_to_a_sampling_of_it():
    assert measure([circle(0.03, count=300_001)], [CIRCLE]).max < 6e-8


def test_an_ellipse_is_met_exactly():
    ellipse = EllipseArc([0.01, 0], [0.04, 0.01], [-0.005, 0.02], 0.3, 5.0)
    u = np.linspace(0, 1, 5000)
    normal = ellipse.derivative(u) @ np.array([[0, 1], [-1, 0]])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    deviation = measure([ellipse.point(u) + 2e-5 * normal], [ellipse])
    assert deviation.max == pytest.approx(2e-5, abs=6e-8)
    assert deviation.rms == pytest.approx(2e-5, abs=6e-8)


def test_worst_point_and_its_index_over_all_runs():
    first, second = trace([0, 0], [0.04, 0]), trace([0.04, 0], [0.04, 0.04])
    second[123] += [0.0007, 0]
    deviation = measure([first, second], SQUARE)
    assert deviation.max == pytest.approx(0.0007)
    assert deviation.worst_index == len(first) + 123
    assert_allclose(deviation.worst_point, second[123])
    assert deviation.rms == pytest.approx(0.0007 / math.sqrt(len(first) + len(second)))


def test_a_corner_cut_short():
    # From 1 mm before the corner straight to 1 mm after it: off by 0.5 mm in the middle, where
    # both sides are equally far, and the corner itself by half the diagonal.
    ink = [trace([0, 0], [0.039, 0], [0.04, 0.001], [0.04, 0.04], [0, 0.04], [0, 0])]
    assert measure(ink, SQUARE).max == pytest.approx(0.0005, abs=4e-5)
    miss = missed(SQUARE, ink)
    assert miss.max == pytest.approx(0.001 / math.sqrt(2), abs=MISSED_TOLERANCE)
    assert_allclose(miss.point, [0.04, 0.0], atol=2 * MISSED_TOLERANCE)


def test_a_stray_line_across_the_drawing_is_off_by_its_distance():
    ink = [trace([0, 0], [0.04, 0]), trace([0.04, 0.04], [0, 0.0])]
    assert measure(ink, SQUARE).max == pytest.approx(0.02, abs=5e-5)


def test_ink_on_another_stroke_is_on_the_drawing():
    assert measure([trace([0.04, 0.0], [0.0, 0.0])], SQUARE).max < 1e-15


def test_nothing_drawn_has_no_deviation():
    assert measure([], SQUARE) is None
    assert missed(SQUARE, []) is None


# --- what is missing ----------------------------------------------------------------------------


def test_all_drawn_nothing_missed():
    ink = [trace([0, 0], [0.04, 0], [0.04, 0.04], [0, 0.04], [0, 0])]
    assert missed(SQUARE, ink).max < MISSED_TOLERANCE


def test_a_missing_side_is_missed_in_its_middle():
    ink = [trace([0, 0], [0.04, 0], [0.04, 0.04], [0, 0.04])]
    miss = missed(SQUARE, ink)
    assert miss.max == pytest.approx(0.02, abs=MISSED_TOLERANCE)
    assert_allclose(miss.point, [0.0, 0.02], atol=2 * MISSED_TOLERANCE)


def test_a_missing_end():
    miss = missed([Line([0, 0], [0.05, 0])], [trace([0, 0], [0.0488, 0])])
    assert miss.max == pytest.approx(0.0012, abs=MISSED_TOLERANCE)
    assert_allclose(miss.point, [0.05, 0], atol=2 * MISSED_TOLERANCE)


def test_a_missing_stroke():
    far = CubicBezier([0.1, 0.0], [0.1, 0.01], [0.1, 0.02], [0.1, 0.03])
    miss = missed([*SQUARE, far], [trace([0, 0], [0.04, 0], [0.04, 0.04], [0, 0.04], [0, 0])])
    assert miss.max == pytest.approx(0.06, abs=MISSED_TOLERANCE)


def test_the_way_between_two_samples_is_ink_but_not_that_between_two_runs():
    line = [Line([0, 0], [0.02, 0])]
    sparse = np.array([[0.0, 0.0], [0.02, 0.0]])
    assert missed(line, [sparse]).max < MISSED_TOLERANCE
    assert missed(line, [sparse[:1], sparse[1:]]).max == pytest.approx(0.01, abs=MISSED_TOLERANCE)


def test_everything_equally_far_from_the_ink():
    miss = missed([CIRCLE], [circle(0.0295, count=20_000)])
    assert miss.max == pytest.approx(0.0005, abs=MISSED_TOLERANCE)


def test_missed_against_dense_sampling():
    rng = np.random.default_rng(11)
    source = [CubicBezier(*rng.uniform(-0.05, 0.05, (4, 2))) for _ in range(3)]
    ink = [rng.uniform(-0.05, 0.05, (60, 2))]
    start, step = ink[0][:-1], np.diff(ink[0], axis=0)
    points = np.concatenate([curve.point(np.linspace(0, 1, 4000)) for curve in source])
    along = ((points[:, None] - start) * step).sum(-1) / (step * step).sum(-1)
    foot = start + np.clip(along, 0, 1)[..., None] * step
    expected = np.linalg.norm(points[:, None] - foot, axis=-1).min(axis=1).max()
    assert missed(source, ink).max == pytest.approx(expected, abs=3e-5)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.planning import bezier

LINE = Line([0.0, 0.0], [3.0, 4.0])
CURVE = CubicBezier([0.0, 0.0], [1.0, 3.0], [4.0, -2.0], [5.0, 1.0])
ARC = EllipseArc([1.0, 2.0], [3.0, 1.0], [-0.5, 1.5], 0.3, -4.0)


def test_lines_and_curves_are_kept_exactly_and_in_order():
    curves, index = bezier.of_segments([CURVE, LINE])
    assert index.tolist() == [0, 1]
    for u in (0.0, 0.3, 1.0):
        expected = np.stack([CURVE.point(u)[0], LINE.point(u)[0]], axis=1)
        np.testing.assert_allclose(bezier.point(curves, np.full(2, u)), expected, atol=1e-14)
        slopes = np.stack([CURVE.derivative(u)[0], LINE.derivative(u)[0]], axis=1)
        np.testing.assert_allclose(bezier.derivative(curves, np.full(2, u)), slopes, atol=1e-13)


def test_an_ellipse_arc_is_met_within_its_stated_error():
    curves, index = bezier.of_segments([LINE, ARC, LINE])
    pieces = curves[:, :, index == 1]
    count = pieces.shape[2]
    assert count == np.ceil(4.0 / (np.pi / 8))
    inverse = np.linalg.inv(np.stack([ARC.axis_u, ARC.axis_v], axis=1))
    for u in np.linspace(0.0, 1.0, 9):
        on_circle = inverse @ (bezier.point(pieces, np.full(count, u)) - ARC.centre[:, None])
        np.testing.assert_allclose(np.hypot(*on_circle), 1.0, atol=1.3e-7)
    np.testing.assert_allclose(pieces[0, :, 0], ARC.start, atol=1e-14)
    np.testing.assert_allclose(pieces[3, :, -1], ARC.end, atol=1e-14)


def test_a_part_is_the_same_curve():
    curves, _ = bezier.of_segments([CURVE])
    part = bezier.part(curves, np.array([0.2]), np.array([0.7]))
    for share in (0.0, 0.4, 1.0):
        np.testing.assert_allclose(
            bezier.point(part, np.array([share]))[:, 0], CURVE.point(0.2 + 0.5 * share)[0]
        )


@pytest.mark.parametrize(
    ('controls', 'start', 'end'),
    [
        ([[0, 0], [1, 0], [2, 1], [2, 2]], [1, 0], [0, 1]),
        ([[0, 0], [0, 0], [0, 2], [2, 2]], [0, 1], [1, 0]),  # no first handle
        ([[0, 0], [1, 0], [2, 2], [2, 2]], [1, 0], [1 / np.sqrt(5), 2 / np.sqrt(5)]),
        ([[0, 0], [0, 0], [3, 4], [3, 4]], [0.6, 0.8], [0.6, 0.8]),  # a line in disguise
    ],
)
def test_directions_at_the_ends_survive_handles_without_length(controls, start, end):
    curve = np.array(controls, dtype=float)[:, :, None]
    np.testing.assert_allclose(bezier.start_tangents(curve)[:, 0], start, atol=1e-12)
    np.testing.assert_allclose(bezier.end_tangents(curve)[:, 0], end, atol=1e-12)


def test_small_and_large_turns():
    angles = np.array([1e-9, 1e-3, 1.0, np.pi / 2, 3.0, np.pi])
    first = np.tile([[1.0], [0.0]], len(angles))
    second = np.stack([np.cos(angles), np.sin(angles)])
    np.testing.assert_allclose(bezier.turn(first, second), angles, rtol=1e-6)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Exact segments: derivatives, lengths and affine images against independent computations."""

import pickle

import numpy as np
import pytest

from elfin_bt.drawing.geometry import (
    CubicBezier,
    EllipseArc,
    Line,
    apply_affine,
    nearest_on_chord,
    transform_all,
)

SEGMENTS = [
    Line((1, 2), (4, 6)),
    EllipseArc((10, -3), (4, 1), (-2, 5), 0.7, -4.0),
    CubicBezier((0, 0), (3, 9), (-4, 2), (7, 5)),
]
U = np.linspace(0.0, 1.0, 13)
SKEW = np.array([[1.5, -0.4, 20.0], [0.3, -2.0, -7.0]])


@pytest.mark.parametrize('segment', SEGMENTS, ids=lambda s: s.kind)
def test_derivatives_are_those_of_the_points(segment):
    h = 1e-5
    inner = U[1:-1]
    slope = (segment.point(inner + h) - segment.point(inner - h)) / (2 * h)
    bend = (segment.derivative(inner + h) - segment.derivative(inner - h)) / (2 * h)
    np.testing.assert_allclose(segment.derivative(inner), slope, atol=1e-7)
    np.testing.assert_allclose(segment.second_derivative(inner), bend, atol=1e-7)


@pytest.mark.parametrize('segment', SEGMENTS, ids=lambda s: s.kind)
def test_ends_are_the_first_and_last_point(segment):
    np.testing.assert_array_equal(segment.point([0.0, 1.0]), [segment.start, segment.end])


@pytest.mark.parametrize('segment', SEGMENTS, ids=lambda s: s.kind)
def test_an_affine_image_has_the_images_of_the_points(segment):
    image = segment.transformed(SKEW)
    assert type(image) is type(segment)
    expected = segment.point(U) @ SKEW[:, :2].T + SKEW[:, 2]
    np.testing.assert_allclose(image.point(U), expected, atol=1e-12)


def test_transform_all_equals_one_by_one():
    for together, alone in zip(
        transform_all(SEGMENTS, SKEW), (s.transformed(SKEW) for s in SEGMENTS), strict=True
    ):
        np.testing.assert_allclose(together.vectors, alone.vectors, atol=1e-12)


@pytest.mark.parametrize('segment', SEGMENTS, ids=lambda s: s.kind)
def test_length_is_that_of_many_chords(segment):
    chords = np.diff(segment.point(np.linspace(0.0, 1.0, 200_001)), axis=0)
    assert segment.length() == pytest.approx(np.hypot(*chords.T).sum(), rel=1e-8)


def test_length_of_a_curve_with_a_cusp():
    # Symmetric with its cusp in the middle: P' = 0 at u = 1/2.
    cusp = CubicBezier((0, 0), (10, 10), (0, 10), (10, 0))
    chords = np.diff(cusp.point(np.linspace(0.0, 1.0, 400_001)), axis=0)
    assert cusp.length() == pytest.approx(np.hypot(*chords.T).sum(), rel=1e-6)


def test_a_circle_has_its_exact_length():
    assert EllipseArc((5, 5), (3, 0), (0, 3), 0.2, 1.5).length() == pytest.approx(4.5, rel=1e-15)


def test_an_elevated_quadratic_is_the_same_curve():
    a, b, c = np.array([1.0, 1.0]), np.array([5.0, 9.0]), np.array([8.0, -2.0])
    cubic = CubicBezier.from_quadratic(a, b, c)
    t = U[:, None]
    expected = (1 - t) ** 2 * a + 2 * (1 - t) * t * b + t**2 * c
    np.testing.assert_allclose(cubic.point(U), expected, atol=1e-14)


def test_segments_are_immutable_and_equal_by_value():
    line = Line([0, 0], [1, 2])
    assert line == Line((0.0, 0.0), np.array([1.0, 2.0]))
    assert line != Line((0, 0), (1, 3))
    assert line != EllipseArc((0, 0), (1, 0), (0, 1), 0, 1)
    with pytest.raises(ValueError, match='read-only'):
        line.start[0] = 5.0
    with pytest.raises(AttributeError):
        line.start = np.zeros(2)


def test_a_segment_keeps_its_own_copy():
    start = np.zeros(2)
    line = Line(start, (1, 1))
    start[0] = 9.0
    assert line.start[0] == 0.0


@pytest.mark.parametrize('segment', SEGMENTS, ids=lambda s: s.kind)
def test_segments_survive_pickling(segment):
    assert pickle.loads(pickle.dumps(segment)) == segment


def test_a_point_must_be_a_pair():
    with pytest.raises(ValueError, match=r'shape \(3,\)'):
        Line((0, 0, 0), (1, 1))


def test_apply_affine_by_hand():
    # x' = 2x + 3y + 4, y' = 5x + 6y + 7
    np.testing.assert_array_equal(apply_affine([[2, 3, 4], [5, 6, 7]], [[1, 10]]), [[36, 72]])


def test_nearest_on_chord_by_hand():
    start, end = np.array([[0.0, 0.0]] * 3), np.array([[10.0, 0.0]] * 3)
    nearest = nearest_on_chord([[3, 4], [-2, 1], [15, 1]], start, end)
    np.testing.assert_array_equal(nearest, [[3, 0], [0, 0], [10, 0]])

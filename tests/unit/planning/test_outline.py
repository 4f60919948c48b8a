# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.drawing.geometry import CubicBezier, Line
from elfin_bt.planning import bezier
from elfin_bt.planning.outline import MICRO, outline
from elfin_bt.planning.refusal import Unplannable

from .drawings import SHAPES, circle, dot, polyline, recipe


def test_segments_are_placed_on_the_paper():
    result = outline(recipe(polyline([[10.0, 20.0], [30.0, 20.0]])))
    np.testing.assert_allclose(result.starts, [[0.010, 0.020]])
    np.testing.assert_allclose(result.ends, [[0.030, 0.020]])
    assert result.curves.shape == (4, 2, 1)


def test_a_dot_has_a_place_but_no_curves():
    result = outline(recipe(dot(5.0, 5.0), circle(10.0), dot(1.0, 1.0)))
    assert set(result.stroke.tolist()) == {1}
    np.testing.assert_allclose(result.starts[[0, 2]], [[0.005, 0.005], [0.001, 0.001]])


def test_microns_become_lines_that_stay_near():
    result = outline(recipe(*SHAPES['microns in zigzag']))
    sizes = bezier.polygon_lengths(result.curves)
    assert len(sizes) < 700
    assert (sizes[:-1] > 0.5 * MICRO).all()
    y = result.curves[:, 1]
    assert y.min() >= -1e-6
    assert y.max() <= 3e-6
    np.testing.assert_array_equal(result.curves[3, :, :-1], result.curves[0, :, 1:])


@pytest.mark.parametrize('name', ['cusp', 'almost a cusp', 'hairpin on a line', 'flat ellipse'])
def test_bends_of_no_size_become_corners_of_a_connected_path(name):
    result = outline(recipe(*SHAPES[name]))
    np.testing.assert_allclose(
        result.curves[3, :, :-1], result.curves[0, :, 1:], rtol=0, atol=1e-15
    )
    angle = bezier.turn(
        bezier.end_tangents(result.curves[:, :, :-1]),
        bezier.start_tangents(result.curves[:, :, 1:]),
    )
    expected = {'cusp': 1, 'almost a cusp': 1, 'hairpin on a line': 2, 'flat ellipse': 2}[name]
    # The flat ellipse begins at one of its ends, where the stroke starts and stops.
    assert (angle > 1.5).sum() in (expected, expected - (name == 'flat ellipse'))


def test_an_ordinary_curve_is_left_alone():
    curve = CubicBezier([0.0, 0.0], [10.0, 10.0], [20.0, 10.0], [30.0, 0.0])
    result = outline(recipe([curve]))
    np.testing.assert_allclose(1e3 * result.curves[:, :, 0], curve.control_points(), atol=1e-12)


def test_a_gap_is_refused_with_the_stroke():
    segments = [Line([0.0, 0.0], [1.0, 0.0]), Line([1.5, 0.0], [2.0, 0.0])]
    with pytest.raises(Unplannable, match=r'stroke 2 has a gap of 0\.500 mm'):
        outline(recipe(circle(1.0), segments))

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Transform lists and viewBox fitting, worked out by hand."""

import numpy as np
import pytest

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import apply_affine
from elfin_bt.drawing.transforms import (
    AspectRatio,
    compose,
    fit_view_box,
    parse_aspect_ratio,
    parse_transform,
)


@pytest.mark.parametrize(
    ('text', 'point', 'image'),
    [
        ('translate(3,4)', (1, 1), (4, 5)),
        ('translate(3)', (1, 1), (4, 1)),
        ('scale(2)', (3, 5), (6, 10)),
        ('scale(2,-1)', (3, 5), (6, -5)),
        ('rotate(90)', (1, 0), (0, 1)),  # clockwise on the screen, y is down
        ('rotate(90, 10, 0)', (11, 0), (10, 1)),
        ('skewX(45)', (1, 2), (3, 2)),
        ('skewY(45)', (2, 1), (2, 3)),
        ('matrix(1 2 3 4 5 6)', (10, 100), (315, 426)),
        # The rightmost acts first: (1, 0) -> (2, 0) -> (0, 2) -> (50, 52).
        ('translate(50,50) rotate(90) scale(2)', (1, 0), (50, 52)),
        ('translate(50,50)rotate(90),scale(2 1)', (10, 0), (50, 70)),
        ('  translate( 1 , 2 ) ,\n', (0, 0), (1, 2)),
        ('translate(1e1-5)', (0, 0), (10, -5)),
        ('none', (7, 8), (7, 8)),
        ('', (7, 8), (7, 8)),
    ],
)
def test_transform_lists(text, point, image):
    np.testing.assert_allclose(apply_affine(parse_transform(text), point), image, atol=1e-12)


@pytest.mark.parametrize(
    'text',
    [
        'translate(1',
        'rotate(1 2)',
        'matrix(1 2 3)',
        'spin(3)',
        'scale()',
        'scale(1;2)',
        'Scale(2)',
        'translate(1) x',
        'rotate(10deg)',
    ],
)
def test_a_list_with_an_error_has_no_map(text):
    assert parse_transform(text) is None


@pytest.mark.parametrize('text', ['rotate(1e999)', 'translate(NaN 1)', 'scale(inf)'])
def test_numbers_must_be_finite(text):
    with pytest.raises(SvgError):
        parse_transform(text)


def test_compose_applies_the_inner_map_first():
    outer, inner = parse_transform('scale(2)'), parse_transform('translate(5 0)')
    np.testing.assert_allclose(apply_affine(compose(outer, inner), (1, 1)), (12, 2))


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('none', AspectRatio(stretch=True)),
        ('none slice', AspectRatio(stretch=True)),
        ('xMinYMax meet', AspectRatio(0.0, 1.0)),
        (' xMaxYMid  slice ', AspectRatio(1.0, 0.5, slice=True)),
        ('defer xMidYMin', AspectRatio(0.5, 0.0)),
        ('xmidymid', None),
        ('middle', None),
    ],
)
def test_aspect_ratio_values(text, expected):
    assert parse_aspect_ratio(text) == expected


# A square viewBox at (10, 20) with a side of 50 in a viewport of 200 x 100: a meeting square has
# a side of 100 (scale 2), a slicing one of 200 (scale 4).
@pytest.mark.parametrize(
    ('text', 'top_left', 'scale'),
    [
        ('xMinYMin meet', (0, 0), 2),
        ('xMidYMin meet', (50, 0), 2),
        ('xMaxYMin meet', (100, 0), 2),
        ('xMinYMid meet', (0, 0), 2),
        ('xMidYMid meet', (50, 0), 2),
        ('xMaxYMid meet', (100, 0), 2),
        ('xMinYMax meet', (0, 0), 2),
        ('xMidYMax meet', (50, 0), 2),
        ('xMaxYMax meet', (100, 0), 2),
        ('xMinYMin slice', (0, 0), 4),
        ('xMidYMid slice', (0, -50), 4),
        ('xMaxYMax slice', (0, -100), 4),
        ('xMinYMax slice', (0, -100), 4),
    ],
)
def test_view_box_fitting(text, top_left, scale):
    matrix = fit_view_box((10, 20, 50, 50), (200, 100), parse_aspect_ratio(text))
    np.testing.assert_allclose(apply_affine(matrix, (10, 20)), top_left)
    np.testing.assert_allclose(apply_affine(matrix, (60, 70)), np.add(top_left, 50 * scale))


def test_view_box_fitting_of_a_wide_box_in_a_tall_viewport():
    # 40 x 10 in 80 x 100: scale 2 makes 80 x 20, 80 are left over in y.
    for text, top in (('xMinYMin', 0), ('xMidYMid', 40), ('xMaxYMax', 80)):
        matrix = fit_view_box((0, 0, 40, 10), (80, 100), parse_aspect_ratio(text))
        np.testing.assert_allclose(apply_affine(matrix, (0, 0)), (0, top))


def test_view_box_stretching():
    matrix = fit_view_box((-5, 5, 10, 50), (200, 100), AspectRatio(stretch=True))
    np.testing.assert_allclose(apply_affine(matrix, [(-5, 5), (5, 55)]), [(0, 0), (200, 100)])

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The physical page of a file."""

import numpy as np
import pytest

from elfin_bt.drawing.artwork import Report
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import apply_affine
from elfin_bt.drawing.page import read_page

PX = 25.4 / 96


def page(**attributes):
    report = Report()
    return read_page(attributes, report), report.warnings


@pytest.mark.parametrize(
    ('width', 'height', 'size_mm'),
    [
        ('210mm', '29.7cm', (210, 297)),
        ('1in', '72pt', (25.4, 25.4)),
        ('6pc', '96px', (25.4, 25.4)),
        ('40Q', '96', (10, 25.4)),
        (' 10 mm ', '1e1mm', (10, 10)),
    ],
)
def test_units(width, height, size_mm):
    result, warnings = page(width=width, height=height)
    assert result.size_mm == pytest.approx(size_mm) and not warnings
    assert result.viewport == pytest.approx(tuple(side / PX for side in size_mm))


def test_user_units_are_px_without_a_view_box():
    result, _ = page(width='10mm', height='10mm')
    np.testing.assert_allclose(apply_affine(result.matrix, (96, 48)), (25.4, 12.7))


def test_view_box_sets_the_user_units():
    result, warnings = page(width='100mm', height='50mm', viewBox='-50 -50 200 100')
    np.testing.assert_allclose(apply_affine(result.matrix, (-50, -50)), (0, 0), atol=1e-12)
    np.testing.assert_allclose(apply_affine(result.matrix, (150, 50)), (100, 50))
    assert result.viewport == (200, 100) and not warnings


def test_a_missing_side_follows_the_view_box():
    result, warnings = page(width='100mm', viewBox='0 0 20 10')
    assert result.size_mm == pytest.approx((100, 50)) and not warnings
    result, _ = page(height='100mm', width='100%', viewBox='0 0 20 10')
    assert result.size_mm == pytest.approx((200, 100))


@pytest.mark.parametrize('size', [{}, {'width': '100%', 'height': '100%'}, {'width': 'auto'}])
def test_no_physical_size_is_px_with_a_warning(size):
    result, warnings = page(viewBox='0 0 300 150', **size)
    assert result.size_mm == pytest.approx((300 * PX, 150 * PX))
    assert len(warnings) == 1 and 'no physical size' in warnings[0] and '--fit' in warnings[0]


@pytest.mark.parametrize(
    'attributes',
    [
        {'width': '0'},
        {'height': '-5mm'},
        {'width': 'NaN'},
        {'width': '1e999mm'},
        {'viewBox': '0 0 0 10'},
        {'viewBox': '0 0 10 -1'},
        {'viewBox': '0 0 nan 1'},
        {'viewBox': '0 0 1e999 1'},
    ],
)
def test_a_page_without_area_is_refused(attributes):
    with pytest.raises(SvgError):
        page(**attributes)


def test_wrong_attributes_are_named_and_not_applied():
    result, warnings = page(width='96px', height='96px', viewBox='0 0 10')
    assert result.size_mm == pytest.approx((25.4, 25.4)) and 'viewBox' in warnings[0]
    _, warnings = page(
        width='96px', height='96px', viewBox='0 0 10 10', preserveAspectRatio='center'
    )
    assert 'preserveAspectRatio' in warnings[0]

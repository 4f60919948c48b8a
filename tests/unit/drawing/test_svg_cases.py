# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The reader against the reference cases: strokes, box and length worked out by hand.

Cases of features that are not read yet must at least name what was ignored.
"""

import json

import numpy as np
import pytest

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.sampling import sample_strokes
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.svg_reader import read_svg

DRAWN = [
    '01-group-transform-order',
    '02-viewbox-offset-scale',
    '04-par-none',
    '06-units-mix',
    '08-root-percent-size',
    '18-display-visibility',
    '27-arc-packed-flags',
    '28-arc-radius-too-small',
    '29-arc-zero-radius',
    '32-path-shorthand',
    '33-compact-numbers',
    '39-dot-stroke',
    '40-doctype-entities-adobe',
    '44-prefixed-namespace',
    '45-foreign-namespace',
    '49-anchor-wraps-path',
    '50-duplicate-lines',
    '53-utf16',
    '54-svgz',
    '56-transform-list-syntax',
    '59-micro-segments',
    '60-fill-only',
    '65-no-namespace',
    '68-unit-dpi-inkscape',
    '72-inkscape-layers',
]
REFUSED = [
    '36-nan-inf',
    '37-huge-coordinate',
    '41-billion-laughs',
    '43-external-entity',
    '63-not-svg',
]
# What the report must name where a feature isn't read.
NAMED = {
    '09-use-basic': {'use': 2},
    '11-use-inherits-stroke': {'use': 2},
    '13-use-cycle': {'use': 1},
    '14-use-bomb': {'use': 1},
    '15-css-class': {'style': 1, 'path without paint': 2},
    '20-clip-path-rect': {'clip-path': 1},
    '23-text': {'text': 1},
    '24-image': {'image': 1},
    '47-switch-language': {'switch': 1, 'path in switch': 3},
    '70-currentcolor-use': {'style': 1, 'class': 1, 'use': 2},
}
WARNED = {
    '08-root-percent-size': 'no physical size',
    '61-outside-page': 'over the edge of the page by 20.0 mm',
    '65-no-namespace': 'no namespace',
}


@pytest.fixture
def load(shared):
    cases = json.loads(shared('svg_cases/cases.json').read_text())['cases']
    by_id = {case['id']: case for case in cases}

    def load_case(case_id):
        case = by_id[case_id]
        return case, read_svg(shared(f'svg_cases/{case["file"]}'))

    return load_case


@pytest.mark.parametrize('case_id', DRAWN)
def test_drawn(case_id, load):
    case, artwork = load(case_id)
    table = SegmentTable([s for o in artwork.outlines for s in o.segments])
    assert len(artwork.outlines) == case['strokes']
    np.testing.assert_allclose(table.bounds().ravel(), case['bbox_mm'], atol=0.1)
    assert table.lengths().sum() == pytest.approx(case['pen_down_mm'], rel=1e-3)
    if 'page_mm' in case:
        assert artwork.page_mm == pytest.approx(case['page_mm'])
    assert not artwork.ignored


@pytest.mark.parametrize('case_id', REFUSED)
def test_refused(case_id, load):
    with pytest.raises(SvgError, match=case_id):
        load(case_id)


@pytest.mark.parametrize('case_id', NAMED)
def test_named(case_id, load):
    artwork = load(case_id)[1]
    assert {entry['kind']: entry['count'] for entry in artwork.ignored} == NAMED[case_id]


@pytest.mark.parametrize('case_id', WARNED)
def test_warned(case_id, load):
    artwork = load(case_id)[1]
    assert any(WARNED[case_id] in warning for warning in artwork.warnings)


def test_layers(load):
    assert [o.layer for o in load('72-inkscape-layers')[1].outlines] == ['1 红色', '2 blau']


def test_micro_segments_are_thinned_to_the_spacing(load):
    (outline,) = load('59-micro-segments')[1].outlines
    (points,) = sample_strokes([outline.segments], 1.0, 0.02)
    steps = np.hypot(*np.diff(points, axis=0).T)
    assert len(outline.segments) == 2000 and len(points) == 6
    np.testing.assert_allclose(steps, 4.4721 / 5, rtol=1e-3)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The reader against the reference cases: strokes, box and length worked out by hand."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.read_options import ReadOptions
from elfin_bt.drawing.sampling import sample_strokes
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.svg_reader import read_svg

SHARED = Path(os.environ.get('ELFIN_SHARED') or Path(__file__).parents[4] / 'shared')
CASES_FILE = SHARED / 'svg_cases' / 'cases.json'
CASES = json.loads(CASES_FILE.read_text())['cases'] if CASES_FILE.exists() else []
BY_ID = {case['id']: case for case in CASES}

REFUSED = {
    '14-use-bomb': 'stands for 2,222,222,223 elements once every use is expanded, limit 100,000',
    '36-nan-inf': 'too large',
    '37-huge-coordinate': 'from the page corner, limit',
    '41-billion-laughs': 'amplification',
    '43-external-entity': 'refused for safety',
    '63-not-svg': 'not <svg>|HTML',
}
WARNED = {
    '08-root-percent-size': 'no physical size: 1 unit is taken as 1 px',
    '13-use-cycle': r'<use> refers to itself and is not drawn',
    '23-text': 'single-line font',
    '61-outside-page': 'over the edge of the page by 20.0 mm; that part is cut off',
    '65-no-namespace': 'no namespace',
}
IGNORED = {'24-image': {'image': 1}}

pytestmark = pytest.mark.skipif(not CASES, reason=f'no reference cases at {CASES_FILE}')


def load(case_id, **options):
    return read_svg(SHARED / 'svg_cases' / BY_ID[case_id]['file'], ReadOptions(**options))


def table_of(outlines):
    return SegmentTable([segment for outline in outlines for segment in outline.segments])


def test_every_case_is_tested():
    assert len(CASES) == 41
    assert {case['id'] for case in CASES if case.get('refuse')} == set(REFUSED)


@pytest.mark.parametrize('case_id', [case['id'] for case in CASES if not case.get('refuse')])
def test_drawn(case_id):
    case, artwork = BY_ID[case_id], load(case_id)
    table = table_of(artwork.outlines)
    if 'strokes' in case:
        assert len(artwork.outlines) == case['strokes']
        np.testing.assert_allclose(table.bounds().ravel(), case['bbox_mm'], atol=0.01)
        assert table.lengths().sum() == pytest.approx(case['pen_down_mm'], rel=1e-3)
    if 'page_mm' in case:
        assert artwork.page_mm == pytest.approx(case['page_mm'])
    if 'layers' in case:
        assert [layer.colour for layer in artwork.layers] == case['layers']
    if 'layer_names' in case:
        assert [layer.label for layer in artwork.layers] == case['layer_names']
    ignored = {entry['kind']: entry['count'] for entry in artwork.ignored}
    assert ignored == IGNORED.get(case_id, {})
    assert len(artwork.warnings) == (case_id in WARNED)
    if case_id in WARNED:
        assert WARNED[case_id] in artwork.warnings[0]


@pytest.mark.parametrize('case_id', REFUSED if CASES else [])
def test_refused(case_id):
    with pytest.raises(SvgError, match=f'{case_id}.*({REFUSED[case_id]})'):
        load(case_id)


def test_text_is_written_beside_what_else_is_drawn():
    # "Hi" of font size 10 at (10, 50): capitals are 0.716 of the font size or 21 units of the
    # font high, the dot of the i is at 22 of them.
    *written, line = load('23-text').outlines
    np.testing.assert_allclose(table_of([line]).bounds().ravel(), [10, 60, 40, 60], atol=1e-9)
    (left, top), (right, bottom) = table_of(written).bounds()
    assert top == pytest.approx(50 - 7.16 * 22 / 21) and bottom == pytest.approx(50)
    assert 10 < left < 12 and 15 < right < 22 and len(written) == 5


def test_a_language_chooses_a_branch():
    assert table_of(load('47-switch-language', language='de').outlines).lengths().sum() == 30
    assert table_of(load('47-switch-language', language='zh-CN').outlines).lengths().sum() == 40


def test_strokes_only_says_what_it_leaves_out():
    artwork = load('60-fill-only', strokes_only=True)
    assert not artwork.outlines and '0 of 2 shapes have a stroke' in artwork.warnings[0]


def test_micro_segments_are_thinned_to_the_spacing():
    (outline,) = load('59-micro-segments').outlines
    (points,) = sample_strokes([outline.segments], 1.0, 0.02)
    steps = np.hypot(*np.diff(points, axis=0).T)
    assert len(outline.segments) == 2000 and len(points) == 6
    np.testing.assert_allclose(steps, 4.4721 / 5, rtol=1e-3)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Size and place on the paper, and the working area."""

import re

import numpy as np
import pytest

from elfin_bt.drawing.errors import DrawingError, PlacementError
from elfin_bt.drawing.load import load_drawing
from elfin_bt.drawing.placement import place
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.working_area import WorkingArea

PEN = 'fill="none" stroke="black"'
BOX = f'<path {PEN} d="M10 20H50V40H10z"/>'

ROOM = 'width="1000mm" height="1000mm" viewBox="-500 -500 1000 1000"'


def placed_box(recipe):
    """Box [[x_min, y_min], [x_max, y_max]] of the exact strokes on the paper, in mm."""
    segments = [s for i in range(len(recipe.strokes)) for s in recipe.placed_segments(i)]
    return 1000.0 * SegmentTable(segments).bounds()


def test_physical_size_is_the_default_and_the_box_is_centred(read):
    recipe = place(read(BOX))
    np.testing.assert_allclose(placed_box(recipe), [(-20, -10), (20, 10)], atol=1e-9)
    assert recipe.placed_mm == pytest.approx((40, 20)) and recipe.page_mm == pytest.approx(
        (100, 100)
    )


def test_up_on_the_page_is_up_on_the_paper(read):
    recipe = place(read(BOX))
    # The path starts at its top left and first runs to the right.
    start, along, *_ = recipe.placed_points(0)
    np.testing.assert_allclose(start, (-0.02, 0.01), atol=1e-12)
    np.testing.assert_allclose(along, (-0.019, 0.01), atol=1e-12)


def test_width_is_that_of_the_artwork(read):
    recipe = place(read(BOX), width_mm=120)
    np.testing.assert_allclose(placed_box(recipe), [(-60, -30), (60, 30)], atol=1e-9)
    assert recipe.pen_down_m == pytest.approx(0.36)


def test_spacing_and_tolerance_hold_on_the_paper_at_any_scale(read):
    artwork = read(f'<circle {PEN} cx="50" cy="50" r="2"/><path {PEN} d="M0 0h40"/>')
    for width in (10, 200):
        recipe = place(artwork, width_mm=width)
        for index in range(2):
            steps = np.hypot(*np.diff(recipe.placed_points(index), axis=0).T)
            assert steps.max() <= 0.001 + 1e-12
        # A chord of c on a radius of r errs by r - sqrt(r^2 - c^2 / 4).
        radius = 0.002 * width / 52
        chord = np.hypot(*np.diff(recipe.placed_points(0), axis=0).T).max()
        assert radius - np.sqrt(radius**2 - chord**2 / 4) <= 0.00002


@pytest.mark.parametrize(
    ('body', 'size_mm'),
    [
        # The square of 220 mm binds a wide artwork, the disc of 160 mm a square one:
        # half a diagonal of 160 is a side of 226, so the square binds there as well.
        (f'<path {PEN} d="M0 0h40v20h-40z"/>', (220, 110)),
        (f'<path {PEN} d="M0 0h10v10h-10z"/>', (220, 220)),
        (f'<circle {PEN} r="3"/>', (220, 220)),
        (f'<path {PEN} d="M7 0v3"/>', (0, 220)),
    ],
)
def test_fit_fills_the_working_area(read, body, size_mm):
    recipe = place(read(body, ROOM), fit=True)
    assert recipe.placed_mm == pytest.approx(size_mm, rel=1e-3)


def test_fit_stays_in_a_disc_that_is_smaller_than_the_square(read):
    area = WorkingArea(radius=0.05)
    recipe = place(read(f'<path {PEN} d="M0 0h30v40h-30z"/>'), fit=True, area=area)
    assert recipe.placed_mm == pytest.approx((60, 80), rel=1e-3)
    assert np.hypot(*recipe.placed_points(0).T).max() <= 0.05


def test_fit_stays_in_reach(read):
    area = WorkingArea(reach=(0.42, 0.62))
    recipe = place(read(f'<circle {PEN} r="30"/>', ROOM), fit=True, area=area)
    assert recipe.placed_mm == pytest.approx((80, 80), rel=1e-3)


def test_fit_of_a_dot_keeps_its_size(read):
    recipe = place(read(f'<path {PEN} stroke-linecap="round" d="M5 5h0"/>'), fit=True)
    assert recipe.placed_mm == (0, 0)
    np.testing.assert_array_equal(recipe.placed_points(0), [(0, 0)])


@pytest.mark.parametrize(
    ('area', 'body', 'beyond', 'limit'),
    [
        # Ends at +-125 mm: 15 mm beyond the square.
        (WorkingArea(), '<path id="p" {} d="M-25 50h250"/>', (125, 0), 15),
        # The corner of a square of 200 mm is at 141.4 mm.
        (WorkingArea(radius=0.14), '<rect id="p" {} width="200" height="200"/>', (100, 100), 1.4),
        # An arc whose ends are inside and whose top is not.
        (
            WorkingArea(extent=0.04),
            '<path stroke="red" d="M0 0v-30"/><path id="p" {} d="M-50 0A50 50 0 0 1 50 0"/>',
            (50, 25),
            10,
        ),
        # The middle of a line is nearest to the base at (-460, 0) on the paper: 50 mm too near.
        (
            WorkingArea(paper_origin=(0.35, 0), extent=0.3, radius=0.3, reach=(0.4, 0.9)),
            '<path id="p" {} d="M0 0v200"/>',
            (0, 0),
            50,
        ),
    ],
)
def test_what_leaves_the_area_is_refused_by_name(read, area, body, beyond, limit):
    with pytest.raises(PlacementError) as caught:
        place(read(body.format(PEN), ROOM), area=area)
    text = str(caught.value)
    found = re.search(r'stroke \d \(id p\) reaches \((\S+), (\S+)\) mm .* (\S+) mm outside', text)
    assert found is not None and '--fit' in text and '\n' not in text
    assert [abs(float(v)) for v in found.groups()[:2]] == pytest.approx(beyond, abs=0.06)
    assert float(found[3]) == pytest.approx(limit, abs=0.06)


def test_the_advised_width_is_accepted(read):
    artwork = read(f'<rect {PEN} width="490" height="250"/>', ROOM)
    with pytest.raises(PlacementError) as caught:
        place(artwork)
    width = float(re.search(r'--width (\S+)', str(caught.value))[1])
    assert width == pytest.approx(220, abs=0.2)
    place(artwork, width_mm=width)
    with pytest.raises(PlacementError):
        place(artwork, width_mm=width + 1)


def test_a_line_has_no_width(read):
    artwork = read(f'<path {PEN} d="M5 5v20"/>')
    with pytest.raises(PlacementError, match='no width.*use --fit'):
        place(artwork, width_mm=100)
    assert place(artwork).placed_mm == pytest.approx((0, 20))


@pytest.mark.parametrize('width', [0, -5, float('nan'), float('inf')])
def test_a_width_must_be_positive(read, width):
    with pytest.raises(PlacementError, match='the width is'):
        place(read(BOX), width_mm=width)


def test_a_width_and_fit_exclude_each_other(read):
    with pytest.raises(PlacementError, match='exclude'):
        place(read(BOX), width_mm=5, fit=True)


def test_nothing_to_draw_says_what_there_is_instead(read):
    with pytest.raises(PlacementError, match='nothing to draw; ignored: 2 video, 1 image'):
        place(read('<video/><video/><image/>'))
    with pytest.raises(PlacementError, match='no visible shapes'):
        place(read(''))


def test_a_drawing_of_5_m_is_refused_with_a_size_that_works(tmp_path):
    path = tmp_path / 'large.svg'
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="5m" height="5000mm" viewBox="0 0 50 50">'
        f'<circle {PEN} cx="25" cy="25" r="25"/></svg>'
    )
    with pytest.raises(PlacementError, match='large.svg: stroke 1 .* use --fit or --width 2'):
        load_drawing(path)
    assert load_drawing(path, fit=True).placed_mm == pytest.approx((220, 220), rel=1e-3)


def test_sampling_limits_are_passed_on(read):
    with pytest.raises(DrawingError, match='point spacing'):
        place(read(BOX), spacing_mm=0)


def test_the_recipe_says_where_it_came_from(read):
    artwork = read(BOX)
    source = place(artwork, width_mm=120).source
    assert (source['path'], source['sha256']) == (artwork.path, artwork.sha256)
    assert source['options']['width_mm'] == 120 and source['options']['fit'] is False
    assert source['options']['pen']['merge_mm'] == 0.1

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Areas as parallel lines."""

import numpy as np
import pytest

from elfin_bt.drawing.artwork import Fill
from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.hatch import Hatch, with_hatching
from elfin_bt.drawing.region import Clip, Region

from .pen_drawings import circle, ink, polyline, square_fill

PAGE = (100.0, 100.0)


def hatched(fill, pitch=1.0, angle=0.0, cross=False, scale=1.0):
    return with_hatching([], [fill], Hatch(pitch, angle, cross), scale, PAGE)


def test_a_square():
    lines = hatched(square_fill(10, 20, 5))
    assert len(lines) == 5
    for line in lines:
        (segment,) = line.segments
        assert sorted([segment.start[0], segment.end[0]]) == pytest.approx([10, 15])
        assert segment.start[1] == pytest.approx(segment.end[1])
        assert 20 < segment.start[1] < 25


@pytest.mark.parametrize('angle', [0, 30, 45, 90, 137, -20])
def test_ink_is_area_by_pitch_at_any_angle(angle):
    disc = Fill((circle(50, 50, 20).segments,))
    assert ink(hatched(disc, 0.2, angle)) == pytest.approx(np.pi * 400 / 0.2, rel=0.005)


def test_the_angle_is_counter_clockwise_as_seen():
    (segment,) = hatched(square_fill(10, 10, 10), 5.0, 30)[1].segments
    x, y = segment.end - segment.start
    assert -y / x == pytest.approx(np.tan(np.radians(30)))


def test_both_ways():
    square = square_fill(10, 10, 10)
    assert len(hatched(square, 1.0, 0, cross=True)) == 20


def test_the_pitch_is_on_the_paper():
    assert len(hatched(square_fill(10, 10, 10), pitch=1.0, scale=2.0)) == 20


RING = (square_fill(10, 10, 20).loops[0], square_fill(15, 15, 10).loops[0])


def test_even_odd_and_nonzero():
    assert ink(hatched(Fill(RING, 'evenodd'), 0.1)) == pytest.approx((400 - 100) / 0.1, rel=0.01)
    assert ink(hatched(Fill(RING, 'nonzero'), 0.1)) == pytest.approx(400 / 0.1, rel=0.01)
    backwards = tuple(reversed([type(s)(s.end, s.start) for s in RING[1]]))
    hole = Fill((RING[0], backwards), 'nonzero')
    assert ink(hatched(hole, 0.1)) == pytest.approx(300 / 0.1, rel=0.01)


def test_clips_cut_the_lines():
    left, right = square_fill(0, 0, 15), square_fill(25, 0, 50)
    clip = Clip(tuple(Region(f.loops) for f in (left, right)))
    fill = Fill(square_fill(10, 10, 20).loops, clips=(clip,))
    # 5 x 5 in the left square, 5 x 20 in the right one.
    assert ink(hatched(fill, 0.1)) == pytest.approx((25 + 100) / 0.1, rel=0.01)
    inner = Clip((Region(square_fill(0, 0, 15).loops),))
    both = Fill(fill.loops, clips=(clip, inner))
    assert ink(hatched(both, 0.1)) == pytest.approx(25 / 0.1, rel=0.01)
    nothing = Fill(fill.loops, clips=(Clip(()),))
    assert hatched(nothing, 0.1) == []


def test_nothing_leaves_the_page():
    lines = hatched(square_fill(90, -10, 30), 0.5)
    ends = np.array([[s.start, s.end] for line in lines for s in line.segments])
    assert ends.min() >= 0 and ends.max() <= 100
    assert ink(lines) == pytest.approx(10 * 20 / 0.5, rel=0.05)


def test_areas_side_by_side_share_their_lines():
    left, right = (hatched(square_fill(x, 10, 10)) for x in (10, 20))
    heights = [[line.segments[0].start[1] for line in lines] for lines in (left, right)]
    np.testing.assert_allclose(*heights)


def test_white_is_paper_and_order_is_kept():
    before, after = polyline((0, 0), (1, 0)), polyline((2, 0), (3, 0))
    fills = [
        square_fill(10, 10, 1, colour='#ff0000', before=1),
        square_fill(10, 10, 1, colour='#ffffff', before=1),
    ]
    result = with_hatching([before, after], fills, Hatch(1.0, 0.0), 1.0, PAGE)
    assert [o.colour for o in result] == [None, '#ff0000', None]


def test_too_fine_a_pitch_is_refused():
    with pytest.raises(DrawingError, match='use a wider pitch'):
        hatched(square_fill(0, 0, 100), 1e-5)
    with pytest.raises(DrawingError, match='pitch is 0 mm'):
        Hatch(0.0)

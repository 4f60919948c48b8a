# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Text as single lines: where letters stand, and which are missing."""

import numpy as np
import pytest

from elfin_bt.drawing.glyphs import glyph
from elfin_bt.drawing.segment_table import SegmentTable

CAP = 0.716  # height of capitals in parts of the font size
I_WIDTH = glyph('I').advance  # of a font of size 1


def box(read, body):
    """Left, top, right and bottom of all that is written."""
    outlines = read(body).outlines
    return SegmentTable([s for o in outlines for s in o.segments]).bounds().ravel()


def stems(read, body):
    """X of each I, which is one upright line in the middle of its advance."""
    return [float(o.segments[0].start[0]) for o in read(body).outlines]


def expected(*starts, size=10.0):
    """The stems of letters I that start there."""
    return pytest.approx([start + I_WIDTH * size / 2 for start in starts], abs=1e-6)


def test_a_capital_stands_on_the_base_line(read):
    (line,) = read('<text x="20" y="50" font-size="10">I</text>').outlines
    (segment,) = line.segments
    ends = sorted([tuple(segment.start), tuple(segment.end)], key=lambda end: end[1])
    x = 20 + I_WIDTH * 5
    np.testing.assert_allclose(ends, [(x, 50 - 10 * CAP), (x, 50)], atol=1e-9)


@pytest.mark.parametrize(('anchor', 'shift'), [('start', 0), ('middle', -1), ('end', -2)])
def test_anchor(read, anchor, shift):
    body = f'<text x="50" y="50" font-size="10" text-anchor="{anchor}">IIII</text>'
    first = 50 + shift * 2 * I_WIDTH * 10
    assert stems(read, body) == expected(*(first + k * I_WIDTH * 10 for k in range(4)))


def test_positions_of_single_letters(read):
    assert stems(read, '<text x="10 30 60" y="9" font-size="10">IIII</text>') == expected(
        10, 30, 60, 60 + I_WIDTH * 10
    )
    assert stems(read, '<text x="10" dx="0 5 5" y="9" font-size="10">III</text>') == expected(
        10, 15 + I_WIDTH * 10, 20 + 2 * I_WIDTH * 10
    )


def test_a_tspan_goes_on_where_the_text_is_and_may_move_away(read):
    body = '<text x="10" y="9" font-size="10">I<tspan>I</tspan><tspan x="50">I</tspan></text>'
    assert stems(read, body) == expected(10, 10 + I_WIDTH * 10, 50)
    body = '<text x="10" y="9" font-size="5">I<tspan font-size="10" dx="3">I</tspan></text>'
    assert stems(read, body)[1] == pytest.approx(13 + I_WIDTH * 5 + I_WIDTH * 5)


def test_each_chunk_has_its_own_anchor(read):
    body = (
        '<text text-anchor="end" font-size="10"><tspan x="40" y="9">II</tspan>'
        '<tspan x="80" y="9">I</tspan></text>'
    )
    assert stems(read, body) == expected(
        40 - 2 * I_WIDTH * 10, 40 - I_WIDTH * 10, 80 - I_WIDTH * 10
    )


def test_letters_are_transformed_and_turned(read):
    left, top, right, bottom = box(
        read, '<text transform="translate(50 50) rotate(90)" font-size="10">I</text>'
    )
    assert (left, right) == pytest.approx((50, 50 + 10 * CAP)) and top == pytest.approx(bottom)
    left, _, right, _ = box(read, '<text x="50" y="50" rotate="90" font-size="10">I</text>')
    assert (left, right) == pytest.approx((50, 50 + 10 * CAP))


def test_spaces_collapse(read):
    space = glyph(' ').advance * 10
    plain = expected(10, 10 + I_WIDTH * 10 + space)
    assert stems(read, '<text x="10" y="9" font-size="10">\n   I \n\t I  </text>') == plain
    kept = '<text x="10" y="9" font-size="10" xml:space="preserve">  I</text>'
    assert stems(read, kept) == expected(10 + 2 * space)


def test_spacing_and_text_length(read):
    body = '<text x="10" y="9" font-size="10" letter-spacing="2">II</text>'
    assert stems(read, body) == expected(10, 12 + I_WIDTH * 10)
    body = '<text x="10" y="9" font-size="10" textLength="40">III</text>'
    # The last letter ends at 50.
    assert stems(read, body) == expected(10, 30 - I_WIDTH * 5, 50 - I_WIDTH * 10)


def test_base_lines(read):
    assert box(read, '<text y="50" font-size="10" dominant-baseline="hanging">I</text>')[
        1
    ] == pytest.approx(50, abs=0.1)
    low = box(read, '<text y="50" font-size="10"><tspan baseline-shift="sub">I</tspan></text>')
    assert low[3] == pytest.approx(52)


def test_layer_colour_id_and_report(read):
    artwork = read(
        '<g inkscape:groupmode="layer" inkscape:label="L"><text id="t" y="50" fill="red">'
        'I<tspan fill="none" stroke="blue">I</tspan><tspan visibility="hidden">I</tspan></text></g>'
    )
    assert [(o.layer, o.colour, o.element_id) for o in artwork.outlines] == [
        ('L', '#ff0000', 't'),
        ('L', '#0000ff', 't'),
    ]
    assert list(artwork.drawn) == [{'kind': 'text', 'count': 1, 'ids': ['t']}]
    assert artwork.warnings == ["text is written in a single-line font, not in the file's own"]


@pytest.mark.parametrize('character', ['中', 'ж', 'ב', '☃', '😀'])
def test_characters_without_a_glyph_are_named(read, character):
    artwork = read(f'<text id="t" y="50">I{character}I</text>')
    assert len(artwork.outlines) == 2
    assert list(artwork.ignored) == [
        {'kind': 'character without a glyph', 'count': 1, 'ids': ['t']}
    ]
    assert f'<text> (id t): no single-line glyph for {character}' in artwork.warnings[0]


def test_accents_are_put_on_their_letters():
    for plain, accented, lines in (('o', 'ö', 2), ('E', 'É', 1), ('A', 'Å', 1), ('n', 'ñ', 1)):
        assert len(glyph(accented).lines) == len(glyph(plain).lines) + lines
        assert glyph(accented).advance == glyph(plain).advance
        top = min(line[:, 1].min() for line in glyph(plain).lines)
        assert min(line[:, 1].min() for line in glyph(accented).lines) < top
    # The accent takes the place of the dot, and a cedilla hangs below.
    assert len(glyph('í').lines) == len(glyph('i').lines)
    assert max(line[:, 1].max() for line in glyph('ç').lines) > 0.1


def test_typographic_characters_and_greek():
    for fancy, plain in (('’', "'"), ('–', '-'), ('\u00a0', ' ')):
        assert glyph(fancy).advance == glyph(plain).advance
        assert len(glyph(fancy).lines) == len(glyph(plain).lines)
    assert len(glyph('…').lines) == 3 * len(glyph('.').lines)
    assert all(glyph(letter) for letter in 'ΑΒΓΔΩαβγδως')


def test_what_of_text_is_not_written_is_named(read):
    artwork = read('<text><textPath id="p" href="#x">a</textPath></text>')
    assert list(artwork.ignored) == [{'kind': 'textPath', 'count': 1, 'ids': ['p']}]
    artwork = read('<text id="v" writing-mode="tb">a</text>')
    assert list(artwork.ignored) == [{'kind': 'vertical text', 'count': 1, 'ids': ['v']}]

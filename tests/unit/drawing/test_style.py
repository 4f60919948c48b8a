# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Style precedence, colours, and what can be seen."""

import time
from dataclasses import replace

import pytest

from elfin_bt.drawing.colours import parse_colour
from elfin_bt.drawing.declarations import parse_declarations, properties
from elfin_bt.drawing.style import ContextPaint, Paint, Style
from elfin_bt.drawing.units import LengthBase, parse_length, split_length

BASE = LengthBase((300.0, 400.0), 20.0, 10.0, (1000.0, 500.0))


def style(*generations):
    """The style after each dictionary of attributes in turn, from the outermost."""
    result = Style()
    for attributes in generations:
        result = result.inherit(properties(attributes), replace(BASE, font_size=result.font_size))
    return result


def test_style_attribute_over_presentation_attribute_over_parent():
    own = {'stroke': 'blue', 'style': 'stroke: lime'}
    assert style({'stroke': 'red'}).stroke == 'red'
    assert style({'stroke': 'red'}, {}).stroke == 'red'
    assert style({'stroke': 'red'}, {'stroke': 'blue'}).stroke == 'blue'
    assert style({'style': 'stroke: red'}, {'stroke': 'blue'}).stroke == 'blue'
    assert style({'stroke': 'red'}, own).stroke == 'lime'
    assert style({'stroke': 'red'}, {'style': 'stroke: inherit'}).stroke == 'red'


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('fill:none;stroke:#000', {'fill': 'none', 'stroke': '#000'}),
        (' FILL : none ; ; stroke:red', {'fill': 'none', 'stroke': 'red'}),
        ('fill:red;fill:blue', {'fill': 'blue'}),
        ('/* fill:red; */stroke:blue', {'stroke': 'blue'}),
        ('fill:url(data:a;b);stroke:red', {'fill': 'url(data:a;b)', 'stroke': 'red'}),
        ("font-family:'a;b:c';fill:red", {'font-family': "'a;b:c'", 'fill': 'red'}),
        ('d:path("M0 0;)")', {'d': 'path("M0 0;)")'}),
        ('marker:none', {'marker-start': 'none', 'marker-mid': 'none', 'marker-end': 'none'}),
        ('nonsense', {}),
        ('', {}),
    ],
)
def test_declarations(text, expected):
    assert {d.name: d.value for d in parse_declarations(text)} == expected


def test_important_declarations_win():
    assert properties({'style': 'fill:red!important;fill:blue'}) == {'fill': 'red'}
    rules = parse_declarations('fill:red ! IMPORTANT;stroke:red')
    assert properties({'style': 'fill:blue;stroke:blue'}, rules) == {
        'fill': 'red',
        'stroke': 'blue',
    }
    strong = {'fill': 'lime', 'style': 'fill:blue!important'}
    assert properties(strong, rules)['fill'] == 'blue'


def test_damaged_declarations_cost_no_more_than_their_length():
    began = time.process_time()
    for text in ('a:' + '(' * 100_000, 'a:' * 50_000, 'a:"' * 50_000, '/*' * 50_000):
        parse_declarations(text)
    assert time.process_time() - began < 0.5


def test_display_hides_a_subtree_and_visibility_does_not():
    assert not style({'display': 'none'}, {'style': 'display:inline'}).shown
    assert not style({'style': 'visibility:hidden'}, {}).visible
    assert style({'visibility': 'hidden'}, {'visibility': 'visible'}).visible
    assert not style({'visibility': 'collapse'}).visible
    assert not style({'opacity': '0'}, {'opacity': '1'}).shown
    assert style({'opacity': '50%'}).shown


IDS = frozenset(['gradient'])


@pytest.mark.parametrize(
    ('attributes', 'stroke', 'fill'),
    [
        ({}, None, Paint('#000000')),
        ({'fill': 'none'}, None, None),
        ({'stroke': 'red', 'fill': 'none'}, Paint('#ff0000'), None),
        ({'stroke': 'red', 'stroke-width': '0'}, None, Paint('#000000')),
        ({'stroke': 'red', 'stroke-opacity': '0'}, None, Paint('#000000')),
        ({'stroke': 'rgba(1,2,3,0)', 'fill': 'transparent'}, None, None),
        ({'fill-opacity': '0'}, None, None),
        ({'fill': 'url(#gradient)'}, None, Paint(None)),
        ({'fill': 'url(#gone)'}, None, None),
        ({'fill': 'url(#gone) red'}, None, Paint('#ff0000')),
        ({'fill': 'currentColor', 'color': '#12f'}, None, Paint('#1122ff')),
        ({'fill': '#cd853f icc-color(a, 1, 2)'}, None, Paint('#cd853f')),
    ],
)
def test_paint(attributes, stroke, fill):
    result = style(attributes)
    assert (result.stroke_paint(IDS), result.fill_paint(IDS)) == (stroke, fill)


def test_dashes_markers_and_caps_are_inherited():
    outer = {'stroke-dasharray': '5,2', 'marker-end': 'url(#m)', 'stroke-linecap': 'round'}
    result = style(outer, {})
    assert result.dashes == (5, 2) and result.markers and result.caps
    undone = {'style': 'stroke-dasharray:none;marker:none;stroke-linecap:butt'}
    result = style(outer, undone)
    assert not (result.dashes or result.markers or result.caps)


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('#f00', ('#ff0000', 1)),
        ('#F008', ('#ff0000', 136 / 255)),
        ('#12345678', ('#123456', 120 / 255)),
        (' Red ', ('#ff0000', 1)),
        ('rebeccapurple', ('#663399', 1)),
        ('rgb(255, 0, 128)', ('#ff0080', 1)),
        ('rgb(100%,0%,50%)', ('#ff0080', 1)),
        ('rgb(300 -5 0 / 50%)', ('#ff0000', 0.5)),
        ('hsl(120, 100%, 25%)', ('#008000', 1)),
        ('hsla(240,100%,50%,.25)', ('#0000ff', 0.25)),
        ('transparent', ('#000000', 0)),
        ('#ff', None),
        ('#ggg', None),
        ('rgb(1,2)', None),
        ('inherit', None),
    ],
)
def test_colours(text, expected):
    assert parse_colour(text) == expected


def test_lengths():
    assert split_length('2.54CM') == (2.54, 'cm')
    assert split_length('1e1px') == (10, 'px')
    for text in ('', 'x', '5 5', '5furlongs', 'mm', '5%%'):
        assert split_length(text) is None
    for unit, px in (('in', 96), ('mm', 96 / 25.4), ('pt', 4 / 3), ('pc', 16), ('q', 0.96 / 1.016)):
        assert parse_length(f'1{unit}', BASE, 'x') == pytest.approx(px)
    # The font has 20, the root's font 10; the window is 1000 wide and 500 high.
    relative = {'em': 20, 'ex': 10, 'ch': 10, 'rem': 10, 'vw': 10, 'vh': 5, 'vmin': 5, 'vmax': 10}
    for unit, px in relative.items():
        assert parse_length(f'1{unit}', BASE, 'y') == px
    # The other direction is the diagonal over the root of 2: 500 / sqrt(2).
    percent = [parse_length('10%', BASE, direction) for direction in ('x', 'y', 'other')]
    assert percent == pytest.approx([30, 40, 35.3553391])


@pytest.mark.parametrize(
    ('text', 'dashes'),
    [
        ('5', (5, 5)),
        ('1 2 3', (1, 2, 3, 1, 2, 3)),
        ('1mm,2', (96 / 25.4, 2)),
        ('1em 10%', (16, 35.3553391)),
        ('0 4', (0, 4)),
        ('none', ()),
        ('0 0', ()),
        ('5 -1', ()),
        ('5 x', ()),
    ],
)
def test_dash_arrays(text, dashes):
    assert style({'stroke-dasharray': text}).dashes == pytest.approx(dashes)


def test_font_sizes():
    assert style({'font-size': '20'}, {'style': 'font-size:1.5em'}).font_size == 30
    assert style({'font-size': '20'}, {'font-size': '50%'}).font_size == 10
    assert style({'font-size': 'xx-large'}).font_size == 32
    assert style({'font-size': '24px'}, {'font-size': 'smaller'}).font_size == pytest.approx(20)
    assert style({'style': 'font: italic bold 12px/30px Arial, serif'}).font_size == 12
    assert style({'style': 'font: italic 12px Arial'}).italic
    # A width in em is of the element's own font.
    assert style({'font-size': '20', 'stroke-width': '.1em'}).stroke_width == 2


def test_css_wide_keywords():
    assert style({'fill': 'red'}, {'fill': 'initial'}).fill == 'black'
    assert style({'fill': 'red'}, {'fill': 'unset'}).fill == 'red'
    assert style({'stroke-width': '5'}, {'stroke-width': 'initial'}).stroke_width == 1


def test_current_colour_is_the_one_where_it_is_used():
    outer = {'color': 'red', 'stroke': 'currentColor'}
    assert style(outer, {'color': 'blue'}).stroke_paint(()) == Paint('#0000ff')
    assert style(outer, {'color': 'currentColor'}).stroke_paint(()) == Paint('#ff0000')


def test_context_paint():
    context = ContextPaint(fill=Paint('#ff0000'), stroke=None)
    own = style({'fill': 'context-fill', 'stroke': 'context-stroke'})
    assert own.fill_paint((), context) == Paint('#ff0000')
    assert own.stroke_paint((), context) is None and own.fill_paint(()) is None

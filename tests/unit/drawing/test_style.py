# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Style precedence, colours, and what can be seen."""

import time

import pytest

from elfin_bt.drawing.colours import parse_colour
from elfin_bt.drawing.style import Paint, Style, declarations, properties
from elfin_bt.drawing.units import split_length, to_px

VIEWPORT = (300.0, 400.0)


def style(*generations):
    """The style after each dictionary of attributes in turn, from the outermost."""
    result = Style()
    for attributes in generations:
        result = result.inherit(properties(attributes), VIEWPORT)
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
        ('fill:red!important;fill:blue', {'fill': 'red'}),
        ('/* fill:red; */stroke:blue', {'stroke': 'blue'}),
        ('fill:url(data:a;b);stroke:red', {'fill': 'url(data:a;b)', 'stroke': 'red'}),
        ("font-family:'a;b:c';fill:red", {'font-family': "'a;b:c'", 'fill': 'red'}),
        ('nonsense', {}),
        ('', {}),
    ],
)
def test_declarations(text, expected):
    assert declarations(text) == expected


def test_damaged_declarations_cost_no_more_than_their_length():
    began = time.process_time()
    for text in ('a:' + '(' * 100_000, 'a:' * 50_000, 'a:"' * 50_000, '/*' * 50_000):
        declarations(text)
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
    assert result.dashed and result.markers and result.caps
    undone = {'style': 'stroke-dasharray:none;marker:none;stroke-linecap:butt'}
    result = style(outer, undone)
    assert not (result.dashed or result.markers or result.caps)


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
        assert to_px(1.0, unit, VIEWPORT, 'x') == pytest.approx(px)
    # The other direction is the diagonal over the root of 2: 500 / sqrt(2).
    percent = [to_px(10.0, '%', VIEWPORT, direction) for direction in ('x', 'y', 'other')]
    assert percent == pytest.approx([30, 40, 35.3553391])

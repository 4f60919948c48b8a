# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Style rules: which declarations reach which elements, and what that may cost."""

import time

import pytest

from elfin_bt.drawing.errors import SvgError

SHAPES = (
    '<g id="g" class="outer"><g class="inner"><path id="p" class="a b" d="M0 0h5v5"/></g></g>'
    '<path id="q" class="a" d="M10 10h5v5"/>'
)


def strokes(read, css, body=SHAPES):
    """The stroke colour of each element that has one under these rules."""
    artwork = read(f'<style>path{{fill:none}}{css}</style>{body}')
    return {outline.element_id: outline.colour for outline in artwork.outlines}


RED, BLUE, LIME = '#ff0000', '#0000ff', '#00ff00'


@pytest.mark.parametrize(
    ('css', 'expected'),
    [
        ('path{stroke:red}', {'p': RED, 'q': RED}),
        ('.b{stroke:red}', {'p': RED}),
        ('#q{stroke:red}', {'q': RED}),
        ('.a.b{stroke:red}', {'p': RED}),
        ('*{stroke:red}', {'p': RED, 'q': RED}),
        ('path, .none{stroke:red}', {'p': RED, 'q': RED}),
        # Combinators.
        ('.outer path{stroke:red}', {'p': RED}),
        ('.outer > path{stroke:red}', {}),
        ('.inner > path{stroke:red}', {'p': RED}),
        ('svg > g .b{stroke:red}', {'p': RED}),
        ('g + path{stroke:red}', {'q': RED}),
        ('style ~ path{stroke:red}', {'q': RED}),
        # Specificity before order.
        ('#p{stroke:red} .b{stroke:blue} path{stroke:lime}', {'p': RED, 'q': LIME}),
        ('path{stroke:lime} .a{stroke:blue}', {'p': BLUE, 'q': BLUE}),
        ('.a{stroke:red} .a{stroke:blue}', {'p': BLUE, 'q': BLUE}),
        ('.inner .b{stroke:red} .b{stroke:blue}', {'p': RED}),
        ('path{stroke:red!important} #p{stroke:blue}', {'p': RED, 'q': RED}),
        # Inheritance is weaker than any rule.
        ('#g{stroke:red!important} path{stroke:blue}', {'p': BLUE, 'q': BLUE}),
        # Attributes and pseudo-classes.
        ('[class~=b]{stroke:red}', {'p': RED}),
        ('path[d$="v5"][id=q]{stroke:red}', {'q': RED}),
        ('path:not(.b){stroke:red}', {'q': RED}),
        ('path:first-child{stroke:red}', {'p': RED}),
        ('path:hover{stroke:red}', {}),
        # Media.
        ('@media screen{path{stroke:red}}', {'p': RED, 'q': RED}),
        ('@media print{path{stroke:red}}', {}),
        ('@namespace s url(http://www.w3.org/2000/svg); s|path{stroke:red}', {'p': RED, 'q': RED}),
        ('@font-face{font-family:x;src:url(http://x/)} .b{stroke:red}', {'p': RED}),
        ('<![CDATA[ .inner > .b{stroke:red} ]]>', {'p': RED}),
        ('/* .a{stroke:lime} */ .b{stroke:red}', {'p': RED}),
    ],
)
def test_cascade(read, css, expected):
    assert strokes(read, css if '<!' in css else css.replace('>', '&gt;')) == expected


def test_a_rule_is_stronger_than_an_attribute_and_weaker_than_style(read):
    body = (
        '<path id="a" stroke="lime" d="M0 0h5"/><path id="s" style="stroke:lime" d="M0 0h5"/>'
        '<path id="i" style="stroke:lime!important" d="M0 0h5"/>'
    )
    assert strokes(read, 'path{stroke:red}', body) == {'a': RED, 's': LIME, 'i': LIME}
    assert strokes(read, 'path{stroke:red!important}', body) == {'a': RED, 's': RED, 'i': LIME}


def test_rules_hide(read):
    assert strokes(read, 'path{stroke:red} .b{display:none}') == {'q': RED}
    assert strokes(read, 'path{stroke:red} .outer{visibility:hidden}') == {'q': RED}
    # Important is no way out of a group that is not displayed.
    css = 'path{stroke:red} g{display:none} path{display:inline!important}'
    assert strokes(read, css) == {'q': RED}


def test_sheets_apply_wherever_they_stand_in_order(read):
    artwork = read(
        '<path id="p" class="a" fill="none" d="M0 0h5"/><style>.a{stroke:red}</style>'
        '<defs><style>.a{stroke:blue}</style></defs>'
    )
    assert artwork.outlines[0].colour == BLUE and not artwork.ignored


def test_used_content_is_matched_where_it_is_defined_and_inherits_where_it_is_used(read):
    css = 'path{fill:none} defs path{stroke-width:2} .u path{stroke:lime} .u{stroke:red}'
    artwork = read(
        f'<style>{css}</style><defs><path id="p" d="M0 0h5"/></defs>'
        '<g class="u"><use href="#p"/></g>'
    )
    assert [o.colour for o in artwork.outlines] == [RED]


@pytest.mark.parametrize(
    ('css', 'named'),
    [
        ('@import url(other.css);', '@import'),
        ('@media (min-width: 5px){path{stroke:red}}', '@media (min-width: 5px)'),
        ('@supports (d: path()){path{stroke:red}}', '@supports'),
    ],
)
def test_rules_that_are_not_applied_are_named(read, css, named):
    artwork = read(f'<style>{css}</style><path stroke="red" d="M0 0h5"/>')
    assert [entry['kind'] for entry in artwork.ignored] == [named]


def test_sheets_in_other_languages_are_named(read):
    artwork = read('<style type="text/xsl" id="x">path{stroke:red}</style>')
    assert list(artwork.ignored) == [
        {'kind': 'style sheet that is not CSS', 'count': 1, 'ids': ['x']}
    ]


def test_errors_cost_their_rule_only(read):
    artwork = read(
        '<style>path:nonsense(3){stroke:lime} ..b{stroke:lime} path{stroke:red} </style>'
        '<path d="M0 0h5"/>'
    )
    assert artwork.outlines[0].colour == RED and len(artwork.warnings) == 2
    assert all('is not understood' in warning for warning in artwork.warnings)


BOMBS = {
    'descendants': (
        '<style>'
        + 'g ' * 12
        + 'i{fill:red}'
        + 'g ' * 12
        + 'path{fill:red}.x '
        + 'g ' * 12
        + 'path{stroke:red}</style>'
        + '<g>' * 60
        + '<path/>' * 50
        + '</g>' * 60
    ),
    'siblings': '<style>.x ~ path ~ path{fill:red}</style>' + '<path/>' * 10_000,
    'of type': '<style>:nth-last-of-type(7){fill:red}</style>' + '<path/>' * 50_000,
    'has': '<style>:has(.x){fill:red}</style>' + '<g>' * 100 + '<path/>' * 50_000 + '</g>' * 100,
    'rules': '<style>' + 'path[x]{}' * 500 + '</style>' + '<path/>' * 20_000,
    'many rules': '<style>' + '.a{}' * 20_000 + '</style>',
    'length': '<style>/*' + 'x' * 1_000_001 + '*/</style>',
}


@pytest.mark.parametrize('name', BOMBS)
def test_rules_that_would_take_too_long_are_refused(read, name):
    began = time.process_time()
    with pytest.raises(SvgError, match='style'):
        read(BOMBS[name])
    assert time.process_time() - began < 2.0


def test_absurd_selectors_are_named(read):
    artwork = read(f'<style>{"g " * 5000}path{{fill:red}}{":not(" * 300}{{}}</style>')
    assert artwork.warnings

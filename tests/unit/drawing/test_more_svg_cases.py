# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
"""Whole files of one trap each: strokes, box and length worked out by hand.

User units are mm, on a page of 100 mm x 100 mm, unless a case says otherwise.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from elfin_bt.drawing.read_options import ReadOptions
from elfin_bt.drawing.segment_table import SegmentTable

PEN = 'fill="none" stroke="black"'
ROOT = 'width="100mm" height="100mm" viewBox="0 0 100 100"'


@dataclass
class Case:
    """A body on a root, and what it must give; `warns` is part of its only warning."""

    body: str
    strokes: int
    box: tuple[float, float, float, float]
    length: float
    root: str = ROOT
    warns: str = ''
    options: ReadOptions = ReadOptions()


CASES = {
    'aspect ratio, x': Case(
        f'<path {PEN} d="M0 0h10"/>',
        1,
        (45, 0, 55, 0),
        10,
        'width="100mm" height="10mm" viewBox="0 0 10 10"',
    ),
    'slice cuts at the page, a closed path stays in one piece': Case(
        # The viewBox is scaled by 10 to 100 x 100 and its middle half shows: the rectangle's
        # sides from (20, -5) down to (20, 55) leave and come back at the edges of the page.
        f'<rect {PEN} x="2" y="5" width="6" height="6"/>',
        1,
        (20, 25, 80, 50),
        110,
        'width="100mm" height="50mm" viewBox="0 0 10 10" preserveAspectRatio="xMidYMid slice"',
        'cut off',
    ),
    'percent lengths': Case(
        # r = 10 % of sqrt((200^2 + 100^2) / 2) = 15.811 units of 0.5 mm.
        f'<circle {PEN} cx="50%" cy="50%" r="10%"/>',
        1,
        (42.0943, 17.0943, 57.9057, 32.9057),
        2 * math.pi * 7.90569,
        'width="100mm" height="50mm" viewBox="0 0 200 100"',
    ),
    'symbol in a viewport': Case(
        # 10 units in 40 mm; only what is within the symbol's viewBox shows.
        f'<symbol id="s" viewBox="0 0 10 10"><path {PEN} d="M-5 5h20"/></symbol>'
        '<use href="#s" x="10" y="20" width="40" height="40"/>',
        1,
        (10, 40, 50, 40),
        40,
    ),
    'symbol with overflow': Case(
        f'<symbol id="s" viewBox="0 0 10 10" overflow="visible"><path {PEN} d="M-5 5h20"/></symbol>'
        '<use href="#s" x="30" y="20" width="40" height="40"/>',
        1,
        (10, 40, 90, 40),
        80,
    ),
    'transform of a used group once': Case(
        f'<defs><g id="g" transform="translate(10 0)"><path {PEN} d="M0 0h10"/></g></defs>'
        '<use href="#g" x="5" y="5" transform="scale(2)"/>',
        1,
        (30, 10, 50, 10),
        20,
    ),
    'use of use': Case(
        f'<defs><path id="p" {PEN} d="M0 0h10"/><use id="u" href="#p" y="5"/></defs>'
        '<use href="#u" x="10"/><use href="#u" x="10" y="10"/>',
        2,
        (10, 5, 20, 15),
        20,
    ),
    'use of a hidden definition': Case(
        f'<g display="none"><path id="p" {PEN} d="M0 0h10"/></g><use href="#p"/>',
        1,
        (0, 0, 10, 0),
        10,
    ),
    'use of nothing': Case(
        f'<use href="#gone"/><path {PEN} d="M0 0h10"/>',
        1,
        (0, 0, 10, 0),
        10,
        warns="refers to '#gone', which is not there",
    ),
    'use in a circle of three': Case(
        f'<defs><g id="a"><use href="#b"/></g><g id="b"><use href="#c"/></g>'
        f'<g id="c"><path {PEN} d="M0 0h10"/><use href="#a"/></g></defs><use href="#a"/>',
        1,
        (0, 0, 10, 0),
        10,
        warns='refers to itself',
    ),
    'use of a nested svg takes its size': Case(
        f'<defs><svg id="s" width="10" height="10" viewBox="0 0 10 10"><path {PEN} d="M0 0h10v10"/>'
        '</svg></defs><use href="#s" width="40" height="40"/>',
        1,
        (0, 0, 40, 40),
        80,
    ),
    'nested svg': Case(
        f'<svg x="10" y="20" width="50%" height="20" viewBox="0 0 10 10"><line {PEN} x2="100%"/></svg>',
        1,
        (25, 20, 45, 20),
        20,
    ),
    'nested svg cuts': Case(
        f'<svg x="10" y="20" width="30" height="20"><path {PEN} d="M-5 5h100"/></svg>',
        1,
        (10, 25, 40, 25),
        30,
    ),
    'nested svg of no size': Case(
        f'<svg width="0"><path {PEN} d="M0 0h5"/></svg><svg viewBox="0 0 0 5"><path {PEN} d="M0 0h5"/>'
        f'</svg><path {PEN} d="M1 1h5"/>',
        1,
        (1, 1, 6, 1),
        5,
    ),
    'clip path with a hole': Case(
        '<clipPath id="c"><path clip-rule="evenodd" d="M10 0h80v100h-80zM40 0h20v100h-20z"/></clipPath>'
        f'<path {PEN} clip-path="url(#c)" d="M0 50h100"/>',
        2,
        (10, 50, 90, 50),
        60,
    ),
    'clip path without its hole': Case(
        '<clipPath id="c"><path d="M10 0h80v100h-80zM40 0h20v100h-20z"/></clipPath>'
        f'<path {PEN} clip-path="url(#c)" d="M0 50h100"/>',
        1,
        (10, 50, 90, 50),
        80,
    ),
    'clip path under a transform': Case(
        # 20..60 of the doubled user space is 40..120 mm; the page ends at 100.
        '<clipPath id="c"><rect x="20" width="40" height="50"/></clipPath>'
        f'<path {PEN} transform="scale(2)" clip-path="url(#c)" d="M0 25h50"/>',
        1,
        (40, 50, 100, 50),
        60,
    ),
    'clip path of a clip path': Case(
        '<clipPath id="a"><rect width="50" height="100"/></clipPath>'
        '<clipPath id="b" clip-path="url(#a)"><circle cx="50" cy="50" r="30"/></clipPath>'
        f'<g clip-path="url(#b)"><path {PEN} d="M0 50h100"/></g>',
        1,
        (20, 50, 50, 50),
        30,
    ),
    'clip path in a group that is clipped': Case(
        '<clipPath id="a"><rect width="50" height="100"/></clipPath>'
        '<clipPath id="b"><rect x="30" width="50" height="100"/></clipPath>'
        f'<g clip-path="url(#a)"><path {PEN} clip-path="url(#b)" d="M0 50h100"/></g>',
        1,
        (30, 50, 50, 50),
        20,
    ),
    'clip path in parts of the box': Case(
        '<clipPath id="c" clipPathUnits="objectBoundingBox"><rect width=".5" height="1"/></clipPath>'
        f'<rect {PEN} clip-path="url(#c)" x="20" y="20" width="40" height="40"/>',
        1,
        (20, 20, 40, 60),
        80,
    ),
    'clip path of used shapes': Case(
        '<defs><rect id="r" width="20" height="100"/></defs><clipPath id="c"><use href="#r" x="10"/>'
        f'<use href="#r" x="60"/></clipPath><path {PEN} clip-path="url(#c)" d="M0 50h100"/>',
        2,
        (10, 50, 80, 50),
        40,
    ),
    'clip path of two parts that overlap': Case(
        '<clipPath id="c"><rect x="10" width="30" height="99"/><rect x="30" width="30" height="99"/>'
        f'</clipPath><path {PEN} clip-path="url(#c)" d="M0 50h100"/>',
        1,
        (10, 50, 60, 50),
        50,
    ),
    'clip path that is empty': Case(
        f'<clipPath id="c"/><path {PEN} clip-path="url(#c)" d="M0 50h90"/><path {PEN} d="M1 1h5"/>',
        1,
        (1, 1, 6, 1),
        5,
    ),
    'a path clipped by itself': Case(
        '<defs><path id="p" d="M10 10h30a20 20 0 0120 20v30h-50z"/></defs>'
        f'<clipPath id="c"><use href="#p"/></clipPath><use href="#p" {PEN} clip-path="url(#c)"/>',
        1,
        (10, 10, 60, 60),
        160 + 10 * math.pi,
    ),
    'a stroke that crosses itself is cut by the clip only': Case(
        '<clipPath id="c"><rect x="-1" y="-1" width="51" height="102"/></clipPath>'
        f'<path {PEN} clip-path="url(#c)" d="M10 10L40 40M40 10L10 40M10 60L40 90V60L10 90"/>',
        3,
        (10, 10, 40, 90),
        4 * 30 * math.sqrt(2) + 30,
    ),
    'a stroke that runs back along itself': Case(
        '<clipPath id="c"><rect width="50" height="50"/></clipPath>'
        f'<path {PEN} clip-path="url(#c)" d="M10 10H40H20H45"/>',
        1,
        (10, 10, 45, 10),
        75,
    ),
    'mask content': Case(
        f'<mask id="m"><rect width="9" height="9"/></mask><path {PEN} d="M0 0h10"/>',
        1,
        (0, 0, 10, 0),
        10,
    ),
    'definitions are not drawn': Case(
        '<defs><path d="M0 0h9v9"/></defs><symbol><path d="M0 0h9v9"/></symbol><marker><path d='
        '"M0 0h9v9"/></marker><pattern><path d="M0 0h9v9"/></pattern><clipPath><path d="M0 0h9v9"/>'
        f'</clipPath><path {PEN} d="M0 0h10"/>',
        1,
        (0, 0, 10, 0),
        10,
    ),
    'dashes': Case(
        f'<path {PEN} stroke-dasharray="5" d="M0 50h100"/>',
        10,
        (0, 50, 95, 50),
        50,
    ),
    'dashes off': Case(
        f'<path {PEN} stroke-dasharray="5" d="M0 50h100"/>',
        1,
        (0, 50, 100, 50),
        100,
        options=ReadOptions(dashes=False),
    ),
    'dashes with an offset': Case(
        f'<path {PEN} stroke-dasharray="10 5" stroke-dashoffset="5" d="M0 50h40"/>',
        3,
        (0, 50, 35, 50),
        25,
    ),
    'dashes around a corner': Case(
        f'<path {PEN} stroke-dasharray="20" d="M10 10h10v50"/>',
        2,
        (10, 10, 20, 60),
        40,
    ),
    'dashes in parts of pathLength': Case(
        f'<path {PEN} pathLength="10" stroke-dasharray="1" d="M0 50h100"/>',
        5,
        (0, 50, 90, 50),
        50,
    ),
    'dashes that are dots': Case(
        f'<path {PEN} stroke-linecap="round" stroke-dasharray="0 10" d="M0 50h45"/>',
        5,
        (0, 50, 40, 50),
        0,
    ),
    'dashes are scaled with what they are on': Case(
        f'<path {PEN} stroke-dasharray="5" transform="scale(2 1)" d="M0 50h50"/>',
        5,
        (0, 50, 90, 50),
        50,
    ),
    'dashes are clipped, not restarted': Case(
        '<clipPath id="c"><rect x="2" width="11" height="99"/></clipPath>'
        f'<path {PEN} clip-path="url(#c)" stroke-dasharray="5" d="M0 50h100"/>',
        2,
        (2, 50, 13, 50),
        6,
    ),
    'circle under another scale each way': Case(
        f'<circle {PEN} r="10" transform="translate(50 50) scale(2 1)"/>',
        1,
        (30, 40, 70, 60),
        96.8845,
    ),
    'z, then l and m': Case(
        # After z the pen is back at the start: l goes on from there, m is relative to it.
        f'<path {PEN} d="M10 10h10v10zl-5 5m10 0h3"/>',
        3,
        (5, 10, 20, 20),
        20 + 10 * math.sqrt(2) + 5 * math.sqrt(2) + 3,
    ),
    'an error in path data': Case(
        f'<path {PEN} d="M10 10h20v20 30 q 5 5"/>',
        1,
        (10, 10, 30, 60),
        70,
        warns='path data ends in the middle',
    ),
    'elements without what they need': Case(
        '<path/><rect/><circle/><ellipse/><polygon/><polyline/><use/>'
        f'<ellipse {PEN} cx="50" cy="50" rx="10"/>',
        1,
        (40, 40, 60, 60),
        20 * math.pi,
    ),
    'transform as a property': Case(
        f'<path {PEN} style="transform: translate(10px, 20px) rotate(90deg) scale(2)" d="M0 0h10"/>',
        1,
        (10, 20, 10, 40),
        20,
    ),
    'a property is stronger than the attribute': Case(
        f'<path {PEN} transform="scale(5)" style="transform:none" d="M0 0h10"/>',
        1,
        (0, 0, 10, 0),
        10,
    ),
    'transform about an origin': Case(
        f'<rect {PEN} x="10" y="10" width="20" height="10" style="transform:rotate(90deg);'
        'transform-origin:center;transform-box:fill-box"/>',
        1,
        (15, 5, 25, 25),
        60,
    ),
    'transform about the middle of the page': Case(
        f'<path {PEN} transform="scale(2)" transform-origin="50% 50%" d="M50 50h10"/>',
        1,
        (50, 50, 70, 50),
        20,
    ),
    'translate, rotate and scale as properties': Case(
        f'<path {PEN} style="translate:10px 20px;rotate:90deg;scale:2 1" d="M0 0h10"/>',
        1,
        (10, 20, 10, 40),
        20,
    ),
    'transform of the root': Case(
        # In px on the page, before the viewBox: 96 px are 25.4 mm.
        f'<path {PEN} d="M0 0h10"/>',
        1,
        (25.4, 0, 35.4, 0),
        10,
        f'{ROOT} transform="translate(96)"',
    ),
    'rounded corners that would overlap': Case(
        # rx = 50 sets ry; both are cut to half the sides: an ellipse of 20 x 10.
        f'<rect {PEN} x="10" y="10" width="40" height="20" rx="50"/>',
        1,
        (10, 10, 50, 30),
        96.8845,
    ),
    'control points in line, there and back': Case(
        # x(t) = 30 t (1 - t): up to 7.5 and back.
        f'<path {PEN} d="M0 50C10 50 10 50 0 50"/>',
        1,
        (0, 50, 7.5, 50),
        15,
    ),
    'nesting': Case(
        '<g>' * 150 + f'<path {PEN} d="M0 0h10"/>' + '</g>' * 150, 1, (0, 0, 10, 0), 10
    ),
    'context paint in a marker': Case(
        '<marker id="m" overflow="visible" markerUnits="userSpaceOnUse"><path d="M0 0h5v5" '
        f'fill="none" stroke="context-stroke"/></marker><path {PEN} marker-end="url(#m)" d="M0 9h10"/>',
        2,
        (0, 9, 15, 14),
        20,
    ),
    'a line without height': Case(f'<path {PEN} d="M50 10v30"/>', 1, (50, 10, 50, 40), 30),
    'a frame exactly at the edge': Case(
        f'<rect {PEN} width="100" height="100"/>',
        1,
        (0, 0, 100, 100),
        400,
    ),
    'a language': Case(
        f'<switch><path {PEN} systemLanguage="fr" d="M0 0h1"/><path {PEN} systemLanguage="de-AT,en-GB" '
        f'd="M0 0h10"/><path {PEN} d="M0 0h5"/></switch>',
        1,
        (0, 0, 10, 0),
        10,
    ),
    'a language outside of a switch': Case(
        f'<path {PEN} systemLanguage="fr" d="M0 0h1"/><path {PEN} systemLanguage="en" d="M0 0h10"/>',
        1,
        (0, 0, 10, 0),
        10,
    ),
    'extensions': Case(
        '<switch><foreignObject requiredExtensions="http://ns.adobe.com/"/>'
        f'<g><path {PEN} d="M0 0h10"/></g></switch>',
        1,
        (0, 0, 10, 0),
        10,
    ),
    'properties as geometry': Case(
        f'<style>circle{{r:10px;cx:50px}}</style><circle {PEN} cy="50" r="3"/>',
        1,
        (40, 40, 60, 60),
        20 * math.pi,
    ),
}


@pytest.mark.parametrize('name', CASES)
def test_case(read, name):
    case = CASES[name]
    artwork = read(case.body, case.root, case.options)
    table = SegmentTable([segment for outline in artwork.outlines for segment in outline.segments])
    assert len(artwork.outlines) == case.strokes
    np.testing.assert_allclose(table.bounds().ravel(), case.box, atol=2e-3)
    assert table.lengths().sum() == pytest.approx(case.length, rel=1e-4, abs=1e-3)
    assert not artwork.ignored
    assert len(artwork.warnings) == bool(case.warns) and case.warns in ''.join(artwork.warnings)

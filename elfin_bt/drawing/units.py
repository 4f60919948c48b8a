# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""SVG and CSS lengths: 96 px to the inch; others relative to the viewport or to the font."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.numbers import NUMBER

PX_PER_INCH = 96.0
MM_PER_PX = 25.4 / PX_PER_INCH

# CSS "medium", which no file of the web overrides unseen.
INITIAL_FONT_SIZE = 16.0

_ABSOLUTE = {
    '': 1.0,
    'px': 1.0,
    'in': PX_PER_INCH,
    'mm': PX_PER_INCH / 25.4,
    'cm': PX_PER_INCH / 2.54,
    'q': PX_PER_INCH / 101.6,
    'pt': PX_PER_INCH / 72.0,
    'pc': PX_PER_INCH / 6.0,
}
# In parts of the font size; what CSS assumes of a font whose measures are not known.
_OF_FONT = {'em': 1.0, 'ex': 0.5, 'ch': 0.5}
_OF_WINDOW = frozenset(('vw', 'vh', 'vmin', 'vmax'))
_UNITS = frozenset((*_ABSOLUTE, *_OF_FONT, *_OF_WINDOW, 'rem', '%'))

_LENGTH = re.compile(rf'\s*({NUMBER})\s*([A-Za-z]*|%)\s*')

_ANGLE = re.compile(rf'({NUMBER})(deg|rad|grad|turn)?', re.IGNORECASE)
_DEGREES = {'deg': 1.0, 'rad': 180.0 / math.pi, 'grad': 0.9, 'turn': 360.0}

Direction = Literal['x', 'y', 'other']


@dataclass(frozen=True)
class LengthBase:
    """What relative lengths refer to, all in user units.

    Attributes:
        viewport: width and height that percentages are of.
        font_size: of the element, for em, ex and ch.
        root_font_size: of the root element, for rem.
        window: size of the page in px, for vw, vh, vmin and vmax.
    """

    viewport: tuple[float, float]
    font_size: float = INITIAL_FONT_SIZE
    root_font_size: float = INITIAL_FONT_SIZE
    window: tuple[float, float] = (0.0, 0.0)


def split_length(text: str) -> tuple[float, str] | None:
    """Number and unit (lower case) of a length; None if it is none or the unit is unknown.

    SvgError is raised for a number that is not finite.
    """
    found = _LENGTH.fullmatch(text)
    if found is None:
        return None
    number, unit = float(found[1]), found[2].lower()
    if math.isinf(number):
        raise SvgError(f'{text.strip()[:20]!r} is too large a number')
    return (number, unit) if unit in _UNITS else None


def to_px(number: float, unit: str, base: LengthBase, direction: Direction) -> float:
    """The length in user units (px)."""
    if unit in _ABSOLUTE:
        return number * _ABSOLUTE[unit]
    if unit == '%':
        width, height = base.viewport
        whole = {'x': width, 'y': height, 'other': math.hypot(width, height) / math.sqrt(2.0)}
        return number / 100.0 * whole[direction]
    if unit == 'rem':
        return number * base.root_font_size
    if unit in _OF_FONT:
        return number * _OF_FONT[unit] * base.font_size
    width, height = base.window
    sides = {'vw': width, 'vh': height, 'vmin': min(width, height), 'vmax': max(width, height)}
    return number / 100.0 * sides[unit]


def parse_length(text: str, base: LengthBase, direction: Direction) -> float | None:
    """The length in user units (px); None if it is none."""
    length = split_length(text)
    return None if length is None else to_px(*length, base, direction)


def parse_angle(text: str) -> float | None:
    """The angle in radians; a bare number is in degrees. None if it is none.

    SvgError is raised for a number that is not finite.
    """
    found = _ANGLE.fullmatch(text.strip())
    if found is None:
        return None
    if math.isinf(float(found[1])):
        raise SvgError(f'{text.strip()[:20]!r} is too large a number')
    return math.radians(float(found[1]) * _DEGREES[(found[2] or 'deg').lower()])

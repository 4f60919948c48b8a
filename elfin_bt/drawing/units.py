# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""SVG lengths: 96 px to the inch, percentages of the viewport."""

from __future__ import annotations

import math
import re
from typing import Literal

from elfin_bt.drawing.numbers import NUMBER

PX_PER_INCH = 96.0
MM_PER_PX = 25.4 / PX_PER_INCH

# Fonts are not read; these are the initial font size and the usual guess of its x-height.
_FONT_SIZE_PX = 16.0

_PX = {
    '': 1.0,
    'px': 1.0,
    'in': PX_PER_INCH,
    'mm': PX_PER_INCH / 25.4,
    'cm': PX_PER_INCH / 2.54,
    'q': PX_PER_INCH / 101.6,
    'pt': PX_PER_INCH / 72.0,
    'pc': PX_PER_INCH / 6.0,
    'em': _FONT_SIZE_PX,
    'rem': _FONT_SIZE_PX,
    'ex': _FONT_SIZE_PX / 2.0,
}

FONT_UNITS = ('em', 'rem', 'ex')

_LENGTH = re.compile(rf'\s*({NUMBER})\s*([A-Za-z]*|%)\s*')

Direction = Literal['x', 'y', 'other']


def split_length(text: str) -> tuple[float, str] | None:
    """Number and unit (lower case) of a length; None if it is none or the unit is unknown."""
    found = _LENGTH.fullmatch(text)
    if found is None:
        return None
    number, unit = float(found[1]), found[2].lower()
    if unit not in _PX and unit != '%':
        return None
    return number, unit


def to_px(number: float, unit: str, viewport: tuple[float, float], direction: Direction) -> float:
    """The length in user units (px); a percentage is of the viewport (width, height)."""
    if unit != '%':
        return number * _PX[unit]
    width, height = viewport
    whole = {'x': width, 'y': height, 'other': math.hypot(width, height) / math.sqrt(2.0)}
    return number / 100.0 * whole[direction]

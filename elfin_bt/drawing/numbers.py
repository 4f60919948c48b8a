# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as SVG writes them."""

from __future__ import annotations

import math
import re

from elfin_bt.drawing.errors import SvgError

# Possessive, so that no text makes a pattern of many numbers try every way to split their digits.
NUMBER = r'[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+'

_NUMBER = re.compile(rf'({NUMBER})[\s]*,?[\s]*', re.ASCII)
_NON_FINITE = re.compile(r'\s*,?\s*[+-]?(nan|inf)', re.IGNORECASE)


def parse_numbers(text: str) -> tuple[list[float], bool]:
    """The numbers of a list up to the first thing that is none, and whether that was the end.

    SvgError is raised for a number that is not finite.
    """
    values: list[float] = []
    text = text.strip()
    position = 0
    while position < len(text):
        found = _NUMBER.match(text, position)
        if found is None:
            refuse_non_finite(text[position:])
            return values, False
        values.append(float(found[1]))
        if math.isinf(values[-1]):
            raise SvgError(f'{found[1][:20]!r} is too large a number')
        position = found.end()
    return values, True


def refuse_non_finite(text: str) -> None:
    """Raise SvgError where the text starts with NaN or an infinity."""
    if _NON_FINITE.match(text):
        raise SvgError(f'{text.strip()[:20]!r} is not a finite number')

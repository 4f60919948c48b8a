# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Letters that a pen can write: the single-line fonts that A. V. Hershey digitized.

They hold ASCII, and one of them Greek. Accented letters are put together from a letter and its
accent, typographic punctuation is written as its plain form; anything else has no glyph.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from HersheyFonts import HersheyFonts

from elfin_bt.drawing.geometry import Array

_LATIN, _GREEK = 'futural', 'greeks'

# Hershey units: y is down, the base line is at 9, capitals are 21 high.
_BASE_LINE = 9.0
_CAP_HEIGHT = 21.0
_X_HEIGHT = 14.0

# In parts of the font size. Capitals are as high as in common sans serif fonts; the letters are a
# little condensed, so that lines of text are about as long as in those.
_Y_SCALE = 0.716 / _CAP_HEIGHT
_X_SCALE = 0.030

# Greek letters in the order of the keys that the font has them on.
_GREEK_KEYS = dict(
    zip(
        'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψω',
        'ABCDEFGHIJKLMNOPQRSTUVWXabcdefghijklmnopqrstuvwx',
        strict=True,
    )
)

_PLAIN = {
    '‘': "'",
    '’': "'",
    '‚': ',',
    '“': '"',
    '”': '"',
    '„': '"',
    '‹': '<',
    '›': '>',
    '‐': '-',
    '‑': '-',
    '‒': '-',
    '–': '-',
    '—': '-',
    '−': '-',
    '×': 'x',
    '…': '...',
    '\u00a0': ' ',
    '\u2009': ' ',
    '\u202f': ' ',
    'ς': 'σ',
    'ı': 'i',
    '\u00b5': 'μ',
    '\ufb01': 'fi',
    '\ufb02': 'fl',
}

# Combining accents as lines around the middle of a letter; y is up from its top, in Hershey units.
_ABOVE: dict[str, list[list[tuple[float, float]]]] = {
    '\u0300': [[(-3, 6), (1, 2)]],
    '\u0301': [[(3, 6), (-1, 2)]],
    '\u0302': [[(-4, 2), (0, 6), (4, 2)]],
    '\u0303': [[(-5, 3), (-3, 5), (-1, 5), (1, 3), (3, 3), (5, 5)]],
    '\u0304': [[(-4, 4), (4, 4)]],
    '\u0306': [[(-4, 6), (-2, 3), (2, 3), (4, 6)]],
    '\u0307': [[(0, 3), (0, 4)]],
    '\u0308': [[(-3, 3), (-3, 4)], [(3, 3), (3, 4)]],
    '\u030a': [[(0, 2), (2, 4), (0, 6), (-2, 4), (0, 2)]],
    '\u030b': [[(-1, 6), (-4, 2)], [(4, 6), (1, 2)]],
    '\u030c': [[(-4, 6), (0, 2), (4, 6)]],
}
# These hang from the base line.
_BELOW: dict[str, list[list[tuple[float, float]]]] = {
    '\u0327': [[(0, 0), (0, -2), (2, -4), (0, -6), (-2, -6)]],
    '\u0328': [[(2, 0), (0, -3), (1, -5), (3, -5)]],
}
_DOTTED = 'ij'


@dataclass(frozen=True, eq=False)
class Glyph:
    """A letter of font size 1: its advance, and lines (N, 2) from its origin, y down."""

    advance: float
    lines: tuple[Array, ...]


@cache
def glyph(character: str) -> Glyph | None:
    """The glyph of a character; None if the fonts have none."""
    if character in _PLAIN:
        return _row(_PLAIN[character])
    if character == '°':
        return _raised_ring()
    base, *accents = list(unicodedata.normalize('NFD', character))
    if accents:
        return _accented(base, accents)
    raw = _raw(base)
    return None if raw is None else _scaled(*raw)


def _row(text: str) -> Glyph | None:
    """Some letters side by side."""
    advance = 0.0
    lines: list[Array] = []
    for character in text:
        letter = glyph(character)
        if letter is None:
            return None
        lines += [line + (advance, 0.0) for line in letter.lines]
        advance += letter.advance
    return Glyph(advance, tuple(lines))


def _raised_ring() -> Glyph:
    ring = [(4.0, -12.0), (7.0, -9.0), (4.0, -6.0), (1.0, -9.0), (4.0, -12.0)]
    return _scaled(8.0, [ring])


def _accented(base: str, accents: list[str]) -> Glyph | None:
    raw = _raw(base)
    if raw is None or not all(accent in _ABOVE or accent in _BELOW for accent in accents):
        return None
    width, lines = raw
    lines = list(lines)
    if base in _DOTTED and any(accent in _ABOVE for accent in accents):
        # The accent takes the place of the dot.
        lines = [line for line in lines if max(y for _, y in line) > -8.0]
    top = min((y for line in lines for _, y in line), default=-_X_HEIGHT)
    middle = width / 2.0
    for accent in accents:
        edge, marks = (top, _ABOVE[accent]) if accent in _ABOVE else (_BASE_LINE, _BELOW[accent])
        lines += [[(middle + x, edge - y) for x, y in mark] for mark in marks]
        top -= 6.0 if accent in _ABOVE else 0.0
    return _scaled(width, lines)


def _raw(character: str) -> tuple[float, list[list[tuple[float, float]]]] | None:
    """Width and lines in Hershey units, from the left side of the letter."""
    font, key = (
        (_GREEK, _GREEK_KEYS[character]) if character in _GREEK_KEYS else (_LATIN, character)
    )
    if not '!' <= key <= '~':
        return (16.0, []) if key == ' ' else None
    found = _font(font)[key]
    left = found.left_offset
    return float(found.char_width), [[(x - left, y) for x, y in line] for line in found.strokes]


@cache
def _font(name: str) -> Mapping[str, Any]:
    fonts = HersheyFonts()
    fonts.load_default_font(name)
    return dict(fonts.all_glyphs)


def _scaled(width: float, lines: list[list[tuple[float, float]]]) -> Glyph:
    arrays = [(np.array(line) - (0.0, _BASE_LINE)) * (_X_SCALE, _Y_SCALE) for line in lines if line]
    for array in arrays:
        array.flags.writeable = False
    return Glyph(width * _X_SCALE, tuple(arrays))

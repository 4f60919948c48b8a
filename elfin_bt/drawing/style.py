# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Computed properties of an element: what decides whether it can be seen, and how."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from elfin_bt.drawing.colours import parse_colour
from elfin_bt.drawing.numbers import parse_numbers
from elfin_bt.drawing.region import FillRule
from elfin_bt.drawing.units import (
    INITIAL_FONT_SIZE,
    LengthBase,
    parse_length,
    split_length,
    to_px,
)

_URL = re.compile(r'url\(\s*["\']?#?([^"\')]*)["\']?\s*\)\s*(.*)', re.DOTALL)
_SEPARATOR = re.compile(r'[\s,]+')

# In px (CSS Fonts 4, "absolute size keywords").
_FONT_SIZES = {
    'xx-small': 9.6,
    'x-small': 12.0,
    'small': 14.2,
    'medium': INITIAL_FONT_SIZE,
    'large': 19.2,
    'x-large': 24.0,
    'xx-large': 32.0,
}
_FONT_STEPS = {'smaller': 1.0 / 1.2, 'larger': 1.2}
_CAPS = ('round', 'square')

_INITIAL = {
    'color': 'black',
    'clip-rule': 'nonzero',
    'display': 'inline',
    'dominant-baseline': 'auto',
    'fill': 'black',
    'fill-opacity': '1',
    'fill-rule': 'nonzero',
    'font-size': 'medium',
    'font-style': 'normal',
    'letter-spacing': '0',
    'marker-start': 'none',
    'marker-mid': 'none',
    'marker-end': 'none',
    'opacity': '1',
    'stroke': 'none',
    'stroke-dasharray': 'none',
    'stroke-dashoffset': '0',
    'stroke-linecap': 'butt',
    'stroke-opacity': '1',
    'stroke-width': '1',
    'text-anchor': 'start',
    'visibility': 'visible',
    'word-spacing': '0',
    'writing-mode': 'horizontal-tb',
}
_NOT_INHERITED = frozenset(('clip-path', 'display', 'filter', 'mask', 'opacity', 'overflow'))


@dataclass(frozen=True)
class Paint:
    """Something that can be seen; `colour` is '#rrggbb', or None for gradients and patterns."""

    colour: str | None


@dataclass(frozen=True)
class Style:
    """Computed properties, with the initial values of SVG 2. Lengths are in user units."""

    shown: bool = True  # no ancestor has display: none or opacity: 0
    visible: bool = True  # visibility
    fill: str = 'black'
    stroke: str = 'none'
    colour: str = 'black'
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    stroke_width: float = 1.0
    caps: bool = False  # round or square: a subpath of no length is a dot
    dashes: tuple[float, ...] = ()  # lengths on, off, on, ...; an even number of them
    dash_offset: float = 0.0
    fill_rule: FillRule = 'nonzero'
    clip_rule: FillRule = 'nonzero'
    marker_start: str = 'none'
    marker_mid: str = 'none'
    marker_end: str = 'none'
    font_size: float = INITIAL_FONT_SIZE
    italic: bool = False
    anchor: str = 'start'
    baseline: str = 'auto'
    letter_spacing: float = 0.0
    word_spacing: float = 0.0
    vertical: bool = False

    def inherit(self, own: Mapping[str, str], base: LengthBase) -> Style:
        """The style of a child with these own properties.

        Lengths in `own` refer to `base`, whose font size is this style's.
        """
        if not own:
            return self
        own = {name: text for name, value in own.items() if (text := _given(name, value))}
        changes: dict[str, object] = {}
        if own.get('display') == 'none' or _opacity(own.get('opacity'), 1.0) <= 0.0:
            changes['shown'] = False
        if 'font-size' in own:
            size = self._font_size(own['font-size'], base)
            changes['font_size'] = size
            base = replace(base, font_size=size)
        for name, value in own.items():
            change = _CHANGES.get(name)
            if change is not None:
                field, compute = change
                computed = compute(value, base, self)
                if computed is not None:
                    changes[field] = computed
        return replace(self, **changes) if changes else self  # type: ignore[arg-type]

    def _font_size(self, text: str, base: LengthBase) -> float:
        keyword = text.lower()
        if keyword in _FONT_SIZES:
            return _FONT_SIZES[keyword]
        if keyword in _FONT_STEPS:
            return self.font_size * _FONT_STEPS[keyword]
        length = split_length(text)
        if length is None:
            return self.font_size
        number, unit = length
        # A percentage is of the parent's font size here.
        size = number / 100.0 * self.font_size if unit == '%' else to_px(number, unit, base, 'x')
        return size if math.isfinite(size) and size >= 0.0 else self.font_size

    @property
    def markers(self) -> bool:
        """Whether any marker is asked for."""
        return not self.marker_start == self.marker_mid == self.marker_end == 'none'

    def stroke_paint(
        self, ids: Container[str], context: ContextPaint | None = None
    ) -> Paint | None:
        """How the outline is painted, None if it isn't."""
        if self.stroke_width <= 0.0 or self.stroke_opacity <= 0.0:
            return None
        return self._paint(self.stroke, ids, context)

    def fill_paint(self, ids: Container[str], context: ContextPaint | None = None) -> Paint | None:
        """How the inside is painted, None if it isn't."""
        return None if self.fill_opacity <= 0.0 else self._paint(self.fill, ids, context)

    def _paint(self, text: str, ids: Container[str], context: ContextPaint | None) -> Paint | None:
        found = _URL.match(text)
        if found:
            if found[1] in ids:
                return Paint(None)
            text = found[2] or 'none'
        keyword = text.lower()
        if keyword == 'none':
            return None
        if keyword == 'context-fill':
            return context.fill if context else None
        if keyword == 'context-stroke':
            return context.stroke if context else None
        return _plain(self.colour if keyword == 'currentcolor' else text)


@dataclass(frozen=True)
class ContextPaint:
    """What context-fill and context-stroke stand for in a marker or in used content."""

    fill: Paint | None
    stroke: Paint | None


@lru_cache(maxsize=1024)
def _plain(text: str) -> Paint | None:
    # ICC colours and the like follow an sRGB fallback: '#cd853f icc-color(...)'.
    colour = parse_colour(text) or parse_colour(text.split()[0] if text.split() else '')
    if colour is None:
        return Paint(None)
    return Paint(colour[0]) if colour[1] > 0.0 else None


def reference(value: str) -> str | None:
    """The id that url(#id) refers to; None for anything else."""
    found = _URL.match(value.strip())
    return found[1] if found else None


def _given(name: str, value: str) -> str:
    """A declared value with CSS-wide keywords resolved; '' where the parent's value stays."""
    keyword = value.lower()
    if keyword == 'initial' or (keyword == 'unset' and name in _NOT_INHERITED):
        return _INITIAL.get(name, '')
    return '' if keyword in ('inherit', 'unset', 'revert', 'revert-layer') else value


def _opacity(text: str | None, default: float) -> float:
    length = split_length(text) if text else None
    if length is None or length[1] not in ('', '%'):
        return default
    return length[0] / 100.0 if length[1] == '%' else length[0]


def _visibility(text: str, base: LengthBase, parent: Style) -> bool | None:
    return text == 'visible' if text in ('visible', 'hidden', 'collapse') else None


def _text(text: str, base: LengthBase, parent: Style) -> str:
    return text


def _colour(text: str, base: LengthBase, parent: Style) -> str | None:
    return None if text.lower() == 'currentcolor' else text


def _fraction(text: str, base: LengthBase, parent: Style) -> float | None:
    length = _opacity(text, math.nan)
    return None if math.isnan(length) else length


def _length(text: str, base: LengthBase, parent: Style) -> float | None:
    return parse_length(text, base, 'other')


def _spacing(text: str, base: LengthBase, parent: Style) -> float | None:
    return 0.0 if text == 'normal' else parse_length(text, base, 'other')


def _line_cap(text: str, base: LengthBase, parent: Style) -> bool:
    return text in _CAPS


def _dashes(text: str, base: LengthBase, parent: Style) -> tuple[float, ...] | None:
    """The dash array, doubled if its number is odd; () for a solid line."""
    if text == 'none':
        return ()
    parts, complete = parse_numbers(text)
    lengths: list[float | None] = [*parts]
    if not complete:
        words = [word for word in _SEPARATOR.split(text.strip()) if word]
        lengths = [parse_length(word, base, 'other') for word in words]
    values = [length for length in lengths if length is not None]
    if len(values) != len(lengths) or not all(0.0 <= value < math.inf for value in values):
        return ()
    if not any(values):
        return ()
    return tuple(values if len(values) % 2 == 0 else 2 * values)


def _rule(text: str, base: LengthBase, parent: Style) -> str | None:
    return text if text in ('nonzero', 'evenodd') else None


def _italic(text: str, base: LengthBase, parent: Style) -> bool:
    return text.startswith(('italic', 'oblique'))


def _vertical(text: str, base: LengthBase, parent: Style) -> bool:
    return text.startswith(('tb', 'vertical', 'sideways'))


_CHANGES = {
    'clip-rule': ('clip_rule', _rule),
    'color': ('colour', _colour),
    'dominant-baseline': ('baseline', _text),
    'fill': ('fill', _text),
    'fill-opacity': ('fill_opacity', _fraction),
    'fill-rule': ('fill_rule', _rule),
    'font-style': ('italic', _italic),
    'letter-spacing': ('letter_spacing', _spacing),
    'marker-end': ('marker_end', _text),
    'marker-mid': ('marker_mid', _text),
    'marker-start': ('marker_start', _text),
    'stroke': ('stroke', _text),
    'stroke-dasharray': ('dashes', _dashes),
    'stroke-dashoffset': ('dash_offset', _length),
    'stroke-linecap': ('caps', _line_cap),
    'stroke-opacity': ('stroke_opacity', _fraction),
    'stroke-width': ('stroke_width', _length),
    'text-anchor': ('anchor', _text),
    'visibility': ('visible', _visibility),
    'word-spacing': ('word_spacing', _spacing),
    'writing-mode': ('vertical', _vertical),
}

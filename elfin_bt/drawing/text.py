# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Text as lines that a pen can write (SVG 2, "Text layout", for one line at a time).

`text` and `tspan` with their positions, shifts, rotations, anchors, spacing and base lines. The
letters are those of `glyphs`, whatever font the file asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

import numpy as np

from elfin_bt.drawing.document import Document
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.glyphs import glyph
from elfin_bt.drawing.style import Style
from elfin_bt.drawing.units import (
    Direction,
    LengthBase,
    parse_angle,
    parse_length,
    split_length,
    to_px,
)
from elfin_bt.drawing.walk import Leaf

_XML_SPACE = '{http://www.w3.org/XML/1998/namespace}space'
_SPANS = frozenset(('tspan', 'a', 'tref'))
_SEPARATOR = re.compile(r'[\s,]+')

# What moves each kind of base line onto the alphabetic one, in parts of the font size.
_BASELINES = {
    'middle': 0.26,
    'central': 0.36,
    'hanging': 0.72,
    'mathematical': 0.40,
    'text-before-edge': 0.90,
    'text-top': 0.90,
    'text-after-edge': -0.21,
    'text-bottom': -0.21,
    'ideographic': -0.21,
}
_SHIFTS = {'sub': -0.2, 'super': 0.4, 'baseline': 0.0}
_SLANT = math.tan(math.radians(12.0))


@dataclass(frozen=True, eq=False)
class Letter:
    """One character, written.

    Attributes:
        character: what it is.
        element: the text or tspan that it is in.
        style: of that element.
        lines: (N, 2) each, in user units; None where there is no glyph.
    """

    character: str
    element: Element
    style: Style
    lines: tuple[Array, ...] | None


@dataclass
class _Slot:
    """A character before it has its place."""

    character: str
    element: Element
    style: Style
    lift: float  # how far it stands above the base line
    given: dict[str, float] = field(default_factory=dict)  # x, y, dx, dy, rotate


def letters(leaf: Leaf, document: Document, ignore: Callable[[str, Element], None]) -> list[Letter]:
    """The characters of a `text` element in order; spaces are left out.

    `ignore` is told the kind of what is in it and can't be written, and its element.
    """
    slots = _Collector(document, ignore).collect(leaf)
    written: list[Letter] = []
    at = [0.0, 0.0]
    for chunk in _chunks(slots):
        placed = list(_placed(chunk, at, _stretch(leaf, chunk, slots)))
        shift = _anchor_shift(chunk[0].style.anchor, placed, at)
        for slot, x, y, scale in placed:
            if not slot.character.isspace():
                written.append(_written(slot, x + shift, y, scale))
        at[0] += shift
    return written


class _Collector:
    """Gathers the characters of a text and what is said about their places."""

    def __init__(self, document: Document, ignore: Callable[[str, Element], None]) -> None:
        self._document = document
        self._ignore = ignore
        self._slots: list[_Slot] = []

    def collect(self, leaf: Leaf) -> list[_Slot]:
        context = leaf.context
        preserve = leaf.element.get(_XML_SPACE) == 'preserve'
        self._element(leaf.element, leaf.own, context.style, context.base, preserve, 0.0)
        while self._slots and self._slots[-1].character == ' ' and not preserve:
            self._slots.pop()
        return self._slots

    def _element(
        self,
        element: Element,
        own: Mapping[str, str],
        style: Style,
        base: LengthBase,
        preserve: bool,
        lift: float,
    ) -> None:
        base = replace(base, font_size=style.font_size)
        lift += _lift(own, style, base)
        first = len(self._slots)
        self._text(element.text, element, style, preserve, lift)
        for child in element:
            tag = self._document.tag(child)
            if tag in _SPANS:
                self._span(child, style, base, preserve, lift)
            elif tag == 'textPath':
                self._ignore('textPath', child)
            self._text(child.tail, element, style, preserve, lift)
        self._place(element, base, self._slots[first:])

    def _span(
        self, element: Element, style: Style, base: LengthBase, preserve: bool, lift: float
    ) -> None:
        own = self._document.properties(element)
        style = style.inherit(own, base)
        if style.shown:
            space = element.get(_XML_SPACE)
            preserve = preserve if space is None else space == 'preserve'
            self._element(element, own, style, base, preserve, lift)

    def _text(
        self, text: str | None, element: Element, style: Style, preserve: bool, lift: float
    ) -> None:
        for character in (text or '').replace('\r\n', '\n'):
            if character in '\t\r\n':
                character = ' '
            if character == ' ' and not preserve:
                if not self._slots or self._slots[-1].character == ' ':
                    continue
            self._slots.append(_Slot(character, element, style, lift))

    def _place(self, element: Element, base: LengthBase, slots: list[_Slot]) -> None:
        """Note the element's positions on its characters; what is further in has them already."""
        axes: tuple[tuple[str, Direction], ...] = (('x', 'x'), ('y', 'y'), ('dx', 'x'), ('dy', 'y'))
        for name, direction in axes:
            for slot, text in zip(slots, _words(element.get(name)), strict=False):
                length = parse_length(text, base, direction)
                if length is not None:
                    slot.given.setdefault(name, length)
        turns = [parse_angle(text) for text in _words(element.get('rotate'))]
        if turns:
            for index, slot in enumerate(slots):
                turn = turns[min(index, len(turns) - 1)]
                if turn is not None:
                    slot.given.setdefault('rotate', turn)


def _words(text: str | None) -> list[str]:
    return [word for word in _SEPARATOR.split(text or '') if word]


def _lift(own: Mapping[str, str], style: Style, base: LengthBase) -> float:
    """How far the element's own `baseline-shift` raises it."""
    text = own.get('baseline-shift', 'baseline')
    if text in _SHIFTS:
        return _SHIFTS[text] * style.font_size
    length = split_length(text)
    if length is None:
        return 0.0
    number, unit = length
    return number / 100.0 * style.font_size if unit == '%' else to_px(number, unit, base, 'y')


def _chunks(slots: list[_Slot]) -> Iterator[list[_Slot]]:
    """Runs of characters that are anchored together: a given x or y starts a new one."""
    chunk: list[_Slot] = []
    for slot in slots:
        if chunk and ('x' in slot.given or 'y' in slot.given):
            yield chunk
            chunk = []
        chunk.append(slot)
    if chunk:
        yield chunk


def _advance(slot: _Slot) -> float:
    found = glyph(slot.character)
    # A letter without a glyph leaves the gap that it would fill.
    width = (0.6 if found is None else found.advance) * slot.style.font_size
    extra = slot.style.word_spacing if slot.character == ' ' else 0.0
    return width + slot.style.letter_spacing + extra


def _stretch(leaf: Leaf, chunk: list[_Slot], slots: list[_Slot]) -> tuple[float, float]:
    """Space to add after each letter, and scale of the letters, that make up `textLength`."""
    length = parse_length(leaf.element.get('textLength', ''), leaf.context.base, 'x')
    natural = sum(map(_advance, chunk))
    if length is None or len(chunk) < len(slots) or natural <= 0.0 or not 0 < length < math.inf:
        return 0.0, 1.0
    if leaf.element.get('lengthAdjust') == 'spacingAndGlyphs':
        return 0.0, length / natural
    return (length - natural) / max(len(chunk) - 1, 1), 1.0


def _placed(
    chunk: list[_Slot], at: list[float], stretch: tuple[float, float]
) -> Iterator[tuple[_Slot, float, float, float]]:
    """Each character with its origin and scale; `at` is moved to where the next one goes."""
    space, scale = stretch
    for slot in chunk:
        at[0] = slot.given.get('x', at[0]) + slot.given.get('dx', 0.0)
        at[1] = slot.given.get('y', at[1]) + slot.given.get('dy', 0.0)
        yield slot, at[0], at[1], scale
        at[0] += scale * _advance(slot) + space


def _anchor_shift(
    anchor: str, placed: list[tuple[_Slot, float, float, float]], at: list[float]
) -> float:
    share = {'middle': 0.5, 'end': 1.0}.get(anchor, 0.0)
    if not share:
        return 0.0
    trailing = placed[-1][0].character == ' ' and len(placed) > 1
    return -share * ((placed[-1][1] if trailing else at[0]) - placed[0][1])


def _written(slot: _Slot, x: float, y: float, scale: float) -> Letter:
    found = glyph(slot.character)
    if found is None:
        return Letter(slot.character, slot.element, slot.style, None)
    size = slot.style.font_size
    y += _BASELINES.get(slot.style.baseline, 0.0) * size - slot.lift
    slant = _SLANT if slot.style.italic else 0.0
    shape = np.array([[scale * size, 0.0], [-slant * size, size]])
    angle = slot.given.get('rotate', 0.0)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    lines = tuple(line @ shape @ turn + (x, y) for line in found.lines)
    return Letter(slot.character, slot.element, slot.style, lines)

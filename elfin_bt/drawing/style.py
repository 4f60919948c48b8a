# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which properties an element has, and whether it can be seen.

Precedence as in CSS: the `style` attribute over presentation attributes over what is inherited.
Rules in <style> elements are not applied; the reader names them as ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from elfin_bt.drawing.colours import parse_colour
from elfin_bt.drawing.units import split_length, to_px

_DECLARATION = re.compile(r'\s*([-\w]+)\s*:((?:[^;"\'(]|"[^"]*"|\'[^\']*\'|\([^)]*\)?)*)(?:;|$)')
_COMMENT = re.compile(r'/\*.*?(?:\*/|$)', re.DOTALL)
_IMPORTANT = re.compile(r'\s*!\s*important\s*$', re.IGNORECASE)
_URL = re.compile(r'url\(\s*["\']?#?([^"\')]*)["\']?\s*\)\s*(.*)', re.DOTALL)

PRESENTATION_ATTRIBUTES = frozenset(
    'clip-path color display fill fill-opacity filter marker marker-end marker-mid marker-start '
    'mask opacity stroke stroke-dasharray stroke-linecap stroke-opacity stroke-width '
    'transform-origin visibility'.split()
)


def declarations(style: str) -> dict[str, str]:
    """Properties of a `style` attribute; later ones win unless an earlier one is important."""
    result: dict[str, str] = {}
    important: set[str] = set()
    for name, value in _DECLARATION.findall(_COMMENT.sub('', style)):
        name = name.lower()
        urgent = _IMPORTANT.search(value)
        if name in important and not urgent:
            continue
        if urgent:
            important.add(name)
            value = value[: urgent.start()]
        result[name] = value.strip()
    return result


def properties(attributes: Mapping[str, str]) -> dict[str, str]:
    """Own properties of an element: presentation attributes, overridden by `style`."""
    own = {
        name: value.strip()
        for name, value in attributes.items()
        if name in PRESENTATION_ATTRIBUTES and name != 'marker'
    }
    own.update(declarations(attributes.get('style', '')))
    return own


@dataclass(frozen=True)
class Style:
    """Computed properties that decide what is visible; initial values as in SVG 2."""

    shown: bool = True  # no ancestor has display: none or opacity: 0
    visible: bool = True  # visibility
    fill: str = 'black'
    stroke: str = 'none'
    colour: str = 'black'
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    stroke_width: float = 1.0
    caps: bool = False  # round or square: a subpath of no length is a dot
    dashed: bool = False
    markers: bool = False

    def inherit(self, own: Mapping[str, str], viewport: tuple[float, float]) -> Style:
        """The style of a child with these own properties."""
        own = {name: value for name, value in own.items() if value and value != 'inherit'}
        visibility = own.get('visibility')
        return replace(
            self,
            shown=self.shown
            and own.get('display') != 'none'
            and _opacity(own.get('opacity'), 1.0) > 0.0,
            visible=self.visible
            if visibility not in ('visible', 'hidden', 'collapse')
            else visibility == 'visible',
            fill=own.get('fill', self.fill),
            stroke=own.get('stroke', self.stroke),
            colour=self._colour(own.get('color')),
            fill_opacity=_opacity(own.get('fill-opacity'), self.fill_opacity),
            stroke_opacity=_opacity(own.get('stroke-opacity'), self.stroke_opacity),
            stroke_width=_width(own.get('stroke-width'), self.stroke_width, viewport),
            caps=self.caps
            if 'stroke-linecap' not in own
            else own['stroke-linecap'] in ('round', 'square'),
            dashed=self.dashed
            if 'stroke-dasharray' not in own
            else bool(re.search('[1-9]', own['stroke-dasharray'])),
            markers=self._has_markers(own),
        )

    def _colour(self, own: str | None) -> str:
        return self.colour if own is None or own.lower() == 'currentcolor' else own

    def _has_markers(self, own: Mapping[str, str]) -> bool:
        values = [own[name] for name in own if name == 'marker' or name.startswith('marker-')]
        return any(value != 'none' for value in values) if values else self.markers

    def stroke_paint(self, ids: frozenset[str]) -> Paint | None:
        """How the outline is painted, None if it isn't."""
        if self.stroke_width <= 0.0 or self.stroke_opacity <= 0.0:
            return None
        return self._paint(self.stroke, ids)

    def fill_paint(self, ids: frozenset[str]) -> Paint | None:
        """How the inside is painted, None if it isn't."""
        return None if self.fill_opacity <= 0.0 else self._paint(self.fill, ids)

    def _paint(self, text: str, ids: frozenset[str]) -> Paint | None:
        found = _URL.match(text)
        if found:
            if found[1] in ids:
                return Paint(None)
            text = found[2] or 'none'
        if text.lower() in ('none', 'context-fill', 'context-stroke'):
            return None
        if text.lower() == 'currentcolor':
            text = self.colour
        # ICC colours and the like follow an sRGB fallback: '#cd853f icc-color(...)'.
        colour = parse_colour(text) or parse_colour(text.split()[0] if text.split() else '')
        if colour is None:
            return Paint(None)
        return Paint(colour[0]) if colour[1] > 0.0 else None


@dataclass(frozen=True)
class Paint:
    """Something that can be seen; `colour` is '#rrggbb', or None for gradients and patterns."""

    colour: str | None


def _opacity(text: str | None, default: float) -> float:
    length = split_length(text) if text else None
    if length is None or length[1] not in ('', '%'):
        return default
    return length[0] / 100.0 if length[1] == '%' else length[0]


def _width(text: str | None, default: float, viewport: tuple[float, float]) -> float:
    length = split_length(text) if text else None
    return default if length is None else to_px(*length, viewport, 'other')

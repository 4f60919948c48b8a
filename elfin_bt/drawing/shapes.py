# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Shape elements to exact subpaths in user units, as SVG 2 "Basic Shapes" defines their paths."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import EllipseArc, Line, Segment
from elfin_bt.drawing.numbers import parse_numbers, refuse_non_finite
from elfin_bt.drawing.path_data import parse_path
from elfin_bt.drawing.subpath import Subpath
from elfin_bt.drawing.units import Direction, LengthBase, parse_length

Subpaths = tuple[list[Subpath], str | None]

_DIRECTIONS: dict[str, Direction] = {
    **dict.fromkeys(('x', 'x1', 'x2', 'cx', 'width', 'rx'), 'x'),
    **dict.fromkeys(('y', 'y1', 'y2', 'cy', 'height', 'ry'), 'y'),
    'r': 'other',
}


_CSS_PATH = re.compile(r'\s*path\(\s*["\']([^"\']*)["\']\s*\)\s*')


class Attributes:
    """Attributes of a shape, its lengths in user units, and what was wrong with them."""

    def __init__(self, values: Mapping[str, str], base: LengthBase) -> None:
        self._values = values
        self._base = base
        self.complaint: str | None = None

    def text(self, name: str) -> str:
        """The attribute as it stands, '' if it is absent."""
        return self._values.get(name, '')

    def length(self, name: str) -> float:
        """A length, 0 if it is absent or wrong."""
        return self.length_or_auto(name) or 0.0

    def number(self, name: str) -> float | None:
        """A plain number, None if it is absent or wrong."""
        values, complete = parse_numbers(self.text(name))
        return values[0] if complete and len(values) == 1 else None

    def length_or_auto(self, name: str) -> float | None:
        """A length, None if it is absent, 'auto' or wrong."""
        text = self.text(name).strip()
        if text in ('', 'auto'):
            return None
        length = parse_length(text, self._base, _DIRECTIONS[name])
        if length is None or not math.isfinite(length):
            refuse_non_finite(text)
            if length is not None:
                raise SvgError(f'{name}={text[:20]!r} is too large a number')
            self.complaint = f'{name}={text[:20]!r} is not a length'
            return None
        return length


def shape_subpaths(tag: str, values: Mapping[str, str], base: LengthBase) -> Subpaths:
    """Subpaths of a shape element, and what is wrong with it (None if nothing is).

    A shape whose size is 0 is not rendered, so it has no subpaths.
    """
    attributes = Attributes(values, base)
    subpaths, complaint = SHAPES[tag](attributes)
    return subpaths, complaint or attributes.complaint


def _path(attributes: Attributes) -> Subpaths:
    d = attributes.text('d')
    # As a CSS property path data stand in path("...").
    quoted = _CSS_PATH.match(d)
    return parse_path(quoted[1] if quoted else d)


def _line(attributes: Attributes) -> Subpaths:
    x1, y1, x2, y2 = (attributes.length(name) for name in ('x1', 'y1', 'x2', 'y2'))
    return [Subpath(['L'], [x1, y1, x2, y2], [], closed=False)], None


def _polyline(attributes: Attributes) -> Subpaths:
    return _through_points(attributes, closed=False)


def _polygon(attributes: Attributes) -> Subpaths:
    return _through_points(attributes, closed=True)


def _through_points(attributes: Attributes, closed: bool) -> Subpaths:
    values, complete = parse_numbers(attributes.text('points'))
    complaint = None
    if not complete:
        complaint = f'points has an error after {len(values)} numbers'
    elif len(values) % 2:
        complaint = f'points has an odd number of coordinates ({len(values)}); the last is dropped'
    points = np.array(values[: len(values) // 2 * 2]).reshape(-1, 2)
    if len(points) < 2 and not (closed and len(points)):
        return [], complaint
    if closed:
        points = np.concatenate([points, points[:1]])
    moves = (points[1:] != points[:-1]).any(axis=1)
    if not moves.any():
        return [Subpath(['L'], points[[0, 0]], [], closed)], complaint
    lines = np.hstack([points[:-1], points[1:]])[moves]
    return [Subpath(['L'] * len(lines), lines, [], closed)], complaint


def _rect(attributes: Attributes) -> Subpaths:
    x, y, width, height = (attributes.length(name) for name in ('x', 'y', 'width', 'height'))
    if width <= 0.0 or height <= 0.0:
        return [], None
    rx, ry = _radii(attributes)
    rx, ry = min(rx, width / 2.0), min(ry, height / 2.0)
    right, bottom = x + width, y + height
    if rx <= 0.0 or ry <= 0.0:
        corners = [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)]
        sides = tuple(Line(a, b) for a, b in zip(corners, corners[1:], strict=False))
        return [Subpath.of(sides, closed=True)], None

    def corner(centre_x: float, centre_y: float, start_angle: float) -> EllipseArc:
        return EllipseArc((centre_x, centre_y), (rx, 0.0), (0.0, ry), start_angle, math.pi / 2.0)

    outline: list[Segment] = [
        Line((x + rx, y), (right - rx, y)),
        corner(right - rx, y + ry, -math.pi / 2.0),
        Line((right, y + ry), (right, bottom - ry)),
        corner(right - rx, bottom - ry, 0.0),
        Line((right - rx, bottom), (x + rx, bottom)),
        corner(x + rx, bottom - ry, math.pi / 2.0),
        Line((x, bottom - ry), (x, y + ry)),
        corner(x + rx, y + ry, math.pi),
    ]
    # A side that its corners use up entirely leaves a line of no length.
    if rx == width / 2.0:
        outline = [s for s in outline if not (isinstance(s, Line) and s.start[1] == s.end[1])]
    if ry == height / 2.0:
        outline = [s for s in outline if not (isinstance(s, Line) and s.start[0] == s.end[0])]
    return [Subpath.of(outline, closed=True)], None


def _circle(attributes: Attributes) -> Subpaths:
    radius = attributes.length('r')
    return _full_ellipse(attributes, radius, radius)


def _ellipse(attributes: Attributes) -> Subpaths:
    return _full_ellipse(attributes, *_radii(attributes))


def _full_ellipse(attributes: Attributes, rx: float, ry: float) -> Subpaths:
    if rx <= 0.0 or ry <= 0.0:
        return [], None
    centre = (attributes.length('cx'), attributes.length('cy'))
    # From 3 o'clock towards +y.
    arc = EllipseArc(centre, (rx, 0.0), (0.0, ry), 0.0, 2.0 * math.pi)
    return [Subpath.of([arc], closed=True)], None


def _radii(attributes: Attributes) -> tuple[float, float]:
    """Rx and ry; one that is absent or negative equals the other."""
    rx, ry = attributes.length_or_auto('rx'), attributes.length_or_auto('ry')
    rx = None if rx is None or rx < 0.0 else rx
    ry = None if ry is None or ry < 0.0 else ry
    first = rx if rx is not None else ry
    second = ry if ry is not None else rx
    return first or 0.0, second or 0.0


SHAPES: dict[str, Callable[[Attributes], Subpaths]] = {
    'path': _path,
    'line': _line,
    'polyline': _polyline,
    'polygon': _polygon,
    'rect': _rect,
    'circle': _circle,
    'ellipse': _ellipse,
}

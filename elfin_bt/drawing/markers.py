# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Where markers stand on a path, and which way they point (SVG 2, "Markers")."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from elfin_bt.drawing.artwork import Report
from elfin_bt.drawing.document import naming
from elfin_bt.drawing.geometry import Array, CubicBezier, Line, Segment
from elfin_bt.drawing.page import read_aspect_ratio, read_view_box
from elfin_bt.drawing.region import Clip, rectangle
from elfin_bt.drawing.style import ContextPaint, Style
from elfin_bt.drawing.subpath import Subpath
from elfin_bt.drawing.transforms import affine, compose, fit_view_box
from elfin_bt.drawing.units import parse_angle, split_length, to_px
from elfin_bt.drawing.walk import Context

# Shapes that markers stand on.
MARKED = frozenset(('path', 'line', 'polyline', 'polygon'))

_PLACES = {'left': 0.0, 'top': 0.0, 'center': 50.0, 'right': 100.0, 'bottom': 100.0}
_DEFAULT_SIZE = 3.0


@dataclass(frozen=True)
class Vertex:
    """A place for a marker: a point in user units and the direction of the path there."""

    position: str  # 'start', 'mid' or 'end'
    x: float
    y: float
    angle: float


def vertices(subpaths: Sequence[Subpath]) -> Iterator[Vertex]:
    """The vertices of a shape in order."""
    points: list[tuple[complex, complex, complex]] = []
    for subpath in subpaths:
        segments = subpath.segments
        ways = [_directions(segment) for segment in segments]
        closing = (ways[-1][1], ways[0][0]) if subpath.closed else (0j, 0j)
        before = [closing[0], *(leave for _, leave in ways)]
        after = [*(arrive for arrive, _ in ways), closing[1]]
        ends = [segments[0].start, *(segment.end for segment in segments)]
        points += [
            (complex(*end), into, out) for end, into, out in zip(ends, before, after, strict=True)
        ]
    for index, (point, into, out) in enumerate(points):
        position = 'start' if index == 0 else 'end' if index == len(points) - 1 else 'mid'
        # Half way between the directions in and out; at an end there is only one of them.
        bisector = into + out or (into or out) * 1j
        yield Vertex(position, point.real, point.imag, cmath.phase(bisector))


def _directions(segment: Segment) -> tuple[complex, complex]:
    """Unit directions at the start and at the end; 0 for a dot."""
    if isinstance(segment, Line):
        way = _unit(segment.end - segment.start)
        return way, way
    if isinstance(segment, CubicBezier):
        p = segment.vectors
        first = next((point - p[0] for point in p[1:] if (point != p[0]).any()), p[3] - p[0])
        last = next((p[3] - point for point in p[2::-1] if (point != p[3]).any()), p[3] - p[0])
        return _unit(first), _unit(last)
    slopes = segment.derivative([0.0, 1.0])
    return _unit(slopes[0]), _unit(slopes[1])


def _unit(vector: Array) -> complex:
    z = complex(vector[0], vector[1])
    return z / abs(z) if z else 0j


@dataclass(frozen=True)
class Marker:
    """A marker element, ready to be put on vertices of one shape.

    Attributes:
        element: the marker.
        context: of the shape.
        style: of the marker where it is defined.
        paint: fill and stroke of the shape.
    """

    element: Element
    own: Mapping[str, str]
    context: Context
    style: Style
    paint: ContextPaint
    report: Report

    def at(self, vertex: Vertex) -> Context | None:
        """The context of the marker's content on a vertex; None if it has no area."""
        element = self.element
        with naming(element):
            width = self._number('markerWidth', _DEFAULT_SIZE, self.context.base.viewport[0])
            height = self._number('markerHeight', _DEFAULT_SIZE, self.context.base.viewport[1])
            box = read_view_box(element.get('viewBox'), self.report) or [0.0, 0.0, width, height]
        if not min(width, height, box[2], box[3]) > 0.0:
            return None
        aspect = read_aspect_ratio(element.get('preserveAspectRatio'), self.report)
        fit = fit_view_box(box, (width, height), aspect)
        x = self._number('refX', 0.0, box[2])
        y = self._number('refY', 0.0, box[3])
        reference = fit[:, :2] @ (x, y) + fit[:, 2]
        units = element.get('markerUnits', 'strokeWidth')
        scale = 1.0 if units == 'userSpaceOnUse' else self.context.style.stroke_width
        angle = self._angle(vertex)
        turn = affine(
            scale * math.cos(angle),
            scale * math.sin(angle),
            -scale * math.sin(angle),
            scale * math.cos(angle),
            vertex.x,
            vertex.y,
        )
        place = compose(turn, affine(1, 0, 0, 1, -reference[0], -reference[1]))
        frame = compose(self.context.matrix, place)
        clips = self.context.clips
        if self.own.get('overflow', 'hidden') not in ('visible', 'auto'):
            clips = (*clips, Clip((rectangle(0.0, 0.0, width, height, frame),)))
        return replace(
            self.context,
            matrix=compose(frame, fit),
            style=self.style,
            base=replace(
                self.context.base, viewport=(box[2], box[3]), font_size=self.style.font_size
            ),
            clips=clips,
            chain=(*self.context.chain, element),
            used_id=element.get('id'),
            paint=self.paint,
        )

    def _number(self, name: str, default: float, whole: float) -> float:
        text = self.element.get(name, '').strip()
        if text in _PLACES:
            return whole * _PLACES[text] / 100.0
        length = split_length(text)
        if length is None:
            return default
        if length[1] == '%':
            return whole * length[0] / 100.0
        return to_px(*length, self.context.base, 'other')

    def _angle(self, vertex: Vertex) -> float:
        orient = self.element.get('orient', '0').strip()
        if orient == 'auto':
            return vertex.angle
        if orient == 'auto-start-reverse':
            return vertex.angle + (math.pi if vertex.position == 'start' else 0.0)
        return parse_angle(orient) or 0.0

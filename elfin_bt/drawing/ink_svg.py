# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The picture of a drawing as SVG in true millimetres."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from elfin_bt.drawing import picture as look
from elfin_bt.drawing.geometry import Array, CubicBezier, EllipseArc, Line, Segment
from elfin_bt.drawing.picture import Picture, label_place

_SVG = 'http://www.w3.org/2000/svg'
_TEXT_SIZE = 2.8  # mm
_TEXT_ASPECT = 0.6  # width of a character per size
_FORBIDDEN = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')  # XML 1.0, 2.2


def write_svg(path: Path, picture: Picture) -> None:
    """Write the picture; printed at 100 % it has the size of the drawing."""
    ElementTree.register_namespace('', _SVG)
    tree = ElementTree.ElementTree(_document(picture))
    ElementTree.indent(tree, ' ')
    tree.write(path, encoding='utf-8', xml_declaration=True)


def _document(picture: Picture) -> ElementTree.Element:
    x, y = (float(value) for value in picture.corner)
    width, height = picture.size
    root = ElementTree.Element(
        f'{{{_SVG}}}svg',
        width=f'{width:.3f}mm',
        height=f'{height:.3f}mm',
        viewBox=f'{x:.3f} {y:.3f} {width:.3f} {height:.3f}',
    )
    _add(root, 'title').text = _clean(picture.title)
    _add(root, 'desc').text = _clean(picture.caption)
    box = {'x': x, 'y': y, 'width': width, 'height': height}
    _add(root, 'rect', {name: f'{value:.3f}' for name, value in box.items()}).set(
        'fill', look.PAPER_COLOUR
    )
    source = _layer(root, 'source', look.SOURCE_COLOUR, look.SOURCE_WIDTH)
    for stroke in picture.source:
        _add(source, 'path', {'d': _path_data(stroke)})
    pen_up = _layer(root, 'pen-up', look.PEN_UP_COLOUR, look.PEN_UP_WIDTH)
    pen_up.set('stroke-dasharray', ' '.join(f'{dash:g}' for dash in look.PEN_UP_DASH))
    ink = _layer(root, 'ink', look.INK_COLOUR, look.INK_WIDTH)
    for line in picture.pen_up:
        _polyline(pen_up, line)
    for line, colour in picture.coloured_ink:
        drawn = _polyline(ink, line)
        if colour != look.INK_COLOUR:
            drawn.set('stroke', colour)
    if picture.worst is not None:
        _mark_worst(root, picture)
    return root


def _mark_worst(root: ElementTree.Element, picture: Picture) -> None:
    assert picture.worst is not None
    group = _layer(root, 'worst', look.WORST_COLOUR, look.WORST_WIDTH)
    centre = {'cx': f'{picture.worst[0]:.3f}', 'cy': f'{picture.worst[1]:.3f}'}
    _add(group, 'circle', {**centre, 'r': f'{look.WORST_RADIUS:g}'})
    x, y, ends = label_place(picture, len(picture.worst_label) * _TEXT_ASPECT * _TEXT_SIZE)
    text = _add(
        group,
        'text',
        {
            'x': f'{x:.3f}',
            'y': f'{y + 0.35 * _TEXT_SIZE:.3f}',
            'text-anchor': 'end' if ends else 'start',
            'font-family': 'sans-serif',
            'font-size': f'{_TEXT_SIZE:g}',
            'fill': look.WORST_COLOUR,
            'stroke': look.PAPER_COLOUR,
            'stroke-width': '0.6',
            'paint-order': 'stroke',
        },
    )
    text.text = _clean(picture.worst_label)


def _layer(root: ElementTree.Element, name: str, colour: str, width: float) -> ElementTree.Element:
    style = {'id': name, 'fill': 'none', 'stroke': colour, 'stroke-width': f'{width:g}'}
    return _add(root, 'g', {**style, 'stroke-linecap': 'round', 'stroke-linejoin': 'round'})


def _add(
    parent: ElementTree.Element, tag: str, attributes: dict[str, str] | None = None
) -> ElementTree.Element:
    return ElementTree.SubElement(parent, f'{{{_SVG}}}{tag}', attributes or {})


def _polyline(layer: ElementTree.Element, line: Array) -> ElementTree.Element:
    points = line if len(line) > 1 else line[[0, 0]]  # a dot is a line without length
    return _add(layer, 'polyline', {'points': ' '.join(_pair(point) for point in points)})


def _path_data(segments: Sequence[Segment]) -> str:
    """SVG path data of one stroke."""
    commands = [f'M{_pair(segments[0].start)}']
    for segment in segments:
        if isinstance(segment, Line):
            commands.append(f'L{_pair(segment.end)}')
            continue
        curves = [segment] if isinstance(segment, CubicBezier) else _arc_as_cubics(segment)
        commands += [f'C{_pair(c.p1)} {_pair(c.p2)} {_pair(c.p3)}' for c in curves]
    return ''.join(commands)


def _arc_as_cubics(arc: EllipseArc) -> list[CubicBezier]:
    """Cubics of an eighth of a turn at most, within 5e-6 of the radius."""
    count = max(1, math.ceil(abs(arc.sweep) / (math.pi / 4.0)))
    u = np.linspace(0.0, 1.0, count + 1)
    points, slopes = arc.point(u), arc.derivative(u)
    angle = arc.sweep / count
    reach = 4.0 / 3.0 * math.tan(angle / 4.0) / (arc.sweep or 1.0)
    return [
        CubicBezier(start, start + reach * leave, end - reach * arrive, end)
        for start, end, leave, arrive in zip(
            points[:-1], points[1:], slopes[:-1], slopes[1:], strict=True
        )
    ]


def _pair(point: Array) -> str:
    # Adding 0.0 turns a negative zero into zero.
    return f'{round(point[0], 3) + 0.0:.3f},{round(point[1], 3) + 0.0:.3f}'


def _clean(text: str) -> str:
    """The text without the characters that XML can not hold."""
    return _FORBIDDEN.sub('\ufffd', text)

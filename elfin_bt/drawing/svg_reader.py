# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""SVG file to artwork: the outline of every visible shape, once for each subpath.

Drawn are path, line, polyline, polygon, rect, circle and ellipse in g and a. Everything else that
a viewer would show, or that would change what it shows, is named in the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from elfin_bt.drawing.artwork import Artwork, Outline, Report
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.extent import check_extent
from elfin_bt.drawing.geometry import Array, Line, Segment, transform_all
from elfin_bt.drawing.page import Page, read_page
from elfin_bt.drawing.path_data import Subpath
from elfin_bt.drawing.shapes import SHAPES, shape_subpaths
from elfin_bt.drawing.style import Style, properties
from elfin_bt.drawing.transforms import compose, parse_transform
from elfin_bt.drawing.xml_safety import load_xml

SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
_INKSCAPE = '{http://www.inkscape.org/namespaces/inkscape}'

_GROUPS = frozenset(('g', 'a'))

# Never rendered where they stand; they matter only to what refers to them.
_DEFINITIONS = frozenset(
    'defs title desc metadata linearGradient radialGradient pattern clipPath mask marker filter '
    'script view cursor color-profile font font-face hatch solidcolor solidColor'.split()
)

# Rendered by a full viewer: what an ignored container may hold.
_RENDERED = frozenset((*SHAPES, *_GROUPS, 'text', 'image', 'use', 'foreignObject', 'svg', 'switch'))

# What stands in these is part of them, and a symbol's content is seen only where it is used.
_LEAVES = frozenset(('text', 'image', 'use', 'symbol', 'flowRoot'))

# Shapes that markers stand on.
_MARKED = frozenset(('path', 'line', 'polyline', 'polygon'))

# Properties that change what a shape looks like and are not applied.
_UNAPPLIED = ('clip-path', 'mask', 'filter', 'transform', 'transform-origin')


def read_svg(path: str | Path) -> Artwork:
    """The artwork of an SVG or SVGZ file; SvgError says which file and why it can't be used."""
    root, digest = load_xml(path)
    try:
        with np.errstate(over='ignore', invalid='ignore'):
            return _Reader(root).read(str(path), digest)
    except SvgError as error:
        raise SvgError(f'{path}: {error}') from None


@dataclass(frozen=True)
class _Context:
    """What an element gets from its ancestors."""

    matrix: Array
    style: Style
    layer: str | None = None


class _Reader:
    """One pass over the tree, in document order."""

    def __init__(self, root: Element) -> None:
        self._root = root
        self._report = Report()
        self._outlines: list[Outline] = []
        self._namespaces = _namespaces(root, self._report)
        self._ids = frozenset(e.get('id', '') for e in root.iter()) - {''}
        # CSS applies from wherever in the file it stands.
        self._sheets = [
            e for e in root.iter() if self._tag(e) == 'style' and (e.text or '').strip()
        ]
        self._page: Page

    def read(self, path: str, digest: str) -> Artwork:
        self._page = read_page(self._root.attrib, self._report)
        for sheet in self._sheets:
            self._report.ignore('style', sheet.get('id'))
        if self._root.get('transform'):
            self._report.ignore('transform on the root', self._root.get('id'))
        context = _Context(self._page.matrix, Style())
        self._group(self._root, properties(self._root.attrib), context, self._page.matrix)
        return Artwork(
            page_mm=check_extent(self._page, self._outlines, self._report),
            outlines=tuple(self._outlines),
            ignored=self._report.ignored,
            warnings=self._report.warnings,
            path=path,
            sha256=digest,
        )

    def _tag(self, element: Element) -> str | None:
        """The element's name if it is SVG, None for foreign elements."""
        namespace, name = _split(element.tag)
        return name if namespace in self._namespaces else None

    def _element(self, element: Element, context: _Context) -> None:
        tag = self._tag(element)
        if tag is None or tag == 'style' or tag in _DEFINITIONS:
            return
        own = properties(element.attrib)
        if tag in SHAPES:
            self._shape(tag, element, own, context)
        elif tag in _GROUPS:
            self._group(element, own, context, self._matrix(element, context))
        else:
            self._ignore(tag, element, context.style)

    def _group(
        self, element: Element, own: dict[str, str], context: _Context, matrix: Array
    ) -> None:
        style = context.style.inherit(own, self._page.viewport)
        if not style.shown or np.linalg.det(matrix[:, :2]) == 0.0:
            return
        self._note_unapplied(element, own)
        layer = context.layer
        if element.get(f'{_INKSCAPE}groupmode') == 'layer':
            layer = element.get(f'{_INKSCAPE}label') or element.get('id')
        for child in element:
            self._element(child, _Context(matrix, style, layer))

    def _matrix(self, element: Element, context: _Context) -> Array:
        text = element.get('transform')
        if not text:
            return context.matrix
        with _naming(element):
            own = parse_transform(text)
        if own is None:
            self._report.warn(f'{_name(element)}: transform {text[:40]!r} is wrong and not applied')
            return context.matrix
        return compose(context.matrix, own)

    def _note_unapplied(self, element: Element, own: dict[str, str]) -> None:
        element_id = element.get('id')
        for name in _UNAPPLIED:
            if own.get(name, 'none') != 'none':
                self._report.ignore(name, element_id)
        if self._sheets and element.get('class'):
            self._report.ignore('class', element_id)

    def _shape(self, tag: str, element: Element, own: dict[str, str], context: _Context) -> None:
        style = context.style.inherit(own, self._page.viewport)
        matrix = self._matrix(element, context)
        if not (style.shown and style.visible) or np.linalg.det(matrix[:, :2]) == 0.0:
            return
        stroke, fill = style.stroke_paint(self._ids), style.fill_paint(self._ids)
        paint = stroke or fill
        subpaths = self._visible_subpaths(tag, element, own, style) if paint else []
        if paint is None or not subpaths:
            if self._sheets:
                # A rule may well have given it a stroke.
                self._report.ignore(f'{tag} without paint', element.get('id'))
            return
        for subpath in subpaths:
            segments = transform_all(subpath.segments, matrix)
            self._outlines.append(
                Outline(segments, subpath.closed, context.layer, paint.colour, element.get('id'))
            )
        self._note_unapplied(element, own)
        if stroke and style.dashed:
            self._report.ignore('stroke-dasharray', element.get('id'))
        if style.markers and tag in _MARKED:
            self._report.ignore('marker', element.get('id'))
        for child in element:
            self._element(child, context)

    def _visible_subpaths(
        self, tag: str, element: Element, own: dict[str, str], style: Style
    ) -> list[Subpath]:
        """Subpaths of a shape that has some paint, without those that it can't show on."""
        attributes = {**element.attrib, **own}
        with _naming(element):
            subpaths, complaint = shape_subpaths(tag, attributes, self._page.viewport)
        if complaint:
            self._report.warn(f'{_name(element)}: {complaint}')
        if style.stroke_paint(self._ids) is None:
            return [subpath for subpath in subpaths if _has_area(subpath.segments)]
        return [s for s in subpaths if style.caps or not _is_dot(s)]

    def _ignore(self, tag: str, element: Element, outer: Style, container: str = '') -> None:
        """Name an element that isn't drawn, and what a viewer would have drawn in it."""
        style = outer.inherit(properties(element.attrib), self._page.viewport)
        if not style.shown:
            return
        if style.visible and not (container and tag in _GROUPS):
            self._report.ignore(f'{tag} in {container}' if container else tag, element.get('id'))
        if tag in _LEAVES:
            return
        for child in element:
            name = self._tag(child)
            if name in _RENDERED:
                self._ignore(name, child, style, container or tag)


def _namespaces(root: Element, report: Report) -> frozenset[str]:
    """The namespaces whose elements are SVG in this file."""
    namespace, name = _split(root.tag)
    if name != 'svg':
        raise SvgError(f'the root element is <{name}>, not <svg>; this is not an SVG file')
    if namespace != SVG_NAMESPACE:
        what = f'the unknown namespace {namespace!r}' if namespace else 'no namespace'
        report.warn(f'the root element has {what}; it is read as SVG')
    return frozenset((namespace, SVG_NAMESPACE))


def _split(tag: str) -> tuple[str, str]:
    """Namespace and local name."""
    namespace, _, name = tag.rpartition('}')
    return namespace.removeprefix('{'), name


def _name(element: Element) -> str:
    name = f'<{_split(element.tag)[1]}>'
    return f'{name} (id {element.get("id")})' if element.get('id') else name


@contextmanager
def _naming(element: Element) -> Iterator[None]:
    """Put the element's name before what is wrong with it."""
    try:
        yield
    except SvgError as error:
        raise SvgError(f'{_name(element)}: {error}') from None


def _is_dot(subpath: Subpath) -> bool:
    first = subpath.segments[0]
    return isinstance(first, Line) and np.array_equal(first.start, first.end)


def _has_area(segments: Sequence[Segment]) -> bool:
    """Whether a fill of the path can be seen: not so if it only runs along one line."""
    if not all(isinstance(segment, Line) for segment in segments):
        return True
    start = segments[0].start
    arms = np.array([segment.end - start for segment in segments])
    longest = arms[np.argmax(np.hypot(*arms.T))]
    off_line = arms[:, 0] * longest[1] - arms[:, 1] * longest[0]
    return bool(np.abs(off_line).max() > 1e-12 * (longest @ longest))

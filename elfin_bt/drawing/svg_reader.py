# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""SVG file to artwork: the outline of every visible shape, once for each subpath, and all text.

A shape is drawn along its geometry, whether the file strokes it or only fills it; what clip paths,
viewports and the page cut off is not drawn. Everything that a viewer would show and a pen does
not, or that would change what a viewer shows, is named in the report. Nothing but the file itself
is ever opened.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from xml.etree.ElementTree import Element

import numpy as np

from elfin_bt.drawing.area import Area
from elfin_bt.drawing.artwork import Artwork, Fill, Outline, Report
from elfin_bt.drawing.clip_paths import ClipPaths
from elfin_bt.drawing.clipping import Path, clip_path
from elfin_bt.drawing.dashes import MAX_DASHES, dash
from elfin_bt.drawing.document import Document, name_of, naming
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.expansion import check_expansion
from elfin_bt.drawing.extent import Extent
from elfin_bt.drawing.markers import MARKED, Marker, Vertex, vertices
from elfin_bt.drawing.page import read_page
from elfin_bt.drawing.read_options import DEFAULT_OPTIONS, ReadOptions
from elfin_bt.drawing.region import closed_loop
from elfin_bt.drawing.shapes import SHAPES, Attributes, shape_subpaths
from elfin_bt.drawing.style import ContextPaint, Paint, Style, reference
from elfin_bt.drawing.subpath import Subpath
from elfin_bt.drawing.text import Letter, letters
from elfin_bt.drawing.walk import Leaf, Walker
from elfin_bt.drawing.xml_safety import XmlFile, load_xml

# Named once for each text that lacks some; more than these are not listed.
_MAX_CHARACTERS = 20


def read_svg(path: str | FilePath, options: ReadOptions = DEFAULT_OPTIONS) -> Artwork:
    """The artwork of an SVG or SVGZ file; SvgError says which file and why it can't be used."""
    file = load_xml(path)
    try:
        with np.errstate(over='ignore', invalid='ignore', divide='ignore'):
            return _Reader(file, options).read(str(path))
    except SvgError as error:
        raise SvgError(f'{path}: {error}') from None


class _Reader:
    """Paints a document: turns its leaves into outlines, in the order of the file."""

    def __init__(self, file: XmlFile, options: ReadOptions) -> None:
        self._digest = file.sha256
        self._options = options
        self._report = Report()
        for href in file.stylesheets:
            self._report.ignore('style sheet of another file', href)
        self._document = Document(file.root, self._report)
        self._page = read_page(file.root.attrib, self._report)
        check_expansion(self._document)
        self._walker = Walker(self._document, options, self._report)
        self._clips = ClipPaths(self._document, self._walker, self._report)
        self._extent = Extent(self._page, options.clip_page, self._report, self._clips.work)
        self._outlines: list[Outline] = []
        self._fills: list[Fill] = []
        self._dashes = 0
        self._stroked = 0
        self._only_filled = 0

    def read(self, path: str) -> Artwork:
        for leaf in self._walker.page_content(self._page):
            self._paint(leaf)
        if self._options.strokes_only and self._only_filled:
            self._report.warn(
                f'{self._stroked} of {self._stroked + self._only_filled} shapes have a stroke; '
                'the edges of the others are not drawn'
            )
        return Artwork(
            page_mm=self._extent.finish(),
            outlines=tuple(self._outlines),
            ignored=self._report.ignored,
            warnings=self._report.warnings,
            path=path,
            sha256=self._digest,
            page_source=self._page.source,
            drawn=self._report.drawn,
            fills=tuple(self._fills),
        )

    def _paint(self, leaf: Leaf) -> None:
        """Draw a leaf, and count it as drawn if anything of it is to be seen."""
        if not leaf.context.style.visible:
            return
        before = len(self._outlines)
        if leaf.tag in SHAPES:
            markers = self._shape(leaf)
        elif leaf.tag == 'text':
            markers = self._text(leaf)
        else:
            self._report.ignore(leaf.tag, leaf.element_id)
            return
        if len(self._outlines) > before:
            self._report.draw(leaf.tag, leaf.element_id)
        for marker in markers:
            self._paint(marker)

    def _shape(self, leaf: Leaf) -> list[Leaf]:
        """Draw a shape; the content of its markers is left to be drawn."""
        context, ids = leaf.context, self._document.by_id
        style = context.style
        stroke = style.stroke_paint(ids, context.paint)
        fill = style.fill_paint(ids, context.paint)
        marked = style.markers and leaf.tag in MARKED
        if not (stroke or fill or marked):
            return []
        with naming(leaf.element):
            values = {**leaf.element.attrib, **leaf.own}
            subpaths, complaint = shape_subpaths(leaf.tag, values, context.base)
        if complaint:
            self._report.warn(f'{name_of(leaf.element)}: {complaint}')
        if not subpaths:
            return []
        if marked:
            self._walker.charge(sum(len(subpath.kinds) for subpath in subpaths))
        if fill:
            self._fill(leaf, subpaths, fill)
        if stroke:
            self._stroked += 1
            self._stroke(leaf, subpaths, stroke)
        elif fill:
            self._only_filled += 1
            if not self._options.strokes_only:
                self._edge(leaf, [s for s in subpaths if s.has_area()], fill)
        return self._markers(leaf, subpaths, ContextPaint(fill, stroke)) if marked else []

    def _fill(self, leaf: Leaf, subpaths: list[Subpath], paint: Paint) -> None:
        """Keep the painted area."""
        context = leaf.context
        loops = tuple(
            closed_loop(subpath.transformed(context.matrix).segments)
            for subpath in subpaths
            if subpath.has_area()
        )
        if loops:
            self._fills.append(
                Fill(
                    loops,
                    context.style.fill_rule,
                    self._clips.resolve(context.clips),
                    context.layer,
                    paint.colour,
                    leaf.element_id,
                    before=len(self._outlines),
                )
            )

    def _stroke(self, leaf: Leaf, subpaths: list[Subpath], paint: Paint) -> None:
        """Draw a stroke, in dashes where it is dashed."""
        style = leaf.context.style
        shown = [subpath for subpath in subpaths if style.caps or not subpath.is_dot]
        if not (style.dashes and self._options.dashes):
            self._edge(leaf, shown, paint, stroked=True)
            return
        scale = self._dash_scale(leaf, shown)
        for subpath in shown:
            # The whole line is checked first: what is absurd has too many dashes as well.
            self._checked(leaf, subpath.transformed(leaf.context.matrix))
            with naming(leaf.element):
                dashes = dash(
                    subpath.segments,
                    [scale * length for length in style.dashes],
                    scale * style.dash_offset,
                    style.caps,
                    MAX_DASHES - self._dashes,
                )
            self._dashes += len(dashes)
            whole = subpath.closed and dashes == [subpath.segments]
            pieces = [Subpath.of(segments, whole) for segments in dashes]
            self._edge(leaf, pieces, paint, stroked=True)

    def _dash_scale(self, leaf: Leaf, subpaths: list[Subpath]) -> float:
        """User units in a unit of dash length, which `pathLength` may say."""
        if 'pathLength' not in leaf.element.attrib or not subpaths:
            return 1.0
        given = Attributes(leaf.element.attrib, leaf.context.base).number('pathLength')
        if given is None or given <= 0.0:
            return 1.0
        return sum(s.length() for subpath in subpaths for s in subpath.segments) / given

    def _edge(
        self, leaf: Leaf, subpaths: list[Subpath], paint: Paint, stroked: bool = False
    ) -> None:
        """Draw subpaths as they are."""
        areas = self._clips.areas(leaf.context.clips)
        for subpath in subpaths:
            moved = subpath.transformed(leaf.context.matrix)
            hull = moved.hull()
            if any(area.surely_misses(*hull) for area in areas):
                continue
            path = Path(moved.segments, moved.closed)
            if self._extent.holds(hull) and all(area.surely_holds(*hull) for area in areas):
                self._keep(leaf, path, paint, stroked)
            else:
                self._checked(leaf, moved)
                self._draw(leaf, path, areas, paint, stroked)

    def _checked(self, leaf: Leaf, moved: Subpath) -> None:
        """SvgError for a subpath that reaches absurdly far; one that is clipped may."""
        hull = moved.hull()
        if not (leaf.context.clips and all(np.isfinite(hull))) and not self._extent.holds(hull):
            self._extent.check(Path(moved.segments, moved.closed), self._next_name(leaf))

    def _next_name(self, leaf: Leaf) -> str:
        return Outline((), element_id=leaf.element_id).name(len(self._outlines))

    def _draw(self, leaf: Leaf, path: Path, areas: list[Area], paint: Paint, stroked: bool) -> None:
        """Keep what of a path in page mm is not clipped away."""
        for visible in clip_path(path, areas, self._clips.work) if areas else [path]:
            if areas:
                self._extent.check(visible, self._next_name(leaf))
            for shown in self._extent.on_page(visible):
                self._keep(leaf, shown, paint, stroked)

    def _keep(self, leaf: Leaf, path: Path, paint: Paint, stroked: bool) -> None:
        self._outlines.append(
            Outline(
                path.segments,
                path.closed,
                leaf.context.layer,
                paint.colour,
                leaf.element_id,
                stroked,
            )
        )

    def _markers(self, leaf: Leaf, subpaths: list[Subpath], paint: ContextPaint) -> list[Leaf]:
        """The content of all markers of a shape, in the order of its vertices."""
        kinds = {
            'start': self._marker(leaf, leaf.context.style.marker_start, paint),
            'mid': self._marker(leaf, leaf.context.style.marker_mid, paint),
            'end': self._marker(leaf, leaf.context.style.marker_end, paint),
        }
        if not any(kinds.values()):
            return []
        content: list[Leaf] = []
        for vertex in vertices(subpaths):
            marker = kinds[vertex.position]
            if marker:
                content += self._marker_content(marker, vertex)
        return content

    def _marker(self, leaf: Leaf, value: str, paint: ContextPaint) -> Marker | None:
        element = self._document.by_id.get(reference(value) or '')
        if element is None or self._document.tag(element) != 'marker':
            return None
        if element in leaf.context.chain:
            self._report.warn(f'{name_of(element)} marks itself; that marker is not drawn')
            return None
        return Marker(
            element,
            self._document.properties(element),
            leaf.context,
            self._walker.defined_style(element, leaf.context.base),
            paint,
            self._report,
        )

    def _marker_content(self, marker: Marker, vertex: Vertex) -> list[Leaf]:
        context = marker.at(vertex)
        if context is None:
            return []
        return [leaf for child in marker.element for leaf in self._walker.walk(child, context)]

    def _text(self, leaf: Leaf) -> list[Leaf]:
        """Draw a text; it has no markers."""
        if leaf.context.style.vertical:
            self._report.ignore('vertical text', leaf.element_id)
            return []
        missing: dict[str, None] = {}
        drawn = False
        for letter in letters(leaf, self._document, self._ignored_text):
            paint = self._letter_paint(leaf, letter.style)
            if paint is None or not letter.style.visible:
                continue
            if letter.lines is None:
                missing[letter.character] = None
                self._report.ignore('character without a glyph', leaf.element_id)
                continue
            drawn = True
            self._letter(leaf, letter, paint)
        if missing:
            listed = ''.join(list(missing)[:_MAX_CHARACTERS])
            more = ' ...' if len(missing) > _MAX_CHARACTERS else ''
            self._report.warn(
                f'{name_of(leaf.element)}: no single-line glyph for {listed}{more}; '
                'convert the text to paths'
            )
        if drawn:
            self._report.warn("text is written in a single-line font, not in the file's own")
        return []

    def _ignored_text(self, kind: str, element: Element) -> None:
        self._report.ignore(kind, element.get('id'))

    def _letter_paint(self, leaf: Leaf, style: Style) -> Paint | None:
        ids, context = self._document.by_id, leaf.context.paint
        return style.fill_paint(ids, context) or style.stroke_paint(ids, context)

    def _letter(self, leaf: Leaf, letter: Letter, paint: Paint) -> None:
        for line in letter.lines or ():
            ends = line if len(line) > 1 else np.repeat(line, 2, axis=0)
            pairs = np.hstack([ends[:-1], ends[1:]])
            subpath = Subpath(['L'] * len(pairs), pairs, [], closed=False)
            self._edge(leaf, [subpath], paint, stroked=True)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The rendered elements of a document in the order in which they are painted.

Groups, links, `switch`, nested `svg`, `use` and `symbol` are followed; definitions are left out.
The walk keeps its own stack: nesting must not depend on Python's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from elfin_bt.drawing.artwork import Report
from elfin_bt.drawing.css_transforms import PROPERTIES, Box, TransformError, own_transform
from elfin_bt.drawing.document import Document, name_of, naming
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.expansion import DEFINITIONS, MAX_DEPTH, MAX_ELEMENTS
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.measure import bounding_box
from elfin_bt.drawing.page import Page, read_aspect_ratio, read_view_box
from elfin_bt.drawing.read_options import ReadOptions
from elfin_bt.drawing.region import Clip, rectangle
from elfin_bt.drawing.shapes import SHAPES, Attributes
from elfin_bt.drawing.style import ContextPaint, Style, reference
from elfin_bt.drawing.transforms import IDENTITY, affine, compose, fit_view_box
from elfin_bt.drawing.units import MM_PER_PX, LengthBase

GROUPS = frozenset(('g', 'a'))
_INKSCAPE = '{http://www.inkscape.org/namespaces/inkscape}'
_TRANSFORMING = frozenset((*PROPERTIES, 'transform-origin'))
# Properties that change what an element looks like and are not applied.
_UNAPPLIED = ('mask', 'filter')


@dataclass(frozen=True)
class Context:
    """What an element gets from its ancestors.

    Attributes:
        matrix: (2, 3) from user units to page mm.
        style: computed properties.
        base: what relative lengths refer to.
        layer: label of the Inkscape layer.
        clips: what limits the element, from the outermost.
        chain: elements that are being used or drawn as markers, from the outermost.
        used_id: id of the innermost `use` that has one.
        paint: what context-fill and context-stroke stand for.
    """

    matrix: Array
    style: Style
    base: LengthBase
    layer: str | None = None
    clips: tuple[Clip | ClipUse, ...] = ()
    chain: tuple[Element, ...] = ()
    used_id: str | None = None
    paint: ContextPaint | None = None


@dataclass(frozen=True, eq=False)
class ClipUse:
    """A `clip-path` that is yet to be worked out.

    Attributes:
        clip_path: the element that it refers to.
        target: the clipped element.
        context: of the target, its own transform included.
    """

    clip_path: Element
    target: Element
    context: Context


@dataclass(frozen=True)
class Leaf:
    """An element to be painted, or named as one that is not.

    Attributes:
        tag: its name.
        element: where its attributes and content are.
        own: its own properties.
        context: with its own transform, style and clip path.
    """

    tag: str
    element: Element
    own: Mapping[str, str]
    context: Context

    @property
    def element_id(self) -> str | None:
        """Its id, or that of what uses it."""
        return self.element.get('id') or self.context.used_id


class Walker:
    """Goes through a document; counts the elements that it comes by."""

    def __init__(self, document: Document, options: ReadOptions, report: Report) -> None:
        self._document = document
        self._options = options
        self._report = report
        self._visited = 0

    def walk(self, element: Element, context: Context) -> Iterator[Leaf]:
        """The element and all that is rendered below it."""
        return self._run([(element, context, None)])

    def page_content(self, page: Page) -> Iterator[Leaf]:
        """All that is rendered of the document."""
        root = self._document.root
        own = self._document.properties(root)
        window = LengthBase(page.window_px, window=page.window_px)
        style = Style().inherit(own, window)
        if not style.shown:
            return iter(())
        base = LengthBase(page.viewport, style.font_size, style.font_size, page.window_px)
        # Unlike its viewBox, its transform acts on the page.
        to_mm = affine(MM_PER_PX, 0, 0, MM_PER_PX, 0, 0)
        outer = self.transformed(root, Context(to_mm, style, window))
        if outer is None:
            return iter(())
        matrix = compose(
            outer.matrix, compose(affine(1 / MM_PER_PX, 0, 0, 1 / MM_PER_PX, 0, 0), page.matrix)
        )
        context = self._clipped(root, own, Context(matrix, style, base))
        return self._run([(child, context, None) for child in reversed(root)])

    def inside(self, leaf: Leaf, use: Element | None = None) -> Iterator[Leaf]:
        """What is rendered of an element whose own transform and style the context has."""
        if leaf.tag in SHAPES or leaf.tag == 'text':
            return iter([leaf])
        return self._run(list(reversed(self._opened(leaf, use) or [])))

    def _run(self, stack: list[tuple[Element, Context, Element | None]]) -> Iterator[Leaf]:
        while stack:
            element, context, use = stack.pop()
            leaf = self._entered(element, context, use)
            if leaf is None:
                continue
            opened = self._opened(leaf, use)
            if opened is None:
                yield leaf
                opened = [(child, context, None) for child in element if leaf.tag in SHAPES]
            stack += reversed(opened)

    def charge(self, elements: int = 1) -> None:
        """Count elements; SvgError when there are too many."""
        self._visited += elements
        if self._visited > MAX_ELEMENTS:
            raise SvgError(
                f'more than {MAX_ELEMENTS:,} elements to draw, use, markers and clip paths '
                'expanded; simplify or split the drawing'
            )

    def _entered(self, element: Element, context: Context, use: Element | None) -> Leaf | None:
        """The element in its own context; None if nothing of it is rendered."""
        self.charge()
        tag = self._document.tag(element)
        if tag is None or (tag in DEFINITIONS and use is None):
            return None
        if not self._conditions_hold(element):
            return None
        own = self._document.properties(element)
        style = context.style.inherit(own, context.base)
        if not style.shown:
            return None
        changes: dict[str, object] = {}
        if style is not context.style:
            changes['style'] = style
            if style.font_size != context.base.font_size:
                changes['base'] = replace(context.base, font_size=style.font_size)
        if tag == 'g' and element.get(f'{_INKSCAPE}groupmode') == 'layer':
            changes['layer'] = element.get(f'{_INKSCAPE}label') or element.get('id')
        context = replace(context, **changes) if changes else context  # type: ignore[arg-type]
        leaf = Leaf(tag, element, own, context)
        matrix = self._matrix(leaf)
        if matrix is not None:
            context = replace(context, matrix=matrix)
        if is_flat(context.matrix):
            return None
        if own:
            context = self._clipped(element, own, context)
        return Leaf(tag, element, own, context) if context is not leaf.context else leaf

    def _conditions_hold(self, element: Element) -> bool:
        """Whether conditional processing (systemLanguage and the like) lets it be rendered."""
        languages = element.get('systemLanguage')
        if languages is not None and not self._speaks(languages):
            return False
        return not (element.get('requiredExtensions') or '').strip()

    def _speaks(self, languages: str) -> bool:
        mine = self._options.language.strip().lower()
        offered = [language.strip().lower() for language in languages.split(',')]
        return any(
            mine == language or mine.startswith(f'{language}-') or language.startswith(f'{mine}-')
            for language in offered
            if language
        )

    def _matrix(self, leaf: Leaf) -> Array | None:
        """User units of the element to page mm; None if it has no transform of its own."""
        element, own, context = leaf.element, leaf.own, leaf.context
        attribute = element.get('transform')
        if not attribute and _TRANSFORMING.isdisjoint(own):
            return None
        try:
            with naming(element):
                transform = own_transform(
                    attribute, own, context.base, lambda: self.bounds(leaf) or Box(0, 0, 0, 0)
                )
        except TransformError as error:
            self._report.warn(
                f'{name_of(element)}: transform {str(error)[:40]!r} is wrong and not applied'
            )
            return None
        return compose(context.matrix, transform)

    def transformed(self, element: Element, context: Context) -> Context | None:
        """The context with the element's own transform; None if that leaves nothing."""
        leaf = Leaf('', element, self._document.properties(element), context)
        matrix = self._matrix(leaf)
        if matrix is None:
            return context
        return None if is_flat(matrix) else replace(context, matrix=matrix)

    def bounds(self, leaf: Leaf) -> Box | None:
        """The bounding box of an element in its user units; None if it has nothing in it."""
        context = replace(leaf.context, matrix=IDENTITY, clips=())
        return bounding_box(self.inside(replace(leaf, context=context)))

    def _clipped(self, element: Element, own: Mapping[str, str], context: Context) -> Context:
        """The context with the element's clip path; what is not applied is named."""
        if context.style.visible:
            for name in _UNAPPLIED:
                if own.get(name, 'none') != 'none':
                    self._report.ignore(name, element.get('id'))
        value = own.get('clip-path', 'none')
        if value == 'none':
            return context
        identifier = reference(value)
        target = self._document.by_id.get(identifier) if identifier else None
        if target is not None and self._document.tag(target) == 'clipPath':
            use = ClipUse(target, element, context)
            return replace(context, clips=(*context.clips, use))
        if identifier is None:
            # A basic shape, like circle(); a reference to nothing clips nothing.
            self._report.ignore('clip-path', element.get('id'))
        return context

    def _opened(
        self, leaf: Leaf, use: Element | None
    ) -> list[tuple[Element, Context, Element | None]] | None:
        """What of the element's content is rendered; None if it is no container."""
        if leaf.tag in GROUPS:
            return [(child, leaf.context, None) for child in leaf.element]
        if leaf.tag == 'switch':
            return self._chosen(leaf)
        if leaf.tag == 'use':
            return self._used(leaf)
        if leaf.tag == 'svg' or (leaf.tag == 'symbol' and use is not None):
            inner = self._viewport(leaf, use)
            return [(child, inner, None) for child in leaf.element] if inner else []
        return None

    def _chosen(self, leaf: Leaf) -> list[tuple[Element, Context, Element | None]]:
        """The first child of a `switch` whose conditions hold."""
        for child in leaf.element:
            if self._document.tag(child) and self._conditions_hold(child):
                return [(child, leaf.context, None)]
        if len(leaf.element) and leaf.context.style.visible:
            self._report.ignore(
                f'switch without a branch for {self._options.language!r}', leaf.element_id
            )
        return []

    def _used(self, leaf: Leaf) -> list[tuple[Element, Context, Element | None]]:
        element, context = leaf.element, leaf.context
        target = self._document.target(element)
        if target is None:
            return []
        if isinstance(target, str):
            if target.startswith('#'):
                self._report.warn(
                    f'{name_of(element)} refers to {target[:40]!r}, which is not there'
                )
            else:
                self._report.ignore('use of another file', leaf.element_id)
            return []
        if target in context.chain or self._holds(target, element):
            self._report.warn(f'{name_of(element)} refers to itself and is not drawn')
            return []
        if len(context.chain) >= MAX_DEPTH:
            raise SvgError(f'use in use, deeper than {MAX_DEPTH}; simplify the drawing')
        attributes = Attributes({**element.attrib, **leaf.own}, context.base)
        with naming(element):
            x, y = attributes.length('x'), attributes.length('y')
        matrix = context.matrix
        if x or y:
            matrix = compose(matrix, affine(1, 0, 0, 1, x, y))
        used_id = element.get('id') or context.used_id
        inner = replace(context, matrix=matrix, chain=(*context.chain, target), used_id=used_id)
        return [(target, inner, element)]

    def _holds(self, target: Element, element: Element) -> bool:
        """Whether the element stands within the target."""
        node: Element | None = element
        while node is not None:
            if node is target:
                return True
            node = self._document.parents.get(node)
        return False

    def _viewport(self, leaf: Leaf, use: Element | None) -> Context | None:
        """The context within a nested `svg` or a used `symbol`; None if it has no area."""
        element, context = leaf.element, leaf.context
        given = {**element.attrib, **leaf.own}
        if use is not None:
            given.update(
                {side: use.attrib[side] for side in ('width', 'height') if side in use.attrib}
            )
        attributes = Attributes(given, context.base)
        with naming(element):
            x, y = attributes.length('x'), attributes.length('y')
            sides = [attributes.length_or_auto(side) for side in ('width', 'height')]
            width, height = (
                whole if side is None else side
                for side, whole in zip(sides, context.base.viewport, strict=True)
            )
            box = read_view_box(element.get('viewBox'), self._report)
        box = box or [0.0, 0.0, width, height]
        if not min(width, height, box[2], box[3]) > 0.0:
            return None
        clips = context.clips
        if leaf.own.get('overflow', 'hidden') not in ('visible', 'auto'):
            clips = (*clips, Clip((rectangle(x, y, width, height, context.matrix),)))
        aspect = read_aspect_ratio(element.get('preserveAspectRatio'), self._report)
        fit = compose(affine(1, 0, 0, 1, x, y), fit_view_box(box, (width, height), aspect))
        return replace(
            context,
            matrix=compose(context.matrix, fit),
            clips=clips,
            base=replace(context.base, viewport=(box[2], box[3])),
        )

    def defined_style(self, element: Element, base: LengthBase) -> Style:
        """The style of an element from where it stands, not from what refers to it."""
        lineage = [element]
        while (parent := self._document.parents.get(lineage[-1])) is not None:
            lineage.append(parent)
        style = Style()
        for ancestor in reversed(lineage):
            own = self._document.properties(ancestor)
            # What is not displayed can still be referred to.
            own.pop('display', None)
            own.pop('opacity', None)
            style = style.inherit(own, replace(base, font_size=style.font_size))
        return style


def is_flat(matrix: Array) -> bool:
    """Whether a map leaves no area, so that nothing can be seen through it."""
    (a, c, _), (b, d, _) = matrix.tolist()
    return bool(a * d - b * c == 0.0)

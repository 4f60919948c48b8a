# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`clipPath` elements as areas in page mm (CSS Masking 1, "Clipping paths")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from elfin_bt.drawing.area import Area, Work
from elfin_bt.drawing.artwork import Report
from elfin_bt.drawing.document import Document, name_of, naming
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.expansion import MAX_DEPTH
from elfin_bt.drawing.region import Clip, Region, closed_loop
from elfin_bt.drawing.shapes import SHAPES, shape_subpaths
from elfin_bt.drawing.style import reference
from elfin_bt.drawing.transforms import affine, compose
from elfin_bt.drawing.walk import ClipUse, Context, Leaf, Walker


class ClipPaths:
    """Works out clip paths, each use of one only once."""

    def __init__(self, document: Document, walker: Walker, report: Report) -> None:
        self._document = document
        self._walker = walker
        self._report = report
        self._work = Work()
        self._clips: dict[tuple[Element, bytes, tuple[Clip, ...]], Clip] = {}
        self._uses: dict[ClipUse, Clip] = {}
        self._areas: dict[Clip, Area] = {}
        self._open: list[Element] = []

    @property
    def work(self) -> Work:
        """What clipping has cost so far."""
        return self._work

    def areas(self, clips: Sequence[Clip | ClipUse]) -> list[Area]:
        """The clips, ready to be asked."""
        return [self._area(clip) for clip in self.resolve(clips)]

    def resolve(self, clips: Sequence[Clip | ClipUse]) -> tuple[Clip, ...]:
        """The clips in page mm."""
        resolved = []
        for clip in clips:
            if isinstance(clip, ClipUse):
                if clip not in self._uses:
                    self._uses[clip] = self._clip(clip)
                clip = self._uses[clip]
            resolved.append(clip)
        return tuple(resolved)

    def _area(self, clip: Clip) -> Area:
        area = self._areas.get(clip)
        if area is None:
            area = self._areas[clip] = Area(clip, self._work)
        return area

    def _clip(self, use: ClipUse) -> Clip:
        """One clip path as seen from what it clips."""
        if len(self._open) > MAX_DEPTH:
            raise SvgError(f'clip paths are nested deeper than {MAX_DEPTH}; release them')
        self._open.append(use.clip_path)
        try:
            limits = self._limits(use)
            context = self._units(use)
            if context is None:
                return Clip(())
            key = (use.clip_path, context.matrix.tobytes(), limits)
            if key not in self._clips:
                self._clips[key] = self._build(use.clip_path, context, limits)
            return self._clips[key]
        finally:
            self._open.pop()

    def _limits(self, use: ClipUse) -> tuple[Clip, ...]:
        """The clip path that the clip path itself has, for the same target."""
        value = self._document.properties(use.clip_path).get('clip-path', 'none')
        limit = self._document.by_id.get(reference(value) or '')
        if limit is None or self._document.tag(limit) != 'clipPath':
            return ()
        if limit in self._open:
            self._clips_itself(limit)
            return ()
        return (self._clip(replace(use, clip_path=limit)),)

    def _units(self, use: ClipUse) -> Context | None:
        """The context of what is in the clip path; None if its units are parts of nothing."""
        context = use.context
        if use.clip_path.get('clipPathUnits') != 'objectBoundingBox':
            return context
        own = self._document.properties(use.target)
        leaf = Leaf(self._document.tag(use.target) or '', use.target, own, context)
        box = self._walker.bounds(leaf)
        if box is None or not (box.width and box.height):
            return None
        to_box = affine(box.width, 0, 0, box.height, box.x, box.y)
        base = replace(context.base, viewport=(1.0, 1.0))
        return replace(context, matrix=compose(context.matrix, to_box), base=base)

    def _build(self, element: Element, context: Context, limits: tuple[Clip, ...]) -> Clip:
        style = self._walker.defined_style(element, context.base)
        inner = replace(context, style=style, clips=(), chain=(*context.chain, element), paint=None)
        entered = self._walker.transformed(element, inner)
        regions: list[Region] = []
        if entered is not None:
            for child in element:
                regions += self._regions(child, entered, limits)
        return Clip(tuple(regions))

    def _regions(self, child: Element, context: Context, limits: tuple[Clip, ...]) -> list[Region]:
        tag = self._document.tag(child)
        if tag not in SHAPES and tag not in ('use', 'text'):
            # Groups are not allowed in clip paths.
            return []
        regions = []
        for leaf in self._walker.walk(child, context):
            if not leaf.context.style.visible:
                continue
            if leaf.tag == 'text':
                self._report.ignore('text in clipPath', leaf.element_id)
            elif leaf.tag in SHAPES:
                regions.append(self._region(leaf, limits))
        return regions

    def _region(self, leaf: Leaf, limits: tuple[Clip, ...]) -> Region:
        values = {**leaf.element.attrib, **leaf.own}
        with naming(leaf.element):
            subpaths, _ = shape_subpaths(leaf.tag, values, leaf.context.base)
        loops = tuple(
            closed_loop(subpath.transformed(leaf.context.matrix).segments) for subpath in subpaths
        )
        clips: list[Clip] = []
        for clip in leaf.context.clips:
            if isinstance(clip, ClipUse) and clip.clip_path in self._open:
                self._clips_itself(clip.clip_path)
            else:
                clips += self.resolve([clip])
        return Region(loops, leaf.context.style.clip_rule, (*clips, *limits))

    def _clips_itself(self, clip_path: Element) -> None:
        self._report.warn(f'{name_of(clip_path)} clips itself; that clip is not applied')

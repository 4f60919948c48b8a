# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Bounding boxes of elements, for lengths in parts of them (SVG 2, "Bounding boxes")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from elfin_bt.drawing.css_transforms import Box
from elfin_bt.drawing.geometry import Segment
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.shapes import SHAPES, shape_subpaths

if TYPE_CHECKING:
    from elfin_bt.drawing.walk import Leaf


def bounding_box(leaves: Iterable[Leaf]) -> Box | None:
    """The tight box of the geometry, stroke widths left out; None if there is none.

    The leaves' contexts map into the units of the box. Text has none: its font is not known.
    """
    segments: list[Segment] = []
    for leaf in leaves:
        if leaf.tag in SHAPES:
            values = {**leaf.element.attrib, **leaf.own}
            for subpath in shape_subpaths(leaf.tag, values, leaf.context.base)[0]:
                segments += subpath.transformed(leaf.context.matrix).segments
    if not segments:
        return None
    (left, top), (right, bottom) = SegmentTable(segments).bounds().tolist()
    return Box(left, top, right - left, bottom - top)

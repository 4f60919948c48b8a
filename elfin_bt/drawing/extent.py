# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How far the outlines of a file reach, and whether that can be meant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elfin_bt.drawing.artwork import Outline, Report
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.page import Page
from elfin_bt.drawing.segment_table import SegmentTable

# Coordinates this many page sizes away are a mistake of whatever wrote the file.
MAX_PAGES_AWAY = 10.0
# Rounding in files whose artwork ends at the edge of the page.
_EDGE_SLACK_MM = 0.1


def check_extent(page: Page, outlines: Sequence[Outline], report: Report) -> tuple[float, float]:
    """The page size in mm; a page without one grows around its artwork.

    SvgError names an outline with coordinates that are absurd; one that leaves the page is only
    warned about, since the page plays no part on the paper.
    """
    width, height = page.size_mm
    if not outlines:
        return width, height
    boxes = _boxes(outlines)
    limit = MAX_PAGES_AWAY * max(width, height)
    for index in np.flatnonzero(~(np.abs(boxes).max(axis=1) <= limit)).tolist():
        name, reach = outlines[index].name(index), np.abs(boxes[index]).max()
        if not np.isfinite(reach):
            raise SvgError(f'{name} has a coordinate that is not a finite number')
        if page.sized:
            raise SvgError(
                f'{name} reaches {reach:.4g} mm from the page corner, limit {limit:.4g} mm '
                f'({MAX_PAGES_AWAY:g} pages); remove it or correct its coordinates'
            )
    left, top = boxes[:, 0:2].min(axis=0)
    right, bottom = boxes[:, 2:4].max(axis=0)
    if not page.sized:
        return float(max(width, right)), float(max(height, bottom))
    over = max(-left, -top, right - width, bottom - height)
    if over > _EDGE_SLACK_MM:
        report.warn(
            f'the drawing runs over the edge of the page by {over:.1f} mm; '
            'that part is drawn as well'
        )
    return width, height


def _boxes(outlines: Sequence[Outline]) -> Array:
    """Tight boxes (N, 4) of the outlines: left, top, right, bottom."""
    lower, upper = SegmentTable([s for o in outlines for s in o.segments]).boxes()
    first = np.cumsum([0, *(len(o.segments) for o in outlines[:-1])])
    return np.hstack([np.minimum.reduceat(lower, first), np.maximum.reduceat(upper, first)])

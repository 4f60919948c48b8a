# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How far the artwork reaches, whether that can be meant, and what of it is on the page."""

from __future__ import annotations

import math

import numpy as np

from elfin_bt.drawing.area import Area, Work
from elfin_bt.drawing.artwork import Report
from elfin_bt.drawing.clipping import Path, clip_path
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.page import Page
from elfin_bt.drawing.region import Clip, rectangle
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.transforms import IDENTITY

# Coordinates this many page sizes away are a mistake of whatever wrote the file.
MAX_PAGES_AWAY = 10.0
# Rounding in files whose artwork ends at the edge of the page.
_EDGE_SLACK_MM = 0.05

Box = tuple[float, float, float, float]


class Extent:
    """The page while it is drawn on; one that has no size grows around its artwork."""

    def __init__(self, page: Page, clips: bool, report: Report, work: Work) -> None:
        self._page = page
        self._clips = clips
        self._report = report
        self._work = work
        width, height = page.size_mm
        self._size = width, height
        self._limit = MAX_PAGES_AWAY * max(width, height)
        self._area = Area(Clip((rectangle(0.0, 0.0, width, height, IDENTITY),)), work)
        self._over = 0.0

    def holds(self, box: Box) -> bool:
        """Whether a box is on the page, so that nothing about it needs looking at."""
        width, height = self._size
        left, top, right, bottom = box
        return (
            left >= -_EDGE_SLACK_MM
            and top >= -_EDGE_SLACK_MM
            and right <= width + _EDGE_SLACK_MM
            and bottom <= height + _EDGE_SLACK_MM
        )

    def check(self, path: Path, name: str) -> None:
        """SvgError for a path with coordinates that are absurd."""
        reach = max(map(abs, _box(path)))
        if not math.isfinite(reach):
            raise SvgError(f'{name} has a coordinate that is not a finite number')
        if self._page.sized and reach > self._limit:
            raise SvgError(
                f'{name} reaches {reach:.4g} mm from the page corner, limit {self._limit:.4g} mm '
                f'({MAX_PAGES_AWAY:g} pages); remove it or correct its coordinates'
            )

    def on_page(self, path: Path) -> list[Path]:
        """What of a path is drawn: all of it, or what is on the page."""
        left, top, right, bottom = box = _box(path)
        if self.holds(box):
            return [path]
        width, height = self._size
        if not self._page.sized:
            self._size = max(width, right), max(height, bottom)
            return [path]
        self._over = max(self._over, -left, -top, right - width, bottom - height)
        return clip_path(path, [self._area], self._work) if self._clips else [path]

    def finish(self) -> tuple[float, float]:
        """The page size in mm; what ran over its edge is warned about."""
        if self._over > 0.0:
            fate = 'that part is cut off' if self._clips else 'that part is drawn as well'
            self._report.warn(
                f'the drawing runs over the edge of the page by {self._over:.1f} mm; {fate}'
            )
        return self._size


def _box(path: Path) -> Box:
    with np.errstate(over='ignore', invalid='ignore'):
        (left, top), (right, bottom) = SegmentTable(path.segments).bounds().tolist()
    return left, top, right, bottom

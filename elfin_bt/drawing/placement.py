# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Artwork onto the paper: scale, centre, check that the arm can reach it, sample.

Page coordinates are mm with y down; `paper` coordinates are metres with y up and the origin in
the middle of the working area. The box of the artwork, not the page, is centred there.
"""

from __future__ import annotations

import math

import numpy as np

from elfin_bt.drawing.artwork import Artwork
from elfin_bt.drawing.errors import PlacementError
from elfin_bt.drawing.geometry import Array, Index, apply_affine
from elfin_bt.drawing.recipe import Recipe, Stroke, stroke_kind
from elfin_bt.drawing.sampling import sample_strokes
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.transforms import affine
from elfin_bt.drawing.working_area import WorkingArea

DEFAULT_SPACING_MM = 1.0
DEFAULT_TOLERANCE_MM = 0.02

# Curves are checked as chords that err by no more than this part of the artwork's size.
_FLATNESS = 5e-5
# A drawing that was made to fit ends at the limit itself, but for rounding.
_SLACK_M = 1e-9


def place(
    artwork: Artwork,
    *,
    width_mm: float | None = None,
    fit: bool = False,
    spacing_mm: float = DEFAULT_SPACING_MM,
    tolerance_mm: float = DEFAULT_TOLERANCE_MM,
    area: WorkingArea | None = None,
) -> Recipe:
    """The recipe of an artwork at its physical size, at a width, or as large as fits.

    Args:
        artwork: what to draw.
        width_mm: width of the artwork's box on the paper.
        fit: scale the artwork's box to the working area instead.
        spacing_mm: largest distance of neighbouring points on the paper.
        tolerance_mm: largest distance of the curves from the chords between points.
        area: where the pen may go.

    Raises:
        PlacementError: there is nothing to draw, the size can't be had, or it doesn't fit.
        DrawingError: the sampling limits are wrong or ask for too many points.
    """
    if not artwork.outlines:
        raise PlacementError(f'{artwork.path}: there is nothing to draw{_instead(artwork)}')
    table = SegmentTable([s for outline in artwork.outlines for s in outline.segments])
    fitting = _Fitting(artwork, table, area or WorkingArea())
    scale = fitting.scale(width_mm, fit)
    placement = fitting.placement(scale)
    fitting.check(placement)
    points = sample_strokes(
        [outline.segments for outline in artwork.outlines],
        spacing_mm / scale,
        tolerance_mm / scale,
    )
    return Recipe(
        page_mm=artwork.page_mm,
        strokes=tuple(
            Stroke(
                kind=stroke_kind(outline.segments),
                segments=outline.segments,
                points=sampled,
                closed=outline.closed,
                layer=outline.layer,
                colour=outline.colour,
                element_id=outline.element_id,
            )
            for outline, sampled in zip(artwork.outlines, points, strict=True)
        ),
        placement=placement,
        spacing_mm=spacing_mm,
        chord_tolerance_mm=tolerance_mm,
        source={
            'path': artwork.path,
            'sha256': artwork.sha256,
            'options': {'width_mm': width_mm, 'fit': fit},
        },
        ignored=artwork.ignored,
        warnings=artwork.warnings,
    )


class _Fitting:
    """The artwork against the working area."""

    def __init__(self, artwork: Artwork, table: SegmentTable, area: WorkingArea) -> None:
        self._artwork = artwork
        self._area = area
        box = table.bounds()
        self._centre = box.mean(axis=0)
        self._width, self._height = (float(side) for side in box[1] - box[0])
        self._side = max(self._width, self._height)
        self._start, self._end, self._row = self._chords(table)

    def _chords(self, table: SegmentTable) -> tuple[Array, Array, Index]:
        """Starts (N, 2), ends (N, 2) and rows (N,) of chords along all segments."""
        rows = np.arange(table.size)
        steps = table.flat_steps(_FLATNESS * self._side) if self._side else np.ones_like(rows)
        row, _, points = table.flattened(rows, steps)
        same = row[1:] == row[:-1]
        return points[:-1][same], points[1:][same], row[1:][same]

    def scale(self, width_mm: float | None, fit: bool) -> float:
        """Paper mm per page mm."""
        if fit and width_mm is not None:
            raise PlacementError('a width and fit exclude each other; give one of them')
        if fit:
            largest = self._largest_scale()
            return largest if math.isfinite(largest) else 1.0
        if width_mm is None:
            return 1.0
        if not (math.isfinite(width_mm) and width_mm > 0.0):
            raise PlacementError(f'the width is {width_mm:g} mm, expected more than 0')
        if self._width == 0.0:
            raise PlacementError(
                f'{self._artwork.path}: the artwork has no width (it is one vertical line or a '
                'dot), so no scale gives it one; use --fit or its physical size'
            )
        return width_mm / self._width

    def _largest_scale(self) -> float:
        """At which the centred artwork is inside the area; infinite for a dot."""
        if self._side == 0.0:
            return math.inf
        ends = np.concatenate([self._start, self._end]) - self._centre
        away = float(np.hypot(*ends.T).max()) + _FLATNESS * self._side
        return 1000.0 * min(2.0 * self._area.extent / self._side, self._area.clear_radius / away)

    def placement(self, scale: float) -> Array:
        """Page mm to paper metres: the box's centre to the origin, y turned up."""
        metres = scale / 1000.0
        x, y = self._centre
        return affine(metres, 0, 0, -metres, -metres * x, metres * y)

    def check(self, placement: Array) -> None:
        """PlacementError names the stroke and the point that are farthest outside."""
        start, end = apply_affine(placement, self._start), apply_affine(placement, self._end)
        excess, point = self._area.excess(start, end)
        worst = int(excess.argmax())
        if excess[worst] <= _SLACK_M + _FLATNESS * abs(placement[0, 0]) * self._side:
            return
        last_row = np.cumsum([len(outline.segments) for outline in self._artwork.outlines]) - 1
        index = int(np.searchsorted(last_row, self._row[worst]))
        x, y = 1000.0 * point[worst]
        raise PlacementError(
            f'{self._artwork.path}: {self._artwork.outlines[index].name(index)} reaches '
            f'({x:.1f}, {y:.1f}) mm on the paper, {1000.0 * excess[worst]:.1f} mm outside the '
            f'working area ({self._area}); {self._advice()}'
        )

    def _advice(self) -> str:
        width = math.floor(10.0 * self._largest_scale() * self._width) / 10.0
        return f'use --fit or --width {width:g} or less' if width > 0.0 else 'use --fit'


def _instead(artwork: Artwork) -> str:
    """What the file has instead of drawable shapes."""
    kinds = [f'{entry["count"]} {entry["kind"]}' for entry in artwork.ignored]
    return f'; ignored: {", ".join(kinds)}' if kinds else ' (no visible shapes)'

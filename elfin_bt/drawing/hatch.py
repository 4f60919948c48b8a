# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Painted areas as hatching: parallel lines, as far as they are inside.

All hatch lines of a drawing lie on one grid, so that areas side by side match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.artwork import Fill, Outline
from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.geometry import Array, Index, Line, Segment
from elfin_bt.drawing.region import Clip, FillRule
from elfin_bt.drawing.repeats import repeated
from elfin_bt.drawing.segment_table import SegmentTable

MAX_CROSSINGS = 2_000_000

_FLATNESS = 0.02  # of the pitch
_SHORTEST = 0.05  # of the pitch
_WHITE = '#ffffff'


@dataclass(frozen=True)
class Hatch:
    """How areas are hatched.

    Attributes:
        pitch_mm: from line to line, on the paper.
        angle_deg: of the lines, counter-clockwise from the page's x.
        cross: a second set of lines across the first.
    """

    pitch_mm: float = 1.0
    angle_deg: float = 45.0
    cross: bool = False

    def __post_init__(self) -> None:
        """Refuse a pitch without sense."""
        if not 0.0 < self.pitch_mm < float('inf'):
            raise DrawingError(f'the hatch pitch is {self.pitch_mm:g} mm, expected more than 0')


@dataclass(frozen=True)
class _Spans:
    """Pieces of hatch lines: line (N,), counted from the origin, from u (N,) to u (N,) along it."""

    line: Index
    start: Array
    end: Array


def with_hatching(
    outlines: Sequence[Outline],
    fills: Sequence[Fill],
    hatch: Hatch,
    scale: float,
    page_mm: tuple[float, float],
) -> list[Outline]:
    """The outlines, and before those painted later the hatching of each fill but white ones.

    scale: paper mm per page mm.
    """
    width, height = page_mm
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height), (0, 0)])
    page = tuple(Line(p, q) for p, q in zip(corners, corners[1:], strict=False))
    angles = [hatch.angle_deg] + [hatch.angle_deg + 90.0] * hatch.cross
    grids = [_Grid(np.radians(angle), hatch.pitch_mm / scale, page) for angle in angles]
    result: list[Outline] = []
    done = 0
    for fill in fills:
        result += outlines[done : fill.before]
        done = max(done, fill.before)
        if fill.colour != _WHITE:
            for grid in grids:
                result += [
                    Outline((line,), False, fill.layer, fill.colour, fill.element_id)
                    for line in grid.lines(fill)
                ]
    return [*result, *outlines[done:]]


class _Grid:
    """Parallel lines over the plane, and the pieces of them that are inside of areas.

    In their own coordinates they run along u, at v = (k + 1/2) pitch.
    """

    def __init__(self, angle: float, pitch: float, page: tuple[Segment, ...]) -> None:
        # The page's y points down, the angle is counter-clockwise as seen.
        along = np.array([np.cos(angle), -np.sin(angle)])
        self._frame = np.array([along, [-along[1], along[0]]])
        self._pitch = pitch
        self._crossings = 0
        self._page = self._inside((page,), 'nonzero')

    def lines(self, fill: Fill) -> list[Line]:
        """The pieces inside of a fill."""
        spans = self._clipped(self._inside(fill.loops, fill.rule), fill.clips)
        spans = _common([spans, self._page], 2)
        long = spans.end - spans.start > _SHORTEST * self._pitch
        v = (spans.line[long] + 0.5) * self._pitch
        starts, ends = (
            np.column_stack([u[long], v]) @ self._frame for u in (spans.start, spans.end)
        )
        return [Line(p, q) for p, q in zip(starts, ends, strict=True)]

    def _clipped(self, spans: _Spans, clips: Sequence[Clip]) -> _Spans:
        for clip in clips:
            regions = [
                self._clipped(self._inside(region.loops, region.rule), region.clips)
                for region in clip.regions
            ]
            spans = _common([spans, _common(regions, 1)], 2)
        return spans

    def _inside(self, loops: Sequence[Sequence[Segment]], rule: FillRule) -> _Spans:
        """The pieces inside of closed loops."""
        segments = [segment for loop in loops for segment in loop]
        if not segments:
            return _common([], 1)
        table = SegmentTable(segments)
        row, _, points = table.flattened(
            np.arange(table.size), table.flat_steps(_FLATNESS * self._pitch)
        )
        # An edge crosses the lines whose v is in [lower end, upper end).
        u, v = (points @ self._frame.T).T
        v = v / self._pitch - 0.5
        edge = np.flatnonzero(row[1:] == row[:-1])
        low, high = np.minimum(v[edge], v[edge + 1]), np.maximum(v[edge], v[edge + 1])
        first = np.ceil(low).astype(np.intp)
        count = np.maximum(np.ceil(high).astype(np.intp) - first, 0)
        self._crossings += int(count.sum())
        if self._crossings > MAX_CROSSINGS:
            raise DrawingError(
                f'the hatching has more than {MAX_CROSSINGS:,} ends; use a wider pitch'
            )
        item, nth = repeated(count)
        line, edge = first[item] + nth, edge[item]
        share = (line - v[edge]) / (v[edge + 1] - v[edge])
        crossing = u[edge] + share * (u[edge + 1] - u[edge])
        turn = np.where(v[edge + 1] > v[edge], 1, -1)
        order = np.lexsort((crossing, line))
        line, crossing, turn = line[order], crossing[order], turn[order]
        # Loops are closed, so that the sums are zero again after each line.
        wound = np.cumsum(turn) if rule == 'nonzero' else np.arange(1, len(line) + 1) % 2
        return _between(line, crossing, wound != 0)


def _between(line: Index, u: Array, inside: NDArray[np.bool_]) -> _Spans:
    """The pieces from each place after which it is inside to the next after which it is not."""
    before = np.append(False, inside[:-1])
    enters, leaves = np.flatnonzero(inside & ~before), np.flatnonzero(~inside & before)
    return _Spans(line[enters], u[enters], u[leaves])


def _common(sets: Sequence[_Spans], least: int) -> _Spans:
    """Where at least so many of the sets are."""
    line = np.concatenate([np.empty(0, dtype=np.intp)] + [s.line for s in sets for _ in (0, 1)])
    u = np.concatenate([np.empty(0)] + [end for s in sets for end in (s.start, s.end)])
    change = np.concatenate(
        [np.empty(0, dtype=np.intp)]
        + [np.full(len(s.line), sign) for s in sets for sign in (1, -1)]
    )
    # Where one piece ends and another begins both are there.
    order = np.lexsort((-change, u, line))
    return _between(line[order], u[order], np.cumsum(change[order]) >= least)

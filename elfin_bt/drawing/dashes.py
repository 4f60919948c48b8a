# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Dashed strokes as the dashes that they show (SVG 2, "stroke-dasharray")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import Array, Line, Segment
from elfin_bt.drawing.segment_parts import part
from elfin_bt.drawing.segment_table import SegmentTable

MAX_DASHES = 50_000

# A curve's arc length is tabulated with chords that err by this part of its size.
_FLATNESS = 1e-5
# Dashes and gaps shorter than this part of the path are rounding.
_SHORTEST = 1e-9


def dash(
    segments: Sequence[Segment],
    lengths: Sequence[float],
    offset: float,
    caps: bool,
    limit: int = MAX_DASHES,
) -> list[tuple[Segment, ...]]:
    """The dashes of a path, each contiguous, from its start to its end.

    Args:
        segments: contiguous.
        lengths: of dash, gap, dash, ...; an even number, not all 0.
        offset: how far into the pattern the path starts.
        caps: whether a dash of no length shows as a dot.
        limit: how many there may be.

    Raises:
        SvgError: there are more.
    """
    table = _LengthTable(segments)
    if not table.total / sum(lengths) * len(lengths) / 2 <= limit:
        raise SvgError(
            f'stroke-dasharray makes more than {MAX_DASHES:,} dashes in the drawing; '
            'read it with dashes off'
        )
    spans = _spans(table.total, lengths, offset, caps)
    return [table.part(first, last) for first, last in spans]


def _spans(
    total: float, lengths: Sequence[float], offset: float, caps: bool
) -> list[tuple[float, float]]:
    """Start and end of each dash along a path of this length."""
    period = sum(lengths)
    ends = list(accumulate(lengths))
    at = -(offset % period)
    shortest = _SHORTEST * max(total, period)
    spans: list[tuple[float, float]] = []
    while at < total:
        for begin, end in zip([0.0, *ends[1::2]], ends[0::2], strict=False):
            first, last = max(at + begin, 0.0), min(at + end, total)
            if last - first > shortest:
                if spans and first - spans[-1][1] <= shortest:
                    # No gap between them.
                    spans[-1] = (spans[-1][0], last)
                else:
                    spans.append((first, last))
            elif caps and begin == end and 0.0 <= at + begin <= total:
                spans.append((at + begin, at + begin))
        at += period
    return spans


class _LengthTable:
    """Arc length along a path, and the way back to parameters."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        table = SegmentTable(segments)
        low, high = table.boxes()
        size = float((high.max(axis=0) - low.min(axis=0)).max())
        steps = table.flat_steps(max(_FLATNESS * size, np.finfo(float).tiny))
        row, self._u, points = table.flattened(np.arange(table.size), np.minimum(steps, 1000))
        ways = np.hypot(*np.diff(points, axis=0).T)
        ways[row[1:] != row[:-1]] = 0.0
        self._row = row
        self._at: Array = np.concatenate([[0.0], np.cumsum(ways)])
        self.total = float(self._at[-1])

    def part(self, first: float, last: float) -> tuple[Segment, ...]:
        """The path between two arc lengths."""
        row, u = self._place(first, 'right')
        if first == last:
            point = self._segments[row].point(u)[0]
            return (Line(point, point),)
        end_row, end_u = self._place(last, 'left')
        if row == end_row:
            return (_cut(self._segments[row], u, end_u),)
        middle = self._segments[row + 1 : end_row]
        parts = (
            _cut(self._segments[row], u, 1.0),
            *middle,
            _cut(self._segments[end_row], 0.0, end_u),
        )
        return tuple(segment for segment in parts if segment is not None)

    def _place(self, length: float, side: str) -> tuple[int, float]:
        """Row and parameter at an arc length; at a joint the row after it, or before."""
        index = int(np.searchsorted(self._at, length, side=side))  # type: ignore[call-overload]
        right = min(max(index, 1), self._at.size - 1)
        left = right - 1
        way = self._at[right] - self._at[left]
        share = (length - self._at[left]) / way if way > 0.0 else 0.0
        if self._row[left] != self._row[right]:
            return int(self._row[right]), 0.0
        u = self._u[left] + min(max(share, 0.0), 1.0) * (self._u[right] - self._u[left])
        return int(self._row[left]), float(u)


def _cut(segment: Segment, first: float, last: float) -> Segment:
    if (first, last) == (0.0, 1.0) or not first < last:
        return segment
    return part(segment, first, last)

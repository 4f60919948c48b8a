# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a stroke that a clip leaves, cut segment by segment.

A stroke that crosses itself, or runs back along itself, stays one stroke: it is followed from its
start, and only the boundary of the clip cuts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elfin_bt.drawing.area import Area, Work, crossings
from elfin_bt.drawing.geometry import Array, Index, Segment
from elfin_bt.drawing.segment_parts import part
from elfin_bt.drawing.segment_table import SegmentTable

# Cuts nearer than this in u are one.
_SAME = 1e-9
# To clip a path takes as long as comparing this many pairs of chords, however short it is.
_PATH_WORK = 20_000


@dataclass(frozen=True)
class Path:
    """Contiguous segments."""

    segments: tuple[Segment, ...]
    closed: bool


def clip_path(path: Path, areas: Sequence[Area], work: Work) -> list[Path]:
    """What of a path is inside of all the areas, in the path's own order.

    A closed path that is cut is joined again over its start, where that is inside.
    """
    table = SegmentTable(path.segments)
    low, high = boxes = table.boxes()
    box = (*low.min(axis=0).tolist(), *high.max(axis=0).tolist())
    if any(area.surely_misses(*box) for area in areas):
        return []
    areas = [area for area in areas if not area.surely_holds(*box)]
    if not areas:
        return [path]
    tolerance = max(area.tolerance for area in areas)
    work.charge(_PATH_WORK)
    row, first, last = _pieces(table, boxes, areas, tolerance, work)
    middle = table.point(row, (first + last) / 2.0)
    kept = np.ones(row.size, dtype=bool)
    for area in areas:
        kept[kept] = area.holds(middle[kept])
    if kept.all():
        return [path]
    return _joined(path, row, first, last, kept, 2.0 * tolerance)


def _pieces(
    table: SegmentTable,
    boxes: tuple[Array, Array],
    areas: Sequence[Area],
    tolerance: float,
    work: Work,
) -> tuple[Index, Array, Array]:
    """Row and parameters of all pieces between crossings, in the order of the path."""
    rows = [np.repeat(np.arange(table.size), 2)]
    cuts = [np.tile([0.0, 1.0], table.size)]
    for area in areas:
        for boundary in area.boundaries():
            row, u = crossings(table, boxes, boundary, tolerance, work)
            rows.append(row)
            cuts.append(u)
    row, u = np.concatenate(rows), np.concatenate(cuts)
    order = np.lexsort((u, row))
    row, u = row[order], u[order]
    piece = np.flatnonzero((row[1:] == row[:-1]) & (u[1:] - u[:-1] > _SAME))
    return row[piece], u[piece], u[piece + 1]


def _joined(
    path: Path, row: Index, first: Array, last: Array, kept: Array, shortest: float
) -> list[Path]:
    """The kept pieces as paths; what is no longer than `shortest` is a touch of the boundary."""
    runs: list[list[list[float]]] = []
    previous = False
    for index, keep in enumerate(kept.tolist()):
        if keep:
            piece = [float(row[index]), float(first[index]), float(last[index])]
            if not previous:
                runs.append([piece])
            elif runs[-1][-1][0] == piece[0]:
                # The boundary of another part of the clip cut it here.
                runs[-1][-1][2] = piece[2]
            else:
                runs[-1].append(piece)
        previous = keep
    if path.closed and len(runs) > 1 and kept[0] and kept[-1]:
        runs[0] = runs.pop() + runs[0]
    paths = [
        tuple(_cut(path.segments[int(index)], start, end) for index, start, end in run)
        for run in runs
    ]
    return [Path(segments, closed=False) for segments in paths if _reach(segments) > shortest]


def _cut(segment: Segment, first: float, last: float) -> Segment:
    return segment if (first, last) == (0.0, 1.0) else part(segment, first, last)


def _reach(segments: tuple[Segment, ...]) -> float:
    return max(segment.length() for segment in segments)

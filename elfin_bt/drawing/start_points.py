# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Where closed strokes are begun: anywhere will do, so where the pen comes past.

On lines only corners are considered: the pen rests there anyway, and a start in the middle of an
edge can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.geometry import Array, EllipseArc, Index, Segment
from elfin_bt.drawing.segment_parts import split
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.strokes import end_points

_SWEEPS = 4
_STEPS_PER_CURVE = 8


@dataclass(frozen=True)
class _Choices:
    """Where an outline may begin: places (K, 2), on segments row (K,) at parameters u (K,)."""

    row: Index
    u: Array
    places: Array


def with_free_starts(outlines: Sequence[Outline]) -> list[Outline]:
    """The outlines, the closed ones begun where that makes the travel between strokes shortest.

    Each start is best for the ends of its neighbours, one after the other, a few times over.
    """
    closed = [number for number, outline in enumerate(outlines) if outline.closed]
    if not closed or len(outlines) < 2:
        return list(outlines)
    choices = {number: _choices(outlines[number].segments) for number in closed}
    starts, ends = end_points(outlines)
    chosen = dict.fromkeys(closed, 0)
    for _ in range(_SWEEPS):
        moved = False
        for number in closed:
            best = _best(choices[number].places, starts, ends, number)
            if best != chosen[number]:
                moved, chosen[number] = True, best
                starts[number] = ends[number] = choices[number].places[best]
        if not moved:
            break
    return [
        _begun_at(outline, choices[number], chosen[number]) if chosen.get(number) else outline
        for number, outline in enumerate(outlines)
    ]


def _choices(segments: Sequence[Segment]) -> _Choices:
    table = SegmentTable(segments)
    steps = np.where(table.is_line, 1, _STEPS_PER_CURVE)
    row, u, places = table.flattened(np.arange(table.size), steps)
    # The last place of each segment is the first of the next.
    own = np.append(row[1:] == row[:-1], False)
    return _Choices(row[own], u[own], places[own])


def _best(places: Array, starts: Array, ends: Array, number: int) -> int:
    way = np.zeros(len(places))
    if number > 0:
        way += np.hypot(*(places - ends[number - 1]).T)
    if number + 1 < len(starts):
        way += np.hypot(*(places - starts[number + 1]).T)
    best = int(way.argmin())
    # What gains nothing but rounding stays as the file has it.
    now = np.hypot(*(places - starts[number]).T).argmin()
    return int(now) if way[now] <= way[best] + 1e-9 * (1.0 + way[best]) else best


def _begun_at(outline: Outline, choices: _Choices, choice: int) -> Outline:
    row, u = int(choices.row[choice]), float(choices.u[choice])
    segments = outline.segments
    if len(segments) == 1 and isinstance(segments[0], EllipseArc):
        arc = segments[0]
        start = arc.start_angle + u * arc.sweep
        turned = EllipseArc(arc.centre, arc.axis_u, arc.axis_v, start, arc.sweep)
        return replace(outline, segments=(turned,))
    if u == 0.0:
        return replace(outline, segments=segments[row:] + segments[:row])
    before, after = split(segments[row], u)
    return replace(outline, segments=(after, *segments[row + 1 :], *segments[:row], before))

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Lines that say nothing are left out, within a tolerance.

Douglas and Peucker: a run of lines becomes one line, unless some corner is too far from it; then
it is cut at the farthest and both halves are tried again. Here all runs of a drawing are tried at
once, level by level. Curves and arcs stay exact, but for those too small to be seen as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.geometry import Array, Index, Line, Segment, nearest_on_chord
from elfin_bt.drawing.segment_table import SegmentTable

Mask = NDArray[np.bool_]

# A curve within a box of this part of the tolerance is taken for its chord, the lines may use up
# the rest.
_CURVE_SHARE = 0.25


def simplified(outlines: Sequence[Outline], tolerance: float) -> list[Outline]:
    """The outlines with fewer lines; no point of the old or the new is farther from the other.

    Both ends of an outline stay where they are.
    """
    if not outlines:
        return []
    segments = [segment for outline in outlines for segment in outline.segments]
    owner = np.repeat(np.arange(len(outlines)), [len(o.segments) for o in outlines])
    first, last, vertices, offset = _runs(segments, owner, tolerance)
    kept = _kept(vertices, offset, offset + (last - first) + 1, (1.0 - _CURVE_SHARE) * tolerance)
    parts: list[list[Segment]] = [[] for _ in outlines]
    for a, b, corner in zip(first.tolist(), last.tolist(), offset.tolist(), strict=True):
        if a == b:
            parts[owner[a]].append(segments[a])
            continue
        corners = vertices[corner : corner + b - a + 2][kept[corner : corner + b - a + 2]]
        parts[owner[a]] += [Line(p, q) for p, q in pairwise(corners)]
    return [
        replace(outline, segments=tuple(left)) if len(left) < len(outline.segments) else outline
        for outline, left in zip(outlines, parts, strict=True)
    ]


def _runs(
    segments: Sequence[Segment], owner: Index, tolerance: float
) -> tuple[Index, Index, Array, Index]:
    """First and last segment (R,) of each run, the corners (V, 2) of all, and its first (R,) there.

    A run is lines that follow one another, or one segment of any other kind.
    """
    table = SegmentTable(segments)
    lower, upper = table.boxes()
    straight = table.is_line | (np.hypot(*(upper - lower).T) <= _CURVE_SHARE * tolerance)
    follows = straight[1:] & straight[:-1] & (owner[1:] == owner[:-1])
    first = np.flatnonzero(np.append(True, ~follows))
    last = np.append(first[1:], len(segments)) - 1
    every = np.arange(len(segments))
    # Each run has one corner more than it has segments: the end of its last.
    row = np.insert(every, last + 1, last)
    u = np.insert(np.zeros(len(every)), last + 1, 1.0)
    return first, last, table.point(row, u), first + np.arange(len(first))


def _kept(points: Array, first: Index, last: Index, tolerance: float) -> Mask:
    """Which points (V,) of the polylines from points `first` to points `last` (R,) are needed."""
    kept = np.zeros(len(points), dtype=bool)
    kept[first] = kept[last] = True
    while len(first):
        long = last - first > 1
        first, last = first[long], last[long]
        count = last - first - 1
        chord = np.repeat(np.arange(len(first)), count)
        begins = np.cumsum(count) - count
        inner = np.arange(len(chord)) - begins[chord] + first[chord] + 1
        if not len(inner):
            break
        foot = nearest_on_chord(points[inner], points[first[chord]], points[last[chord]])
        off = np.hypot(*(points[inner] - foot).T)
        worst = np.maximum.reduceat(off, begins)
        # Of each chord the farthest point, the first of several.
        at = inner[np.flatnonzero(off == worst[chord])]
        _, pick = np.unique(chord[off == worst[chord]], return_index=True)
        cut = worst > tolerance
        middle = at[pick][cut]
        kept[middle] = True
        first = np.concatenate([first[cut], middle])
        last = np.concatenate([middle, last[cut]])
    return kept

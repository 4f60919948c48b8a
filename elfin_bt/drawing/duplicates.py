# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn twice is drawn once: it saves time, and wet paper tears.

Segments are the same where five places along them are, in either direction. So identical paths are
found, and the common edges of neighbouring shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.geometry import Array, Index, Segment
from elfin_bt.drawing.neighbours import Within
from elfin_bt.drawing.segment_table import SegmentTable

_PLACES = np.linspace(0.0, 1.0, 5)
# Segments shorter than the tolerance are like their neighbours without being the same.
_LENGTH_SHARE = 0.25


def without_duplicates(outlines: Sequence[Outline], tolerance: float) -> list[Outline]:
    """The outlines without segments that are within `tolerance` of an earlier one.

    An outline is cut where something in its middle goes.
    """
    if not outlines:
        return []
    segments = [segment for outline in outlines for segment in outline.segments]
    again = _repeats(segments, tolerance)
    if not again.any():
        return list(outlines)
    result: list[Outline] = []
    first = 0
    for outline in outlines:
        dropped = again[first : first + len(outline.segments)]
        first += len(outline.segments)
        result += [outline] if not dropped.any() else _remains(outline, dropped)
    return result


def _repeats(segments: Sequence[Segment], tolerance: float) -> NDArray[np.bool_]:
    """Which segments (N,) an earlier one makes needless."""
    again = np.zeros(len(segments), dtype=bool)
    table = SegmentTable(segments)
    every = np.arange(table.size)
    middles = table.point(every, np.full(table.size, 0.5))
    # The rest of the work is for segments whose middles meet, which few do.
    radii = np.full(table.size, tolerance)
    meeting = np.flatnonzero(Within(middles).counts(middles, radii) > 1)
    if len(meeting):
        again[meeting] = _repeats_among(table, meeting, tolerance)
    return again


def _repeats_among(table: SegmentTable, rows: Index, tolerance: float) -> NDArray[np.bool_]:
    count = len(rows)
    row = np.repeat(rows, len(_PLACES))
    along = table.point(row, np.tile(_PLACES, count)).reshape(count, len(_PLACES), 2)
    forwards, backwards = along.reshape(count, -1), along[:, ::-1].reshape(count, -1)
    length = np.hypot(*np.moveaxis(np.diff(along, axis=1), -1, 0)).sum(axis=1)
    radius = np.where(length > 0.0, np.minimum(tolerance, _LENGTH_SHARE * length), tolerance)
    index = Within(forwards)
    suspects = np.flatnonzero(
        (index.counts(forwards, radius) > 1) | (index.counts(backwards, radius) > 0)
    )
    again = np.zeros(count, dtype=bool)
    for number in suspects.tolist():
        if not again[number]:
            for places in (forwards, backwards):
                _drop_later(again, index.at(places[number], radius[number]), number, length)
    return again


def _drop_later(again: NDArray[np.bool_], same: list[int], number: int, length: Array) -> None:
    for other in same:
        # A dot on a line that is hardly longer is not the line.
        if other > number and length[other] <= 1.5 * length[number] + 1e-12:
            again[other] = True


def _remains(outline: Outline, dropped: NDArray[np.bool_]) -> list[Outline]:
    """The parts of an outline without the segments `dropped` (N,)."""
    rows = np.arange(len(dropped))
    if outline.closed and not dropped.all():
        # Begun after something dropped, no part runs through the start.
        rows = np.roll(rows, -int(np.flatnonzero(dropped)[-1]) - 1)
    return [
        replace(outline, segments=tuple(outline.segments[row] for row in part), closed=False)
        for is_dropped, part in groupby(rows.tolist(), key=lambda row: bool(dropped[row]))
        if not is_dropped
    ]

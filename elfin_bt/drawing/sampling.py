# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Points on exact strokes: evenly spaced by arc length, and close enough for their chords.

Two limits, because either alone fails: 1 mm steps cut 0.13 mm off a circle of 1 mm radius, and a
chord tolerance alone leaves a long line with two points. Points lie on the exact geometry. The
joints of segments are points, except where two lines run straight on or a joint is closer to the
one before than the tolerance.

The work is done on arrays of many strokes at once. Inverse arc length comes from a table of
`flattened` points, which is thousands of times faster than solving for it point by point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.geometry import Array, Index, Segment, dot, nearest_on_chord
from elfin_bt.drawing.repeats import repeated
from elfin_bt.drawing.segment_table import SegmentTable

MAX_POINTS = 1_000_000

# The flattened table may use up this part of the chord tolerance, the chords get the rest; and
# since points slip along it by as much, no more than this part of the spacing.
_TABLE_SHARE = 0.25
_TABLE_SLIP = 0.02
# Two lines that turn by less than this (sine of the angle) run straight on.
_STRAIGHT = 1e-3
# A stroke shorter than this part of the tolerance is a dot.
_DOT = 1e-3
# Strokes share a table until it has this many points; and so many are too many for any drawing.
_BATCH = 100_000
_MAX_TABLE = 3 * MAX_POINTS


def sample_strokes(
    strokes: Sequence[Sequence[Segment]], spacing: float, tolerance: float
) -> list[Array]:
    """Points (N, 2) of each stroke, both ends included; a stroke of no length has one.

    Args:
        strokes: contiguous segments of each stroke, at least one.
        spacing: largest distance of neighbouring points along the stroke, in its units.
        tolerance: largest distance of the stroke from the chords between them.

    Raises:
        DrawingError: for limits that are not positive, or more than MAX_POINTS points.
    """
    for name, value in (('point spacing', spacing), ('chord tolerance', tolerance)):
        if not (np.isfinite(value) and value > 0.0):
            raise DrawingError(f'the {name} is {value:g}, expected more than 0')
    table = SegmentTable([segment for stroke in strokes for segment in stroke])
    flatness = min(_TABLE_SHARE * tolerance, _TABLE_SLIP * spacing)
    steps = table.flat_steps(flatness)
    if steps.sum() > _MAX_TABLE:
        raise _too_many(float(steps.sum()))
    first_row = np.cumsum([0, *(len(stroke) for stroke in strokes)])
    result: list[Array] = []
    total = 0
    for first, last in _batches(np.add.reduceat(steps + 1, first_row[:-1])):
        rows = np.arange(first_row[first], first_row[last])
        flat = _FlatStrokes(table, rows, steps[rows], first_row[first:last] - first_row[first])
        points = flat.sample(spacing, tolerance, flatness, MAX_POINTS - total)
        total += sum(map(len, points))
        result += points
    return result


def _batches(sizes: Index) -> Iterator[tuple[int, int]]:
    """Runs [first, last) of strokes whose sizes add up to about a batch."""
    first = filled = 0
    for last, size in enumerate(sizes.tolist(), start=1):
        filled += size
        if filled >= _BATCH or last == len(sizes):
            yield first, last
            first, filled = last, 0


def _too_many(points: float) -> DrawingError:
    return DrawingError(
        f'the drawing needs about {points:,.0f} points, limit {MAX_POINTS:,}; '
        'use a larger spacing or tolerance, or simplify it'
    )


class _FlatStrokes:
    """Strokes flattened to a table: row, parameter u, point and arc length `at` of each entry.

    The strokes follow one another in `at` with a gap between them, so that one sorted array of
    lengths addresses points on all of them. A joint has two entries, one of each segment.
    """

    def __init__(self, table: SegmentTable, rows: Index, steps: Index, strokes: Index) -> None:
        """Flatten table rows `rows` in `steps` (S,) steps; `strokes` (K,) are their first rows."""
        self.table = table
        self.rows = rows
        self.first_row = strokes
        self.last_row = np.append(strokes[1:], rows.size) - 1
        sizes = steps + 1
        self.row_end = np.cumsum(sizes) - 1
        self.row_start = self.row_end - steps
        self.row, self.u, self.points = table.flattened(rows, steps)
        step = np.hypot(*np.diff(self.points, axis=0).T)
        step[self.row_end[:-1]] = 0.0
        gap = 1.0 + step.max(initial=0.0)
        step[self.row_start[strokes[1:]] - 1] = gap
        self.at = np.concatenate([[0.0], np.cumsum(step)])

    def sample(self, spacing: float, tolerance: float, flatness: float, limit: int) -> list[Array]:
        """Points (N, 2) of each stroke, given how far the strokes are from the table."""
        knots, is_end = self._knots(tolerance)
        span = np.where(is_end, 0.0, np.diff(self.at[knots], append=0.0))
        bends = np.cumsum(~self.table.is_line[self.row])
        curved = np.diff(bends[knots], append=bends[-1]) > 0
        largest = np.where(curved, spacing - 2.0 * flatness, spacing)
        pieces = np.maximum(1.0, np.ceil(span / largest * (1.0 - 1e-12)))
        if pieces.sum() > limit:
            raise _too_many(float(pieces.sum()) + MAX_POINTS - limit)
        counts = pieces.astype(np.intp)
        interval, nth = repeated(counts)
        samples = self.at[knots][interval] + nth * (span / pieces)[interval]
        samples = self._refine(samples, tolerance - flatness, limit)
        points = self._at(samples)
        first = np.searchsorted(samples, self.at[self.row_start[self.first_row]])
        # A loop smaller than the tolerance comes back to the same point.
        moves = np.hypot(*np.diff(points, axis=0, prepend=np.inf).T) > _DOT * tolerance
        moves[first] = True
        return np.split(points[moves], np.cumsum(moves)[first[1:]] - 1)

    def _knots(self, tolerance: float) -> tuple[Index, NDArray[np.bool_]]:
        """Entries that are points whatever the spacing, and which of them end their stroke."""
        begin = self.at[self.row_start]
        stroke = np.repeat(np.arange(self.first_row.size), self.last_row - self.first_row + 1)
        finish = self.at[self.row_end[self.last_row]]
        is_joint = ~self._runs_straight_on()
        is_joint[self.first_row] = False
        joints: list[int] = []
        previous, previous_stroke = 0.0, -1
        for row in np.flatnonzero(is_joint & (finish[stroke] - begin >= tolerance)).tolist():
            if stroke[row] != previous_stroke:
                previous_stroke = stroke[row]
                previous = begin[self.first_row[previous_stroke]]
            if begin[row] - previous >= tolerance:
                joints.append(self.row_start[row])
                previous = begin[row]
        starts = self.row_start[self.first_row]
        has_length = finish - self.at[starts] > _DOT * tolerance
        ends = self.row_end[self.last_row[has_length]]
        knots = np.sort(np.concatenate([starts, np.array(joints, dtype=np.intp), ends]))
        alone = starts[~has_length]
        return knots, np.isin(knots, np.concatenate([ends, alone]))

    def _runs_straight_on(self) -> NDArray[np.bool_]:
        """Of each row, whether it is a line that goes on in the direction of the line before."""
        arm = self.points[self.row_end] - self.points[self.row_start]
        before = np.roll(arm, 1, axis=0)
        is_line = self.table.is_line[self.rows]
        cross = arm[:, 0] * before[:, 1] - arm[:, 1] * before[:, 0]
        along = dot(arm, before)
        straight: NDArray[np.bool_] = (
            is_line & np.roll(is_line, 1) & (np.abs(cross) < _STRAIGHT * along)
        )
        return straight

    def _refine(self, samples: Array, tolerance: float, limit: int) -> Array:
        """Halve the steps whose chord errs by more than `tolerance`, until none does."""
        left, right = samples[:-1], samples[1:]
        entry = np.arange(self.at.size)
        step = np.searchsorted(samples, self.at, side='right') - 1
        # Entries on a sample have no chord to be far from; so the gaps between strokes drop out.
        # What comes after the last sample is a dot of hardly any length.
        inside = (samples[step] < self.at) & (step < left.size)
        entry, step = entry[inside], step[inside]
        found = [samples]
        while True:
            start, end = self._at(left), self._at(right)
            far = _distance(self.points[entry], start[step], end[step]) > tolerance
            coarse = np.zeros(left.size, dtype=bool)
            coarse[step[far]] = True
            if not coarse.any():
                return np.sort(np.concatenate(found))
            middle = 0.5 * (left + right)
            found.append(middle[coarse])
            if sum(map(len, found)) > limit:
                raise _too_many(sum(map(len, found)) + MAX_POINTS - limit)
            # Step k that is halved becomes the steps 2 n and 2 n + 1 of the next round.
            half = np.cumsum(coarse) - 1
            kept = coarse[step]
            entry, step = entry[kept], step[kept]
            step = 2 * half[step] + (self.at[entry] >= middle[step])
            left, right, middle = left[coarse], right[coarse], middle[coarse]
            left = np.column_stack([left, middle]).ravel()
            right = np.column_stack([middle, right]).ravel()

    def _at(self, lengths: Array) -> Array:
        """Points (N, 2) of the exact strokes at these arc lengths."""
        left = np.searchsorted(self.at, lengths, side='right') - 1
        right = np.minimum(left + 1, self.at.size - 1)
        step = self.at[right] - self.at[left]
        part = np.divide(lengths - self.at[left], step, out=np.zeros_like(step), where=step > 0.0)
        u = self.u[left] + part * np.where(
            self.row[left] == self.row[right], self.u[right] - self.u[left], 0.0
        )
        return self.table.point(self.row[left], u)


def _distance(points: Array, start: Array, end: Array) -> Array:
    """Distances (N,) of points (N, 2) from the chords start (N, 2) to end (N, 2)."""
    distance: Array = np.hypot(*(points - nearest_on_chord(points, start, end)).T)
    return distance

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Ink: what the pen's tip left on the paper, and how well that is the drawing.

Everything is in the paper frame, metres: x and y on the paper, z out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elfin_bt.drawing.geometry import Array, Segment
from elfin_bt.drawing.nearest import NearestPath, Parabolas, thin

SURFACE_TOLERANCE = 5e-9
"""Height above the paper that still counts as touching it, metres: rounding, not distance."""

MISSED_TOLERANCE = 1e-5
"""How far the result of `missed` may be below the true value, metres."""

_SPLIT = 4
_PIECES_AT_ONCE = 50_000  # bounds the memory
_THINNING = 2e-6  # metres, of the ink before the source looks for it
_SOURCE_TOLERANCE = 5e-7  # metres, of the source that looks for the ink


@dataclass(frozen=True)
class InkRun:
    """One pen-down stretch of the record: samples start to stop - 1 touch the paper.

    time: (M,) s. points: (M, 2) metres on the paper. Both begin and end with the instant at which
    the tip crosses the surface, interpolated between two samples, where the record has both.
    """

    start: int
    stop: int
    time: Array
    points: Array

    @property
    def length(self) -> float:
        """Length of the ink, metres."""
        return path_length(self.points)


@dataclass(frozen=True)
class Deviation:
    """Distance of the ink from the source, metres; the worst is points[worst_index] of all runs."""

    max: float
    rms: float
    worst_point: Array
    worst_index: int


@dataclass(frozen=True)
class Missed:
    """The largest distance, metres, from a point (2,) of the source to the nearest ink."""

    max: float
    point: Array


def find_ink(time: Array, tip: Array) -> list[InkRun]:
    """Every stretch of the record in which the tip is at or below the paper's surface.

    time: (N,) s. tip: (N, 3) in the paper frame, metres. A pause in the record does not end a run:
    an arm at rest adds nothing to the record and nothing to the ink.
    """
    down = tip[:, 2] <= SURFACE_TOLERANCE
    edges = np.flatnonzero(np.diff(down, prepend=False, append=False))
    return [
        _run(time, tip, int(start), int(stop))
        for start, stop in zip(edges[::2], edges[1::2], strict=True)
    ]


def pen_up_paths(
    tip: Array, runs: Sequence[InkRun], start: int = 0, stop: int | None = None
) -> list[Array]:
    """What the tip (N, 3) did above the paper: paths (M, 3) before, between and after the runs.

    Only samples start to stop - 1 count. Each path reaches into the ink by one sample.
    """
    stop = len(tip) if stop is None else stop
    ends = [start]
    for run in runs:
        if run.stop > start and run.start < stop:
            ends += [max(run.start, start), min(run.stop, stop) - 1]
    ends.append(stop - 1)
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return [tip[first : last + 1] for first, last in pairs if last > first]


def measure(ink: Sequence[Array], source: Sequence[Segment]) -> Deviation | None:
    """How far the ink is from the exact geometry it should be on; None without ink.

    ink: points (M, 2) of each run; source: segments; both in metres on the paper. Every ink point
    counts with its distance to the nearest source point of the whole drawing, so ink that retraces
    another stroke is no error, and ink where nothing was to be drawn is one. rms is over the points
    as they come, one a sample. The curves are met within 0.05 um (nearest.CURVE_TOLERANCE).
    """
    points = np.concatenate([np.empty((0, 2)), *ink])
    if not len(points):
        return None
    distances = NearestPath(Parabolas.of_segments(source)).distances(points)
    worst = int(distances.argmax())
    return Deviation(
        max=float(distances[worst]),
        rms=float(np.sqrt(np.mean(distances**2))),
        worst_point=points[worst],
        worst_index=worst,
    )


def missed(source: Sequence[Segment], ink: Sequence[Array]) -> Missed | None:
    """How far from any ink the worst source point is; None without ink or source.

    The ink is the polyline through each run's points. The source is not sampled: distance changes
    no faster than position, so a stretch of length L whose middle is d from the ink is nowhere
    farther than d + L/2. Stretches that may hold a point worse than the worst middle so far by more
    than MISSED_TOLERANCE are split, the others dropped.
    """
    lines = [points[thin(points, _THINNING)] for points in ink if len(points)]
    if not lines or not source:
        return None
    paper = NearestPath(Parabolas.of_polylines(lines))
    pieces = Parabolas.of_segments(source, _SOURCE_TOLERANCE)
    worst = Missed(-1.0, np.zeros(2))
    for first in range(0, len(pieces), _PIECES_AT_ONCE):
        worst = _worst_missed(pieces[first : first + _PIECES_AT_ONCE], paper, worst)
    return worst


def path_length(points: Array) -> float:
    """Length of the polyline through points (N, D)."""
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _worst_missed(pieces: Parabolas, paper: NearestPath, worst: Missed) -> Missed:
    """The worst of the pieces' points, if worse than `worst` (see `missed`)."""
    piece, start, width = np.arange(len(pieces)), np.zeros(len(pieces)), 1.0
    length = pieces.speed_bound()
    while len(piece):
        middle = pieces.point(piece, start + 0.5 * width)
        distance = paper.distances(middle)
        highest = int(distance.argmax())
        if distance[highest] > worst.max:
            worst = Missed(float(distance[highest]), middle[highest])
        slack = 0.5 * width * length[piece]
        undecided = (distance + slack > worst.max + MISSED_TOLERANCE) & (slack > MISSED_TOLERANCE)
        width /= _SPLIT
        piece = np.repeat(piece[undecided], _SPLIT)
        start = (start[undecided, None] + width * np.arange(_SPLIT)).reshape(-1)
    return worst


def _run(time: Array, tip: Array, start: int, stop: int) -> InkRun:
    """The run of samples start to stop - 1, with its crossings."""
    rows = np.column_stack([time[start:stop], tip[start:stop, :2]])
    if start > 0:
        rows = np.vstack([_crossing(time, tip, start - 1, start), rows])
    if stop < len(tip):
        rows = np.vstack([rows, _crossing(time, tip, stop, stop - 1)])
    return InkRun(start, stop, rows[:, 0], rows[:, 1:])


def _crossing(time: Array, tip: Array, up: int, down: int) -> Array:
    """Time and place [t, x, y] at which the tip crosses z = 0 between two neighbouring samples.

    Linear: over 1 ms even 3 m/s2 bends the path by less than 1 um.
    """
    share = tip[up, 2] / (tip[up, 2] - min(tip[down, 2], 0.0))
    above = np.array([time[up], *tip[up, :2]])
    below = np.array([time[down], *tip[down, :2]])
    crossing: Array = above + share * (below - above)
    return crossing

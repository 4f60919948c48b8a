# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Strokes whose ends touch become one: a lift saved each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.fragments import Fragments
from elfin_bt.drawing.geometry import Array, CubicBezier, EllipseArc, Line, Segment
from elfin_bt.drawing.neighbours import near_pairs
from elfin_bt.drawing.segment_parts import reversed_segment
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.strokes import end_points, turned_round

# Parts of the tolerance: gaps that segments of a stroke may have, and gaps across which an end is
# moved.
_SAME_PLACE = 2e-3
_MOVED = 0.1


def merged(outlines: Sequence[Outline], tolerance: float) -> list[Outline]:
    """The outlines with ends at most `tolerance` apart joined by a line, if they look the same.

    Only outlines of one layer and colour are joined; closed ones stay as they are. Where several
    ends meet, those that go on straightest are joined.
    """
    open_ = [i for i, outline in enumerate(outlines) if not outline.closed]
    if len(open_) < 2:
        return list(outlines)
    chosen = [outlines[i] for i in open_]
    starts, ends = end_points(chosen)
    # End 2 k is the start of outline k, end 2 k + 1 its end.
    places = np.stack([starts, ends], axis=1).reshape(-1, 2)
    fragments = Fragments(len(chosen))
    for a, b in _candidates(chosen, places, tolerance):
        fragments.join(a, b)
    joined = {}
    for chain in fragments.chains():
        pieces = [turned_round(chosen[k]) if flipped else chosen[k] for k, flipped in chain]
        joined[open_[min(k for k, _ in chain)]] = _one(pieces, tolerance)
    return [
        joined[i] if i in joined else outline
        for i, outline in enumerate(outlines)
        if outline.closed or i in joined
    ]


def _candidates(
    outlines: Sequence[Outline], places: Array, tolerance: float
) -> list[tuple[int, int]]:
    """Pairs of ends that may be joined, the best first."""
    pairs = near_pairs(places, tolerance)
    looks: dict[tuple[str | None, str | None], int] = {}
    look = np.array([looks.setdefault((o.layer, o.colour), len(looks)) for o in outlines])
    a, b = pairs.T
    fit = (a // 2 != b // 2) & (look[a // 2] == look[b // 2])
    a, b = a[fit], b[fit]
    outward = _outward(outlines)
    # Going on straight, one leaves against the way in which the other arrives.
    bend = 1.0 + (outward[a] * outward[b]).sum(axis=1)
    distance = np.hypot(*(places[a] - places[b]).T)
    order = np.argsort(2.0 * distance / tolerance + bend, kind='stable')
    return list(zip(a[order].tolist(), b[order].tolist(), strict=True))


def _outward(outlines: Sequence[Outline]) -> Array:
    """Unit vectors (2 S, 2) in which the pen would leave each end."""
    table = SegmentTable(
        [s for o in outlines for s in (o.segments[0], o.segments[-1])],
    )
    rows = np.arange(table.size)
    # A little inside, where a curve whose handle has no length has a direction too.
    slope = table.derivative(rows, np.where(rows % 2, 0.999, 0.001))
    slope[::2] *= -1.0
    unit: Array = slope / np.maximum(np.hypot(*slope.T), 1e-300)[:, None]
    return unit


def _one(pieces: Sequence[Outline], tolerance: float) -> Outline:
    """The pieces end to end."""
    if len(pieces) == 1:
        return pieces[0]
    segments: list[Segment] = list(pieces[0].segments)
    for piece in pieces[1:]:
        segments += _joint(segments.pop(), piece.segments[0], tolerance)
        segments += piece.segments[1:]
    gap = np.hypot(*(segments[-1].end - segments[0].start))
    ids = next((piece.element_id for piece in pieces if piece.element_id), None)
    return replace(
        pieces[0],
        segments=tuple(segments),
        closed=bool(gap <= _SAME_PLACE * tolerance),
        element_id=ids,
        stroked=all(piece.stroked for piece in pieces),
    )


def _joint(before: Segment, after: Segment, tolerance: float) -> list[Segment]:
    """Two segments without a gap: an end is moved, or a line bridges what is wider."""
    gap = float(np.hypot(*(after.start - before.end)))
    if gap <= _SAME_PLACE * tolerance:
        return [before, after]
    if gap <= _MOVED * tolerance:
        # A line of microns would be a corner that no pen can follow.
        if not isinstance(after, EllipseArc):
            return [before, _begun_at(after, before.end)]
        if not isinstance(before, EllipseArc):
            return [reversed_segment(_begun_at(reversed_segment(before), after.start)), after]
    return [before, Line(before.end, after.start), after]


def _begun_at(segment: Segment, place: Array) -> Segment:
    """A line or curve that begins elsewhere, in the direction in which it did."""
    if isinstance(segment, CubicBezier):
        return CubicBezier(place, segment.p1 + (place - segment.p0), segment.p2, segment.p3)
    return Line(place, segment.end)

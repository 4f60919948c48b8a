# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Exact distance from many points to many curves.

Lines, elliptic arcs and cubics are cut into short parabolas (one representation for all three, far
closer to the curve than anyone can measure), the parabolas are put into a tree of bounding boxes,
and the tree is searched for blocks of consecutive points at once: neighbours along a stroke have
the same neighbourhood, so numpy does the work and Python sees only the levels of the tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line, Segment

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

CURVE_TOLERANCE = 1e-8
"""Largest distance of a parabola from its curve, metres."""

_LONGEST = 1e-3  # metres; short pieces have small boxes
_MOST_SAG = 2e-6  # metres between a parabola and its chord
_FAN_OUT = 8  # children of a node, and points in a block
_BLOCKS_AT_ONCE = 4096
_PAIRS_AT_ONCE = 400_000  # bounds the memory, to about 100 MB
_NEWTON_STEPS = 4


@dataclass(frozen=True)
class Parabolas:
    """Points a + b t + c t^2 for t in [0, 1]: a, b, c (N, 2) in metres; c = 0 is a straight piece."""

    a: Array
    b: Array
    c: Array

    def __len__(self) -> int:
        return len(self.a)

    def point(self, index: Indices, t: Array) -> Array:
        """Point (M, 2) at t (M,) on the pieces index (M,)."""
        return self.a[index] + t[:, None] * (self.b[index] + t[:, None] * self.c[index])

    def speed_bound(self) -> Array:
        """Upper bound (N,) of |dp/dt|, so of the length of each piece, metres."""
        return np.maximum(_norm(self.b), _norm(self.b + 2.0 * self.c))

    @classmethod
    def of_segments(cls, segments: Sequence[Segment]) -> Parabolas:
        """The segments (metres) in pieces, in order, each within CURVE_TOLERANCE of its curve."""
        lines = [segment for segment in segments if isinstance(segment, Line)]
        pieces = [_straight(lines)]
        pieces += [_curved(segment) for segment in segments if not isinstance(segment, Line)]
        return cls(*(np.concatenate(part) for part in zip(*pieces, strict=True)))

    @classmethod
    def of_polylines(cls, polylines: Sequence[Array]) -> Parabolas:
        """The straight pieces of polylines (M, 2); a polyline of one point is a piece without length."""
        starts = [points[: max(1, len(points) - 1)] for points in polylines]
        ends = [points[-max(1, len(points) - 1) :] for points in polylines]
        start = np.concatenate([np.empty((0, 2)), *starts])
        step = np.concatenate([np.empty((0, 2)), *ends]) - start
        return cls(start, step, np.zeros_like(start))


class NearestPath:
    """Answers, for any points, how far the nearest of the given pieces is.

    Exact to rounding: pieces that may be nearest are never dropped, only those that provably are
    not. The tree is packed: each node covers _FAN_OUT consecutive nodes of the level below.
    """

    def __init__(self, pieces: Parabolas) -> None:
        if not len(pieces):
            raise ValueError('no geometry to measure distances to; draw at least one stroke')
        order = np.argsort(_morton(pieces.a + 0.5 * pieces.b), kind='stable')
        self._pieces = Parabolas(pieces.a[order], pieces.b[order], pieces.c[order])
        self._sag = 0.25 * _norm(self._pieces.c)  # |p(t) - chord(t)| = |c| t (1 - t)
        self._levels = _box_levels(self._pieces)

    def distances(self, points: Array) -> Array:
        """Distance (M,) of each point (M, 2) to the nearest piece, metres.

        Fast where consecutive points are close to each other, right in any case.
        """
        if not len(points):
            return np.empty(0)
        padding = -len(points) % _FAN_OUT
        blocks = np.concatenate([points, np.repeat(points[-1:], padding, axis=0)])
        blocks = blocks.reshape(-1, _FAN_OUT, 2)
        parts = [
            self._block_distances(blocks[first : first + _BLOCKS_AT_ONCE])
            for first in range(0, len(blocks), _BLOCKS_AT_ONCE)
        ]
        return np.concatenate(parts).reshape(-1)[: len(points)]

    def _block_distances(self, blocks: Array) -> Array:
        """Distances (B, _FAN_OUT) for blocks (B, _FAN_OUT, 2)."""
        found = self._candidates(blocks)
        if found is None:
            half = len(blocks) // 2
            return np.concatenate(
                [self._block_distances(blocks[:half]), self._block_distances(blocks[half:])]
            )
        block, piece = found
        a, b = self._pieces.a[piece, None], self._pieces.b[piece, None]
        chord = _norm(_offset_from_chord(blocks[block], a, b + self._pieces.c[piece, None]))
        return self._refined(blocks, block, piece, chord)

    def _refined(self, blocks: Array, block: Indices, piece: Indices, chord: Array) -> Array:
        """Distances to the parabolas, given those to their chords (pairs, _FAN_OUT).

        A parabola lies within its sag of its chord, so one whose chord is farther than the nearest
        chord by more than both sags is not the nearest.
        """
        starts = _group_starts(block)
        nearest = np.minimum.reduceat(chord, starts, axis=0)
        sag = self._sag[piece]
        most_sag = np.maximum.reduceat(sag, starts)
        close = chord <= nearest[block] + (most_sag[block] + sag)[:, None]
        pair, column = np.nonzero(close)
        row, chosen = block[pair], piece[pair]
        distance = _distance_to_parabola(
            blocks[row, column],
            self._pieces.a[chosen],
            self._pieces.b[chosen],
            self._pieces.c[chosen],
        )
        result = np.full(nearest.shape, np.inf)
        np.minimum.at(result, (row, column), distance)
        return result

    def _candidates(self, blocks: Array) -> tuple[Indices, Indices] | None:
        """Pairs (block, piece), ordered by block, with every piece that may be nearest to a point.

        None where there would be too many pairs at once and the blocks can be halved.
        """
        low, high = blocks.min(axis=1), blocks.max(axis=1)
        centre = 0.5 * (low + high)
        diameter = _norm(high - low)  # twice the radius around the centre
        count = len(self._levels[-1][0])
        block = np.repeat(np.arange(len(blocks)), count)
        node = np.tile(np.arange(count), len(blocks))
        for depth in range(len(self._levels) - 1, -1, -1):
            box_low, box_high = self._levels[depth]
            from_low, to_high = box_low[node] - centre[block], centre[block] - box_high[node]
            least = _norm(np.maximum(0.0, np.maximum(from_low, to_high)))
            most = _norm(np.maximum(np.abs(from_low), np.abs(to_high)))
            block, node = _not_farther(block, node, least, most, diameter)
            if len(block) * _FAN_OUT > _PAIRS_AT_ONCE and len(blocks) > 1:
                return None
            if depth:
                block, node = _children(block, node, len(self._levels[depth - 1][0]))
        chord = _norm(
            _offset_from_chord(
                centre[block], self._pieces.a[node], self._pieces.b[node] + self._pieces.c[node]
            )
        )
        sag = self._sag[node]
        return _not_farther(block, node, chord - sag, chord + sag, diameter)


def thin(points: Array, tolerance: float) -> Indices:
    """Indices of the points (N, 2) of a polyline to keep so that no point is off by more.

    Every dropped point is within `tolerance` of the chord that replaces it, and the chord of the
    polyline. Both ends stay. Long chords are tried first and halved where they do not fit.
    """
    last = len(points) - 1
    if last < 2:
        return np.arange(len(points))
    size = 1024
    start = np.arange(0, last, size)
    kept = []
    while size > 1:
        inner = np.minimum(start[:, None] + np.arange(size + 1), last)
        first, end = points[inner[:, :1]], points[inner[:, -1:]]
        off = _norm(_offset_from_chord(points[inner], first, end - first)).max(axis=1)
        fits = off <= tolerance
        kept.append(start[fits])
        size //= 2
        start = (start[~fits, None] + np.array([0, size])).reshape(-1)
        start = start[start < last]
    return np.sort(np.concatenate([*kept, start, [last]]))


def _straight(lines: Sequence[Line]) -> tuple[Array, Array, Array]:
    start = np.array([line.start for line in lines], dtype=np.float64).reshape(-1, 2)
    step = np.array([line.end for line in lines], dtype=np.float64).reshape(-1, 2) - start
    count = np.maximum(1, np.ceil(_norm(step) / _LONGEST)).astype(np.intp)
    index = np.repeat(np.arange(len(lines)), count)
    number = np.arange(len(index)) - np.repeat(np.cumsum(count) - count, count)
    share = step[index] / count[index, None]
    return start[index] + number[:, None] * share, share, np.zeros((len(index), 2))


def _curved(segment: EllipseArc | CubicBezier) -> tuple[Array, Array, Array]:
    """Parabolas through both ends and the middle of equal steps in the curve's parameter.

    Interpolation error: the chord is off by at most h^2/8 max|r''|, the parabola by at most
    h^3 sqrt(3)/216 max|r'''| for a step h.
    """
    speed, second, third = _derivative_bounds(segment)
    count = math.ceil(
        max(
            1.0,
            speed / _LONGEST,
            math.sqrt(second / (8.0 * _MOST_SAG)),
            (third * math.sqrt(3.0) / 216.0 / CURVE_TOLERANCE) ** (1.0 / 3.0),
        )
    )
    points = segment.point(np.linspace(0.0, 1.0, 2 * count + 1))
    start, middle, end = points[:-1:2], points[1::2], points[2::2]
    c = 2.0 * (start - 2.0 * middle + end)
    return start, end - start - c, c


def _derivative_bounds(segment: EllipseArc | CubicBezier) -> tuple[float, float, float]:
    """Upper bounds of |r'|, |r''|, |r'''| over u in [0, 1]."""
    if isinstance(segment, EllipseArc):
        radius = math.hypot(*segment.axis_u, *segment.axis_v)
        sweep = abs(segment.sweep)
        return radius * sweep, radius * sweep**2, radius * sweep**3
    # A Bezier curve's derivative is the Bezier curve of its control points' differences.
    control = np.array([segment.p0, segment.p1, segment.p2, segment.p3])
    first, second, third = (
        factor * float(_norm(np.diff(control, order, axis=0)).max())
        for order, factor in ((1, 3), (2, 6), (3, 6))
    )
    return first, second, third


def _box_levels(pieces: Parabolas) -> list[tuple[Array, Array]]:
    """Lower and upper corners (M, 2) of the boxes of each level, leaves first."""
    # A parabola is a quadratic Bezier curve and stays within the hull of its control points.
    control = np.stack([pieces.a, pieces.a + 0.5 * pieces.b, pieces.a + pieces.b + pieces.c])
    levels = [(control.min(axis=0), control.max(axis=0))]
    while len(levels[-1][0]) > _FAN_OUT:
        low, high = levels[-1]
        starts = np.arange(0, len(low), _FAN_OUT)
        levels.append((np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)))
    return levels


def _morton(points: Array) -> NDArray[np.uint64]:
    """Place (N,) of each point on a Z-order curve: close along it is close in the plane."""
    low, high = points.min(axis=0), points.max(axis=0)
    scaled = (points - low) * (65535.0 / max(float((high - low).max()), 1e-300))
    code = scaled.astype(np.uint64)
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        code = (code | (code << np.uint64(shift))) & np.uint64(mask)
    return code[:, 0] | (code[:, 1] << np.uint64(1))


def _not_farther(
    block: Indices, node: Indices, least: Array, most: Array, diameter: Array
) -> tuple[Indices, Indices]:
    """The pairs that may hold the piece nearest to a point of their block.

    least, most: bounds of the distance from the block's centre to the node. A point is within
    diameter/2 of the centre, so its nearest piece is within the nearest one's distance + diameter.
    """
    bound = np.minimum.reduceat(most, _group_starts(block)) + diameter
    keep = least <= bound[block]
    return block[keep], node[keep]


def _children(block: Indices, node: Indices, count: int) -> tuple[Indices, Indices]:
    child = (node[:, None] * _FAN_OUT + np.arange(_FAN_OUT)).reshape(-1)
    block = np.repeat(block, _FAN_OUT)
    exists = child < count
    return block[exists], child[exists]


def _group_starts(group: Indices) -> Indices:
    """Where each run of equal numbers begins; every number from 0 upwards is there, in order."""
    return np.flatnonzero(np.diff(group, prepend=-1))


def _distance_to_parabola(points: Array, a: Array, b: Array, c: Array) -> Array:
    """Distance (M,) of points (M, 2) to their parabolas: Newton on (p(t) - point) . p'(t) = 0.

    The parabolas are nearly straight (sag of micrometres), so the chord's foot point starts within
    the basin of attraction and each step squares the error.
    """
    t = _foot(points, a, b + c)
    for _ in range(_NEWTON_STEPS):
        offset = a + t[:, None] * (b + t[:, None] * c) - points
        tangent = b + 2.0 * t[:, None] * c
        slope = _dot(tangent, tangent) + 2.0 * _dot(offset, c)
        step = np.divide(_dot(offset, tangent), slope, out=np.zeros_like(t), where=slope > 0.0)
        t = np.clip(t - step, 0.0, 1.0)
    return _norm(a + t[:, None] * (b + t[:, None] * c) - points)


def _offset_from_chord(points: Array, start: Array, step: Array) -> Array:
    """Vectors from points (..., 2) to the nearest points of the chords start + t step."""
    return start + _foot(points, start, step)[..., None] * step - points


def _foot(points: Array, start: Array, step: Array) -> Array:
    """Parameter in [0, 1] of the chord's point nearest to each point; 0 on a chord without length."""
    along, square = _dot(points - start, step), _dot(step, step)
    ratio = np.divide(along, square, out=np.zeros_like(along), where=square > 0.0)
    return np.clip(ratio, 0.0, 1.0)


def _dot(first: Array, second: Array) -> Array:
    return first[..., 0] * second[..., 0] + first[..., 1] * second[..., 1]


def _norm(vectors: Array) -> Array:
    return np.hypot(vectors[..., 0], vectors[..., 1])

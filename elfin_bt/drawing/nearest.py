# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Exact distance from many points to many curves.

Lines, elliptic arcs and cubics are cut into short parabolas (one representation for all three, far
closer to the curve than anyone can measure), the parabolas are put into a tree of bounding boxes,
and the tree is searched for blocks of neighbouring points at once: they have the same candidates,
so numpy does the work and Python sees only the levels of the tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line, Segment
from elfin_bt.drawing.repeats import repeated

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

CURVE_TOLERANCE = 5e-8
"""Largest distance of a parabola from its curve, metres, unless said otherwise."""

_LONGEST = 1e-3  # metres; short pieces have small boxes
_SAG_PER_TOLERANCE = 100.0  # how far a parabola may be from its chord, for Newton's sake
_FAN_OUT = 8  # children of a node
_BLOCK = 8  # points that are looked up together
_WIDEST_BLOCK = 1e-3  # metres
_BLOCKS_AT_ONCE = 1024
_PAIRS_AT_ONCE = 400_000  # bounds the memory, to about 100 MB
_NEWTON_STEPS = 4


@dataclass(frozen=True)
class Parabolas:
    """Points a + b t + c t^2 for t in [0, 1]: a, b, c (N, 2) in metres; straight where c = 0."""

    a: Array
    b: Array
    c: Array

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, which: slice | Indices) -> Parabolas:
        return Parabolas(self.a[which], self.b[which], self.c[which])

    def point(self, index: Indices, t: Array) -> Array:
        """Point (M, 2) at t (M,) on the pieces index (M,)."""
        return self.a[index] + t[:, None] * (self.b[index] + t[:, None] * self.c[index])

    def speed_bound(self) -> Array:
        """Upper bound (N,) of |dp/dt|, so of the length of each piece, metres."""
        return np.maximum(_norm(self.b), _norm(self.b + 2.0 * self.c))

    @classmethod
    def of_segments(
        cls, segments: Sequence[Segment], tolerance: float = CURVE_TOLERANCE
    ) -> Parabolas:
        """The segments in pieces, each within the tolerance of its curve; all in metres."""
        pieces = [_straight([segment for segment in segments if isinstance(segment, Line)])]
        pieces += [
            _curved(segment, tolerance) for segment in segments if not isinstance(segment, Line)
        ]
        return cls(*(np.concatenate(part) for part in zip(*pieces, strict=True)))

    @classmethod
    def of_polylines(cls, polylines: Sequence[Array]) -> Parabolas:
        """The straight pieces of polylines (M, 2); one point alone is a piece without length."""
        starts = [points[: max(1, len(points) - 1)] for points in polylines]
        ends = [points[-max(1, len(points) - 1) :] for points in polylines]
        start = np.concatenate([np.empty((0, 2)), *starts])
        step = np.concatenate([np.empty((0, 2)), *ends]) - start
        return cls(start, step, np.zeros_like(start))


class NearestPath:
    """Answers, for any points, how far the nearest of the given pieces is.

    Exact to rounding: pieces that may be nearest are never dropped, only those that provably are
    not. The tree is packed: the pieces are ordered so that halves, quarters, eighths ... of the
    list are halves of the plane's region, and each node covers _FAN_OUT consecutive ones below it.
    """

    def __init__(self, pieces: Parabolas) -> None:
        if not len(pieces):
            raise ValueError('no geometry to measure distances to; draw at least one stroke')
        order = _halved_order(pieces.a + 0.5 * pieces.b)
        self._pieces = pieces[order]
        self._sag = 0.25 * _norm(self._pieces.c)  # |p(t) - chord(t)| = |c| t (1 - t)
        self._levels = _box_levels(self._pieces)

    def distances(self, points: Array) -> Array:
        """Distance (M,) of each point (M, 2) to the nearest piece, metres.

        Fast where consecutive points are neighbours, as along a path, and right in any order.
        """
        count = len(points)
        blocks = np.concatenate([points, np.repeat(points[-1:], -count % _BLOCK, axis=0)])
        blocks = blocks.reshape(-1, _BLOCK, 2)
        wide = _norm(np.ptp(blocks, axis=1)) > _WIDEST_BLOCK  # a jump: where the pen was lifted
        result = np.empty((len(blocks), _BLOCK))
        result[~wide] = self._of_blocks(blocks[~wide])
        result[wide] = self._of_blocks(blocks[wide].reshape(-1, 1, 2)).reshape(-1, _BLOCK)
        return result.reshape(-1)[:count]

    def _of_blocks(self, blocks: Array) -> Array:
        """Distances (B, K) for blocks of K neighbouring points (B, K, 2), in bounded memory."""
        result = np.empty(blocks.shape[:2])
        for first in range(0, len(blocks), _BLOCKS_AT_ONCE):
            chunk = slice(first, first + _BLOCKS_AT_ONCE)
            result[chunk] = self._block_distances(blocks[chunk])
        return result

    def _block_distances(self, blocks: Array) -> Array:
        found = self._candidates(blocks)
        if found is None:
            half = len(blocks) // 2
            return np.concatenate(
                [self._block_distances(blocks[:half]), self._block_distances(blocks[half:])]
            )
        block, piece = found
        chord = self._chord_distance(blocks.take(block, axis=0), piece[:, None])
        starts = _group_starts(block)
        nearest = np.minimum.reduceat(chord, starts, axis=0)
        # A parabola is within its sag of its chord, so one whose chord is farther than the nearest
        # chord by more than both sags is not the nearest.
        sag = self._sag[piece]
        most_sag = np.maximum.reduceat(sag, starts)
        pair, column = np.nonzero(chord <= nearest[block] + (most_sag[block] + sag)[:, None])
        row = block[pair]
        distance = self._exact_distance(blocks[row, column], piece[pair])
        result = np.full(nearest.shape, np.inf)
        np.minimum.at(result, (row, column), distance)
        return result

    def _candidates(self, blocks: Array) -> tuple[Indices, Indices] | None:
        """Pairs (block, piece), ordered by block, with every piece that may be nearest to a point.

        None where there would be too many pairs at once and the blocks can be halved.
        """
        low, high = blocks.min(axis=1), blocks.max(axis=1)
        centre = 0.5 * (low + high)
        # A point is within half the block's diameter of the centre, so the piece nearest to it is
        # at most a diameter farther from the centre than any other piece.
        diameter = _norm(high - low)
        reach = self._some_distance(centre) + diameter
        count = len(self._levels[-1][0])
        block = np.repeat(np.arange(len(blocks)), count)
        node = np.tile(np.arange(count), len(blocks))
        for depth in range(len(self._levels) - 1, -1, -1):
            near = self._box_distance(centre.take(block, axis=0), depth, node) <= reach[block]
            block, node = block[near], node[near]
            most = self._farthest_in_box(centre.take(block, axis=0), depth, node)
            least = np.minimum.reduceat(most, _group_starts(block))
            reach = np.minimum(reach, least + diameter)
            if len(block) * _FAN_OUT > _PAIRS_AT_ONCE and len(blocks) > 1:
                return None
            if depth:
                block, node = _children(block, node, len(self._levels[depth - 1][0]))
        chord, sag = self._chord_distance(centre.take(block, axis=0), node), self._sag[node]
        reach = np.minimum.reduceat(chord + sag, _group_starts(block)) + diameter
        near = chord - sag <= reach[block]
        return block[near], node[near]

    def _some_distance(self, points: Array) -> Array:
        """An upper bound (M,) of the distance of points (M, 2), mostly a close one.

        One walk down the tree, always to the child that looks nearest.
        """
        node = np.zeros(len(points), dtype=np.intp)
        for depth in range(len(self._levels) - 1, -1, -1):
            child = node[:, None] * _FAN_OUT + np.arange(_FAN_OUT)
            child = np.minimum(child, len(self._levels[depth][0]) - 1)
            low, high = self._levels[depth]
            nearest = _norm(low[child] + high[child] - 2.0 * points[:, None]).argmin(axis=1)
            node = child[np.arange(len(points)), nearest]
        return self._chord_distance(points, node) + self._sag[node]

    def _box_distance(self, points: Array, depth: int, node: Indices) -> Array:
        low, high = self._levels[depth]
        outside = np.maximum(low.take(node, axis=0) - points, points - high.take(node, axis=0))
        return _norm(np.maximum(outside, 0.0))

    def _farthest_in_box(self, points: Array, depth: int, node: Indices) -> Array:
        low, high = self._levels[depth]
        return _norm(np.maximum(high.take(node, axis=0) - points, points - low.take(node, axis=0)))

    def _chord_distance(self, points: Array, piece: Indices) -> Array:
        """Distance of points (..., 2) to the chords of the pieces (...)."""
        start = self._pieces.a.take(piece, axis=0)
        step = self._pieces.b.take(piece, axis=0) + self._pieces.c.take(piece, axis=0)
        return _norm(_offset_from_chord(points, start, step))

    def _exact_distance(self, points: Array, piece: Indices) -> Array:
        """Distance (M,) of points (M, 2) to pieces (M,): Newton on (p(t) - point) . p'(t) = 0.

        The parabolas are nearly straight (sag of micrometres), so the chord's foot point starts
        within the basin of attraction and each step squares the error. Only beyond a parabola's
        centre of curvature there is none: there the nearest point is an end.
        """
        a, b, c = (
            part.take(piece, axis=0) for part in (self._pieces.a, self._pieces.b, self._pieces.c)
        )
        t = _foot(points, a, b + c)
        for _ in range(_NEWTON_STEPS):
            offset = a + t[:, None] * (b + t[:, None] * c) - points
            tangent = b + 2.0 * t[:, None] * c
            slope = _dot(tangent, tangent) + 2.0 * _dot(offset, c)
            step = np.divide(_dot(offset, tangent), slope, out=np.zeros_like(t), where=slope > 0.0)
            t = np.clip(t - step, 0.0, 1.0)
        inner = _norm(a + t[:, None] * (b + t[:, None] * c) - points)
        return np.minimum(inner, np.minimum(_norm(a - points), _norm(a + b + c - points)))


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
    index, number = repeated(count)
    share = step[index] / count[index, None]
    return start[index] + number[:, None] * share, share, np.zeros((len(index), 2))


def _curved(segment: EllipseArc | CubicBezier, tolerance: float) -> tuple[Array, Array, Array]:
    """Parabolas through both ends and the middle of equal steps in the curve's parameter.

    Interpolation error: the chord is off by at most h^2/8 max|r''|, the parabola by at most
    h^3 sqrt(3)/216 max|r'''| for a step h.
    """
    speed, second, third = _derivative_bounds(segment)
    count = math.ceil(
        max(
            1.0,
            speed / _LONGEST,
            math.sqrt(second / (8.0 * _SAG_PER_TOLERANCE * tolerance)),
            (third * math.sqrt(3.0) / 216.0 / tolerance) ** (1.0 / 3.0),
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


def _halved_order(points: Array) -> Indices:
    """Indices of points (N, 2) in the order of a k-d tree's leaves: halved by x, then by y, ...

    Some indices come twice, so that the count is a power of two.
    """
    depth = max(0, math.ceil(math.log2(len(points))))
    order: Indices = np.arange(2**depth) * len(points) // 2**depth
    for level in range(depth):
        groups = order.reshape(2**level, -1)
        along = points[groups, level % 2].argsort(axis=1)
        order = np.take_along_axis(groups, along, axis=1).reshape(-1)
    return order


def _children(block: Indices, node: Indices, count: int) -> tuple[Indices, Indices]:
    child = (node[:, None] * _FAN_OUT + np.arange(_FAN_OUT)).reshape(-1)
    block = np.repeat(block, _FAN_OUT)
    exists = child < count
    return block[exists], child[exists]


def _group_starts(block: Indices) -> Indices:
    """Where each block's pairs begin; every block has some, in order."""
    return np.flatnonzero(np.diff(block, prepend=-1))


def _offset_from_chord(points: Array, start: Array, step: Array) -> Array:
    """Vectors from points (..., 2) to the nearest points of the chords start + t step."""
    return start + _foot(points, start, step)[..., None] * step - points


def _foot(points: Array, start: Array, step: Array) -> Array:
    """Parameter in [0, 1] of the chord's point nearest to each point; 0 where it has no length."""
    along, square = _dot(points - start, step), _dot(step, step)
    ratio = np.divide(along, square, out=np.zeros_like(along), where=square > 0.0)
    return np.clip(ratio, 0.0, 1.0)


def _dot(first: Array, second: Array) -> Array:
    return first[..., 0] * second[..., 0] + first[..., 1] * second[..., 1]


def _norm(vectors: Array) -> Array:
    return np.hypot(vectors[..., 0], vectors[..., 1])

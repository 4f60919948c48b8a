# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which points are inside of a clip, and where segments cross its boundary.

Boundaries are flattened to chords that err by at most TOLERANCE_MM (1 um, a hundredth of what a
pen can do); crossings of chords are then refined on the exact curves. What runs along a boundary,
within that tolerance, counts as inside: a path that is clipped by itself is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import Array, Index, Line, nearest_on_chord
from elfin_bt.drawing.region import Clip, Region
from elfin_bt.drawing.segment_table import SegmentTable

TOLERANCE_MM = 1e-3
# Of the size of a boundary: beyond this, digits of its own coordinates are lost.
_RELATIVE_TOLERANCE = 1e-7
_MAX_CHORDS = 500_000
# Pairs of chords that one drawing may compare (about 10 ns each), and that are held at a time.
MAX_PAIRS = 200_000_000
_PAIRS_AT_ONCE = 1_000_000
_NEWTON_STEPS = 4


class Work:
    """What clipping may cost in one drawing."""

    def __init__(self) -> None:
        self._pairs = 0

    def charge(self, pairs: int) -> None:
        """Count pairs of chords; SvgError when they are too many."""
        self._pairs += pairs
        if self._pairs > MAX_PAIRS:
            raise SvgError(
                'the clip paths of the drawing are too complex '
                f'(more than {MAX_PAIRS:,} pairs to compare); release or simplify them'
            )


class Chords:
    """Segments flattened to chords, which know where on which segment they are.

    Attributes:
        start, end: (N, 2) ends of the chords.
        row: (N,) the segments that they are of.
        first, last: (N,) parameters of their ends.
    """

    def __init__(self, table: SegmentTable, rows: Index, tolerance: float) -> None:
        self.table = table
        steps = table.flat_steps(tolerance)[rows]
        if steps.sum() > _MAX_CHORDS:
            raise SvgError('a clip path or what it clips is too complex; release or simplify it')
        row, u, points = table.flattened(rows, steps)
        same = np.flatnonzero(row[1:] == row[:-1])
        self.row = row[same]
        self.first, self.last = u[same], u[same + 1]
        self.start, self.end = points[same], points[same + 1]
        self.low = np.minimum(self.start, self.end)
        self.high = np.maximum(self.start, self.end)


class Area:
    """A clip, ready to be asked about many points and segments."""

    def __init__(self, clip: Clip, work: Work) -> None:
        self._work = work
        self._parts = [Boundary(region, work) for region in clip.regions if region.loops]
        boxes = [part.box for part in self._parts]
        # Outside of this nothing can be inside.
        self.box = (
            np.stack([np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)])
            if boxes
            else np.array([[np.inf, np.inf], [-np.inf, -np.inf]])
        )
        self.tolerance = max((part.tolerance for part in self._parts), default=TOLERANCE_MM)

    def surely_holds(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Whether all of a box is inside, as far as that is quickly told."""
        return any(part.is_box and part.covers(left, top, right, bottom) for part in self._parts)

    def surely_misses(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Whether nothing of a box is inside, as far as that is quickly told."""
        (x0, y0), (x1, y1) = self.box.tolist()
        slack = self.tolerance
        return bool(
            left > x1 + slack or right < x0 - slack or top > y1 + slack or bottom < y0 - slack
        )

    def holds(self, points: Array) -> NDArray[np.bool_]:
        """Which of the points (N, 2) are inside."""
        inside = np.zeros(len(points), dtype=bool)
        for part in self._parts:
            left = np.flatnonzero(~inside)
            inside[left] = part.holds(points[left])
        return inside

    def boundaries(self) -> Iterator[Boundary]:
        """All that separates inside from outside."""
        for part in self._parts:
            yield part
            for area in part.clips:
                yield from area.boundaries()


class Boundary:
    """One region of a clip, and its boundary."""

    def __init__(self, region: Region, work: Work) -> None:
        self._work = work
        self._rule = region.rule
        table = SegmentTable([segment for loop in region.loops for segment in loop])
        self.box = table.bounds()
        if not np.isfinite(self.box).all():
            raise SvgError('a clip path has a coordinate that is not a finite number')
        size = float((self.box[1] - self.box[0]).max())
        self.tolerance = max(TOLERANCE_MM, _RELATIVE_TOLERANCE * size)
        self.chords = Chords(table, np.arange(table.size), self.tolerance)
        self.segment_boxes = table.boxes()
        self.clips = [Area(clip, work) for clip in region.clips]
        self.is_box = not self.clips and _is_box(region)

    def covers(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Whether its box holds all of another one."""
        (x0, y0), (x1, y1) = self.box.tolist()
        slack = self.tolerance
        return bool(
            x0 - slack <= left
            and right <= x1 + slack
            and y0 - slack <= top
            and bottom <= y1 + slack
        )

    def holds(self, points: Array) -> NDArray[np.bool_]:
        """Which of the points (N, 2) are inside."""
        near = (points >= self.box[0] - self.tolerance) & (points <= self.box[1] + self.tolerance)
        candidates = np.flatnonzero(near.all(axis=1))
        inside = np.zeros(len(points), dtype=bool)
        if self.is_box:
            inside[candidates] = True
        else:
            inside[candidates] = self._winds(points[candidates])
        for area in self.clips:
            inside[inside] = area.holds(points[inside])
        return inside

    def _winds(self, points: Array) -> NDArray[np.bool_]:
        """Whether the loops go around the points, or run through them."""
        start, end = self.chords.start, self.chords.end
        at_once = max(1, _PAIRS_AT_ONCE // len(start))
        self._work.charge(len(start) * len(points))
        inside = np.zeros(len(points), dtype=bool)
        for first in range(0, len(points), at_once):
            batch = points[first : first + at_once]
            x, y = batch[:, :1], batch[:, 1:]
            # Signed crossings of the ray that goes from each point to the right.
            above, below = start[:, 1] <= y, end[:, 1] > y
            up, down = above & below, ~above & ~below
            arm = end - start
            cross = arm[:, 0] * (y - start[:, 1]) - arm[:, 1] * (x - start[:, 0])
            up &= cross > 0.0
            down &= cross < 0.0
            if self._rule == 'evenodd':
                inside[first : first + at_once] = (up | down).sum(axis=1) % 2 == 1
            else:
                winding = up.sum(axis=1, dtype=np.int64) - down.sum(axis=1, dtype=np.int64)
                inside[first : first + at_once] = winding != 0
            for row in np.flatnonzero(~inside[first : first + at_once]).tolist():
                point = np.broadcast_to(batch[row], start.shape)
                away = nearest_on_chord(point, start, end) - point
                inside[first + row] = np.hypot(away[:, 0], away[:, 1]).min() <= self.tolerance
        return inside


def _is_box(region: Region) -> bool:
    """Whether the region is one upright rectangle."""
    if len(region.loops) != 1 or len(region.loops[0]) != 4:
        return False
    if not all(isinstance(segment, Line) for segment in region.loops[0]):
        return False
    ends = np.array([[segment.start, segment.end] for segment in region.loops[0]])
    flat = ends[:, 0] == ends[:, 1]
    # Each side runs along one axis, and they take turns.
    return bool((flat.sum(axis=1) == 1).all() and (flat[:-1, 0] != flat[1:, 0]).all())


def crossings(
    table: SegmentTable,
    boxes: tuple[Array, Array],
    boundary: Boundary,
    tolerance: float,
    work: Work,
) -> tuple[Index, Array]:
    """Rows and parameters of the segments of a table, with these boxes, where they cross."""
    near = np.unique(_meeting(boxes, boundary.segment_boxes, work)[0])
    if not near.size:
        return near, np.empty(0)
    stroke, edge = Chords(table, near, tolerance), boundary.chords
    mine, other = _meeting((stroke.low, stroke.high), (edge.low, edge.high), work)
    return _refined(stroke, edge, mine, other)


def _meeting(
    boxes: tuple[Array, Array], others: tuple[Array, Array], work: Work
) -> tuple[Index, Index]:
    """The pairs of boxes, lower and upper corners (N, 2), that have a point in common."""
    inner, outer = _overlapping(boxes, others), _overlapping(others, boxes)
    if not inner.size or not outer.size:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    work.charge(inner.size * outer.size)
    at_once = max(1, _PAIRS_AT_ONCE // outer.size)
    low, high = others[0][outer], others[1][outer]
    found: list[tuple[Index, Index]] = []
    for first in range(0, inner.size, at_once):
        batch = inner[first : first + at_once]
        meet = np.ones((batch.size, outer.size), dtype=bool)
        for axis in (0, 1):
            meet &= boxes[0][batch, axis][:, None] <= high[:, axis]
            meet &= boxes[1][batch, axis][:, None] >= low[:, axis]
        mine, other = np.nonzero(meet)
        found.append((batch[mine], outer[other]))
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def _overlapping(boxes: tuple[Array, Array], others: tuple[Array, Array]) -> Index:
    """The boxes that meet the box around all the others."""
    if not len(boxes[0]) or not len(others[0]):
        return np.empty(0, dtype=np.intp)
    low, high = others[0].min(axis=0), others[1].max(axis=0)
    return np.flatnonzero(((boxes[1] >= low) & (boxes[0] <= high)).all(axis=1))


def _refined(stroke: Chords, boundary: Chords, mine: Index, other: Index) -> tuple[Index, Array]:
    """Where pairs of chords cross, by Newton's method on the segments that they are of."""
    p, r = stroke.start[mine], stroke.end[mine] - stroke.start[mine]
    q, s = boundary.start[other], boundary.end[other] - boundary.start[other]
    across = r[:, 0] * s[:, 1] - r[:, 1] * s[:, 0]
    with np.errstate(divide='ignore', invalid='ignore'):
        t = ((q - p)[:, 0] * s[:, 1] - (q - p)[:, 1] * s[:, 0]) / across
        w = ((q - p)[:, 0] * r[:, 1] - (q - p)[:, 1] * r[:, 0]) / across
    slack = 1e-9
    cross = (t >= -slack) & (t <= 1 + slack) & (w >= -slack) & (w <= 1 + slack)
    mine, other, t, w = mine[cross], other[cross], t[cross], w[cross]
    row, of = stroke.row[mine], boundary.row[other]
    u = stroke.first[mine] + t * (stroke.last - stroke.first)[mine]
    v = boundary.first[other] + w * (boundary.last - boundary.first)[other]
    if not u.size:
        return row, u
    exact, exact_v = u.copy(), v.copy()
    for _ in range(_NEWTON_STEPS):
        gap = boundary.table.point(of, exact_v) - stroke.table.point(row, exact)
        a = stroke.table.derivative(row, exact)
        b = boundary.table.derivative(of, exact_v)
        across = b[:, 0] * a[:, 1] - b[:, 1] * a[:, 0]
        with np.errstate(divide='ignore', invalid='ignore'):
            du = (b[:, 0] * gap[:, 1] - b[:, 1] * gap[:, 0]) / across
            dv = (a[:, 0] * gap[:, 1] - a[:, 1] * gap[:, 0]) / across
        exact, exact_v = exact + du, exact_v + dv
    # Where the curves touch more than they cross, the chords' crossing is as good as any.
    step = stroke.last[mine] - stroke.first[mine]
    settled = np.abs(exact - u) <= step
    return row, np.clip(np.where(settled, exact, u), 0.0, 1.0)

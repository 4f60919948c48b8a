# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The whole way of the pen for a drawing: approach, plunge, draw, lift, travel, retract.

The pen rests where it touches the paper and where it leaves it, and nowhere in the air: it is
lifted straight up until it is clear of the paper, swings over and comes straight down again, on one
path of continuous curvature. The lift is over, and the plunge begins, where the pen is at height.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elfin_bt.planning import bezier
from elfin_bt.planning.blend import blend
from elfin_bt.planning.corners import SmoothCurves, rounded
from elfin_bt.planning.messages import Phase
from elfin_bt.planning.outline import Outline
from elfin_bt.planning.path import Leg, PenPath
from elfin_bt.planning.sampling import sample
from elfin_bt.planning.settings import Heights, Sampling, Speeds

Array = NDArray[np.float64]
Point = tuple[float, float, float]

_SAME_PLACE = 1e-9  # metres; no move is needed, a stroke that begins here goes on from the last
_HOP = 1e-3  # metres; over less than this a swing would be as sharp as a stop
_SHARE = 0.45  # of a straight move that a bend may take
_FLAT = 2.0  # length of a bend to its height; longer than high, since the way is longer than high


@dataclass(frozen=True)
class _Line:
    """A straight move; the pen rests before it unless it goes `on` from what is before."""

    start: Point
    end: Point
    speed: float
    on: bool = False


@dataclass(frozen=True)
class _Bend:
    """From corner - arrive to corner + leave, tangent to both vectors there."""

    corner: Point
    arrive: Point
    leave: Point
    speed: float


@dataclass(frozen=True)
class _Stroke:
    """Curves first to last of what is drawn."""

    first: int
    last: int
    speed: float


_Item = _Line | _Bend | _Stroke


@dataclass(frozen=True)
class _Part:
    """A leg before it has rows."""

    phase: Phase
    stroke: int | None
    items: list[_Item] = field(default_factory=list)
    dwell: float = 0.0


def drawing_path(
    outline: Outline,
    tip: Array,
    *,
    stroke_names: tuple[str, ...],
    heights: Heights,
    speeds: Speeds,
    sampling: Sampling,
    dry_run: bool,
) -> PenPath:
    """The path from the tip's position (3,), in the paper frame, to the retracted pen.

    A dry run draws at the height of the lifted pen, and travels there.
    """
    curves = rounded(outline, sampling.corner_tolerance, speeds.pen)
    at = float(tip[0]), float(tip[1]), float(tip[2])
    way = _Way(heights, speeds, dry_run)
    parts = [part for part in way.parts(outline, curves, at) if part.items]
    return _path(parts, curves, way.depth, sampling, stroke_names)


@dataclass(frozen=True)
class _Way:
    """What the pen does in order."""

    heights: Heights
    speeds: Speeds
    dry_run: bool

    @property
    def depth(self) -> float:
        return self.heights.lift if self.dry_run else -self.heights.contact_depth

    def parts(self, outline: Outline, curves: SmoothCurves, tip: Point) -> Iterator[_Part]:
        numbers = np.arange(len(outline.starts))
        first = np.searchsorted(curves.stroke, numbers, side='left').tolist()
        last = (np.searchsorted(curves.stroke, numbers, side='right') - 1).tolist()
        starts = [(x, y, self.depth) for x, y in outline.starts.tolist()]
        ends = [(x, y, self.depth) for x, y in outline.ends.tolist()]
        yield from self._approach(tip, starts[0])
        for stroke, start in enumerate(starts):
            here = start
            if last[stroke] >= first[stroke]:
                item = _Stroke(first[stroke], last[stroke], self.speeds.pen)
                yield _Part('draw', stroke, [item])
                here = ends[stroke]
            if stroke + 1 < len(starts):
                low = stroke in outline.near
                yield from self._trip(stroke, here, starts[stroke + 1], low)
        yield from self._retract(len(starts) - 1, here)

    def _approach(self, tip: Point, start: Point) -> Iterator[_Part]:
        above = start[0], start[1], self.heights.lift
        yield from self._down(0, 'approach', tip, above, start)

    def _trip(self, stroke: int, here: Point, there: Point, low: bool) -> Iterator[_Part]:
        """From the end of a stroke to the start of the next one, `low` if it is near."""
        travel = self.speeds.travel
        gap = math.dist(here, there)
        if gap <= _SAME_PLACE:
            return
        if self.dry_run:
            yield _Part('travel', stroke + 1, [_Line(here, there, travel)])
            return
        height = self.heights.between(gap) if low else self.heights.lift
        above = here[0], here[1], height
        then = there[0], there[1], height
        bend = _bend(here, above, then, height - self.heights.clear, travel) if gap > _HOP else None
        if bend is None:
            yield _Part('lift', stroke, [_Line(here, above, travel)])
            yield from self._down(stroke + 1, 'travel', above, then, there)
            return
        yield _Part('lift', stroke, [_Line(here, _before(bend), travel), bend])
        yield from self._down(stroke + 1, 'travel', above, then, there, bend)

    def _down(
        self,
        stroke: int,
        phase: Phase,
        here: Point,
        above: Point,
        start: Point,
        bend: _Bend | None = None,
    ) -> Iterator[_Part]:
        """From `here`, or from where `bend` ends, to `above` a stroke's start and down to it."""
        over = math.dist(here, above)
        room = above[2] - self.heights.clear
        next_bend = None
        if over > _HOP and above[2] > start[2]:
            next_bend = _bend(start, above, here, room, self.speeds.travel)
        begin = here if bend is None else _after(bend)
        end = above
        if next_bend is not None:
            # Found on the way back, from the paper up.
            next_bend = _Bend(
                next_bend.corner,
                _times(-1.0, next_bend.leave),
                _times(-1.0, next_bend.arrive),
                next_bend.speed,
            )
            end = _before(next_bend)
        if over > _SAME_PLACE:
            line = _Line(begin, end, self.speeds.travel, bend is not None)
            yield _Part(phase, stroke, [line])
        if above[2] - start[2] > _SAME_PLACE:
            items: list[_Item] = [] if next_bend is None else [next_bend]
            top = above if next_bend is None else _after(next_bend)
            items += self._lowered(top, start, next_bend is not None)
            yield _Part('plunge', stroke, items, self.heights.settle)

    def _lowered(self, top: Point, start: Point, on: bool) -> Iterator[_Line]:
        """Straight down, ever slower."""
        x, y, z = top
        levels = (
            (self.heights.clear, self.speeds.travel),
            (self.heights.contact_zone, self.speeds.plunge),
            (start[2], min(self.speeds.contact, self.speeds.plunge)),
        )
        for level, speed in levels:
            if z - level > _SAME_PLACE:
                yield _Line((x, y, z), (x, y, level), speed, on)
                z, on = level, True

    def _retract(self, stroke: int, here: Point) -> Iterator[_Part]:
        travel = self.speeds.travel
        lifted = here[0], here[1], self.heights.lift
        away = here[0], here[1], self.heights.retract
        on = lifted[2] - here[2] > _SAME_PLACE
        if on:
            yield _Part('lift', stroke, [_Line(here, lifted, travel)])
        if math.dist(lifted, away) > _SAME_PLACE:
            yield _Part('retract', None, [_Line(lifted, away, travel, on and away[2] > lifted[2])])


def _bend(start: Point, corner: Point, end: Point, room: float, speed: float) -> _Bend | None:
    """From the way up from `start` to `corner`, in its last `room` metres, into that to `end`."""
    over = math.dist(corner, end)
    reach = min(_SHARE * over, _FLAT * room)
    if room <= 0.0 or reach <= 0.0:
        return None
    leave = _times(reach / over, (end[0] - corner[0], end[1] - corner[1], end[2] - corner[2]))
    return _Bend(corner, (0.0, 0.0, room), leave, speed)


def _times(factor: float, vector: Point) -> Point:
    return factor * vector[0], factor * vector[1], factor * vector[2]


def _before(bend: _Bend) -> Point:
    (x, y, z), (u, v, w) = bend.corner, bend.arrive
    return x - u, y - v, z - w


def _after(bend: _Bend) -> Point:
    (x, y, z), (u, v, w) = bend.corner, bend.leave
    return x + u, y + v, z + w


def _path(
    parts: list[_Part],
    smooth: SmoothCurves,
    depth: float,
    sampling: Sampling,
    stroke_names: tuple[str, ...],
) -> PenPath:
    items = [item for part in parts for item in part.items]
    counts = np.array([_count(item) for item in items])
    first = np.cumsum(counts) - counts
    total = int(counts.sum())
    drawn = np.concatenate([smooth.curves, np.full((4, 1, len(smooth.stroke)), depth)], axis=1)
    is_line, is_bend, is_drawn = (
        np.array([isinstance(item, kind) for item in items]) for kind in (_Line, _Bend, _Stroke)
    )
    curves = np.empty((4, 3, total))
    drawing = np.repeat(is_drawn, counts)
    curves[:, :, drawing] = drawn
    lines = [item for item in items if isinstance(item, _Line)]
    curves[:, :, first[is_line]] = bezier.lines(
        np.array([line.start for line in lines]).reshape(-1, 3).T,
        np.array([line.end for line in lines]).reshape(-1, 3).T,
    )
    at = (first[is_bend] + np.arange(3)[:, None]).ravel()
    curves[:, :, at] = _bends([item for item in items if isinstance(item, _Bend)])

    rests, peaks = np.zeros(total, dtype=bool), np.zeros(total, dtype=bool)
    rests[drawing], peaks[drawing] = smooth.rests, smooth.peaks
    rests[first[is_line]] = [not line.on for line in lines]
    peaks[first[is_bend] + 1] = True
    spacing = np.where(drawing, sampling.spacing, sampling.travel_spacing)
    speed = np.repeat([item.speed for item in items], counts)
    rows = sample(curves, rests, peaks, speed, spacing, sampling.turn)

    return PenPath(
        rows.points.T,
        rows.tangents.T,
        rows.curvatures.T,
        rows.lengths,
        speed[rows.curve[:-1]],
        _legs(parts, rows.curve, rests),
        stroke_names,
    )


def _count(item: _Item) -> int:
    if isinstance(item, _Stroke):
        return item.last - item.first + 1
    return 3 if isinstance(item, _Bend) else 1


def _bends(bends: list[_Bend]) -> Array:
    """Curves (4, 3, 3 K): all first parts, all second, all third.

    An affine image of the blend of a right angle, so of continuous curvature as that is.
    """
    corner, arrive, leave = (
        np.array([getattr(bend, name) for bend in bends]).reshape(-1, 3).T
        for name in ('corner', 'arrive', 'leave')
    )
    none = np.zeros_like(corner)
    duration = np.full(len(bends), 2.0)
    return blend(corner - arrive, arrive, none, corner + leave, leave, none, duration)


def _legs(
    parts: list[_Part], curve_of_row: NDArray[np.intp], rests: NDArray[np.bool_]
) -> tuple[Leg, ...]:
    legs: list[Leg] = []
    counts = [sum(_count(item) for item in part.items) for part in parts]
    next_curve = np.cumsum(counts)
    # The first row of the curve after a leg; after a rest the leg has the one before.
    next_row = np.searchsorted(curve_of_row, next_curve, side='left')
    resting = np.append(rests[next_curve[:-1]], True)
    begin = 0
    for part, row, rest in zip(parts, next_row.tolist(), resting.tolist(), strict=True):
        last = row - 1 if rest else row
        legs.append(Leg(part.phase, part.stroke, begin, last, part.dwell))
        begin = row
    return tuple(legs)

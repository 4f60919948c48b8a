# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The pen's work made less, step by step, with figures of what each step did.

What is drawn stays the same within the tolerances; how it is cut into strokes, and in which order
and direction they are drawn, is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from elfin_bt.drawing.artwork import Artwork, Outline
from elfin_bt.drawing.duplicates import without_duplicates
from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.hatch import Hatch, with_hatching
from elfin_bt.drawing.merge import merged
from elfin_bt.drawing.order import ordered
from elfin_bt.drawing.pen_states import Pause
from elfin_bt.drawing.pens import PensBy, by_pen, ink_pauses, near_lifts, pen_pauses
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.simplify import simplified
from elfin_bt.drawing.start_points import with_free_starts
from elfin_bt.drawing.strokes import end_points, gaps

Pens = list[list[Outline]]

_LENGTH_TOLERANCE = 1e-6


@dataclass(frozen=True, kw_only=True)
class PenOptions:
    """Which steps are done; lengths in mm on the paper, 0 leaves a step out.

    Attributes:
        hatch: fill painted areas with lines.
        pens: strokes of one layer or colour are drawn together, with a pause before the next.
        simplify_mm: lines are left out that change nothing by more.
        dedupe_mm: what is within this of something drawn before is not drawn again.
        merge_mm: ends that are no farther apart are joined.
        order: strokes are drawn in the order and direction with the least travel.
        free_start: closed strokes begin where the pen comes past.
        near_mm: between strokes less than this apart the pen is lifted less, the nearer the less.
        ink_m: a pause each time that the pen has drawn so many metres.
    """

    hatch: Hatch | None = None
    pens: PensBy = 'off'
    simplify_mm: float = 0.01
    dedupe_mm: float = 0.05
    merge_mm: float = 0.1
    order: bool = True
    free_start: bool = True
    near_mm: float = 40.0
    ink_m: float | None = None

    def __post_init__(self) -> None:
        """Refuse lengths without sense."""
        for name in ('simplify_mm', 'dedupe_mm', 'merge_mm', 'near_mm'):
            value = getattr(self, name)
            if not 0.0 <= value < float('inf'):
                raise DrawingError(f'{name} is {value:g}, expected 0 or more')
        if self.ink_m is not None and not 0.0 < self.ink_m < float('inf'):
            raise DrawingError(f'ink_m is {self.ink_m:g}, expected more than 0')


AS_READ = PenOptions(
    simplify_mm=0.0, dedupe_mm=0.0, merge_mm=0.0, order=False, free_start=False, near_mm=0.0
)
"""Every stroke as it is in the file, in the order of the file."""


@dataclass(frozen=True)
class PenPlan:
    """Strokes in the order of drawing, and what Recipe says beside them."""

    outlines: tuple[Outline, ...]
    near_lifts: tuple[int, ...] = ()
    pauses: tuple[Pause, ...] = ()
    planning: Sequence[dict[str, Any]] = field(default_factory=list)


def plan_pen(artwork: Artwork, options: PenOptions, scale: float) -> PenPlan:
    """Strokes for the outlines of an artwork.

    scale: paper mm per page mm.
    """
    planning = _Planning(artwork.outlines, scale)
    if hatch := options.hatch:
        planning.step(
            'hatch',
            lambda pens: [with_hatching(_all(pens), artwork.fills, hatch, scale, artwork.page_mm)],
            ink=True,
        )
    if not _all(planning.pens):
        return PenPlan((), planning=planning.figures)
    if options.pens != 'off':
        planning.step('pens', lambda pens: by_pen(_all(pens), options.pens))
    if tolerance := options.simplify_mm / scale:
        planning.step('simplify', _each(lambda pen: simplified(pen, tolerance)), ink=True)
    if same := options.dedupe_mm / scale:
        planning.step('dedupe', _each(lambda pen: without_duplicates(pen, same)), ink=True)
    if touching := options.merge_mm / scale:
        planning.step('merge', _each(lambda pen: merged(pen, touching)), ink=True)
    if options.order:
        planning.step('order', _in_order)
    if options.free_start:
        planning.step('free_start', lambda pens: _with_free_starts(pens, options.order))
    outlines = _all(planning.pens)
    pauses = pen_pauses(planning.pens, options.pens)
    if options.ink_m:
        renewed = [pause.before for pause in pauses]
        lengths = scale * stroke_lengths(outlines)
        pauses += ink_pauses(lengths, 1000.0 * options.ink_m, renewed)
    pauses.sort(key=lambda pause: pause.before)
    near = near_lifts(*end_points(outlines), options.near_mm / scale, pauses)
    return PenPlan(tuple(outlines), near, tuple(pauses), planning.figures)


class _Planning:
    """The strokes of each pen, and what the steps did to them."""

    def __init__(self, outlines: Sequence[Outline], scale: float) -> None:
        self.pens: Pens = [list(outlines)]
        self.figures: list[dict[str, Any]] = []
        self._scale = scale
        self._now: dict[str, Any] | None = None
        # Most steps leave most outlines as they are.
        self._lengths: dict[int, tuple[Outline, float]] = {}

    def step(self, name: str, do: Callable[[Pens], Pens], ink: bool = False) -> None:
        """Do a step; `ink` says that it may change what the pen draws, or its length."""
        before = self._now or self._measured(None)
        self.pens = do(self.pens)
        self._now = self._measured(None if ink else before['pen_down_mm'])
        self.figures.append({'step': name, 'before': before, 'after': self._now})

    def _measured(self, pen_down_mm: float | None) -> dict[str, Any]:
        outlines = _all(self.pens)
        if pen_down_mm is None:
            pen_down_mm = self._scale * self._length(outlines)
        travel = gaps(*end_points(outlines)).sum() if outlines else 0.0
        return {
            'strokes': len(outlines),
            'segments': sum(len(outline.segments) for outline in outlines),
            'pen_down_mm': pen_down_mm,
            'pen_up_mm': self._scale * float(travel),
        }

    def _length(self, outlines: list[Outline]) -> float:
        new = [outline for outline in outlines if id(outline) not in self._lengths]
        if new:
            lengths = stroke_lengths(new).tolist()
            self._lengths |= {id(o): (o, size) for o, size in zip(new, lengths, strict=True)}
        return sum(self._lengths[id(outline)][1] for outline in outlines)


def stroke_lengths(outlines: Sequence[Outline]) -> Array:
    """Lengths (S,) of the outlines."""
    segments = [segment for outline in outlines for segment in outline.segments]
    owner = np.repeat(np.arange(len(outlines)), [len(o.segments) for o in outlines])
    return np.bincount(
        owner, SegmentTable(segments).lengths(_LENGTH_TOLERANCE), len(outlines)
    ).astype(np.float64)


def _all(pens: Pens) -> list[Outline]:
    return list(chain.from_iterable(pens))


def _each(do: Callable[[list[Outline]], list[Outline]]) -> Callable[[Pens], Pens]:
    return lambda pens: [do(pen) for pen in pens]


def _in_order(pens: Pens) -> Pens:
    return list(_ordered(pens))


def _ordered(pens: Pens) -> Iterator[list[Outline]]:
    here: Array | None = None
    for pen in pens:
        result = ordered(pen, here)
        yield result
        here = result[-1].segments[-1].end if result else here


def _with_free_starts(pens: Pens, order: bool) -> Pens:
    """Also in another order, if the starts make one shorter."""
    begun = [with_free_starts(pen) for pen in pens]
    moved = any(a is not b for a, b in zip(_all(pens), _all(begun), strict=True))
    return [with_free_starts(pen) for pen in _ordered(begun)] if order and moved else begun

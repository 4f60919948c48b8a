# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn, as curves that are fit to be rounded and sampled.

An SVG holds things that no arm can follow as they stand: thousands of segments of microns, curves
that turn back within a hair's breadth, segments without length. Here they become plain corners and
short lines, at most MICRO away from the original.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.planning import bezier
from elfin_bt.planning.flattened import smoothed
from elfin_bt.planning.refusal import Unplannable

Array = NDArray[np.float64]
Index = NDArray[np.intp]

MICRO = 10e-6
"""Segments shorter than this are taken together, bends tighter than this are corners, metres."""

_GAP = 1e-6  # metres; segments of a stroke that are further apart are an error in the recipe
_BEND = 0.5  # rad; a turn by more than this within MICRO is a corner
_HAIRPIN = 0.2  # a hodograph that keeps this far from zero (of its mean) has no such turn


@dataclass(frozen=True, eq=False)
class Outline:
    """Curves (4, 2, M) in paper metres, and the stroke (M,) that each belongs to, in order.

    starts and ends (S, 2) are the end points of all strokes; a dot has no curves. near holds the
    strokes after which the pen need not be lifted to the full height.
    """

    curves: Array
    stroke: Index
    starts: Array
    ends: Array
    near: frozenset[int] = frozenset()


def outline(recipe: Recipe) -> Outline:
    """The strokes of a recipe on the paper. Raises Unplannable for a stroke with a gap."""
    segments = [s for stroke in recipe.strokes for s in stroke.segments]
    owner = np.repeat(np.arange(len(recipe.strokes)), [len(s.segments) for s in recipe.strokes])
    with np.errstate(invalid='ignore'):
        curves, segment = bezier.of_segments(segments)
        curves = recipe.placement[:, :2] @ curves + recipe.placement[:, 2:]
    stroke = owner[segment]
    if not np.isfinite(curves).all():
        raise Unplannable('the recipe holds a coordinate that is not finite')
    _refuse_gaps(curves, stroke)
    curves = _joined(curves)
    first = np.searchsorted(stroke, np.arange(len(recipe.strokes)), side='left')
    last = np.searchsorted(stroke, np.arange(len(recipe.strokes)), side='right') - 1
    starts, ends = curves[0, :, first], curves[3, :, last]
    curves, stroke = _without_dots(curves, stroke)
    curves, stroke = _merged(curves, stroke)
    curves, stroke = _without_specks(curves, stroke)
    curves, stroke = _with_bends_as_corners(curves, stroke)
    curves = smoothed(curves, stroke)
    return Outline(curves, stroke, starts, ends, frozenset(recipe.near_lifts))


def _refuse_gaps(curves: Array, stroke: Index) -> None:
    gaps = bezier.norm(curves[0, :, 1:] - curves[3, :, :-1]) * (stroke[1:] == stroke[:-1])
    if np.any(gaps > _GAP):
        worst = int(np.argmax(gaps))
        raise Unplannable(
            f'stroke {stroke[worst] + 1} has a gap of {1e3 * gaps[worst]:.3f} mm between two of '
            'its segments: split it into two strokes'
        )


def _joined(curves: Array) -> Array:
    """Curves that begin within MICRO of the end of the one before begin exactly there.

    Also from stroke to stroke, so that the pen can stay down.
    """
    gap = curves[3, :, :-1] - curves[0, :, 1:]
    shift = np.where(bezier.norm(gap) <= MICRO, gap, 0.0)
    curves[:2, :, 1:] += shift
    return curves


def _without_dots(curves: Array, stroke: Index) -> tuple[Array, Index]:
    """Without the strokes that are shorter than MICRO as a whole, and segments without length."""
    size = bezier.polygon_lengths(curves)
    total = np.bincount(stroke, size)[stroke]
    keep = (total >= MICRO) & (size > 1e-4 * MICRO)
    return curves[:, :, keep], stroke[keep]


def _merged(curves: Array, stroke: Index) -> tuple[Array, Index]:
    """Neighbours shorter than MICRO become one line each MICRO of their common length."""
    size = bezier.polygon_lengths(curves)
    short = size < MICRO
    if not np.any(short):
        return curves, stroke
    changes = (short[1:] != short[:-1]) | (stroke[1:] != stroke[:-1])
    chain = np.concatenate([[0], np.cumsum(changes)])
    first_of_chain = np.searchsorted(chain, chain)
    before = np.cumsum(size) - size
    step = np.floor((before - before[first_of_chain]) / MICRO)
    joined = short[1:] & short[:-1] & (chain[1:] == chain[:-1]) & (step[1:] == step[:-1])
    first = np.flatnonzero(np.concatenate([[True], ~joined]))
    last = np.concatenate([first[1:] - 1, [len(stroke) - 1]])
    result = bezier.lines(curves[0][:, first], curves[3][:, last])
    result = np.where(first == last, curves[:, :, first], result)
    keep = bezier.polygon_lengths(result) > 1e-4 * MICRO
    return result[:, :, keep], stroke[first][keep]


def _without_specks(curves: Array, stroke: Index) -> tuple[Array, Index]:
    """Without single curves much shorter than MICRO: their neighbours meet in their place.

    No corner could be rounded on them, and no row of points lies on them.
    """
    speck = bezier.polygon_lengths(curves) < 0.5 * MICRO
    speck[1:] &= ~speck[:-1]
    follows = np.append(False, stroke[1:] == stroke[:-1])
    leads = np.append(follows[1:], False)
    after = np.flatnonzero(speck & follows)  # the curve before is led to the end of the speck
    curves[2:, :, after - 1] += curves[3, :, after].T - curves[3, :, after - 1].T
    first = np.flatnonzero(speck & ~follows & leads)  # the curve after begins where it does
    curves[:2, :, first + 1] += curves[0, :, first].T - curves[0, :, first + 1].T
    keep = ~(speck & (follows | leads))
    return curves[:, :, keep], stroke[keep]


def _with_bends_as_corners(curves: Array, stroke: Index) -> tuple[Array, Index]:
    """Curves are cut where they turn by more than _BEND within MICRO: cusps, hairpins, flat ends.

    The bend itself goes; the curve on each side is shifted at that end by at most MICRO / 2, so
    that both end in one corner.
    """
    suspects = np.flatnonzero(_may_turn_back(curves))
    if not len(suspects):
        return curves, stroke
    pieces: list[Array] = []
    owners: list[int] = []
    for row in suspects:
        parts = _cut_at_bends(curves[:, :, row])
        pieces.extend(parts)
        owners.extend([int(row)] * len(parts))
    others = np.setdiff1d(np.arange(len(stroke)), suspects)
    owner = np.concatenate([others, np.array(owners, dtype=np.intp)])
    order = np.argsort(owner, kind='stable')
    result = np.concatenate([curves[:, :, others], np.stack(pieces, axis=2)], axis=2)
    return result[:, :, order], stroke[owner[order]]


def _may_turn_back(curves: Array) -> NDArray[np.bool_]:
    """Whether the derivative comes near zero: its control points aren't well on one side of it."""
    legs = np.diff(curves, axis=0)
    size = bezier.norm(np.moveaxis(legs, 1, 0))
    mean = size.mean(axis=0)
    ahead = (legs * bezier.unit(curves[3] - curves[0])).sum(axis=1)
    # A handle without length has no direction; the curve leaves along the next leg.
    ahead[size < 1e-6 * mean] = np.inf
    return np.asarray(ahead.min(axis=0) < _HAIRPIN * mean)


def _cut_at_bends(curve: Array) -> list[Array]:
    """The parts (4, 2) of one curve (4, 2) that are left without its tight bends."""
    u = np.linspace(0.0, 1.0, 17)
    while True:
        points = bezier.point(curve[:, :, None], u)
        tangents = bezier.unit(bezier.derivative(curve[:, :, None], u))
        tangents[:, :1] = bezier.start_tangents(curve[:, :, None])
        tangents[:, -1:] = bezier.end_tangents(curve[:, :, None])
        tight = bezier.turn(tangents[:, :-1], tangents[:, 1:]) > _BEND
        wide = bezier.norm(np.diff(points, axis=1)) > MICRO / 4
        split = np.flatnonzero(tight & (wide | (np.diff(u) > 0.01)))
        if not len(split):
            break
        u = np.sort(np.concatenate([u, 0.5 * (u[split] + u[split + 1])]))
    parts: list[Array] = []
    start, corner = 0.0, curve[0]
    for first, last in _chains(tight):
        here = _corner_of_bend(points.T, first, last)
        if u[first] > start:
            parts.append(_between(curve, start, u[first], corner, here))
        start, corner = u[last], here
    if start < 1.0:
        parts.append(_between(curve, start, 1.0, corner, curve[3]))
    return [p for p in parts if bezier.polygon_lengths(p) > 1e-4 * MICRO]


def _chains(tight: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last point of each chain of neighbouring tight intervals."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], tight, [False]])))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def _corner_of_bend(points: Array, first: int, last: int) -> Array:
    """Where the corner goes; the ends of a curve must stay where they are."""
    if first == 0:
        last = 0
    elif last == len(points) - 1:
        first = last
    middle: Array = 0.5 * (points[first] + points[last])
    return middle


def _between(curve: Array, first: float, last: float, start: Array, end: Array) -> Array:
    """The curve between two parameters, its ends shifted to `start` and `end`."""
    section: Array = bezier.part(curve, np.array(first), np.array(last))
    section[:2] += start - section[0]
    section[2:] += end - section[3]
    return section

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The order and the direction in which strokes are drawn, so that the pen travels little.

A first tour joins the nearest ends, the shortest gaps first (greedy matching: better than walking
to the nearest stroke each time, which leaves the long ways for last); then exchanges shorten it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.fragments import Fragments
from elfin_bt.drawing.geometry import Array, Index
from elfin_bt.drawing.neighbours import nearest
from elfin_bt.drawing.strokes import end_points, gaps, turned_round
from elfin_bt.drawing.two_opt import shortened

_NEIGHBOURS = 8
# Gaps are equal that differ by less than this part of the drawing's size.
_ALIKE = 1e-6
# A direction that is none of those in which people hatch.
_ACROSS = np.array([0.819, 0.574])


def ordered(outlines: Sequence[Outline], begin: Array | None = None) -> list[Outline]:
    """The outlines in an order, and each in the direction, with little travel between them.

    It never travels farther than the order given.

    Args:
        outlines: strokes that may be drawn in any order.
        begin: (2,) where the pen is before; None where that does not matter.
    """
    if not outlines:
        return []
    starts, ends = end_points(outlines)
    places = np.stack([starts, ends], axis=1).reshape(-1, 2)
    tour = shortened(greedy_tour(places, begin), places, begin)
    if _travel(tour, places, begin) >= _travel(2 * np.arange(len(outlines)), places, begin):
        return list(outlines)
    return [
        turned_round(outlines[end // 2]) if end % 2 else outlines[end // 2] for end in tour.tolist()
    ]


def greedy_tour(places: Array, begin: Array | None = None) -> Index:
    """The ends (S,) at which the strokes are entered, in order.

    places: (2 S, 2), of stroke k the start at 2 k and the end at 2 k + 1.
    """
    fragments = Fragments(len(places) // 2)
    while fragments.chain_count > 1:
        free = np.array(fragments.free_ends())
        distance, other = nearest(places[free], min(_NEIGHBOURS, len(free) - 1))
        a, b = np.repeat(free, other.shape[1]), free[other].ravel()
        length, middle = distance.ravel(), places[a] + places[b]
        # Equal gaps (hatching) are taken along the page: at random, some lines would be left over.
        like = np.round(length / (_ALIKE * max(float(np.ptp(places)), 1e-300)))
        order = np.lexsort((middle @ _ACROSS, like))
        for pair in order[: np.isfinite(length).sum()].tolist():
            fragments.join(int(a[pair]), int(b[pair]))
    ways = fragments.free_ends()
    if begin is not None:
        ways.sort(key=lambda end: float(np.hypot(*(places[end] - begin))))
    return np.array([2 * k + flipped for k, flipped in fragments.chain_from(ways[0])])


def _travel(tour: Index, places: Array, begin: Array | None) -> float:
    starts, ends = places[tour], places[tour ^ 1]
    approach = 0.0 if begin is None else float(np.hypot(*(starts[0] - begin)))
    return approach + float(gaps(starts, ends).sum())

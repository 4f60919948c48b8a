# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The smallest distance between bodies along a joint path, without looking at every row.

A distance is Lipschitz in the joints: where joint j moves one body of a pair by at most reach_j
metres per radian relative to the other, |d(q) - d(q')| <= sum_j reach_j |q_j - q'_j|. So one
evaluation at a row settles every row around it, however often the path comes by. The path is cut
into short blocks of rows, each in its box of joint angles, and the boxes are searched as a tree:
look at one row in the middle of a set of boxes; if that does not settle the whole set, cut the set
where it is widest. The cost grows with the extent of a drawing, not with the length of its path.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]

CLEARANCE = 0.015
"""A configuration with less than this between two bodies, m, is reported when it is looked at."""
BLOCK = 8
"""Rows of a path that share a box."""


@dataclass(frozen=True)
class Search:
    """What was found along a path.

    Attributes:
        nearest: smallest distance of all pairs at the rows that were looked at, m.
        bound: no two bodies are nearer than this on the path, between its rows included, outside
            the unsettled blocks, m. Meaningless where `nearest` is below what is required.
        unsettled: first rows of blocks (BLOCK rows and the next one) that need a closer look.
        evaluations: number of rows that were looked at.
    """

    nearest: float
    bound: float
    unsettled: tuple[int, ...]
    evaluations: int


def search(
    q: Array,
    distances: Callable[[Array], Array],
    reach: Array,
    *,
    required: float,
    proven: float,
    tolerance: float,
) -> Search:
    """Bound the distances along the path q (N, 6) rad, straight in joint space between its rows.

    Args:
        q: the path.
        distances: of each pair (P,) at one configuration (6,), m.
        reach: (P, 6) metres that a joint moves one body of a pair to the other per radian, at most.
        required: a row with a smaller distance, m, ends the search.
        proven: distance that is proven everywhere else, m.
        tolerance: `nearest` is at most this much more than `bound`, m.
    """
    boxes = _Boxes(q)
    order = count()
    nearest, bound, evaluations = np.inf, np.inf, 0
    unsettled: list[int] = []
    heap: list[tuple[float, int, Index]] = [(-np.inf, next(order), np.arange(boxes.count))]
    while heap and nearest >= required:
        lower, _, members = heapq.heappop(heap)
        if lower >= max(proven, nearest - tolerance):
            bound = min(bound, lower)
            break  # all others in the heap are at least as far
        row, half = boxes.around(members)
        at_row = distances(row)
        evaluations += 1
        nearest = min(nearest, float(at_row.min()))
        moved = reach * half
        spare = at_row - moved.sum(axis=1)
        pair = int(np.argmin(spare))
        lower = max(lower, float(spare[pair]))
        if len(members) > 1:
            if lower < max(proven, nearest - tolerance):
                for part in boxes.parts(members, int(np.argmax(moved[pair]))):
                    heapq.heappush(heap, (lower, next(order), part))
            else:
                bound = min(bound, lower)
        elif lower >= proven:
            bound = min(bound, lower)
        else:
            unsettled.append(BLOCK * int(members[0]))
    return Search(nearest, bound, tuple(sorted(unsettled)), evaluations)


class _Boxes:
    """Ranges of the joints over blocks of rows, each with the first row of the next block."""

    def __init__(self, q: Array) -> None:
        columns = q.T
        self.count = max(-(-(len(q) - 1) // BLOCK), 1)
        self._rows = columns[:, ::BLOCK][:, : self.count].copy()
        self._lower, self._upper = self._rows.copy(), self._rows.copy()
        for offset in range(1, BLOCK + 1):
            rows = columns[:, offset::BLOCK]  # the last block may lack some
            there = np.s_[:, : rows.shape[1]]
            np.minimum(self._lower[there], rows, out=self._lower[there])
            np.maximum(self._upper[there], rows, out=self._upper[there])
            if offset == BLOCK // 2:
                self._rows[there] = rows

    def around(self, members: Index) -> tuple[Array, Array]:
        """A row (6,) of the members, near their middle, and how far each joint gets from it."""
        lower = self._lower[:, members].min(axis=1)
        upper = self._upper[:, members].max(axis=1)
        rows = self._rows[:, members]
        off = np.abs(rows - 0.5 * (lower + upper)[:, None]).sum(axis=0)
        row = rows[:, int(np.argmin(off))]
        return row, np.maximum(upper - row, row - lower)

    def parts(self, members: Index, joint: int) -> tuple[Index, Index]:
        """Two parts of the members, cut in the middle of one joint's range."""
        place = self._rows[joint, members]
        low = place < 0.5 * (place.min() + place.max())
        if low.all() or not low.any():
            low = np.arange(len(members)) < len(members) // 2
        return members[low], members[~low]

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A tour through strokes is made shorter by exchanges, until none of them shortens it.

Two kinds: a part of the tour is run the other way (2-opt), and a few strokes in a row are moved to
another place, either way round (Or-opt). An exchange that shortens the tour has a new gap shorter
than an old one at the same end; so only the nearest neighbours of each end need be tried, and an
end is tried again only where something near it has changed (J. L. Bentley, Fast Algorithms for
Geometric Traveling Salesman Problems, ORSA Journal on Computing 4, 1992).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import numpy as np

from elfin_bt.drawing.geometry import Array, Index
from elfin_bt.drawing.neighbours import nearest

_NEIGHBOURS = 8
_LONGEST_MOVE = 3  # strokes
_NOWHERE = -1
_LEAST_GAIN = 1e-9  # share of the mean gap; less is rounding


def shortened(tour: Index, places: Array, begin: Array | None = None) -> Index:
    """The tour (S,) after all exchanges that shorten it.

    Args:
        tour: the ends at which the strokes are entered, in order.
        places: (2 S, 2), of stroke k the start at 2 k and the end at 2 k + 1.
        begin: (2,) where the pen is before the first; None where that does not matter.
    """
    if begin is None:
        return _Exchanges(tour, places, 0).run() if len(tour) > 1 else tour
    # Where the pen is before is a stroke without length that stays the first.
    extended = np.vstack([places, begin, begin])
    fixed_first = np.concatenate([[len(places)], tour])
    return _Exchanges(fixed_first, extended, 1).run()[1:]


class _Exchanges:
    """The tour and where each stroke is in it; the first `fixed` strokes stay."""

    def __init__(self, tour: Index, places: Array, fixed: int) -> None:
        self._tour = np.array(tour, dtype=np.intp)
        self._position = np.empty_like(self._tour)
        self._position[self._tour // 2] = np.arange(len(tour))
        # Single numbers are read several times faster through a memoryview than from an array.
        self._entry, self._at = self._tour.data, self._position.data
        self._x, self._y = places.T.tolist()
        self._neighbours = nearest(places, min(_NEIGHBOURS, len(places) - 1))[1].tolist()
        self._count, self._fixed = len(tour), fixed
        size = float(np.ptp(places, axis=0).max())
        self._least_gain = _LEAST_GAIN * size / len(tour)

    def run(self) -> Index:
        """Exchange until nothing is gained."""
        waiting = deque(self._tour.tolist())
        waiting.extend((self._tour ^ 1).tolist())
        is_waiting = bytearray(b'\1') * (2 * self._count)
        while waiting:
            end = waiting.popleft()
            is_waiting[end] = 0
            for changed in self._improve(end):
                if changed != _NOWHERE and not is_waiting[changed]:
                    is_waiting[changed] = 1
                    waiting.append(changed)
        return self._tour

    def _improve(self, end: int) -> tuple[int, ...]:
        """Make the first exchange that gains at an end; the ends whose gaps have changed."""
        place = self._at[end >> 1]
        leaves = self._entry[place] != end
        slot = place if leaves else place - 1
        gap = self._gap(slot + 1)
        for other in self._neighbours[end]:
            distance = self._distance(end, other)
            if distance >= gap:
                break
            if other >> 1 == end >> 1:
                continue
            there = self._at[other >> 1]
            other_leaves = self._entry[there] != other
            if leaves == other_leaves:
                first, last = sorted((slot, there if leaves else there - 1))
                if self._reversal_gains(first + 1, last):
                    return self._reverse(first + 1, last)
            for first, last in self._movable(there, other_leaves):
                turned = leaves == other_leaves
                if self._move_gains(first, last, slot, turned):
                    return self._move(first, last, slot, turned)
        return ()

    def _movable(self, place: int, ends_there: bool) -> Iterator[tuple[int, int]]:
        """The short parts of the tour that end, or begin, at a place."""
        for more in range(_LONGEST_MOVE):
            first, last = (place - more, place) if ends_there else (place, place + more)
            if first < self._fixed or last >= self._count:
                return
            yield first, last

    def _reversal_gains(self, first: int, last: int) -> bool:
        if first < self._fixed or last >= self._count:
            return False
        new = self._distance(self._exit(first - 1), self._exit(last)) + self._distance(
            self._enter(first), self._enter(last + 1)
        )
        return new < self._gap(first) + self._gap(last + 1) - self._least_gain

    def _move_gains(self, first: int, last: int, slot: int, turned: bool) -> bool:
        """Whether the strokes first..last are better between `slot` and the one after it."""
        if first - 1 <= slot <= last or slot + 1 < self._fixed:
            return False
        lead, trail = self._enter(first), self._exit(last)
        if turned:
            lead, trail = trail, lead
        new = (
            self._distance(self._exit(slot), lead)
            + self._distance(trail, self._enter(slot + 1))
            + self._distance(self._exit(first - 1), self._enter(last + 1))
        )
        old = self._gap(first) + self._gap(last + 1) + self._gap(slot + 1)
        return new < old - self._least_gain

    def _reverse(self, first: int, last: int) -> tuple[int, ...]:
        part = slice(first, last + 1)
        self._set(first, self._tour[part][::-1] ^ 1)
        return self._around(first, last + 1)

    def _move(self, first: int, last: int, slot: int, turned: bool) -> tuple[int, ...]:
        part = self._tour[first : last + 1].copy()
        if turned:
            part = part[::-1] ^ 1
        size = last + 1 - first
        if slot > last:
            self._set(first, np.concatenate([self._tour[last + 1 : slot + 1], part]))
            return self._around(first, slot + 1 - size, slot + 1)
        self._set(slot + 1, np.concatenate([part, self._tour[slot + 1 : first]]))
        return self._around(slot + 1, slot + 1 + size, last + 1)

    def _set(self, first: int, entries: Index) -> None:
        self._tour[first : first + len(entries)] = entries
        self._position[entries // 2] = np.arange(first, first + len(entries))

    def _around(self, *gaps: int) -> tuple[int, ...]:
        """The ends on both sides of gaps, each named by the stroke after it."""
        return tuple(end for gap in gaps for end in (self._exit(gap - 1), self._enter(gap)))

    def _enter(self, place: int) -> int:
        return self._entry[place] if place < self._count else _NOWHERE

    def _exit(self, place: int) -> int:
        return self._entry[place] ^ 1 if place >= 0 else _NOWHERE

    def _gap(self, place: int) -> float:
        return self._distance(self._exit(place - 1), self._enter(place))

    def _distance(self, a: int, b: int) -> float:
        if a < 0 or b < 0:
            return 0.0
        return math.hypot(self._x[a] - self._x[b], self._y[a] - self._y[b])

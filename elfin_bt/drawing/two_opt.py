# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A tour through strokes is made shorter by exchanges, until none of them shortens it.

Two kinds: a part of the tour is run the other way (2-opt), and a few strokes in a row are moved to
another place, either way round (Or-opt). An exchange that shortens the tour has a new gap shorter
than an old one at the same end; so only the nearest neighbours of each end need be tried, and an
end is tried again only where something near it has changed (J. L. Bentley, Fast Algorithms for
Geometric Traveling Salesman Problems, ORSA Journal on Computing 4, 1992).

Then the tour is kicked: two short parts that follow one another change places, and exchanges are
made around there. What comes out shorter stays, else all of it is undone (iterated local search;
D. S. Johnson and L. A. McGeoch, The Traveling Salesman Problem: A Case Study in Local Optimization,
1997).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np

from elfin_bt.drawing.geometry import Array, Index
from elfin_bt.drawing.neighbours import nearest

_NEIGHBOURS = 8
_LONGEST_MOVE = 3  # strokes
_NOWHERE = -1
_LEAST_GAIN = 1e-9  # share of the mean gap; less is rounding
_KICKS = 0.1  # for each stroke
_LONGEST_KICK = 20  # strokes in each part
_MOST_KICKS = 500
_FEWEST = 8  # strokes; among fewer there is nothing to find


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
        self._is_waiting = bytearray(len(places))
        # Since the last kick: what _set has overwritten, and by how much the tour is shorter.
        self._overwritten: list[tuple[int, Index]] | None = None
        self._gained = 0.0

    def run(self) -> Index:
        """Exchange and kick until enough is gained."""
        self._settle([*self._tour.tolist(), *(self._tour ^ 1).tolist()])
        free = self._count - self._fixed
        if free >= _FEWEST:
            random = np.random.default_rng(0)
            for _ in range(min(round(_KICKS * free), _MOST_KICKS)):
                self._kick(random)
        return self._tour

    def _settle(self, ends: Iterable[int]) -> None:
        """Make exchanges at these ends, and around what they change, while any gains."""
        waiting: deque[int] = deque()
        is_waiting = self._is_waiting
        while True:
            for end in ends:
                if end != _NOWHERE and not is_waiting[end]:
                    is_waiting[end] = 1
                    waiting.append(end)
            if not waiting:
                return
            end = waiting.popleft()
            is_waiting[end] = 0
            ends = self._improve(end)

    def _kick(self, random: np.random.Generator) -> None:
        longest = min(_LONGEST_KICK, (self._count - self._fixed) // 2)
        first, second = random.integers(1, longest + 1, 2).tolist()
        start = int(random.integers(self._fixed, self._count - first - second + 1))
        self._overwritten = []
        middle, last = start + first, start + first + second
        before = self._gap(start) + self._gap(middle) + self._gap(last)
        self._set(start, np.concatenate([self._tour[middle:last], self._tour[start:middle]]))
        places = start, start + second, last
        self._gained = before - sum(self._gap(place) for place in places)
        self._settle(self._around(*places))
        if self._gained < self._least_gain:
            for place, entries in reversed(self._overwritten):
                self._tour[place : place + len(entries)] = entries
                self._position[entries // 2] = np.arange(place, place + len(entries))

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
                gain = self._reversal_gain(first + 1, last)
                if gain > self._least_gain:
                    self._gained += gain
                    return self._reverse(first + 1, last)
            for first, last in self._movable(there, other_leaves):
                turned = leaves == other_leaves
                gain = self._move_gain(first, last, slot, turned)
                if gain > self._least_gain:
                    self._gained += gain
                    return self._move(first, last, slot, turned)
        return ()

    def _movable(self, place: int, ends_there: bool) -> Iterator[tuple[int, int]]:
        """The short parts of the tour that end, or begin, at a place."""
        for more in range(_LONGEST_MOVE):
            first, last = (place - more, place) if ends_there else (place, place + more)
            if first < self._fixed or last >= self._count:
                return
            yield first, last

    def _reversal_gain(self, first: int, last: int) -> float:
        if first < self._fixed or last >= self._count:
            return 0.0
        new = self._distance(self._exit(first - 1), self._exit(last)) + self._distance(
            self._enter(first), self._enter(last + 1)
        )
        return self._gap(first) + self._gap(last + 1) - new

    def _move_gain(self, first: int, last: int, slot: int, turned: bool) -> float:
        """What is gained with the strokes first..last between `slot` and the one after it."""
        if first - 1 <= slot <= last or slot + 1 < self._fixed:
            return 0.0
        lead, trail = self._enter(first), self._exit(last)
        if turned:
            lead, trail = trail, lead
        new = (
            self._distance(self._exit(slot), lead)
            + self._distance(trail, self._enter(slot + 1))
            + self._distance(self._exit(first - 1), self._enter(last + 1))
        )
        old = self._gap(first) + self._gap(last + 1) + self._gap(slot + 1)
        return old - new

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
        if self._overwritten is not None:
            self._overwritten.append((first, self._tour[first : first + len(entries)].copy()))
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

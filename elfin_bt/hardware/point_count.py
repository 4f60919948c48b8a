# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How many points were executed, out of identifiers that wrap at 16 bits.

The device tells the number of the executing move call and the index of the point in it
(``MotionIdGet``, ``MotionElementIdExecutingGet``). Both are 16 bit; the index begins again with
each call. Progress is the points of the finished calls plus that index.
"""

from __future__ import annotations

from collections import deque

_ID_RANGE = 1 << 16


class PointCount:
    """Counts executed points; ``executed`` never falls."""

    def __init__(self) -> None:
        self.executed = 0
        self._finished = 0
        self._last_id = 0
        self._calls: deque[tuple[int, int]] = deque()  # id and points, not finished yet

    def opened(self, motion_id: int, points: int) -> None:
        """A move was opened and executes ``motion_id``; what was not executed before is dropped."""
        self._finished = self.executed
        self._calls.clear()
        self._last_id = motion_id
        self._calls.append((motion_id, points))

    def appended(self, points: int) -> None:
        """A call was appended: its number is one more than that of the last one."""
        self._last_id = (self._last_id + 1) % _ID_RANGE
        self._calls.append((self._last_id, points))

    def observe(self, motion_id: int, element_id: int, *, reached: bool) -> None:
        """Enter where the device is; ``reached`` says that the point itself is executed too."""
        if all(number != motion_id for number, _ in self._calls):
            return  # of an earlier move, or of another client's
        while self._calls[0][0] != motion_id:
            self._finished += self._calls.popleft()[1]
        self.executed = max(self.executed, self._finished + element_id + reached)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Points that the firmware's buffer has no room for yet.

RMP's library keeps them in its client's process and loads them when the buffer runs low, so that
they need a client that is alive and scheduled in time. The hardware node never relies on it: it
sends what fits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from elfin_bt.hardware.device import ErrorNumber, FirmwareError
from elfin_bt.hardware.phantom.frames import Floats, Integers

CAPACITY = 1 << 16  # points


@dataclass(frozen=True, eq=False)
class Part:
    """Points of one move call: (n, 6) rad, (n, 6) rad/s, (n,) samples.

    ``first`` is the index in the call of the first of them; ``final`` closes the move behind the
    last.
    """

    positions: Floats
    velocities: Floats
    durations: Integers
    call: int
    first: int
    final: bool

    def cut(self, count: int) -> tuple[Part, Part]:
        """The first ``count`` points and the others, of which there is at least one."""
        return (
            replace(
                self,
                positions=self.positions[:count],
                velocities=self.velocities[:count],
                durations=self.durations[:count],
                final=False,
            ),
            replace(
                self,
                positions=self.positions[count:],
                velocities=self.velocities[count:],
                durations=self.durations[count:],
                first=self.first + count,
            ),
        )


class HostQueue:
    """First in, first out; ``closed`` says that its last point is the last of the move."""

    def __init__(self) -> None:
        self._parts: deque[Part] = deque()
        self._points = 0
        self.closed = False

    def __len__(self) -> int:
        return self._points

    def check_room(self, points: int) -> None:
        """Raise FirmwareError when so many points do not fit any more."""
        if self._points + points > CAPACITY:
            raise FirmwareError(
                ErrorNumber.BUFFER_FULL,
                f'{points} points more and {self._points} of {CAPACITY} wait already: '
                'send them when more were executed',
            )

    def put(
        self, positions: Floats, velocities: Floats, durations: Integers, *, call: int, final: bool
    ) -> None:
        """Add the points of a move call at the end."""
        # A client may fill its arrays anew: what waits must be our own.
        part = Part(positions.copy(), velocities.copy(), durations, call, 0, final)
        self._parts.append(part)
        self._points += len(durations)
        self.closed = final

    def take(self, points: int) -> Iterator[Part]:
        """Take out the next ``points`` points, in parts of one call each."""
        while self._parts and points > 0:
            part = self._parts.popleft()
            if len(part.durations) > points:
                part, rest = part.cut(points)
                self._parts.appendleft(rest)
            points -= len(part.durations)
            self._points -= len(part.durations)
            yield part

    def discard(self) -> None:
        """Forget everything."""
        self._parts.clear()
        self._points = 0
        self.closed = False

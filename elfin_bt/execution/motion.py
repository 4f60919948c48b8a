# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The books of one motion: what was sent, what was taken, what was executed."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.chunk import NO_SEQUENCE, Ack, Chunk
from elfin_bt.execution.clock import ClockSamples
from elfin_bt.execution.faults import Fault

Array = NDArray[np.float64]

FRAMES_PER_POINT = 2
"""Frames of the firmware's buffer that a point takes (trajectory and identification frame)."""


@dataclass(frozen=True, eq=False)
class _Sent:
    sequence: int
    first: int  # number of its first point in the motion
    place: Array  # path time of each point
    position: Array
    velocity: Array
    time: float  # when it was sent

    @property
    def after(self) -> int:
        """Number of the first point behind it."""
        return self.first + len(self.place)


@dataclass(frozen=True, eq=False)
class Executed:
    """A point: its path time in s, position (joints,) rad and velocity (joints,) rad/s."""

    place: float
    position: Array
    velocity: Array


class Motion:
    """One move of the firmware, from the first chunk to its `final` one.

    `epoch` and `number` are those of its chunks; `free_frames` is the firmware's free buffer while
    it is idle, `start` the path time at which it begins, s, and `position` (joints,) where.
    """

    def __init__(
        self,
        *,
        epoch: int,
        number: int,
        free_frames: int,
        start: float,
        position: Array,
    ) -> None:
        self.epoch = epoch
        self.number = number
        self.closed = False
        self.last_position = position
        self.last_velocity = np.zeros_like(position)
        self._capacity = free_frames
        self._free = free_frames
        self._sequence = 0
        self._points = 0
        self._taken = 0  # points that the hardware node has acknowledged
        self._pending: deque[_Sent] = deque()  # not acknowledged
        self._ahead: deque[_Sent] = deque()  # perhaps not executed
        self._start = start
        self._start_position = position

    @property
    def sent(self) -> int:
        """Points sent so far."""
        return self._points

    @property
    def in_flight(self) -> int:
        """Points sent and not acknowledged."""
        return self._points - self._taken

    @property
    def depth(self) -> int:
        """Points sent and, by the last acknowledgement, not executed."""
        return self.in_flight + -((self._free - self._capacity) // FRAMES_PER_POINT)

    @property
    def room(self) -> int:
        """Points that the firmware can surely take."""
        return self._free // FRAMES_PER_POINT - self.in_flight

    @property
    def is_executed(self) -> bool:
        """Whether it is closed and the firmware has no frame of it left."""
        return self.closed and self.depth == 0

    def lost_chunk(self, now: float, ack_age: float, limit: float) -> str | None:
        """What to say of a chunk that has waited more than `limit` s for its acknowledgement.

        ack_age: s since the last acknowledgement of anything.
        """
        if not self._pending or now - self._pending[0].time <= limit:
            return None
        waited = now - self._pending[0].time
        text = f'a chunk waits {waited:.3f} s for its acknowledgement, limit {limit:g}'
        if ack_age >= waited:
            silent = Fault.CHUNK_UNACKNOWLEDGED
            return f'{silent.name}: hardware not answering: {text}: {silent.text}'
        return f'{Fault.CHUNK_LOST.name}: {text}: {Fault.CHUNK_LOST.text}'

    def chunk(
        self, samples: ClockSamples, position: Array, velocity: Array, period: float, now: float
    ) -> Chunk:
        """The next chunk, of samples at positions and velocities (m, joints), entered as sent."""
        chunk = Chunk(
            epoch=self.epoch,
            motion=self.number,
            sequence=self._sequence,
            final=samples.at_rest,
            time=np.full(len(position), period),
            positions=position,
            velocities=velocity,
        )
        sent = _Sent(self._sequence, self._points, samples.place, position, velocity, now)
        self._pending.append(sent)
        self._ahead.append(sent)
        self._sequence += 1
        self._points += len(position)
        self.closed = samples.at_rest
        self.last_position, self.last_velocity = position[-1], velocity[-1]
        return chunk

    def acknowledge(self, ack: Ack) -> None:
        """Enter an acknowledgement; one of another motion says nothing about this one."""
        if ack.motion != self.number or ack.sequence == NO_SEQUENCE:
            return
        while self._pending and self._pending[0].sequence <= ack.sequence:
            self._taken = self._pending.popleft().after
        self._free = min(ack.free_frames, self._capacity)

    def executed_at(self, sequence: int, frames: int) -> tuple[Executed, Executed] | None:
        """The points that the device is between when it has taken chunks up to `sequence`.

        frames: those of them that it has not executed yet. None if they are not in the books any
        more, or not yet.
        """
        taken = next((sent for sent in self._ahead if sent.sequence == sequence), None)
        if taken is None:
            return None
        executed = taken.after - frames // FRAMES_PER_POINT
        points = self._point(executed - 1), self._point(min(executed, taken.after - 1))
        return None if points[0] is None or points[1] is None else (points[0], points[1])

    def sent_ahead(self, count: int) -> Executed | None:
        """The point `count` points after the last one executed; None if it has not been sent."""
        return self._point(self._points - self.depth - 1 + count)

    def _point(self, number: int) -> Executed | None:
        """A point in the books by its number in the motion."""
        for sent in self._ahead:
            if sent.first <= number < sent.after:
                row = number - sent.first
                return Executed(float(sent.place[row]), sent.position[row], sent.velocity[row])
        return None

    def executed(self) -> Executed:
        """The last point that was surely executed; the beginning before there is one."""
        executed = self._points - self.depth
        while len(self._ahead) > 1 and self._ahead[0].after < executed:
            self._ahead.popleft()
        if executed <= 0:
            return Executed(self._start, self._start_position, np.zeros_like(self._start_position))
        sent = self._ahead[0]
        row = min(max(executed - 1 - sent.first, 0), len(sent.place) - 1)
        return Executed(float(sent.place[row]), sent.position[row], sent.velocity[row])

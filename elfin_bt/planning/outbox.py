# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's outgoing events, sent by a thread of their own.

The other side takes pieces only as the motion needs them, and the pipe holds the sender back
meanwhile. Planning goes on behind: what it makes waits here. The figures of a whole drawing are
wanted soon, so they overtake the pieces; for them only the first pieces leave at once.
"""

import threading
import time
from collections import deque
from multiprocessing.connection import Connection

from elfin_bt.planning.messages import Event, Piece, Timed

FIRST_PIECES = 24
"""Pieces, at most 0.5 s of motion each, that leave before the figures of the whole are known."""
PATIENCE = 2.0
"""Seconds after which the others follow even so."""


class Outbox:
    """Sends events in order, but for Timed, which goes before all pieces."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._events: deque[Event] = deque()
        self._changed = threading.Condition()
        self._cancelled: set[int] = set()
        self._held: int | None = None  # request whose later pieces wait
        self._held_until = 0.0
        threading.Thread(target=self._run, name='outbox', daemon=True).start()

    def put(self, event: Event) -> None:
        """Send an event as soon as the other side takes it."""
        with self._changed:
            if event.request_id in self._cancelled:
                return
            if isinstance(event, Timed):
                pieces = (n for n, other in enumerate(self._events) if isinstance(other, Piece))
                self._events.insert(next(pieces, len(self._events)), event)
                self._held = None
            else:
                self._events.append(event)
            self._changed.notify()

    def hold(self, request_id: int) -> None:
        """Keep all but the first pieces of a request until its Timed has been put."""
        with self._changed:
            self._held, self._held_until = request_id, time.monotonic() + PATIENCE

    def release(self) -> None:
        """Hold nothing any more."""
        with self._changed:
            self._held = None
            self._changed.notify()

    def cancel(self, request_id: int) -> None:
        """Send nothing more of a request."""
        with self._changed:
            self._cancelled.add(request_id)
            kept = [event for event in self._events if event.request_id != request_id]
            self._events = deque(kept)
            self._changed.notify()

    def cancelled(self, request_id: int) -> bool:
        """Whether nothing more is wanted of a request."""
        with self._changed:
            return request_id in self._cancelled

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._events or self._waits(self._events[0]):
                    left = self._held_until - time.monotonic()
                    self._changed.wait(left if self._events else None)
                event = self._events.popleft()
            try:
                self._connection.send(event)
            except OSError:
                return  # the session has gone; the receiving thread ends the process

    def _waits(self, event: Event) -> bool:
        """Whether an event is held, which it is for a bounded time."""
        later = isinstance(event, Piece) and event.index >= FIRST_PIECES
        held = later and event.request_id == self._held
        return held and time.monotonic() < self._held_until

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session's end of the planner's process. Nothing here blocks the caller.

Two threads serve the pipe. The reader holds at most `max_events` events: when the session lags,
the pipe fills and the planner waits, so that memory stays bounded however long the drawing is.
"""

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from multiprocessing import Pipe
from queue import SimpleQueue

from elfin_bt.planning.messages import Cancel, Event, PlanDrawing, PlanHome
from elfin_bt.planning.settings import PlannerConfig

MODULE = 'elfin_bt.planning.worker'


class PlannerClient:
    """Starts a planner's process and speaks with it; a dead one is replaced by a new client."""

    def __init__(self, config: PlannerConfig | None = None, *, max_events: int = 64) -> None:
        self._connection, remote = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, '-m', MODULE, '--fd', str(remote.fileno())],
            pass_fds=[remote.fileno()],
            stdin=subprocess.DEVNULL,
            # The arrays are small: a pool of BLAS threads would only take cores from the nodes.
            env={**os.environ, 'OPENBLAS_NUM_THREADS': '1'},
        )
        # Ours is the only other end now: the reader sees the process die as the end of the pipe.
        remote.close()
        self._max_events = max_events
        self._events: deque[Event] = deque()
        self._changed = threading.Condition()
        self._cancelled: set[int] = set()
        self._closed = False
        self._outbox: SimpleQueue[object] = SimpleQueue()
        self._outbox.put(config or PlannerConfig())
        self._threads = [
            threading.Thread(target=target, name=f'planner-{target.__name__}', daemon=True)
            for target in (self._read, self._write)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, request: PlanHome | PlanDrawing) -> None:
        """Hand over a request; the answers come through `poll`."""
        self._outbox.put(request)

    def cancel(self, request_id: int) -> None:
        """Drop a request: no event of it comes out of `poll` any more."""
        with self._changed:
            self._cancelled.add(request_id)
            kept = [event for event in self._events if event.request_id != request_id]
            self._events = deque(kept)
            self._changed.notify_all()
        self._outbox.put(Cancel(request_id))

    def poll(self, limit: int | None = None) -> list[Event]:
        """Take the events that have arrived, at most `limit`; what stays holds the planner back."""
        with self._changed:
            count = len(self._events) if limit is None else min(limit, len(self._events))
            events = [self._events.popleft() for _ in range(count)]
            self._changed.notify_all()
        return events

    @property
    def pid(self) -> int:
        """Process id of the planner."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    @property
    def exit_text(self) -> str:
        """How the process ended, for a person; empty while it runs."""
        status = self._process.poll()
        if status is None:
            return ''
        if status < 0:
            return f'the planner was killed by {signal.Signals(-status).name}'
        return f'the planner exited with status {status}; its log says why'

    def close(self) -> None:
        """End the process and wait for it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._process.terminate()
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._outbox.put(None)
        for thread in self._threads:
            thread.join()
        self._connection.close()

    def _read(self) -> None:
        while True:
            try:
                event: Event = self._connection.recv()
            except (EOFError, OSError):
                return
            with self._changed:
                self._changed.wait_for(lambda: self._has_room() or self._closed)
                if event.request_id not in self._cancelled:
                    self._events.append(event)

    def _has_room(self) -> bool:
        return len(self._events) < self._max_events

    def _write(self) -> None:
        while (message := self._outbox.get()) is not None:
            try:
                self._connection.send(message)
            except OSError:
                return

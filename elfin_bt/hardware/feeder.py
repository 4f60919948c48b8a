# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The feeder: a thread that alone drives the core and its device, on absolute deadlines.

What arrives over ROS is put into its inbox and wakes it; nothing of rclpy runs in this thread, so
that a busy executor of callbacks delays neither the frames that are on their way to the firmware
nor the look at the device. Chunks and requests are carried out in the order in which they came.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from elfin_bt.hardware.chunk_limits import Floats
from elfin_bt.hardware.core import CoreReport, HardwareCore
from elfin_bt.hardware.csv_record import CsvRecord
from elfin_bt.hardware.lateness import LatenessHistogram

T = TypeVar('T')
ChunkData = Sequence[float] | Floats

REQUEST_TIMEOUT = 5.0  # s; a device may take some to be found again


class FeederEnded(Exception):
    """The feeder's thread does not run, so nothing can be asked of the core."""


@dataclass(frozen=True, eq=False)
class _Request:
    function: Callable[[HardwareCore], Any]
    answer: Future[Any]


class Feeder:
    """Drives ``core`` every ``period`` s and whenever something arrives.

    ``prepare`` is called first in the new thread (priority). ``on_cycle`` is called in it after
    each cycle and after each chunk or request: it must neither block nor raise.

    Attributes:
        report: what the core knew at the end of the last cycle; replaced as a whole.
        cycles: timed cycles so far.
        lateness: how late they began.
        failure: what ended the thread though nobody asked for it, '' while all is well.
    """

    def __init__(
        self,
        core: HardwareCore,
        *,
        period: float,
        on_cycle: Callable[[], None],
        record: CsvRecord,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        self._core = core
        self._period = period
        self._on_cycle = on_cycle
        self._record = record
        self._prepare = prepare
        self._inbox: deque[ChunkData | _Request] = deque()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._ending = False
        self._slowest = 0.0
        self.report: CoreReport = core.report()
        self.cycles = 0
        self.lateness = LatenessHistogram()
        self.failure = ''
        self._thread = threading.Thread(target=self._run, name='feeder')
        self._thread.start()

    # From other threads

    def submit(self, data: ChunkData) -> None:
        """Hand in a chunk in its flat form."""
        self._inbox.append(data)
        self._ring()

    def call(self, function: Callable[[HardwareCore], T]) -> T:
        """Have ``function(core)`` carried out in the feeder's thread; return what it returns.

        Raises:
            FeederEnded: it does not run any more, or does not answer within REQUEST_TIMEOUT.
        """
        request = _Request(function, Future())
        self._inbox.append(request)
        self._ring()
        if not self._thread.is_alive():
            raise FeederEnded(self.failure or 'the feeder has ended')
        try:
            answer: T = request.answer.result(REQUEST_TIMEOUT)
        except TimeoutError as error:
            raise FeederEnded(
                f'the feeder did not answer within {REQUEST_TIMEOUT:g} s: {self.failure or "busy"}'
            ) from error
        return answer

    def take_slowest(self) -> float:
        """Longest time in s that a chunk or request has taken since the last call."""
        slowest, self._slowest = self._slowest, 0.0
        return slowest

    def stop(self) -> None:
        """End the thread; what is in the inbox is not carried out any more."""
        self._ending = True
        self._ring()
        self._thread.join()
        os.close(self._bell)

    def _ring(self) -> None:
        os.eventfd_write(self._bell, 1)

    # In the thread

    def _run(self) -> None:
        try:
            self._prepare()
            self._loop()
        except Exception as error:  # a defect; the firmware's watchdog stops what moves
            self.failure = f'the feeder failed: {error!r}'
            raise
        finally:
            self._on_cycle()

    def _loop(self) -> None:
        deadline = time.monotonic() + self._period
        while not self._ending:
            self._wait(deadline)
            self._empty_inbox()
            now = time.monotonic()
            if now >= deadline:
                self.lateness.add(now - deadline)
                self._core.poll(now)
                self.cycles += 1
                # On the grid of the first deadline; cycles that were missed are left out.
                deadline += self._period * (1 + (now - deadline) // self._period)
                snapshot = self._core.snapshot
                if snapshot is not None:
                    self._record.add(snapshot, time.time())
            self.report = self._core.report()
            self._on_cycle()

    def _wait(self, deadline: float) -> None:
        ready, _, _ = select.select([self._bell], [], [], max(0.0, deadline - time.monotonic()))
        if ready:
            os.eventfd_read(self._bell)

    def _empty_inbox(self) -> None:
        while self._inbox:
            begin = time.monotonic()
            item = self._inbox.popleft()
            if isinstance(item, _Request):
                self._answer(item)
            else:
                self._core.take(item, begin)
            self._slowest = max(self._slowest, time.monotonic() - begin)

    def _answer(self, request: _Request) -> None:
        try:
            answer = request.function(self._core)
        except Exception as error:
            request.answer.set_exception(error)
        else:
            # Whoever asked sees the state that it led to.
            self.report = self._core.report()
            request.answer.set_result(answer)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Records of planned against actual motion, as CSV.

One row for each cycle of the feeder, in motion and at rest. The feeder writes numbers into a ring
that was allocated before; a thread of its own turns them into text and writes the file, so that a
slow disk delays nobody.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TextIO

import numpy as np

from elfin_bt.hardware.chunk_limits import Floats
from elfin_bt.hardware.device import DeviceSnapshot
from elfin_bt.kinematics.limits import JOINT_NAMES

PER_JOINT = ('planned', 'actual', 'error', 'planned_velocity', 'actual_velocity')
HEADER = (
    *('stamp', 'device_time', 'state', 'feed_rate'),
    *(f'{joint}_{what}' for joint in JOINT_NAMES for what in PER_JOINT),
)
"""Stamps in s (system clock since the epoch, and the device's own), angles in rad, speeds rad/s."""

RING = 4096  # rows, 16 s at 250 Hz
WRITE_PERIOD = 0.2  # s
_HEAD = 4


class CsvRecord:
    """Writes records into ``folder``, each into a new file; at most one at a time.

    ``lost`` is more than 0 when the present or last record is not complete.
    ``start``, ``stop`` and ``add`` may come from different threads.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ring: Floats = np.zeros((RING, len(HEADER)))
        self._written = self._added = 0
        self.lost = 0
        self.path = ''
        self._running = False
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._writer: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether rows are kept."""
        return self._running

    def start(self) -> str:
        """End the present record, if any, and begin a new file; return its path.

        Raises:
            OSError: the file can't be created.
        """
        self.stop()
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._new_file()
        file.write(','.join(HEADER) + '\n')
        self.path = file.name
        self._written = self._added = self.lost = 0
        self._wake.clear()
        self._running = True
        self._writer = threading.Thread(target=self._write, args=(file,), name='csv_record')
        self._writer.start()
        return self.path

    def stop(self) -> str:
        """End the record and return its path; harmless when there is none."""
        self._running = False
        self._wake.set()
        if self._writer is not None:
            self._writer.join()
            self._writer = None
        return self.path

    def add(self, snapshot: DeviceSnapshot, stamp: float) -> None:
        """Keep a row of what the device reports, read at ``stamp`` s; none while not running."""
        if not self._running:
            return
        if self._added - self._written >= RING:
            self.lost += 1
            return
        row = self._ring[self._added % RING]
        row[:_HEAD] = stamp, snapshot.time, snapshot.state, snapshot.feed_rate
        joints = row[_HEAD:].reshape(len(JOINT_NAMES), len(PER_JOINT))
        joints[:, 0] = snapshot.position
        joints[:, 1] = snapshot.actual_position
        joints[:, 2] = snapshot.position - snapshot.actual_position
        joints[:, 3] = snapshot.velocity
        joints[:, 4] = snapshot.actual_velocity
        self._added += 1

    def _new_file(self) -> TextIO:
        name = time.strftime('motion-%Y%m%d-%H%M%S')
        number = 0
        while True:
            suffix = f'-{number}' if number else ''
            try:
                return (self._folder / f'{name}{suffix}.csv').open('x', encoding='ascii')
            except FileExistsError:
                number += 1

    def _write(self, file: TextIO) -> None:
        try:
            with file:
                ending = False
                while not ending:
                    ending = self._wake.wait(WRITE_PERIOD)
                    self._write_rows(file)
        except OSError:
            # A full disk must not stop the arm: the record ends, and what is missing is counted.
            self._running = False
            self.lost += 1

    def _write_rows(self, file: TextIO) -> None:
        end = self._added
        for index in range(self._written, end):
            file.write(_line(self._ring[index % RING]))
            self._written = index + 1
        file.flush()


def _line(row: Floats) -> str:
    stamp, device_time, state, feed_rate, *joints = row.tolist()
    numbers = ','.join(f'{value:.9f}' for value in joints)
    return f'{stamp:.6f},{device_time:.6f},{state:.0f},{feed_rate:.6f},{numbers}\n'

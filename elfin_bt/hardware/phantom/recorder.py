# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The record of executed samples: a file of raw float64 rows, flushed as they are executed.

A row is ``[device time in s, q1 .. q6 in rad]``; ``numpy.fromfile(path).reshape(-1, 7)`` reads it.
There are rows for samples in motion only.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from elfin_bt.hardware.phantom.frames import Floats


class Recorder:
    """Writes records into ``folder``, each into a new file ``executed-N.f64``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._file: BinaryIO | None = None

    @property
    def path(self) -> str:
        """The file of the present or last record, empty before the first."""
        return str(self._path or '')

    def start(self) -> None:
        """End the present record, if any, and begin a new file.

        Raises:
            OSError: the file can't be created.
        """
        self.stop()
        number = 1
        while True:
            path = self._folder / f'executed-{number}.f64'
            try:
                self._file = path.open('xb', buffering=0)
            except FileExistsError:
                number += 1
            else:
                self._path = path
                return

    def write(self, rows: Floats) -> None:
        """Append executed rows (m, 7) when a record is running."""
        if self._file is not None and len(rows):
            self._file.write(rows.tobytes())

    def stop(self) -> None:
        """End the record; harmless when there is none."""
        if self._file is not None:
            self._file.close()
            self._file = None

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A record of executed motion for devices that keep none: a row each time the host looks.

The file is that of :class:`elfin_bt.hardware.phantom.recorder.Recorder`, with actual positions. The
phantom writes a row a firmware sample; this one is as fine as the host's cycle.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from elfin_bt.hardware.device import DeviceSnapshot, ErrorNumber, FirmwareError
from elfin_bt.hardware.phantom.recorder import Recorder

SETTLING = 0.2  # s after a motion for which an arm may still follow it


class HostRecord:
    """Writes records into ``folder``; a write that fails ends the record, not the motion.

    Attributes:
        trouble: why the last record ended by itself, '' if it did not.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._recorder = Recorder(folder)
        self._running = False
        self._moved_at = self._last = -math.inf
        self.trouble = ''

    def switch(self, enable: bool) -> str:
        """Start a new record, or end it; return the path of its file.

        Raises:
            FirmwareError: the file can't be created.
        """
        self._running = False
        try:
            if enable:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._recorder.start()
            else:
                self._recorder.stop()
        except OSError as error:
            raise FirmwareError(
                ErrorNumber.INVALID_ARGUMENT, f'the record could not be written: {error}'
            ) from error
        self._running = enable
        self._moved_at = self._last = -math.inf
        self.trouble = ''
        return self._recorder.path

    def observe(self, snapshot: DeviceSnapshot) -> None:
        """Add a row while the arm moves, and until it has settled."""
        if not snapshot.state.at_rest:
            self._moved_at = snapshot.time
        is_new = snapshot.time > self._last
        if self._running and is_new and snapshot.time - self._moved_at <= SETTLING:
            row = np.concatenate(([snapshot.time], snapshot.actual_position))
            try:
                self._recorder.write(row[None, :])
            except OSError as error:
                self._running = False
                self._recorder.stop()
                self.trouble = f'the record ended: {error}'
        self._last = snapshot.time

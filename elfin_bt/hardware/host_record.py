# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A record of executed motion for devices that keep none: a row each time the host looks.

The file is that of :class:`elfin_bt.hardware.phantom.recorder.Recorder`, with actual positions. The
phantom writes a row a firmware sample; this one is as fine as the host's cycle.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from elfin_bt.hardware.device import DeviceSnapshot, ErrorNumber, FirmwareError
from elfin_bt.hardware.phantom.recorder import Recorder


class HostRecord:
    """Writes records into ``folder``; a write that fails ends the record, not the motion.

    Attributes:
        trouble: why the last record ended by itself, '' if it did not.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._recorder = Recorder(folder)
        self._running = False
        self._moved = False
        self._last = -1.0
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
        self._moved = False
        self.trouble = ''
        return self._recorder.path

    def observe(self, snapshot: DeviceSnapshot) -> None:
        """Add a row while the arm moves, and one where it has come to rest."""
        moves = not snapshot.state.at_rest
        is_new = snapshot.time > self._last
        if self._running and is_new and (moves or self._moved):
            row = np.concatenate(([snapshot.time], snapshot.actual_position))
            try:
                self._recorder.write(row[None, :])
            except OSError as error:
                self._running = False
                self._recorder.stop()
                self.trouble = f'the record ended: {error}'
        self._moved = moves
        self._last = snapshot.time

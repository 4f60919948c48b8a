# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""One line on a terminal that shows how far a long list has come."""

from __future__ import annotations

import shutil
from typing import TextIO

_BAR = 24


class ProgressBar:
    """Shown on a terminal only: a file that output goes into is spared."""

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream = stream
        self._total = total
        self._shown = total > 1 and stream.isatty()

    def show(self, done: int, what: str) -> None:
        """Say that so many are done and what comes next."""
        if self._shown:
            filled = _BAR * done // self._total
            text = f'[{"#" * filled}{"." * (_BAR - filled)}] {done}/{self._total} {what}'
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f'\r\x1b[K{text[:width]}')
            self._stream.flush()

    def clear(self) -> None:
        """Make room for other output."""
        if self._shown:
            self._stream.write('\r\x1b[K')
            self._stream.flush()

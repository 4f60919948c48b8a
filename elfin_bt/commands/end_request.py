# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A person's wish to end a command: Ctrl-C, SIGTERM, or a terminal that was closed (SIGHUP)."""

from __future__ import annotations

import signal
from types import FrameType


class EndRequest:
    """Remembers that a signal has asked for the end; loops look at `requested`."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.requested = False
        for number in self.SIGNALS:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.requested = True

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The progress of a drawing as one line on a terminal, or as a line now and then elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TextIO

BAR_WIDTH = 28
PLAIN_INTERVAL_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Progress:
    """What a drawing has reached. Lengths in metres of ink, times in seconds."""

    phase: str
    strokes_done: int = 0
    strokes: int = 0
    ink_m: float = 0.0
    ink_total_m: float = 0.0
    time_left_s: float | None = None

    @property
    def fraction(self) -> float:
        """The share of the ink that is on the paper, 0 to 1."""
        if self.ink_total_m <= 0.0:
            return 0.0
        return min(1.0, max(0.0, self.ink_m / self.ink_total_m))


def clock_text(seconds: float | None) -> str:
    """Seconds as `m:ss`, or `-:--` when unknown."""
    if seconds is None:
        return '-:--'
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f'{minutes}:{rest:02d}'


def progress_text(progress: Progress) -> str:
    """One line: phase, bar, strokes, ink and time left."""
    filled = round(progress.fraction * BAR_WIDTH)
    bar = '#' * filled + '.' * (BAR_WIDTH - filled)
    return (
        f'{progress.phase:<10} [{bar}] {100.0 * progress.fraction:3.0f} %  '
        f'stroke {progress.strokes_done}/{progress.strokes}  '
        f'ink {progress.ink_m:.2f}/{progress.ink_total_m:.2f} m  '
        f'left {clock_text(progress.time_left_s)}'
    )


class ProgressLine:
    """Writes the progress: rewritten in place on a terminal, a new line every 5 s elsewhere."""

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        self._stream = stream
        self._quiet = quiet
        self._terminal = stream.isatty()
        self._last_text = ''
        self._last_phase = ''
        self._last_time = float('-inf')

    def update(self, progress: Progress, now: float) -> None:
        """Show `progress`; `now` is any rising time in seconds."""
        if self._quiet:
            return
        text = progress_text(progress)
        if self._terminal:
            if text != self._last_text:
                self._stream.write(f'\r\033[K{text}')
                self._stream.flush()
        elif progress.phase != self._last_phase or now - self._last_time >= PLAIN_INTERVAL_S:
            self._stream.write(text + '\n')
            self._stream.flush()
            self._last_time = now
        self._last_text, self._last_phase = text, progress.phase

    def close(self) -> None:
        """Leave the last state on a line of its own."""
        if self._terminal and self._last_text and not self._quiet:
            self._stream.write('\n')
            self._stream.flush()
        self._last_text = ''

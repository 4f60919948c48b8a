# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Is this chunk the next one? Motions and sequence numbers of the chunk contract."""

from __future__ import annotations

from elfin_bt.execution.chunk import NO_SEQUENCE, Chunk
from elfin_bt.execution.faults import Fault


class ChunkSequence:
    """Follows motions and sequence numbers.

    Within a motion chunks are numbered 0, 1, 2 ... up to the final one; then a motion with another
    number may begin. ``motion`` and ``last`` are those of the last chunk taken, ``is_open`` says
    whether that motion awaits more.
    """

    def __init__(self) -> None:
        self.motion = 0
        self.last = NO_SEQUENCE
        self.is_open = False

    def close(self) -> None:
        """The open motion is over, whatever was still to come."""
        self.is_open = False

    def take(self, chunk: Chunk) -> None:
        """Count a chunk that ``objection`` had nothing against."""
        self.motion, self.last, self.is_open = chunk.motion, chunk.sequence, not chunk.final

    def objection(self, chunk: Chunk) -> tuple[Fault, str] | None:
        """Why this chunk is not the next one; None when it is."""
        number, last = chunk.sequence, self.last
        named = f'chunk {number} of motion {chunk.motion}'
        if chunk.motion == self.motion and last != NO_SEQUENCE:
            if number == last:
                return Fault.CHUNK_REPEATED, f'{named} arrived twice'
            if number < last:
                return Fault.CHUNK_REORDERED, f'{named} arrived behind chunk {last}'
            if not self.is_open:
                return Fault.CHUNK_INVALID, f'{named} follows chunk {last}, which ended the motion'
            if number > last + 1:
                return Fault.CHUNK_LOST, f'{named} arrived and chunk {last + 1} did not'
            return None
        if self.is_open:
            return (
                Fault.CHUNK_LOST,
                f'{named} arrived and the end of motion {self.motion} did not (last chunk {last})',
            )
        if number != 0:
            return Fault.CHUNK_LOST, f'{named} arrived and chunk 0 did not'
        return None

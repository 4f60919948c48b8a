# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The contract between executor and hardware node: chunks of PVT points and acknowledgements.

Both travel as flat float64 arrays (std_msgs/Float64MultiArray). A chunk is HEADER_SIZE numbers and
then one row of FIELDS numbers a point. A `JointTrajectory` of the same points costs twenty times as
much to build in Python.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

JOINTS = 6
HEADER_SIZE = 4  # epoch, motion, sequence, final
FIELDS = 1 + 2 * JOINTS  # time, positions, velocities
MAX_POINTS = 64
ACK_SIZE = 5  # epoch, motion, sequence, free frames, fault

NO_SEQUENCE = -1
"""`Ack.sequence` before any chunk of the motion was taken."""

# float64 holds every integer up to here exactly.
_MAX_INTEGER = 2.0**53


class ChunkError(ValueError):
    """A chunk or acknowledgement that does not have the agreed form."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive PVT points of one motion.

    Attributes:
        epoch: life of the hardware node's latch in which the chunk was made; from the last `Ack`.
        motion: number of the motion, counted by the executor.
        sequence: number of the chunk in its motion, from 0.
        final: whether the motion ends, at rest, with the last point.
        time: (n,) seconds from the point before (MovePVT's meaning of time).
        positions: (n, 6) rad, in joint order.
        velocities: (n, 6) rad/s.
    """

    epoch: int
    motion: int
    sequence: int
    final: bool
    time: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class Ack:
    """What the hardware node has taken, and how it is.

    Attributes:
        epoch: +1 at every latch and every reset, random at the start of the hardware node.
        motion: motion of the last chunk taken.
        sequence: last chunk taken of that motion, NO_SEQUENCE if none.
        free_frames: frames that the firmware can still take.
        fault: number of the latched `Fault`, 0 if none.
    """

    epoch: int
    motion: int
    sequence: int
    free_frames: int
    fault: int


def encode_chunk(chunk: Chunk) -> array[float]:
    """Flat form of a chunk, HEADER_SIZE + FIELDS * n numbers."""
    flat = np.empty(HEADER_SIZE + FIELDS * len(chunk))
    flat[:HEADER_SIZE] = (chunk.epoch, chunk.motion, chunk.sequence, chunk.final)
    rows = flat[HEADER_SIZE:].reshape(-1, FIELDS)
    rows[:, 0] = chunk.time
    rows[:, 1 : 1 + JOINTS] = chunk.positions
    rows[:, 1 + JOINTS :] = chunk.velocities
    return array('d', flat.tobytes())


def decode_chunk(data: Sequence[float] | array[float] | NDArray[np.float64]) -> Chunk:
    """Chunk of its flat form.

    Raises:
        ChunkError: wrong length, no point or more than MAX_POINTS, a number that is not finite, a
            header field that is not a counter, or a time that is not positive.
    """
    flat = np.array(data, dtype=np.float64)
    points, rest = divmod(flat.size - HEADER_SIZE, FIELDS)
    if flat.ndim != 1 or rest or not 1 <= points <= MAX_POINTS:
        raise ChunkError(
            f'a chunk has {HEADER_SIZE} + {FIELDS} x n numbers with n from 1 to {MAX_POINTS}, '
            f'this one has {flat.size}'
        )
    if not np.isfinite(flat).all():
        raise ChunkError(f'number {int(np.argmin(np.isfinite(flat)))} of the chunk is not finite')
    epoch, motion, sequence, final = (
        _counter(value, name)
        for value, name in zip(flat, ('epoch', 'motion', 'sequence', 'final'), strict=False)
    )
    if final > 1:
        raise ChunkError(f'final is 0 or 1, not {final}')
    rows = flat[HEADER_SIZE:].reshape(points, FIELDS)
    time = rows[:, 0]
    if not (time > 0.0).all():
        point = int(np.argmin(time > 0.0))
        raise ChunkError(f'point {point} of the chunk lasts {time[point]} s; it must be positive')
    return Chunk(
        epoch=epoch,
        motion=motion,
        sequence=sequence,
        final=bool(final),
        time=time,
        positions=rows[:, 1 : 1 + JOINTS],
        velocities=rows[:, 1 + JOINTS :],
    )


def layout_objection(data_offset: int, dims: Sequence[tuple[str, int]], numbers: int) -> str | None:
    """What a message's layout says other than the contract; None if it agrees or says nothing.

    dims: label and size of each dimension; numbers: length of the data.
    """
    points = (numbers - HEADER_SIZE) // FIELDS
    agreed = [('point', points), ('field', FIELDS)]
    if (data_offset, list(dims)) in ((HEADER_SIZE, agreed), (0, [])):
        return None
    return (
        f'the layout of a chunk of {numbers} numbers has data_offset {HEADER_SIZE} and dimensions '
        f'{agreed}, this one has {data_offset} and {list(dims)}'
    )


def encode_ack(ack: Ack) -> array[float]:
    """Flat form of an acknowledgement, ACK_SIZE numbers."""
    return array('d', (ack.epoch, ack.motion, ack.sequence, ack.free_frames, ack.fault))


def decode_ack(data: Sequence[float] | array[float] | NDArray[np.float64]) -> Ack:
    """Acknowledgement of its flat form.

    Raises:
        ChunkError: wrong length or a number that is not an integer.
    """
    if len(data) != ACK_SIZE:
        raise ChunkError(f'an acknowledgement has {ACK_SIZE} numbers, this one has {len(data)}')
    for value in data:
        if not (float(value).is_integer() and abs(value) <= _MAX_INTEGER):
            raise ChunkError(f'{value} in an acknowledgement is not an integer within 2^53')
    epoch, motion, sequence, free_frames, fault = (int(value) for value in data)
    return Ack(epoch, motion, sequence, free_frames, fault)


def _counter(value: float, name: str) -> int:
    if not (0.0 <= value <= _MAX_INTEGER and float(value).is_integer()):
        raise ChunkError(f'{name} is a whole number from 0, not {value}')
    return int(value)

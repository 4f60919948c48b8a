# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The record of an executed motion: joint positions, one row a firmware sample, while it moves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import PaperFrame, tip_positions
from elfin_bt.kinematics.geometry import PEN_LENGTH
from elfin_bt.kinematics.limits import JERK_PERIOD, JointLimits
from elfin_bt.planning.settings import READY_POSE

Array = NDArray[np.float64]

SAMPLE_PERIOD = 0.001  # s

_FIELDS = 7  # device time, six joints
_AT_READY = 0.01  # rad; the first sample after a rest is still there
_ROWS_AT_ONCE = 100_000


@dataclass(frozen=True)
class Record:
    """Executed samples: time (N,) device seconds, q (N, 6) rad.

    The arm rests wherever a step of time is not one sample: nothing is measured across such a gap.
    """

    time: Array
    q: Array

    def __len__(self) -> int:
        return len(self.time)

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Whether the motion pauses (N - 1,) between each row and the next."""
        return np.abs(np.diff(self.time) / SAMPLE_PERIOD - 1.0) > 0.5

    def tips(self, paper: PaperFrame, pen_length: float = PEN_LENGTH) -> Array:
        """Position (N, 3) of the pen's tip in the paper frame, metres."""
        result = np.empty((len(self), 3))
        for first in range(0, len(self), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            result[rows] = paper.to_paper(tip_positions(self.q[rows], pen_length))
        return result


def read_record(source: Path | bytes) -> Record:
    """Read a record (rows of 7 float64, little-endian) from a file or from its bytes.

    A last row that is not complete, as a killed process leaves it, is not read.
    """
    data = source if isinstance(source, bytes) else source.read_bytes()
    count = len(data) // (8 * _FIELDS)
    rows = np.frombuffer(data, dtype='<f8', count=count * _FIELDS).reshape(count, _FIELDS)
    return Record(rows[:, 0].astype(np.float64), rows[:, 1:].astype(np.float64))


def joint_ratio(record: Record, limits: JointLimits) -> dict[str, float | None]:
    """The largest use of each joint limit, as a share of it; None where too few rows follow on.

    Velocity is the first difference over one sample, acceleration the second, jerk the third over
    4 ms, at every sample. A stop by the firmware counts like any other motion.
    """
    jerk_lag = round(JERK_PERIOD / SAMPLE_PERIOD)
    return {
        'velocity': _largest_ratio(record, 1, 1, limits.velocity),
        'acceleration': _largest_ratio(record, 2, 1, limits.acceleration),
        'jerk': _largest_ratio(record, 3, jerk_lag, limits.jerk),
    }


def max_speed(record: Record, tips: Array) -> float | None:
    """The largest speed of the tip between two samples, m/s, for tips (N, 3) in metres."""
    moving = ~record.gaps
    if not moving.any():
        return None
    steps = np.linalg.norm(np.diff(tips, axis=0)[moving], axis=1)
    return float(steps.max() / SAMPLE_PERIOD)


def draw_window(record: Record, retract_duration: float | None) -> tuple[float, float] | None:
    """Device time from the start of the first approach to the end of the last lift.

    The drawing begins with the first motion from rest in the ready pose. retract_duration: how long
    the executed retraction, the end of the record, is to take; None while it has not begun. Returns
    None where the drawing has not begun.
    """
    begins = np.flatnonzero(np.concatenate([np.ones(min(1, len(record)), bool), record.gaps]))
    at_ready = np.abs(record.q[begins] - READY_POSE).max(axis=1, initial=0.0) < _AT_READY
    if not at_ready.any():
        return None
    start = float(record.time[begins[at_ready.argmax()]])
    return start, max(start, float(record.time[-1]) - (retract_duration or 0.0))


def _largest_ratio(record: Record, order: int, lag: int, limit: Array) -> float | None:
    """Largest |difference of this order over lag samples| / limit, limit (6,)."""
    span = order * lag
    gaps_before = np.concatenate([[0], np.cumsum(record.gaps)]) if len(record) else np.empty(0)
    unbroken = gaps_before[span:] == gaps_before[: len(gaps_before) - span]
    if not unbroken.any():
        return None
    difference = record.q
    for _ in range(order):
        difference = difference[lag:] - difference[:-lag]
    largest = np.abs(difference[unbroken]).max(axis=0) / (lag * SAMPLE_PERIOD) ** order
    return float((largest / limit).max())

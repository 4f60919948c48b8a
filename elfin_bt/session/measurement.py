# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the record of an executed drawing says: the ink, its error, and the use of the limits.

The record holds the joints of every firmware sample in which the arm moved. Nothing here knows the
plan, so a fault of the planner, the executor or the firmware shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.geometry import Segment
from elfin_bt.drawing.ink import (
    Deviation,
    InkRun,
    Missed,
    find_ink,
    measure,
    missed,
    path_length,
    pen_up_paths,
)
from elfin_bt.kinematics import JointLimits, PaperFrame, tip_positions
from elfin_bt.kinematics.geometry import PEN_LENGTH

Array = NDArray[np.float64]

SAMPLE = 0.001  # s, of the firmware
JERK_STEP = 4  # samples: differences over 4 ms, since over 1 ms they mostly show rounding
ROW = 7  # numbers: time, then the joints


@dataclass(frozen=True, eq=False)
class Record:
    """Executed samples: time (N,) s of the device, joints (N, 6) rad."""

    time: Array
    joints: Array

    @classmethod
    def from_bytes(cls, data: bytes) -> Record:
        """Read a record file: rows of ROW little-endian float64.

        A row that a killed firmware left unfinished is dropped.
        """
        whole = len(data) // (8 * ROW)
        rows = np.frombuffer(data, dtype='<f8', count=whole * ROW).reshape(whole, ROW)
        return cls(rows[:, 0].astype(np.float64), rows[:, 1:].astype(np.float64))


@dataclass(frozen=True, kw_only=True)
class JointRatio:
    """The largest use of each joint limit, 1 being all of it; None without enough samples."""

    velocity: float | None
    acceleration: float | None
    jerk: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement:
    """Measured from a record. Lengths in metres; None where there is no ink or no motion."""

    ink: Sequence[InkRun]
    pen_up: Sequence[Array]
    deviation: Deviation | None
    missed: Missed | None
    pen_down_m: float
    pen_up_m: float
    max_tcp_speed: float | None
    joint_ratio: JointRatio


def measure_record(
    record: Record,
    source: Sequence[Segment],
    *,
    drawing_start: float | None,
    paper: PaperFrame | None = None,
    pen_length: float = PEN_LENGTH,
    limits: JointLimits | None = None,
) -> Measurement:
    """Measure a record against the exact source geometry (paper metres).

    drawing_start: device time at which the arm reached the ready pose; what moved before belongs
    to the way home and counts for speeds and limits only. None: nothing has been drawn.
    """
    tips = tip_positions(record.joints, pen_length)
    speeds = _differences(record.time, tips, order=1, step=1)
    first = len(record.time) if drawing_start is None else first_drawn(record.time, drawing_start)
    drawn = (paper or PaperFrame()).to_paper(tips[first:])
    ink = find_ink(record.time[first:], drawn)
    lines = [run.points for run in ink]
    pen_down = sum(run.length for run in ink)
    return Measurement(
        ink=ink,
        pen_up=pen_up_paths(drawn, ink) if len(drawn) else [],
        deviation=measure(lines, source),
        missed=missed(source, lines),
        pen_down_m=pen_down,
        pen_up_m=max(0.0, path_length(drawn) - pen_down),
        max_tcp_speed=float(np.linalg.norm(speeds, axis=1).max()) if len(speeds) else None,
        joint_ratio=joint_ratio(record, limits or JointLimits.of_the_arm()),
    )


def joint_ratio(record: Record, limits: JointLimits) -> JointRatio:
    """The largest use of each limit, by differences of the executed samples.

    First and second differences over SAMPLE, third ones over JERK_STEP samples, none over a
    pause.
    """

    def use(order: int, step: int, limit: Array) -> float | None:
        values = _differences(record.time, record.joints, order, step)
        return float((np.abs(values) / limit).max()) if len(values) else None

    return JointRatio(
        velocity=use(1, 1, limits.velocity),
        acceleration=use(2, 1, limits.acceleration),
        jerk=use(3, JERK_STEP, limits.jerk),
    )


def drawn_duration(record: Record, drawing_start: float, retract_duration: float) -> float:
    """Device time, s, from the first approach to the last lift.

    The record holds moving samples only, so the first row that is drawn is one sample after the
    approach began, and the last row is the end of the retract.
    """
    first = first_drawn(record.time, drawing_start)
    if first == len(record.time):
        return 0.0
    return float(record.time[-1] - (record.time[first] - SAMPLE)) - retract_duration


def first_drawn(time: Array, drawing_start: float) -> int:
    """Index of the first row after the rest in the ready pose; len(time) if there is none.

    `drawing_start` is seen by someone who watches joint states, so it may be a few samples before
    the last, slow ones of the way home: the drawing begins after the pause that follows it.
    """
    home = int(np.searchsorted(time, drawing_start, side='right'))
    if home == 0:
        return 0
    pauses = np.flatnonzero(np.diff(time[home - 1 :]) > 1.5 * SAMPLE)
    return home + int(pauses[0]) if len(pauses) else len(time)


def _differences(time: Array, values: Array, order: int, step: int) -> Array:
    """Derivatives (M, D) of values (N, D) by differences of that order over `step` samples.

    A stencil that would span a pause of the record is left out.
    """
    span = order * step
    if len(time) <= span:
        return np.empty((0, values.shape[1]))
    differences = values
    for _ in range(order):
        differences = differences[step:] - differences[:-step]
    unbroken = np.abs(time[span:] - time[:-span] - span * SAMPLE) < 0.5 * SAMPLE
    return differences[unbroken] / (step * SAMPLE) ** order

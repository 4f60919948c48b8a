# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Timing of a path that is not known to its end yet.

The path arrives in parts. What is known of it is always planned to come to rest at its end, so that
whatever has been taken of the plan can still stop on the path. A new part speeds the plan up from
the first row that has not been taken; what has been taken stays as it is.

The rows are *settled* as far as no new part can change them: where the last braking begins, less
what it takes to round that crest. A path that is known in time and taken as it settles is run like
one that is known at once. A live stroke is taken as the motion needs it, settled or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.speed_profile import SpeedLimits, last_settled_row
from elfin_bt.planning.time_law import (
    TOLERANCE,
    PathMotion,
    joint_excess,
    scalar_limits,
    within_limits,
)

Array = NDArray[np.float64]

_SAME_SPEED = 1e-9  # m/s
_QUIET = 0.3
_LATER = (0, 3, 8, 15, 30)  # rows


@dataclass(frozen=True, eq=False)
class TimedRows:
    """Consecutive rows of a path in joint space and time.

    Attributes:
        first: number of the first row, counted along the whole path.
        time: (N,) s from the start of the path; two rows where the path rests have the same.
        positions: (N, 6) rad.
        velocities: (N, 6) rad/s.
        accelerations: (N, 6) rad/s2.
        speed: (N,) along the path, m/s.
        path_acceleration: (N,) d(speed)/dt, m/s2.
    """

    first: int
    time: Array
    positions: Array
    velocities: Array
    accelerations: Array
    speed: Array
    path_acceleration: Array


class LookAhead:
    """Plans a growing path within joint limits, from rest to rest."""

    def __init__(self, limits: JointLimits) -> None:
        self._limits = limits
        # What is kept: from the row taken last to the end of what is known.
        self._first = 0
        self._time = 0.0
        self._path = JointPath(*(np.empty((0, 6)) for _ in range(3)))
        self._scalar: SpeedLimits | None = None
        self._motion = PathMotion(np.empty(0), np.empty(0), np.empty(0))
        self._fixed = 0  # first row of it that may be planned anew
        self._settled = 0

    @property
    def duration(self) -> float:
        """When the arm rests at the end of what is known, s from the start of the path."""
        return self._time + float(self._motion.steps.sum())

    @property
    def taken(self) -> int:
        """Number of the last row taken, counted along the whole path."""
        return self._first

    @property
    def last(self) -> int:
        """Number of the last row known, counted along the whole path."""
        return self._first + max(len(self._path.positions) - 1, 0)

    def extend(self, path: JointPath, lengths: Array, speeds: Array) -> None:
        """Add a part of the path.

        Args:
            path: N rows; after the first part, row 0 repeats the last row known.
            lengths: (N - 1,) m from row to row, 0 where the path rests.
            speeds: (N - 1,) m/s, the largest allowed there.
        """
        added = scalar_limits(path, lengths, speeds, self._limits)
        if self._scalar is None:
            self._path, self._scalar = path, added
        else:
            self._path = _chained(self._path, path)
            self._scalar = self._scalar.extended(added)
        # Where it can't go on smoothly from here, go on from a little later; at worst from the rest
        # at the end of what was known.
        end = max(len(self._motion.speed) - 1, 0)
        for row in sorted({min(self._fixed + later, end) for later in _LATER} | {end}):
            self._fixed = row
            if self._plan():
                break

    @property
    def settled(self) -> int:
        """Number of the last row that no new part will change, counted along the whole path."""
        return self._first + self._settled

    def take(self, row: int) -> TimedRows:
        """Take the plan from the row taken last up to `row`, both included; it is then fixed.

        Raises ValueError for a row that is not known or has been taken.
        """
        if self._scalar is None or not self._first <= row <= self.last:
            raise ValueError(f'row {row} is not one of {self._first} to {self.last}')
        count = row - self._first
        path, motion = self._path.rows(slice(count + 1)), _part(self._motion, 0, count)
        velocities, accelerations = motion.joint_motion(path)
        taken = TimedRows(
            self._first,
            self._time + motion.time,
            path.positions,
            velocities,
            accelerations,
            motion.speed,
            motion.acceleration,
        )
        self._first, self._time = row, float(taken.time[-1])
        self._path = self._path.rows(slice(count, None))
        self._motion = _part(self._motion, count, None)
        self._scalar = self._scalar.rows(np.arange(count, len(self._scalar.cap)))
        self._fixed, self._settled = max(self._fixed - count, 0), max(self._settled - count, 0)
        return taken

    def _plan(self) -> bool:
        """Plan what is not fixed; False, and nothing is changed, where that can't be done."""
        start, old = self._fixed, self._motion
        speed, acceleration = 0.0, 0.0
        if len(old.speed):
            speed, acceleration = float(old.speed[start]), float(old.acceleration[start])
        assert self._scalar is not None
        path = self._path.rows(slice(start, None))
        rows = np.arange(start, len(self._scalar.cap))
        motion, tightened = within_limits(
            path, self._scalar.rows(rows), self._limits, (speed, acceleration)
        )
        if speed > 0.0 and not self._smooth(path, motion, speed):
            return False
        # To the last bit: what is taken next begins with what was taken last.
        motion.speed[0], motion.acceleration[0] = speed, acceleration
        self._motion = PathMotion(
            np.concatenate([old.steps[:start], motion.steps]),
            np.concatenate([old.speed[:start], motion.speed]),
            np.concatenate([old.acceleration[:start], motion.acceleration]),
        )
        # What is settled must come out the same again; the rest may have been tightened only
        # because the path ended there.
        settled = _quiet_row(motion, tightened, last_settled_row(tightened, motion.steps))
        kept = np.arange(settled + 1)
        self._scalar = self._scalar.with_rows(rows[kept], tightened.rows(kept))
        self._settled = start + settled
        return True

    def _smooth(self, path: JointPath, motion: PathMotion, speed: float) -> bool:
        """Whether a plan goes on from `speed` within the limits, as far as its first rest."""
        rests = np.flatnonzero(motion.steps == 0.0)
        end = int(rests[0]) if len(rests) else len(motion.steps)
        excess = joint_excess(path.rows(slice(end + 1)), _part(motion, 0, end), self._limits)
        within: bool = excess.max(initial=0.0) <= 1.0 + TOLERANCE
        return within and abs(motion.speed[0] - speed) <= _SAME_SPEED


def _quiet_row(motion: PathMotion, scalar: SpeedLimits, row: int) -> int:
    """The last row up to `row` that is not on a crest, where going on differently is hard."""
    change = np.diff(motion.acceleration[: row + 2])
    falling = change < -_QUIET * (scalar.jerk * motion.steps)[: row + 1]
    crest = falling | np.insert(falling[:-1], 0, False)
    quiet = np.flatnonzero(~crest)
    return int(quiet[-1]) if len(quiet) else 0


def _chained(first: JointPath, second: JointPath) -> JointPath:
    return JointPath(
        np.concatenate([first.positions, second.positions[1:]]),
        np.concatenate([first.slopes, second.slopes[1:]]),
        np.concatenate([first.bends, second.bends[1:]]),
    )


def _part(motion: PathMotion, first: int, last: int | None) -> PathMotion:
    rows = slice(first, None if last is None else last + 1)
    return PathMotion(motion.steps[first:last], motion.speed[rows], motion.acceleration[rows])

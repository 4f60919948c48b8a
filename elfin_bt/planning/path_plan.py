# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A checked path of the pen becomes pieces of motion, the first one long before the last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning.chord import ChordCheck
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.look_ahead import LookAhead, TimedRows
from elfin_bt.planning.messages import Figures
from elfin_bt.planning.path import Leg, PenPath
from elfin_bt.planning.trajectory import PIECE_DURATION, Trajectory, join

Array = NDArray[np.float64]

FIRST_ROWS = 512
"""Rows that are timed before the first piece is handed out; each time after that, twice as many."""
MOST_ROWS = 2048

_AIR = ('lift', 'travel', 'plunge')


@dataclass(frozen=True, eq=False)
class PathPlan:
    """A path that can be driven, with the joints along it.

    Attributes:
        path: of the pen's tip.
        joints: at its rows, checked.
        limits: to plan with.
        chord: measures how far the tip strays between two knots.
        figures: what the checks measured.
    """

    path: PenPath
    joints: JointPath
    limits: JointLimits
    chord: ChordCheck
    figures: Figures = field(default_factory=dict)

    def timed(self) -> Iterator[TimedRows]:
        """The motion, row by row, in parts that share their first and last rows."""
        path, joints, engine = self.path, self.joints, LookAhead(self.limits)
        first, count = 0, FIRST_ROWS
        while first < len(path) - 1:
            last = min(first + count, len(path) - 1)
            rows, between = slice(first, last + 1), slice(first, last)
            engine.extend(joints.rows(rows), path.lengths[between], path.speeds[between])
            first, count = last, min(2 * count, MOST_ROWS)
            row = engine.last if last == len(path) - 1 else engine.settled
            if row > engine.taken:
                yield engine.take(row)

    def pieces(self, figures: dict[str, float]) -> Iterator[tuple[Leg, Trajectory]]:
        """The motion in short pieces, each with the leg that it belongs to.

        A lift, the travel after it and the plunge are short: they come together, as travel.

        figures: brought up to date on the way: the seconds of each phase, the worst chord error.

        Raises Unplannable, in the middle of the motion, if the tip strayed from the path.
        """
        air: list[tuple[Leg, Trajectory]] = []
        for leg, part in self._parts(figures):
            if air and (leg.phase not in _AIR or (leg.phase == 'lift' and leg is not air[-1][0])):
                yield from _together(air)
                air = []
            if leg.phase in _AIR:
                air.append((leg, part))
            else:
                yield from ((leg, piece) for piece in part.split())
        if air:
            yield from _together(air)

    def _parts(self, figures: dict[str, float]) -> Iterator[tuple[Leg, Trajectory]]:
        """Each leg's motion, in one or more parts."""
        legs = iter(self.path.legs)
        leg, begin = next(legs), 0
        for rows in self.timed():
            error = 1e3 * self.chord.error(self.path, rows)
            figures['worst_chord_error_mm'] = max(figures.get('worst_chord_error_mm', 0.0), error)
            last = rows.first + len(rows.time) - 1
            while True:
                part = _trajectory(rows, max(begin, rows.first), min(leg.last, last))
                if part is not None:
                    yield _counted(leg, part, figures)
                if leg.last > last:
                    break
                if leg.dwell > 0.0:
                    q = rows.positions[leg.last - rows.first]
                    yield _counted(replace(leg, phase='settle'), _rest(q, leg.dwell), figures)
                if leg is self.path.legs[-1]:
                    break
                # The way from the last row of a leg to the first row of the next belongs to the
                # next; where the pen rests it has no length.
                begin, leg = leg.last, next(legs)


def _counted(leg: Leg, part: Trajectory, figures: dict[str, float]) -> tuple[Leg, Trajectory]:
    key = f'{leg.phase}_s'
    figures[key] = figures.get(key, 0.0) + part.duration
    return leg, part


def _together(air: list[tuple[Leg, Trajectory]]) -> Iterator[tuple[Leg, Trajectory]]:
    """Consecutive parts in pieces; more than one leg become travel to the last one's stroke."""
    leg = air[-1][0]
    if leg is not air[0][0]:
        leg = replace(leg, phase='travel', first=air[0][0].first)
    yield from ((leg, piece) for piece in join([part for _, part in air]).split())


def _rest(q: Array, duration: float) -> Trajectory:
    """Standing at joints (6,)."""
    count = int(np.ceil(duration / PIECE_DURATION)) + 1
    still = np.zeros((count, len(q)))
    return Trajectory(np.linspace(0.0, duration, count), np.tile(q, (count, 1)), still, still)


def _trajectory(rows: TimedRows, first: int, last: int) -> Trajectory | None:
    """The part from row `first` to row `last` of the path; None if it takes no time."""
    span = slice(first - rows.first, last - rows.first + 1)
    time = rows.time[span]
    # Where the path rests two rows have the same time, and are one knot.
    keep = np.concatenate([[True], np.diff(time) > 0.0]) if len(time) else np.zeros(0, dtype=bool)
    if np.count_nonzero(keep) < 2:
        return None
    return Trajectory(
        time[keep] - time[0],
        rows.positions[span][keep],
        rows.velocities[span][keep],
        rows.accelerations[span][keep],
    )

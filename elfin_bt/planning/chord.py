# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How far the tip strays from its path between two knots of a motion.

At the knots the tip is on the path exactly. Between them each joint runs a quintic, which firmware
follows in cubics from PVT point to PVT point. A cubic over h misses a quintic by h^4 / 384 times
its fourth derivative: 1e-10 rad for points 1 ms apart, nothing. So the quintics are what is
measured, half-way in time, where they are farthest from their ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import PaperFrame, tip_positions
from elfin_bt.planning import bezier
from elfin_bt.planning.hermite import Quintic
from elfin_bt.planning.look_ahead import TimedRows
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.refusal import Unplannable

Array = NDArray[np.float64]

LARGEST_CHORD_ERROR = 40e-6
"""Largest distance of the tip from the path between two knots, m."""


@dataclass(frozen=True)
class ChordCheck:
    """Compares motions with paths of the pen.

    Attributes:
        paper: where the paper is.
        pen_length: from the flange to the tip, m.
    """

    paper: PaperFrame
    pen_length: float

    def error(self, path: PenPath, rows: TimedRows) -> float:
        """Largest distance of the tip from the path, m, within the given rows of it.

        The first leg, the approach, is left out: the pen comes from wherever it was. Raises
        Unplannable where the distance is more than LARGEST_CHORD_ERROR.
        """
        begin = max(path.legs[0].last - rows.first, 0)
        if begin >= len(rows.time) - 1:
            return 0.0
        distance = self._distances(path, rows, begin)
        worst = int(np.argmax(distance))
        if distance[worst] > LARGEST_CHORD_ERROR:
            raise Unplannable(
                f'{path.where(rows.first + begin + worst)}: between two knots the pen would be '
                f'{1e3 * distance[worst]:.3f} mm off its path '
                f'(at most {1e3 * LARGEST_CHORD_ERROR:g} mm)'
            )
        return float(distance[worst])

    def _distances(self, path: PenPath, rows: TimedRows, begin: int) -> Array:
        """Distances (N - 1 - begin,) half-way in time between the rows from `begin` on."""
        steps = np.diff(rows.time[begin:])
        resting = steps <= 0.0
        t = np.where(resting, 1.0, steps)
        joints = (rows.positions, rows.velocities, rows.accelerations)
        ends = (end for values in joints for end in (values[begin:-1], values[begin + 1 :]))
        middle, _ = Quintic(t[:, None], *ends).evaluate(0.5)
        tip = self.paper.to_paper(tip_positions(middle, self.pen_length))

        here = slice(rows.first + begin, rows.first + len(rows.time) - 1)
        there = slice(here.start + 1, here.stop + 1)
        length = np.where(resting, 1.0, path.lengths[here])
        points = (path.points, path.tangents, path.curvatures)
        ends = (end for values in points for end in (values[here], values[there]))
        share = (_half_way(rows, begin, t) / length)[:, None]
        on_path, _ = Quintic(length[:, None], *ends).evaluate(share)
        return np.where(resting, 0.0, bezier.norm((tip - on_path).T))


def _half_way(rows: TimedRows, begin: int, t: Array) -> Array:
    """Path length from each row to where the tip is half-way in time to the next.

    The integral of the cubic Hermite of the speed over the first half of its interval.
    """
    v0, v1 = rows.speed[begin:-1], rows.speed[begin + 1 :]
    a0, a1 = rows.path_acceleration[begin:-1], rows.path_acceleration[begin + 1 :]
    length: Array = t * (13.0 * v0 + 3.0 * v1) / 32.0 + t * t * (11.0 * a0 - 5.0 * a1) / 192.0
    return length

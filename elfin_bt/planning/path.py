# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The pen's path: rows of points that the tip passes, in order, from the first move to the last.

The path is made of runs. Within a run direction and curvature are continuous, and the tip rests at
both of its ends. Neighbouring runs share a point, which then has two rows (one direction each) with
an interval of length 0 between them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.planning.messages import Phase

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Leg:
    """What rows `first` to `last` (included) are for.

    The next leg begins at the row after, or where the tip does not rest between them at `last`.
    After its last row the tip rests for `dwell` seconds.
    """

    phase: Phase
    stroke: int | None
    first: int
    last: int
    dwell: float = 0.0


@dataclass(frozen=True, eq=False)
class PenPath:
    """N rows in the paper frame, metres.

    Attributes:
        points: (N, 3) positions of the tip.
        tangents: (N, 3) unit vectors, the direction of motion.
        curvatures: (N, 3) d2p/ds2 with s the arc length, 1/m: the curvature times the unit normal.
        lengths: (N - 1,) arc length from each row to the next; 0 between two runs.
        speeds: (N - 1,) m/s, the largest speed from each row to the next.
        legs: what the rows are for; together they cover all rows.
        stroke_names: what a person calls each stroke, for messages.
    """

    points: Array
    tangents: Array
    curvatures: Array
    lengths: Array
    speeds: Array
    legs: tuple[Leg, ...]
    stroke_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.points)

    def leg_at(self, row: int) -> Leg:
        """The leg that a row belongs to."""
        return next(leg for leg in self.legs if row <= leg.last)

    def where(self, row: int) -> str:
        """The place of a row, for a person."""
        leg = self.leg_at(row)
        x, y = 1e3 * self.points[row, :2]
        owner = 'the last move' if leg.stroke is None else self.stroke_names[leg.stroke]
        step = '' if leg.phase == 'draw' else f' ({leg.phase})'
        return f'{owner}{step} at ({x:.1f}, {y:.1f}) mm from the centre of the paper'

    def leg_length(self, leg: Leg) -> float:
        """Metres that the tip moves in a leg."""
        return float(self.lengths[leg.first : leg.last].sum())

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How far a drawing has come, from the pieces that were executed."""

from __future__ import annotations

import numpy as np

from elfin_bt.kinematics import tip_positions
from elfin_bt.planning.messages import Piece


class Progress:
    """Counts strokes, ink and time of a drawing. Times in seconds of planned motion.

    ``executed_s`` runs from the first approach to the last lift; ``retract_s`` is the time of the
    retract that follows, which the duration of a drawing does not include.
    """

    def __init__(self) -> None:
        self.strokes_done = 0
        self.ink_m = 0.0
        self.executed_s = 0.0
        self.retract_s = 0.0
        self._drawing_stroke = False

    def add(self, piece: Piece) -> None:
        """Count an executed piece."""
        if piece.phase == 'retract':
            self.retract_s += piece.trajectory.duration
        else:
            self.executed_s += piece.trajectory.duration
        if piece.phase == 'draw':
            self.ink_m += tip_path_length(piece)
        elif self._drawing_stroke:
            self.strokes_done += 1
        self._drawing_stroke = piece.phase == 'draw'


def tip_path_length(piece: Piece) -> float:
    """Length in m of the pen tip's path through the knots of a piece."""
    tip = tip_positions(piece.trajectory.positions)
    return float(np.linalg.norm(np.diff(tip, axis=0), axis=1).sum())

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

    def add(self, piece: Piece) -> None:
        """Count an executed piece; pieces come in order, and so do strokes.

        A stroke is done when the pen is lifted from it or is already on the next: strokes that
        touch have no lift between them, and dots have nothing but plunge and lift.
        """
        if piece.phase == 'retract':
            self.retract_s += piece.trajectory.duration
            return
        self.executed_s += piece.trajectory.duration
        if piece.phase == 'draw':
            self.ink_m += tip_path_length(piece)
        if piece.stroke is not None:
            self.strokes_done = piece.stroke + (piece.phase == 'lift')


def tip_path_length(piece: Piece) -> float:
    """Length in m of the pen tip's path through the knots of a piece."""
    tip = tip_positions(piece.trajectory.positions)
    return float(np.linalg.norm(np.diff(tip, axis=0), axis=1).sum())

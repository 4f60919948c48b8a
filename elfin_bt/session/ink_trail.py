# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The line that the pen has left, from reported joint positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import PaperFrame, tip_positions
from elfin_bt.kinematics.geometry import PEN_LENGTH

Array = NDArray[np.float64]


class InkTrail:
    """Collects joint positions and gives out, now and then, the strips of ink drawn since.

    Ink is where the pen's tip is at the surface of the paper or below.
    """

    def __init__(self, paper: PaperFrame, pen_length: float = PEN_LENGTH) -> None:
        self._paper = paper
        self._pen_length = pen_length
        self._joints: list[Array] = []

    def add(self, joints: Array) -> None:
        """Add joint positions (6,) rad."""
        self._joints.append(joints)

    def take(self) -> list[Array]:
        """Return strips (N, 3) of paper coordinates in m, N >= 2, drawn since the last call.

        The last position is kept: the next strip continues there.
        """
        if len(self._joints) < 2:
            return []
        tip = self._paper.to_paper(tip_positions(np.array(self._joints), self._pen_length))
        del self._joints[:-1]
        down = tip[:, 2] <= 0.0
        cuts = np.flatnonzero(np.diff(down)) + 1
        runs = zip(np.split(tip, cuts), np.split(down, cuts), strict=True)
        return [run for run, is_ink in runs if is_ink[0] and len(run) >= 2]

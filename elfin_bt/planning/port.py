# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The planner port: what every planner offers, whoever finds the joint path.

An adapter turns poses into joints. Geometry of the pen's path, checks and timing are ours and the
same for all of them.
"""

from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from elfin_bt.planning.messages import Figures, Phase
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """A checked and timed motion from rest to rest.

    legs: its parts in order, joined end to end, each with the phase and the stroke (from 0) that it
    belongs to. figures: what was measured on the way (worst chord error, joint step, clearance...).
    """

    legs: tuple[tuple[Phase, int | None, Trajectory], ...]
    figures: Figures = field(default_factory=dict)

    @property
    def duration(self) -> float:
        """Seconds from rest to rest."""
        return sum(trajectory.duration for _, _, trajectory in self.legs)


@dataclass(frozen=True)
class Refusal:
    """Why there is no motion, in one line: what, where, the value, the limit, what to do."""

    reason: str


Result: TypeAlias = Motion | Refusal


class PlannerPort(Protocol):
    """A planner of joint motions. Nothing moves; every call returns a whole motion or a reason."""

    @property
    def name(self) -> str:
        """What reports call this planner."""
        ...

    def plan_ptp(self, start: Array, goal: Array) -> Result:
        """From joints `start` (6,) to `goal` (6,), rad; with the pen down it is lifted first."""
        ...

    def plan_path(self, start: Array, path: PenPath) -> Result:
        """Along a path of the pen, which begins at the tip of `start` (6,) rad."""
        ...

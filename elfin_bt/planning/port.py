# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The planner port: what every planner offers, whoever finds the joint path.

An adapter turns poses into joints. Geometry of the pen's path, checks and timing are ours and the
same for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from elfin_bt.planning.messages import Figures
from elfin_bt.planning.path import Leg, PenPath
from elfin_bt.planning.path_plan import PathPlan
from elfin_bt.planning.posture import Posture
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]

LARGEST_START_ERROR = 0.01
"""How far a joint may be from where a path begins, rad; farther, the arm goes there first."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A checked and timed motion from rest to rest.

    legs: its parts in order, as knots of the trajectory; each begins where the one before ends.
    figures: what was measured on the way (worst chord error, clearance...).
    """

    trajectory: Trajectory
    legs: tuple[Leg, ...]
    figures: Figures = field(default_factory=dict)

    def pieces(self) -> Iterator[tuple[Leg, Trajectory]]:
        """The motion in short pieces, each with the leg it belongs to."""
        for leg in self.legs:
            part = self.trajectory.slice(leg.first, leg.last)
            for piece in part.split():
                yield leg, piece


@dataclass(frozen=True)
class Refusal:
    """Why there is no motion, in one line: what, where, the value, the limit, what to do."""

    reason: str


class Follower(Protocol):
    """Follows a target that may move at any time (see target_follower.TargetFollower)."""

    def step(self, target: Array | None) -> Trajectory:
        """The next 20 ms of motion towards a place (3,) of the paper, m; to rest for None."""
        ...

    def way_to_rest(self) -> Trajectory:
        """The motion that is committed beyond what `step` has returned."""
        ...


class PlannerPort(Protocol):
    """A planner of joint motions. Nothing moves; every call returns a plan or a reason."""

    @property
    def name(self) -> str:
        """What reports call this planner."""
        ...

    def plan_ptp(self, start: Array, goal: Array) -> Motion | Refusal:
        """From joints `start` (6,) to `goal` (6,), rad; with the pen down it is lifted first."""
        ...

    def choose_posture(self, points: Array) -> Posture:
        """The arm's posture for a path over points (N, 3) of the paper, m."""
        ...

    def plan_path(self, start: Array, path: PenPath) -> PathPlan | Refusal:
        """Along a path of the pen, which begins at the tip of `start` (6,) rad; not timed yet."""
        ...

    def follow(self, start: Array) -> Follower:
        """Follow a target with the pen's tip, from joints `start` (6,) rad at rest.

        Raises Unplannable where the pen does not stand upright at its yaw.
        """
        ...

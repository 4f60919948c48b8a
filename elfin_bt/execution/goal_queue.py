# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Accepted goals laid end to end on one path, and the part of it that may be run on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.goal import AT_REST, Goal
from elfin_bt.execution.joint_path import SAME_TIME, JointPath, PathNodes
from elfin_bt.execution.sample_check import SampleCheck

Array = NDArray[np.float64]
GoalId = Hashable


@dataclass(eq=False)
class QueuedGoal:
    """A goal on the common path, from path time `start` to `end`.

    Attributes:
        checked_to: how far, in its own time, its samples are known to be within the limits.
        cancelled: whether its client wants it to end.
        failure: what went wrong on its way, '' if nothing did.
    """

    goal_id: GoalId
    goal: Goal
    path: JointPath
    start: float
    checked_to: float = 0.0
    cancelled: bool = False
    failure: str = ''

    @property
    def end(self) -> float:
        """Path time of its end, s."""
        return self.start + self.path.duration

    @property
    def is_checked(self) -> bool:
        """Whether all of its samples are within the limits."""
        return self.checked_to >= self.path.duration

    @cached_property
    def end_state(self) -> tuple[Array, Array]:
        """Position (joints,) and velocity (joints,) of its end."""
        q, v, _ = self.path.evaluate(np.array([self.path.duration]))
        return q[0], v[0]

    def check(self, check: SampleCheck, samples: int) -> str | None:
        """Check the next `samples` samples; what is wrong with them, or None."""
        count = min(samples, int(np.ceil((self.path.duration - self.checked_to) / check.period)))
        time = self.checked_to + check.period * np.arange(count + 1)
        inside = np.minimum(time, self.path.duration)
        q, v, _ = self.path.evaluate(inside)
        violation = check.violation(q, v)
        self.checked_to = float(inside[-1])
        if violation and self.goal.positions_only:
            violation += ' (a goal of positions alone rests at every point: give velocities too)'
        return violation


class GoalQueue:
    """Goals end to end. Path time goes on from goal to goal and starts again when it is emptied."""

    def __init__(self, spacing: float) -> None:
        """spacing: of the nodes of the path, s."""
        self._spacing = spacing
        self._goals: list[QueuedGoal] = []

    def __len__(self) -> int:
        return len(self._goals)

    def __iter__(self) -> Iterator[QueuedGoal]:
        return iter(tuple(self._goals))

    @property
    def start(self) -> float:
        """Path time of the beginning of the first goal, s; 0 if there is none."""
        return self._goals[0].start if self._goals else 0.0

    @property
    def last(self) -> QueuedGoal | None:
        """The goal at the end."""
        return self._goals[-1] if self._goals else None

    def append(self, goal_id: GoalId, goal: Goal, path: JointPath) -> QueuedGoal:
        """Lay a goal at the end."""
        start = self._goals[-1].end if self._goals else 0.0
        self._goals.append(QueuedGoal(goal_id, goal, path, start))
        return self._goals[-1]

    def find(self, goal_id: GoalId) -> QueuedGoal | None:
        """The goal of that id."""
        return next((goal for goal in self._goals if goal.goal_id == goal_id), None)

    def pop(self) -> QueuedGoal:
        """Take the first goal out."""
        return self._goals.pop(0)

    def cut(self, first: QueuedGoal) -> list[QueuedGoal]:
        """Take out a goal and all that follow it."""
        index = self._goals.index(first)
        removed, self._goals = self._goals[index:], self._goals[:index]
        return removed

    def goal_at(self, place: float) -> QueuedGoal | None:
        """The goal that is executed at a path time; the later one at a seam."""
        within = [goal for goal in self._goals if goal.start <= place <= goal.end]
        return within[-1] if within else None

    def stretch(self, stamp_now: float, before: QueuedGoal | None = None) -> Stretch | None:
        """What may be run on: the checked goals from the first on, up to `before`.

        A goal whose header stamp is later than `stamp_now`, s, waits at rest.
        """
        goals: list[QueuedGoal] = []
        for goal in self._goals:
            start_time = goal.goal.start_time
            waits = start_time is not None and start_time > stamp_now
            if goal is before or not goal.is_checked or waits:
                break
            goals.append(goal)
        return Stretch(tuple(goals), self._spacing) if goals else None


class Stretch:
    """A path of consecutive checked goals: what the trajectory clock runs along."""

    def __init__(self, goals: tuple[QueuedGoal, ...], spacing: float) -> None:
        self._goals = goals
        self._spacing = spacing
        self._starts = np.array([goal.start for goal in goals])

    @property
    def start(self) -> float:
        """Path time of its beginning, s."""
        return self._goals[0].start

    @property
    def end(self) -> float:
        """Path time of its end, s."""
        return self._goals[-1].end

    @cached_property
    def ends_at_rest(self) -> bool:
        """Whether the path's own velocity is zero at its end."""
        _, velocity = self._goals[-1].end_state
        return bool(np.abs(velocity).max() < AT_REST)

    def evaluate(self, place: Array) -> tuple[Array, Array]:
        """Positions and velocities by path time, each (m, joints), at rising path times (m,)."""
        position, velocity, _ = self.derivatives(place)
        return position, velocity

    def derivatives(self, place: Array) -> tuple[Array, Array, Array]:
        """`evaluate` and accelerations by path time, each (m, joints)."""
        owner = np.clip(np.searchsorted(self._starts, place, side='right') - 1, 0, None)
        parts = [
            self._goals[index].path.evaluate(place[owner == index] - self._starts[index])
            for index in np.unique(owner)
        ]
        q, v, a = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return q, v, a

    def nodes(self, start: float, end: float) -> PathNodes:
        """Path derivatives on a dense grid from `start` to `end` path time."""
        parts = []
        for goal in self._goals:
            first, last = max(start, goal.start), min(end, goal.end)
            if last - first <= SAME_TIME:
                continue
            part = goal.path.nodes(first - goal.start, last - goal.start, self._spacing)
            parts.append(PathNodes(part.time + goal.start, part.velocities, part.accelerations))
        return PathNodes.joined(parts)

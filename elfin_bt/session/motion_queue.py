# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor's queue of goals as the session knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elfin_bt.planning.messages import Piece
from elfin_bt.planning.trajectory import Trajectory


class GoalTransport(Protocol):
    """Carries goals to the executor. Answers come back through the queue's ``on_...`` methods."""

    def send(self, ticket: int, trajectory: Trajectory) -> None:
        """Send one goal; ``ticket`` names it in the answers."""

    def cancel(self, ticket: int) -> None:
        """Ask for the end of a goal that has been accepted."""


@dataclass
class _Goal:
    piece: Piece
    accepted: bool = False
    cancel_wanted: bool = False


class MotionQueue:
    """Sends pieces ahead of the motion, within bounds, and keeps account of each until its end.

    A cancel reaches every goal, one that has not been accepted yet as soon as it is. Answers may
    come out of order (rclpy runs the callbacks of one spin last to first); accounts are kept in the
    order of the goals.
    """

    def __init__(
        self, transport: GoalTransport, *, max_goals: int = 16, max_seconds: float = 3.0
    ) -> None:
        self._transport = transport
        self._max_goals = max_goals
        self._max_seconds = max_seconds
        self._goals: dict[int, _Goal] = {}
        self._last_ticket = 0
        self._failures: dict[int, str] = {}
        self._executed: dict[int, Piece] = {}

    @property
    def seconds(self) -> float:
        """Motion sent and not finished, the piece being executed counted whole."""
        return sum(goal.piece.trajectory.duration for goal in self._goals.values())

    @property
    def goals(self) -> int:
        """Goals sent and not finished."""
        return len(self._goals)

    @property
    def has_room(self) -> bool:
        """Whether one more piece may be sent ahead."""
        return self.goals < self._max_goals and self.seconds < self._max_seconds

    @property
    def idle(self) -> bool:
        """Whether every goal that was sent has come to its end."""
        return not self._goals

    @property
    def failure(self) -> str:
        """Why a goal was not carried out to its end; '' while all went well."""
        return self._failures[min(self._failures)] if self._failures else ''

    @property
    def executing(self) -> Piece | None:
        """The piece that the arm is in, None when nothing is queued."""
        return next((goal.piece for goal in self._goals.values()), None)

    def send(self, piece: Piece) -> None:
        """Queue a piece behind those sent before."""
        self._last_ticket += 1
        self._goals[self._last_ticket] = _Goal(piece)
        self._transport.send(self._last_ticket, piece.trajectory)

    def cancel(self) -> None:
        """Come to rest on the path and drop what is queued, the last goal first."""
        for ticket, goal in reversed(self._goals.items()):
            if not goal.cancel_wanted:
                goal.cancel_wanted = True
                if goal.accepted:
                    self._transport.cancel(ticket)

    def clear(self) -> None:
        """Forget goals and failures of the past; late answers to them are ignored."""
        self._goals.clear()
        self._executed.clear()
        self._failures.clear()

    def take_executed(self) -> list[Piece]:
        """Return the pieces executed to their end since the last call, in order."""
        oldest = next(iter(self._goals), self._last_ticket + 1)
        return [self._executed.pop(ticket) for ticket in sorted(self._executed) if ticket < oldest]

    def on_accepted(self, ticket: int) -> None:
        """The executor has taken a goal."""
        goal = self._goals.get(ticket)
        if goal is not None:
            goal.accepted = True
            if goal.cancel_wanted:
                self._transport.cancel(ticket)

    def on_rejected(self, ticket: int) -> None:
        """The executor has refused a goal."""
        self._end(ticket, 'a goal was rejected; the log of the executor says why')

    def on_finished(self, ticket: int, refusal: str) -> None:
        """A goal has ended: executed to its end (``refusal`` is '') or not, and why."""
        self._end(ticket, refusal)

    def _end(self, ticket: int, refusal: str) -> None:
        goal = self._goals.pop(ticket, None)
        if goal is None:
            return
        if not refusal:
            self._executed[ticket] = goal.piece
        elif not goal.cancel_wanted:
            self._failures[ticket] = refusal

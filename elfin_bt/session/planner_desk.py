# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session's side of the planner: requests out, events into plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from elfin_bt.behaviours.plan import DrawingOrder, Plan
from elfin_bt.planning.messages import (
    Checked,
    Event,
    Piece,
    PlanDrawing,
    PlanHome,
    Planned,
    PlannerFailed,
    Refused,
    Timed,
)

PIECES_AHEAD = 32
"""Pieces (at most 0.5 s each) of a drawing held here; the rest waits in the planner's process."""


class Client(Protocol):
    """The part of PlannerClient that is used here."""

    @property
    def alive(self) -> bool: ...  # noqa: D102

    @property
    def exit_text(self) -> str: ...  # noqa: D102

    def submit(self, request: PlanHome | PlanDrawing) -> None: ...  # noqa: D102

    def cancel(self, request_id: int) -> None: ...  # noqa: D102

    def poll(self, limit: int | None = None) -> list[Event]: ...  # noqa: D102

    def close(self) -> None: ...  # noqa: D102


class PlannerDesk:
    """Keeps the latest plan to the ready pose and the latest plan of a drawing.

    ``start_client`` starts a planner's process.
    """

    def __init__(self, start_client: Callable[[], Client]) -> None:
        self._start_client = start_client
        self._client = start_client()
        self._last_id = 0
        self._requests: dict[int, Plan] = {}
        self.home = Plan()
        self.drawing = Plan()

    @property
    def death(self) -> str:
        """How the planner's process ended; '' while it runs."""
        return '' if self._client.alive else self._client.exit_text

    def plan_home(self, start: NDArray[np.float64]) -> None:
        """Begin a new ``home`` plan from the joints ``start`` (6,) rad, at rest."""
        self.home = Plan()
        self._client.submit(PlanHome(self._open(self.home), start))

    def plan_drawing(self, start: NDArray[np.float64], order: DrawingOrder) -> None:
        """Begin a new ``drawing`` plan from the joints ``start`` (6,) rad, at rest."""
        self.drawing = Plan()
        request_id = self._open(self.drawing)
        self._client.submit(
            PlanDrawing(request_id, order.recipe, start, dry_run=order.dry_run, speeds=order.speeds)
        )

    def collect(self) -> None:
        """Move what has arrived into the plans, as far as there is room."""
        room = PIECES_AHEAD - len(self.drawing.pieces)
        for event in self._client.poll(max(room, 0)):
            plan = self._requests.get(event.request_id)
            if plan is not None:
                _apply(plan, event)

    def cancel(self) -> None:
        """Drop all requests and plans."""
        for request_id, plan in self._requests.items():
            if not plan.complete:
                self._client.cancel(request_id)
        self._requests.clear()
        self.home, self.drawing = Plan(), Plan()

    def restart(self) -> None:
        """Replace the planner's process by a new one."""
        self._requests.clear()
        self._client.close()
        self._client = self._start_client()

    def close(self) -> None:
        """End the planner's process."""
        self._client.close()

    def _open(self, plan: Plan) -> int:
        self._last_id += 1
        self._requests[self._last_id] = plan
        return self._last_id


def _apply(plan: Plan, event: Event) -> None:
    if isinstance(event, Piece):
        plan.pieces.append(event)
    elif isinstance(event, Checked):
        plan.checked = True
        plan.figures.update(event.figures)
    elif isinstance(event, Timed):
        plan.figures.update(event.figures)
    elif isinstance(event, Planned):
        plan.complete = True
        plan.figures.update(event.figures)
    elif isinstance(event, Refused):
        plan.refusal = event.reason
    elif isinstance(event, PlannerFailed):
        plan.failure = event.reason

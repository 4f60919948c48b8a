# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the behaviours see of the cell: small interfaces, each served by a core of the session.

Tests serve them with fakes and a clock of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from elfin_bt.behaviours.phase import Phase
from elfin_bt.behaviours.plan import DrawingOrder, Plan
from elfin_bt.planning.messages import Piece


class Robot(Protocol):
    """The arm as it is reported."""

    @property
    def positions(self) -> NDArray[np.float64] | None:
        """Joint positions (6,) rad, None before the first report."""

    @property
    def silent(self) -> bool:
        """Whether reports have stopped (false before the first)."""

    @property
    def at_rest(self) -> bool:
        """Whether every joint has stood still for a moment."""

    @property
    def fault(self) -> str:
        """What the device has latched, with the remedy; '' when nothing."""

    @property
    def executor_available(self) -> bool:
        """Whether the executor takes goals."""

    def begin_reset(self) -> None:
        """Ask the executor, and through it the device, to clear what is latched."""

    @property
    def reset_outcome(self) -> str | None:
        """None while a reset runs; then '' (cleared) or why it is not."""


class Planner(Protocol):
    """The planner's process. Only the latest plan of each kind is kept."""

    home: Plan
    drawing: Plan

    @property
    def death(self) -> str:
        """How the process ended; '' while it runs."""

    def plan_home(self, start: NDArray[np.float64]) -> None:
        """Begin a new ``home`` plan from the joints ``start`` (6,) rad, at rest."""

    def plan_drawing(self, start: NDArray[np.float64], order: DrawingOrder) -> None:
        """Begin a new ``drawing`` plan from the joints ``start`` (6,) rad, at rest."""

    def collect(self) -> None:
        """Move what has arrived into the plans, as far as they have room."""

    def cancel(self) -> None:
        """Drop all requests and plans."""

    def restart(self) -> None:
        """Replace a dead process by a new one."""


class Motion(Protocol):
    """The executor's queue of motion goals, one a piece."""

    @property
    def has_room(self) -> bool:
        """Whether one more piece may be sent ahead."""

    @property
    def idle(self) -> bool:
        """Whether every goal that was sent has come to its end."""

    @property
    def failure(self) -> str:
        """Why a goal was not carried out to its end; '' while all went well."""

    def send(self, piece: Piece) -> None:
        """Queue a piece behind those sent before."""

    def cancel(self) -> None:
        """Come to rest on the path and drop what is queued."""

    def clear(self) -> None:
        """Forget goals and failures of the past."""


class Jobs(Protocol):
    """The one job there may be, and what people ask for meanwhile."""

    @property
    def loading(self) -> bool:
        """Whether the job's recipe is still being read."""

    @property
    def load_error(self) -> str:
        """Why the recipe could not be read; ''."""

    @property
    def order(self) -> DrawingOrder:
        """What the job draws; only once its recipe has been read."""

    @property
    def draw_active(self) -> bool:
        """Whether there is a drawing job."""

    @property
    def home_active(self) -> bool:
        """Whether the arm was asked to go home."""

    @property
    def cancel_requested(self) -> bool:
        """Whether the current job is to be given up."""

    def enter(self, phase: Phase) -> None:
        """Note how far the job has come."""

    def give_up(self, reason: str) -> None:
        """End the job: refused when nothing has moved for it, failed after that."""

    def finish(self) -> None:
        """End the job well."""

    def take_reset_request(self) -> bool:
        """Whether a person has asked for a reset since the last call."""

    def answer_reset(self, refusal: str) -> None:
        """Tell that person how it went: '' is well."""


class Faults(Protocol):
    """What went wrong and waits for a person."""

    @property
    def cause(self) -> str:
        """The first fault since the last reset, one line; '' when there is none."""

    def latch(self, source: str, reason: str) -> None:
        """Keep a fault; the first one is the cause, later ones are its consequences."""

    def clear(self) -> None:
        """Forget all faults."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Everything a behaviour may look at or act on. ``clock`` gives monotonic seconds."""

    robot: Robot
    planner: Planner
    motion: Motion
    jobs: Jobs
    faults: Faults
    clock: Callable[[], float]

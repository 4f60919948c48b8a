# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What one request to the planner has brought so far."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.planning.messages import Piece
from elfin_bt.planning.settings import Speeds


class PlanKind(StrEnum):
    """What a plan is for."""

    HOME = 'home'
    DRAWING = 'drawing'


@dataclass(frozen=True, eq=False)
class DrawingOrder:
    """What is to be drawn and how; a path is that of the recipe's JSON file."""

    recipe: Recipe | Path
    dry_run: bool
    speeds: Speeds


@dataclass(eq=False)
class Plan:
    """A queue between planning and execution: the planner fills it, execution empties it.

    It stays outside the blackboard: a plan is large, and only two behaviours may touch it.

    Attributes:
        pieces: planned and not yet sent to the executor.
        checked: the whole motion is verified; nothing can be refused any more.
        complete: no piece will be added.
        refusal: why the request can't be carried out, '' while it can.
        failure: how the planner itself failed, '' while it has not.
        figures: what the planner measured.
    """

    pieces: deque[Piece] = field(default_factory=deque)
    checked: bool = False
    complete: bool = False
    refusal: str = ''
    failure: str = ''
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def exhausted(self) -> bool:
        """Whether everything that was planned has been taken."""
        return self.complete and not self.pieces

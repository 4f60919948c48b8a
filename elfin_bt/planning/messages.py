# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the session and the planner's process say to each other, pickled over a pipe.

A PlanDrawing is answered by Checked or Refused, then Piece after Piece, with Timed among them, then
Planned; a PlanHome by its pieces and Planned, or Refused. Anything may be cut short by
PlannerFailed. After a Cancel nothing more is heard of the request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.planning.settings import Speeds
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]
Phase: TypeAlias = Literal[
    'lift', 'ptp', 'approach', 'plunge', 'settle', 'draw', 'travel', 'retract'
]
Figures: TypeAlias = Mapping[str, float | str]


@dataclass(frozen=True, eq=False)
class PlanHome:
    """Move from `start` (6,) rad, at rest, to the ready pose; with the pen down lift it first."""

    request_id: int
    start: Array


@dataclass(frozen=True, eq=False)
class PlanDrawing:
    """Draw a recipe from `start` (6,) rad, the ready pose at rest.

    A large recipe is best given as the path of its JSON file: the planner's process reads it, so
    that the sender has nothing to pickle.
    """

    request_id: int
    recipe: Recipe | Path
    start: Array
    dry_run: bool = False
    speeds: Speeds = field(default_factory=Speeds)


@dataclass(frozen=True)
class Cancel:
    """Drop a request."""

    request_id: int


@dataclass(frozen=True)
class Checked:
    """The whole drawing can be drawn: reach, limits, singularities and collisions are verified."""

    request_id: int
    figures: Figures


@dataclass(frozen=True)
class Refused:
    """The request can't be carried out; one line says what, where and why. Nothing was sent."""

    request_id: int
    reason: str


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of the motion, at most 0.5 s and 200 knots; an interval that is longer stays whole.

    Piece k + 1 starts at the last knot of piece k, with its velocity; the last one ends at rest.
    stroke counts from 0 and is None where the motion belongs to none (home, retract).
    """

    request_id: int
    index: int
    phase: Phase
    stroke: int | None
    trajectory: Trajectory


@dataclass(frozen=True)
class Timed:
    """The whole motion of a drawing has been timed; its pieces may still be on their way."""

    request_id: int
    figures: Figures


@dataclass(frozen=True)
class Planned:
    """All pieces of the request have been sent."""

    request_id: int
    figures: Figures


@dataclass(frozen=True)
class PlannerFailed:
    """The planner could not go on with the request, through a fault of its own."""

    request_id: int
    reason: str


Request: TypeAlias = PlanHome | PlanDrawing | Cancel
Event: TypeAlias = Checked | Refused | Piece | Timed | Planned | PlannerFailed

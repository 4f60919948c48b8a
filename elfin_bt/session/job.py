# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a client asks for (``~/job``) and what it hears back (``~/job_status``), both JSON.

A job::

    {"id": "17", "kind": "draw", "recipe_file": "/path/recipe.json",
     "dry_run": false, "pen_speed_m_s": 0.08}

``recipe`` (the recipe itself) may stand instead of ``recipe_file``. All but the recipe and ``kind``
are optional.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from elfin_bt.behaviours.phase import Phase

MAX_PEN_SPEED = 0.2
MAX_ID_LENGTH = 100
_FIELDS = {'id', 'kind', 'recipe_file', 'recipe', 'dry_run', 'pen_speed_m_s'}


class JobError(ValueError):
    """A job that can't be taken; the message is one line for a person. Knows the job's id."""

    def __init__(self, job_id: str, reason: str) -> None:
        super().__init__(reason)
        self.job_id = job_id


@dataclass(frozen=True, kw_only=True)
class DrawJob:
    """A drawing job that is well formed. Exactly one of ``recipe_file`` and ``recipe`` is set.

    ``pen_speed`` in m/s; None means the planner's default.
    """

    id: str
    recipe_file: Path | None = None
    recipe: Mapping[str, Any] | None = None
    dry_run: bool = False
    pen_speed: float | None = None

    @staticmethod
    def from_json(text: str) -> DrawJob:
        """Read a job. Raises JobError for anything that isn't one."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise JobError('', f'the job is not JSON: {error}') from None
        if not isinstance(data, dict):
            raise JobError('', 'the job is not a JSON object: {"kind": "draw", ...}')
        job_id = data.get('id', '')
        if not isinstance(job_id, str):
            raise JobError('', f'the job\'s "id" is {job_id!r}: it must be a string')
        if len(job_id) > MAX_ID_LENGTH or not job_id.isprintable():
            raise JobError(
                '', f'the job\'s "id" must be printable, {MAX_ID_LENGTH} characters at most'
            )

        unknown = sorted(set(data) - _FIELDS)
        if unknown:
            raise JobError(job_id, f'unknown field "{unknown[0]}": known are {sorted(_FIELDS)}')
        if data.get('kind') != 'draw':
            raise JobError(job_id, f'"kind" is {data.get("kind")!r}: only "draw" is known')
        return DrawJob(
            id=job_id,
            dry_run=_flag(job_id, data, 'dry_run'),
            pen_speed=_pen_speed(job_id, data),
            **_recipe_source(job_id, data),
        )


@dataclass(frozen=True, kw_only=True)
class JobStatus:
    """The state of one job, as published. Lengths in metres, times in seconds.

    Times are device time but for ``first_motion_s`` (wall): the time from reaching the ready pose
    to the first motion of the drawing. ``figures`` holds what the planner and the run measured.
    """

    id: str
    phase: Phase
    strokes: int = 0
    strokes_done: int = 0
    ink_m: float = 0.0
    time_left_s: float | None = None
    planned_duration_s: float | None = None
    first_motion_s: float | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ''

    def to_json(self) -> str:
        """Return the message text."""
        return json.dumps(asdict(self), allow_nan=False)


def _recipe_source(job_id: str, data: Mapping[str, Any]) -> dict[str, Any]:
    path, recipe = data.get('recipe_file'), data.get('recipe')
    if (path is None) == (recipe is None):
        raise JobError(job_id, 'give either "recipe_file" or "recipe"')
    if path is not None and not isinstance(path, str):
        raise JobError(job_id, f'"recipe_file" is {path!r}: it must be a path')
    if recipe is not None and not isinstance(recipe, dict):
        raise JobError(job_id, '"recipe" must be a JSON object')
    return {'recipe_file': None if path is None else Path(path), 'recipe': recipe}


def _flag(job_id: str, data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise JobError(job_id, f'"{name}" is {value!r}: it must be true or false')
    return value


def _pen_speed(job_id: str, data: Mapping[str, Any]) -> float | None:
    value = data.get('pen_speed_m_s')
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 < value <= MAX_PEN_SPEED:
        raise JobError(
            job_id, f'"pen_speed_m_s" is {value!r}: it must lie in (0, {MAX_PEN_SPEED:g}] m/s'
        )
    return float(value)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`report.json`: what was drawn, how exactly, and in what time (docs/report.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from elfin_bt import __version__
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.session.measurement import Measurement

Result = Literal['drawn', 'refused', 'failed']


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a drawing ended. Times in seconds; None where the drawing did not get that far."""

    result: Result
    reason: str = ''
    dry_run: bool = False
    speedup: float = 1.0
    wall_s: float = 0.0
    planner: str | None = None
    points: int | None = None
    planned_duration_s: float | None = None
    drawn_duration_s: float | None = None
    first_motion_s: float | None = None
    out_of_frames: int = 0
    faults: Sequence[str] = field(default_factory=tuple)


def build_report(
    source: Mapping[str, Any],
    outcome: Outcome,
    recipe: Recipe | None = None,
    measurement: Measurement | None = None,
) -> dict[str, Any]:
    """The report, with every field in every case; what was not measured is null.

    source: path, and sha256 where the file could be read. recipe: None when the file was refused.
    measurement: None when nothing has moved.
    """
    ratio = asdict(measurement.joint_ratio) if measurement else None
    deviation = measurement.deviation if measurement else None
    missed = measurement.missed if measurement else None
    return {
        'version': __version__,
        'source': {'path': source['path'], 'sha256': source.get('sha256')},
        'page_mm': list(recipe.page_mm) if recipe else None,
        'placed_mm': [round(side, 6) for side in recipe.placed_mm] if recipe else None,
        'strokes': len(recipe.strokes) if recipe else None,
        'pen_down_m': measurement.pen_down_m if measurement else None,
        'pen_up_m': measurement.pen_up_m if measurement else None,
        'points': outcome.points,
        'planner': outcome.planner,
        'planned_duration_s': outcome.planned_duration_s,
        'drawn_duration_s': outcome.drawn_duration_s,
        'wall_s': outcome.wall_s,
        'speedup': outcome.speedup,
        'dry_run': outcome.dry_run,
        'first_motion_s': outcome.first_motion_s,
        'deviation_mm': {
            'max': 1000.0 * deviation.max if deviation else None,
            'rms': 1000.0 * deviation.rms if deviation else None,
        },
        'missed_mm': 1000.0 * missed.max if missed else None,
        'out_of_frames': outcome.out_of_frames,
        'faults': list(outcome.faults),
        'ignored': [dict(entry) for entry in recipe.ignored] if recipe else [],
        'max_tcp_speed_m_s': measurement.max_tcp_speed if measurement else None,
        'joint_ratio': ratio or {'velocity': None, 'acceleration': None, 'jerk': None},
        'result': outcome.result,
        'reason': outcome.reason,
    }

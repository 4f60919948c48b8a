# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""report.json: what was asked for, what the arm executed, and how well the two agree."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from elfin_bt import __version__
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.ink import (
    Deviation,
    InkRun,
    Missed,
    find_ink,
    measure,
    missed,
    path_length,
    pen_up_paths,
)
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.kinematics import PaperFrame
from elfin_bt.kinematics.geometry import PEN_LENGTH
from elfin_bt.kinematics.limits import JointLimits
from elfin_bt.session.record import Record, draw_window, joint_ratio, max_speed

Result: TypeAlias = Literal['drawn', 'refused', 'failed']

# A pen that is down when the record begins is lifted straight off; more than this is ink.
_LIFT_OFF = 1e-4  # metres


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a drawing ended. Times in seconds; of them wall_s and first_motion_s are wall time.

    first_motion_s: from the ready pose to the first motion of the drawing. planned_duration_s:
    device time from the first approach to the last lift. retract_duration_s: see `draw_window`.
    What is not known is None.
    """

    result: Result
    reason: str = ''
    wall_s: float
    speedup: float | None = 1.0
    dry_run: bool = False
    planner: str | None = None
    planned_duration_s: float | None = None
    planned_s: Mapping[str, float] | None = None
    first_motion_s: float | None = None
    retract_duration_s: float | None = None
    out_of_frames: int = 0
    faults: Sequence[str] = ()

    def with_status(self, status: Mapping[str, Any]) -> Outcome:
        """The same outcome with what the session's job status (`JobStatus`, as JSON) measured."""
        figures = status.get('figures', {})
        return replace(
            self,
            planner=figures.get('planner'),
            planned_duration_s=status.get('planned_duration_s'),
            planned_s=_parts(figures) if status.get('planned_duration_s') is not None else None,
            first_motion_s=status.get('first_motion_s'),
            retract_duration_s=figures.get('retract_duration_s'),
            out_of_frames=figures.get('out_of_frames', 0),
            faults=tuple(figures.get('faults', ())),
        )


@dataclass(frozen=True, kw_only=True)
class Executed:
    """What a record says about a drawing. Lengths in metres, on the paper; times in seconds.

    window: device time of the drawing, without homing and retraction, None if it never began.
    pen_up: paths (M, 3) of the tip above the paper within the window, and pen_up_m their length;
    pen_down_m is the length of the ink.
    deviation and missed are None without ink, the speeds where the arm did not move.
    """

    runs: list[InkRun]
    pen_up: list[Array]
    window: tuple[float, float] | None
    pen_down_m: float
    pen_up_m: float
    deviation: Deviation | None
    missed: Missed | None
    max_tcp_speed_m_s: float | None
    joint_ratio: dict[str, float | None]


def evaluate(
    record: Record,
    recipe: Recipe,
    outcome: Outcome,
    *,
    paper: PaperFrame | None = None,
    pen_length: float = PEN_LENGTH,
    limits: JointLimits | None = None,
) -> Executed:
    """Measure what was executed against the exact geometry of the recipe.

    paper, pen_length (m), limits: those of the cell, by default the standard ones.
    """
    tips = record.tips(paper or PaperFrame(), pen_length)
    runs = _without_lift_off(find_ink(record.time, tips))
    window = draw_window(record, outcome.retract_duration_s)
    pen_up = []
    if window is not None:
        start, stop = np.searchsorted(record.time, window, side='left')
        pen_up = pen_up_paths(tips, runs, int(start), int(stop) + 1)
    source = [
        segment for index in range(len(recipe.strokes)) for segment in recipe.placed_segments(index)
    ]
    ink = [run.points for run in runs]
    return Executed(
        runs=runs,
        pen_up=pen_up,
        window=window,
        pen_down_m=sum(run.length for run in runs),
        pen_up_m=sum(path_length(path) for path in pen_up),
        deviation=measure(ink, source),
        missed=missed(source, ink),
        max_tcp_speed_m_s=max_speed(record, tips),
        joint_ratio=joint_ratio(record, limits or JointLimits.of_the_arm()),
    )


def build_report(
    outcome: Outcome,
    recipe: Recipe | None,
    executed: Executed | None,
    source: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The report's fields, all of them in every case: what is not known or not there is None.

    source: path and sha256 of the file, where no recipe came of it. executed: None where nothing
    was recorded.
    """
    source = recipe.source if recipe else source or {}
    window = executed.window if executed else None
    deviation = executed.deviation if executed else None
    miss = executed.missed if executed else None
    report = {
        'version': __version__,
        'source': {name: source.get(name) for name in ('path', 'sha256')},
        'page_mm': list(recipe.page_mm) if recipe else None,
        'placed_mm': list(recipe.placed_mm) if recipe else None,
        'strokes': len(recipe.strokes) if recipe else None,
        'points': sum(len(stroke.points) for stroke in recipe.strokes) if recipe else None,
        'pen_down_m': executed.pen_down_m if executed else None,
        'pen_up_m': executed.pen_up_m if executed and window else None,
        'planner': outcome.planner,
        'planned_duration_s': outcome.planned_duration_s,
        'planned_s': outcome.planned_s,
        'drawn_duration_s': window[1] - window[0] if window and outcome.result == 'drawn' else None,
        'wall_s': outcome.wall_s,
        'speedup': outcome.speedup,
        'first_motion_s': outcome.first_motion_s,
        'deviation_mm': {
            'max': 1000.0 * deviation.max if deviation else None,
            'rms': 1000.0 * deviation.rms if deviation else None,
        },
        'missed_mm': 1000.0 * miss.max if miss else None,
        'out_of_frames': outcome.out_of_frames,
        'faults': list(outcome.faults),
        'ignored': [dict(entry) for entry in recipe.ignored] if recipe else [],
        'max_tcp_speed_m_s': executed.max_tcp_speed_m_s if executed else None,
        'joint_ratio': executed.joint_ratio
        if executed
        else dict.fromkeys(('velocity', 'acceleration', 'jerk')),
        'dry_run': outcome.dry_run,
        'result': outcome.result,
        'reason': outcome.reason or None,
    }
    plain: dict[str, Any] = _plain(report)
    return plain


def _parts(figures: Mapping[str, Any]) -> dict[str, float]:
    """Seconds by what the pen does in them, from the planner's seconds by phase."""
    phases = {
        'approach': ('ptp', 'approach'),
        'draw': ('draw',),
        'travel': ('travel',),
        'lift': ('lift', 'plunge'),
        'settle': ('settle',),
    }
    return {
        part: sum(figures.get(f'{phase}_s', 0.0) for phase in names)
        for part, names in phases.items()
    }


def write_report(path: Path, report: Mapping[str, Any]) -> None:
    """Write the report as strict JSON; a reader never sees half a file."""
    text = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + '\n'
    unfinished = path.with_name(path.name + '.part')
    unfinished.write_text(text, encoding='utf-8', errors='backslashreplace')
    unfinished.replace(path)


def _without_lift_off(runs: list[InkRun]) -> list[InkRun]:
    """The runs without the dot under a pen that was down before the record began and is lifted.

    That dot is an earlier drawing's. Ink that goes on sideways from there is kept: it is new.
    """
    if not runs or runs[0].start > 0:
        return runs
    stays = np.ptp(runs[0].points, axis=0).max() <= _LIFT_OFF
    return runs[1:] if stays else runs


def _plain(value: Any) -> Any:
    """Only what JSON has: numbers to 9 significant digits, None where one is not finite."""
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float | np.floating):
        return float(f'{value:.9g}') if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value

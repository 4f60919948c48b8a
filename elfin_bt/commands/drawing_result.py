# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a drawing leaves behind: report.json, ink.svg, ink.png."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from elfin_bt.commands.drawing_options import RunOptions, RunResult
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.drawing.render import write_ink_png, write_ink_svg
from elfin_bt.session.measurement import Measurement, Record, drawn_duration, measure_record
from elfin_bt.session.report import Outcome, build_report


def write_report(out: Path, report: dict[str, Any]) -> None:
    """Write report.json into the folder `out`, which is made if need be."""
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False)
    (out / 'report.json').write_text(text + '\n', encoding='utf-8')


def write_result(
    out: Path, recipe: Recipe, options: RunOptions, run: RunResult, wall_s: float
) -> dict[str, Any]:
    """Measure what was executed, write all files, and return the report."""
    record = Record.from_bytes(run.record)
    figures = run.status.get('figures', {})
    ready = figures.get('ready_stamp_s')
    source = [s for index in range(len(recipe.strokes)) for s in recipe.placed_segments(index)]
    measurement = measure_record(record, source, drawing_start=ready)
    drawn = run.result == 'drawn' and ready is not None
    outcome = Outcome(
        result=run.result,
        reason=run.reason,
        dry_run=options.dry_run,
        speedup=options.speedup,
        wall_s=wall_s,
        planner=figures.get('planner'),
        points=figures.get('points'),
        planned_duration_s=run.status.get('planned_duration_s'),
        drawn_duration_s=drawn_duration(record, ready, figures['retract_duration_s'])
        if drawn
        else None,
        first_motion_s=run.status.get('first_motion_s'),
        out_of_frames=figures.get('out_of_frames', 0),
        faults=figures.get('faults', ()),
    )
    report = build_report(recipe.source, outcome, recipe, measurement)
    write_report(out, report)
    _write_pictures(out, recipe, measurement)
    for name, log in run.logs.items():
        if run.result == 'failed' and log:
            (out / name).write_bytes(log)
    return report


def _write_pictures(out: Path, recipe: Recipe, measurement: Measurement) -> None:
    ink = [run.points for run in measurement.ink]
    for write, name in ((write_ink_svg, 'ink.svg'), (write_ink_png, 'ink.png')):
        write(out / name, recipe, ink, measurement.pen_up, measurement.deviation)

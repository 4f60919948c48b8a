# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a drawing leaves behind: report.json, ink.svg, ink.png, and the logs of a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elfin_bt.commands.drawing_options import RunOptions, RunResult
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.drawing.render import write_ink_png, write_ink_svg
from elfin_bt.session.record import read_record
from elfin_bt.session.report import Outcome, build_report, evaluate, write_report


def write_refusal(out: Path, outcome: Outcome, path: str) -> dict[str, Any]:
    """Write the report of a file that was refused before there was a recipe; return it."""
    report = build_report(outcome, None, None, {'path': path})
    write_report(out / 'report.json', report)
    return report


def write_result(
    out: Path, recipe: Recipe, options: RunOptions, run: RunResult, wall_s: float
) -> dict[str, Any]:
    """Measure what was executed, write all files, and return the report."""
    outcome = Outcome(
        result=run.result,
        reason=run.reason,
        wall_s=wall_s,
        speedup=options.speedup,
        dry_run=options.dry_run,
    ).with_status(run.status)
    executed = evaluate(read_record(run.record), recipe, outcome)
    report = build_report(outcome, recipe, executed)

    write_report(out / 'report.json', report)
    ink = [piece.points for piece in executed.runs]
    for write, name in ((write_ink_svg, 'ink.svg'), (write_ink_png, 'ink.png')):
        write(out / name, recipe, ink, executed.pen_up, executed.deviation)
    for name, log in run.logs.items():
        if run.result == 'failed' and log:
            (out / name).write_bytes(log)
    return report

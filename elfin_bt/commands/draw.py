# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-bt draw FILE`: draw an SVG file and say how exactly it was drawn."""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from elfin_bt.commands.drawing_options import RunOptions
from elfin_bt.commands.drawing_result import write_refusal, write_result
from elfin_bt.commands.progress import ProgressLine, clock_text
from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.session.report import Outcome
from elfin_bt.surface.client import recipe_options
from elfin_bt.surface.client.recipe_options import number

MAX_PEN_SPEED_MM_S = 200.0
MAX_SPEEDUP = 50.0
MAX_IDS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        'file',
        metavar='FILE',
        help='an SVG file, or a recipe (.json, which is drawn as it is, .yaml)',
    )
    parser.add_argument(
        '--out',
        metavar='DIR',
        type=Path,
        help='where report.json, ink.svg and ink.png go (default: drawn/NAME)',
    )
    recipe_options.add_arguments(parser)
    parser.add_argument(
        '--pen-speed',
        metavar='MM_S',
        type=number(1.0, MAX_PEN_SPEED_MM_S, ' mm/s'),
        default=80.0,
        help='speed of the pen on the paper (default: 80)',
    )
    parser.add_argument(
        '--speedup',
        metavar='N',
        type=number(1.0, MAX_SPEEDUP, 'x'),
        help='run the phantom this many times faster than real time (default: 1)',
    )
    parser.add_argument('--dry-run', action='store_true', help='draw at travel height, no ink')
    parser.add_argument('--attach', action='store_true', help='use the session that is running')
    parser.add_argument('--json', action='store_true', help='print report.json, and nothing else')


def run(args: argparse.Namespace) -> int:
    """Draw. Exit code 0: drawn, 1: refused or failed (one reason on stderr), 2: usage."""
    if args.attach and args.speedup is not None:
        print("elfin-bt draw: --speedup is the session's, not one of --attach", file=sys.stderr)
        return 2
    out = args.out or Path('drawn') / (Path(args.file).stem or 'drawing')
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return _draw(args, out)
    except OSError as error:
        print(f'failed: can not write into {out}: {error.strerror}', file=sys.stderr)
        return 1


def _draw(args: argparse.Namespace, out: Path) -> int:
    """Draw into the folder `out`. Raises OSError when it can't be written into."""
    started = time.monotonic()
    speedup = None if args.attach else args.speedup or 1.0
    try:
        recipe = _recipe(args)
    except DrawingError as error:
        outcome = Outcome(
            result='refused',
            reason=str(error),
            wall_s=time.monotonic() - started,
            speedup=speedup,
            dry_run=args.dry_run,
        )
        report = write_refusal(out, outcome, args.file)
        return _end(report, args.json)
    for note in notes(recipe):
        print(note, file=sys.stderr)

    # ROS is imported only for a drawing that can be drawn: bad input is answered at once.
    from elfin_bt.commands.drawing_run import run_drawing

    options = RunOptions(
        speedup=speedup,
        pen_speed_m_s=args.pen_speed / 1000.0,
        dry_run=args.dry_run,
        attach=args.attach,
    )
    result = run_drawing(recipe, options, ProgressLine(sys.stderr, quiet=args.json))
    report = write_result(out, recipe, options, result, wall_s=time.monotonic() - started)
    if not args.json:
        print(summary(report, out))
    return _end(report, args.json)


def _recipe(args: argparse.Namespace) -> Recipe:
    """The recipe to draw. Raises DrawingError."""
    if args.file.lower().endswith('.json'):
        recipe = Recipe.read(Path(args.file))
    else:
        options = recipe_options.options_of(args)
        recipe = options.place(options.read(args.file))
    if recipe.pauses:
        raise DrawingError(
            f'this drawing pauses {len(recipe.pauses)} times (--pens, --pause-after), which a '
            'session does not do yet: draw each pen as a file of its own'
        )
    return recipe


def notes(recipe: Recipe) -> list[str]:
    """What a person should know before the arm moves: warnings, and what is not drawn."""
    lines = [f'note: {warning}' for warning in recipe.warnings]
    for entry in recipe.ignored:
        ids = [identifier for identifier in entry['ids'] if identifier]
        named = ', '.join(ids[:MAX_IDS] + ['...'] * (len(ids) > MAX_IDS))
        lines.append(f'not drawn: {entry["count"]} x {entry["kind"]}' + f' ({named})' * bool(ids))
    return lines


def summary(report: dict[str, Any], out: Path) -> str:
    """The report in two lines, for a person."""
    deviation = report['deviation_mm']['max']
    exact = (
        f'deviation at most {deviation:.3f} mm, nothing missed by more than '
        f'{report["missed_mm"]:.3f} mm'
        if deviation is not None
        else 'no ink'
    )
    duration = report['drawn_duration_s']
    took = f" in {clock_text(duration)} of the arm's time" if duration is not None else ''
    return (
        f'{report["result"]}: {report["strokes"]} strokes, {report["pen_down_m"]:.2f} m of ink'
        f'{took}, {exact}\n{out / "ink.png"}, ink.svg, report.json'
    )


def _end(report: dict[str, Any], as_json: bool) -> int:
    """Print what is left to say and return the exit code."""
    if as_json:
        print(json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False))
    if report['result'] == 'drawn':
        return 0
    print(f'{report["result"]}: {report["reason"]}', file=sys.stderr)
    return 1

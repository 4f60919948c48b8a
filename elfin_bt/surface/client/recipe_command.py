# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-surface recipe FILE...`: files become recipes, and a person sees what will be drawn."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from elfin_bt.drawing.artwork import Artwork
from elfin_bt.drawing.errors import DrawingError
from elfin_bt.planning.settings import Speeds
from elfin_bt.surface.client import drawing_report as reports
from elfin_bt.surface.client import files, recipe_options
from elfin_bt.surface.client.progress_bar import ProgressBar
from elfin_bt.surface.client.recipe_options import RecipeOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        'files', metavar='FILE', nargs='+', help='SVG or YAML files, folders, or patterns'
    )
    parser.add_argument(
        '-o',
        '--out',
        metavar='OUT.json',
        help='write the recipe; for several files a folder, or a path with {name} in it',
    )
    parser.add_argument(
        '--preview', metavar='OUT.png|.svg', help='write a picture, in the same way'
    )
    parser.add_argument(
        '--json', action='store_true', help='print one JSON object a file, and nothing else'
    )
    add_speeds(parser)
    recipe_options.add_arguments(parser)


def add_speeds(parser: argparse.ArgumentParser) -> None:
    """Declare the speeds that the time depends on."""
    speeds = Speeds()
    for name, default in (('pen', speeds.pen), ('travel', speeds.travel)):
        parser.add_argument(
            f'--{name}-speed',
            metavar='MM_S',
            type=recipe_options.number(1.0, 200.0, ' mm/s'),
            default=1000.0 * default,
            help='for the time that it takes (default: %(default)g)',
        )


def speeds_of(args: argparse.Namespace) -> Speeds:
    """The speeds that were given."""
    return Speeds(pen=args.pen_speed / 1000.0, travel=args.travel_speed / 1000.0)


def run(args: argparse.Namespace) -> int:
    """Make recipes. Exit code 0: all made, 1: at least one refused, 2: usage."""
    names, many = files.drawings(args.files), files.is_many(args.files)
    try:
        options = recipe_options.options_of(args)
        if args.preview and Path(args.preview).suffix.lower() not in ('.png', '.svg'):
            raise DrawingError(f'{args.preview}: a preview is a .png or .svg file')
        recipes = files.outputs(args.out, '.json', names, many) if args.out else [None] * len(names)
        previews = (
            files.outputs(args.preview, '.png', names, many)
            if args.preview
            else [None] * len(names)
        )
        for name, *written in zip(names, recipes, previews, strict=True):
            if any(path and path.resolve() == Path(name).resolve() for path in written):
                raise DrawingError(f'{name}: would be overwritten; choose another name for -o')
    except DrawingError as error:
        print(f'elfin-surface recipe: {error}', file=sys.stderr)
        return 2
    if not names:
        print(f'elfin-surface recipe: no drawings in {" ".join(args.files)}', file=sys.stderr)
        return 1
    speeds, bar, wrong = speeds_of(args), ProgressBar(sys.stderr, len(names)), 0
    for done, (name, out, preview) in enumerate(zip(names, recipes, previews, strict=True)):
        bar.show(done, name)
        report = _converted(name, options, speeds, args.raw, out, preview)
        wrong += report['result'] != 'ok'
        bar.clear()
        show(report, args.json)
    if len(names) > 1:
        print(f'{len(names) - wrong} of {len(names)} files converted', file=sys.stderr)
    return 1 if wrong else 0


def show(report: dict[str, Any], as_json: bool) -> None:
    """Print a report: as JSON, or for a person, refusals on stderr."""
    if as_json:
        print(json.dumps(reports.plain(report), ensure_ascii=False, allow_nan=False))
    else:
        stream = sys.stdout if report['result'] == 'ok' else sys.stderr
        print(reports.as_text(report), file=stream)


def _converted(
    name: str,
    options: RecipeOptions,
    speeds: Speeds,
    raw: bool,
    out: Path | None,
    preview: Path | None,
) -> dict[str, Any]:
    """The report of one file; whatever is wrong with the file is in it and not raised."""
    report = reports.empty_report(name)
    try:
        artwork = options.read(name)
        report |= reports.of_artwork(artwork)
        return report | _placed(artwork, options, speeds, raw, out, preview)
    except DrawingError as error:
        return reports.refused(report, error)
    except OSError as error:
        return reports.refused(report, f'{error.filename or name}: {error.strerror or error}')
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A file that is not understood must not keep the others from being converted.
        what = f'{type(error).__name__}: {error}'
        return reports.refused(report, f'{name}: the program failed on this file ({what})')


def _placed(
    artwork: Artwork,
    options: RecipeOptions,
    speeds: Speeds,
    raw: bool,
    out: Path | None,
    preview: Path | None,
) -> dict[str, Any]:
    """What a report says once the artwork is on the paper; files are written."""
    try:
        recipe = options.place(artwork)
        time_s, why_not = reports.time_of(recipe, speeds)
        if why_not:
            raise DrawingError(f'{artwork.path}: {why_not}')
    except DrawingError as error:
        if raw and artwork.outlines and out is None and preview is None:
            # The strokes as read are what was asked for; whether the arm could draw them was not.
            return {'warnings': [*artwork.warnings, str(error)]}
        raise
    fields: dict[str, Any] = {'time_s': time_s}
    if not raw:
        fields |= reports.of_recipe(recipe)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(recipe.to_json(), encoding='utf-8')
        fields['recipe'] = str(out)
    if preview is not None:
        from elfin_bt.drawing.render import write_preview

        preview.parent.mkdir(parents=True, exist_ok=True)
        write_preview(preview, recipe)
        fields['preview'] = str(preview)
    return fields

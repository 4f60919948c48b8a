# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-surface check RECIPE`: hold a recipe to all that the cell holds it to."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.placement import check_area
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.planning.settings import Speeds
from elfin_bt.surface.client import drawing_report as reports
from elfin_bt.surface.client.recipe_command import add_speeds, show, speeds_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('recipe', metavar='RECIPE', help='the JSON file of a recipe')
    parser.add_argument('--json', action='store_true', help='print one JSON object, nothing else')
    add_speeds(parser)


def run(args: argparse.Namespace) -> int:
    """Check a recipe. Exit code 0: it can be drawn, 1: refused, 2: usage."""
    report = _checked(args.recipe, speeds_of(args))
    show(report, args.json)
    return 0 if report['result'] == 'ok' else 1


def _checked(name: str, speeds: Speeds) -> dict[str, Any]:
    report = {**reports.empty_report(name), 'recipe': name}
    try:
        recipe = Recipe.read(Path(name))
        report |= reports.of_recipe(recipe)
        report['bbox_mm'] = reports.recipe_box(recipe)
        check_area(recipe)
        report['time_s'], why_not = reports.time_of(recipe, speeds)
        return reports.refused(report, why_not) if why_not else report
    except DrawingError as error:
        return reports.refused(report, error)
    except OSError as error:
        return reports.refused(report, f'{name}: {error.strerror or error}')

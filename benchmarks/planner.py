# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How fast the local planner is, and how fast it draws: `python benchmarks/planner.py`.

    python benchmarks/planner.py [--json FILE] [--points N] [--sizes N ...] [--runs N] [--million]

CPU times are those of one process, the best of some runs; behind it, in brackets, how far their
median is above it, which is the noise of the machine. TOPP-RA needs requirements/benchmark.txt.

What is measured: `planner_stages` (each stage by itself), `planner_timing` (look-ahead against the
whole drawing at once; limited jerk against none), `planner_numeric` (closed-form inverse kinematics
against damped least squares), `planner_worker` (the process as a session uses it), with the
drawings of `planner_samples`.
"""

import argparse
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from planner_numeric import numeric_against_closed_form
from planner_samples import STYLES, drawing, points_of
from planner_stages import IN_TARGET, planned, stages
from planner_timing import look_ahead, without_jerk
from planner_worker import answers, peak_memory

from elfin_bt.drawing.recipe import Recipe

Table = dict[str, Mapping[str, Any]]
MOST_TEXT = 10_000
"""Points of text beyond which a request is not timed: they are hours of drawing."""

MILLION = 930_000
"""Comes out as almost a million points, which is the most that a recipe may have."""


def stage_table(recipes: Mapping[str, Recipe], runs: int) -> Table:
    """Microseconds a row of the path by stage; rows and recipe points a second."""
    table: Table = {}
    for style, recipe in recipes.items():
        path, _, times = stages(recipe, runs)
        target = sum(times[stage].best for stage in IN_TARGET)
        table[style] = {
            'points of the recipe': points_of(recipe),
            'rows of the path': len(path),
            **{f'{stage}, us a row': seconds.each(len(path)) for stage, seconds in times.items()},
            'IK, checks, timing: rows/s': len(path) / target,
            'IK, checks, timing: points/s': points_of(recipe) / target,
        }
    return table


def look_ahead_table(recipes: Mapping[str, Recipe]) -> Table:
    """Look-ahead against all at once."""
    return {style: _flat(look_ahead(*planned(recipe))) for style, recipe in recipes.items()}


def jerk_table(recipes: Mapping[str, Recipe], runs: int) -> Table:
    """Limited jerk against none."""
    return {style: without_jerk(*planned(recipe), runs) for style, recipe in recipes.items()}


def numeric_table(recipe: Recipe, runs: int) -> Table:
    """Inverse kinematics in closed form and numerically."""
    path, _ = planned(recipe)
    return {'spiral': numeric_against_closed_form(path.points, path.tangents, runs)}


def answer_table(sizes: list[int], runs: int) -> Table:
    """Wall time of the process's answers."""
    table: Table = {}
    for style in ('spiral', 'text'):
        for size in sizes:
            if style == 'spiral' or size <= MOST_TEXT:
                took = answers(drawing(style, size), runs)
                table[f'{style}, {size} points'] = {
                    f'{name}, ms': {'ms': 1e3 * seconds.best, 'spread': seconds.spread}
                    for name, seconds in took.items()
                }
    return table


def memory_table(points: int) -> Table:
    """Memory of the process, planning one very large drawing."""
    recipe = drawing('spiral', points)
    return {f'spiral, {points_of(recipe)} points': peak_memory(recipe)}


def measured(points: int, sizes: list[int], runs: int, *, million: bool) -> dict[str, Any]:
    """All tables."""
    recipes = {style: drawing(style, points) for style in STYLES}
    result: dict[str, Any] = {
        'machine': {
            'processor': _processor(),
            'cores': os.cpu_count(),
            'load at the beginning': os.getloadavg()[0],
            'python': platform.python_version(),
            'numpy': np.__version__,
        },
        'CPU time by stage': stage_table(recipes, runs),
        'look-ahead against the whole drawing at once': look_ahead_table(recipes),
        'drawing time without a jerk limit': jerk_table(recipes, runs),
        'inverse kinematics': numeric_table(recipes['spiral'], runs),
        "wall time of the planner's process, from request to answer": answer_table(sizes, runs),
    }
    if million:
        result["memory of the planner's process"] = memory_table(MILLION)
    return result


def text_of(table: Table) -> str:
    """A table in Markdown, one row a figure."""
    heads = list(table)
    figures = dict.fromkeys(figure for column in table.values() for figure in column)
    lines = ['| | ' + ' | '.join(heads) + ' |', '|---' * (1 + len(heads)) + '|']
    for figure in figures:
        cells = [_cell(table[head].get(figure)) for head in heads]
        lines.append(f'| {figure} | ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        number, spread = value.values()
        return f'{_cell(number)} (+{100.0 * spread:.0f} %)'
    if isinstance(value, float):
        return f'{value:,.0f}' if abs(value) >= 1000.0 else f'{value:.4g}'
    return f'{value:,}' if isinstance(value, int) else str(value or '')


def _flat(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Without the nesting."""
    result: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            result |= {f'{name}: {inner}': entry for inner, entry in value.items()}
        else:
            result[name] = value
    return result


def _processor() -> str:
    with open('/proc/cpuinfo', encoding='utf-8') as lines:
        names = [line.split(':')[1].strip() for line in lines if line.startswith('model name')]
    return names[0] if names else platform.processor()


def main() -> None:
    """Print all tables; write them as JSON where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--json', type=Path, metavar='FILE', help='write the figures there as well')
    parser.add_argument('--points', type=int, default=5_000, help='of a drawing, by stage')
    parser.add_argument(
        '--sizes', type=int, nargs='+', default=[100, 1_000, 10_000, 100_000], metavar='N',
        help='points of the drawings that are asked of the process',
    )  # fmt: skip
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--million', action='store_true', help='memory at a million points, too')
    options = parser.parse_args()
    result = measured(options.points, options.sizes, options.runs, million=options.million)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + '\n', encoding='utf-8')
    print(', '.join(f'{name}: {value}' for name, value in result.pop('machine').items()))
    for title, table in result.items():
        print(f'\n{title}\n\n{text_of(table)}')


if __name__ == '__main__':
    main()

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What `elfin-surface` says of a drawing, as data and as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from elfin_bt.drawing.artwork import Artwork, Layer
from elfin_bt.drawing.geometry import Segment
from elfin_bt.drawing.pen_plan import stroke_lengths
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.strokes import end_points, gaps
from elfin_bt.planning.estimate import estimate_time
from elfin_bt.planning.refusal import Unplannable
from elfin_bt.planning.settings import Speeds

_NO_TIME = dict.fromkeys(('draw', 'travel', 'lift', 'settle'))
_MAX_IDS = 5


def empty_report(file: str) -> dict[str, Any]:
    """All fields of a report, of a drawing that nothing is known about."""
    return {
        'file': file,
        'result': 'ok',
        'reason': None,
        'strokes': None,
        'pen_down_mm': None,
        'pen_up_mm': None,
        'bbox_mm': None,
        'page_mm': None,
        'page_source': None,
        'layers': [],
        'drawn': [],
        'ignored': [],
        'warnings': [],
        'time_s': dict(_NO_TIME),
        'planning': [],
        'pauses': [],
        'recipe': None,
        'preview': None,
    }


def refused(report: dict[str, Any], reason: object) -> dict[str, Any]:
    """The report with the reason why the drawing is refused; what is known stays."""
    return {**report, 'result': 'refused', 'reason': ' '.join(str(reason).split())}


def of_artwork(artwork: Artwork) -> dict[str, Any]:
    """The fields that a drawing has as it was read, page mm."""
    outlines = artwork.outlines
    segments = [segment for outline in outlines for segment in outline.segments]
    travel = gaps(*end_points(outlines)).sum() if outlines else 0.0
    return {
        'strokes': len(outlines),
        'pen_down_mm': float(stroke_lengths(outlines).sum()) if outlines else 0.0,
        'pen_up_mm': float(travel),
        'bbox_mm': _box(segments),
        'page_mm': list(artwork.page_mm),
        'page_source': artwork.page_source,
        'layers': _layers(artwork.layers),
        'drawn': list(artwork.drawn),
        'ignored': list(artwork.ignored),
        'warnings': list(artwork.warnings),
    }


def of_recipe(recipe: Recipe) -> dict[str, Any]:
    """The fields that a recipe has; lengths on the paper."""
    return {
        'strokes': len(recipe.strokes),
        'pen_down_mm': 1000.0 * recipe.pen_down_m,
        'pen_up_mm': 1000.0 * recipe.pen_up_m,
        'page_mm': list(recipe.page_mm),
        'page_source': recipe.page_source,
        'layers': _layers(recipe.layers),
        'drawn': list(recipe.drawn),
        'ignored': list(recipe.ignored),
        'warnings': list(recipe.warnings),
        'planning': list(recipe.planning),
        'pauses': [
            {'before_stroke': pause.before, 'reason': pause.reason, 'note': pause.note}
            for pause in recipe.pauses
        ],
    }


def recipe_box(recipe: Recipe) -> list[float] | None:
    """The box of a recipe's strokes, page mm."""
    return _box([segment for stroke in recipe.strokes for segment in stroke.segments])


def time_of(recipe: Recipe, speeds: Speeds) -> tuple[dict[str, float | None], str]:
    """Seconds by what they are spent on, and why they can't be told, if so."""
    try:
        time = estimate_time(recipe, speeds)
    except Unplannable as error:
        return dict(_NO_TIME), str(error)
    return {
        'draw': time.draw,
        'travel': time.travel,
        'lift': time.lift,
        'settle': time.settle,
    }, ''


def plain(value: Any) -> Any:
    """Only what JSON has, numbers to 9 significant digits, None where one is not finite."""
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float | np.floating):
        return float(f'{value:.9g}') if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


def as_text(report: Mapping[str, Any]) -> str:
    """The report in a few lines, for a person."""
    lines = [f'note: {warning}' for warning in report['warnings']]
    lines += [_ignored(entry) for entry in report['ignored']]
    if report['result'] != 'ok':
        return '\n'.join([*lines, f'{report["file"]}: refused: {report["reason"]}'])
    for step in report['planning']:
        before, after = step['before'], step['after']
        lines.append(
            f'{step["step"]:>10}: {before["strokes"]} -> {after["strokes"]} strokes, '
            f'{before["pen_down_mm"]:.0f} -> {after["pen_down_mm"]:.0f} mm of ink, '
            f'{before["pen_up_mm"]:.0f} -> {after["pen_up_mm"]:.0f} mm above the paper'
        )
    if len(report['layers']) > 1:
        lines += [_layer(layer) for layer in report['layers']]
    lines += [
        f'pause before stroke {pause["before_stroke"] + 1}: {pause["note"]}'
        for pause in report['pauses']
    ]
    lines.append(
        f'{report["file"]}: {report["strokes"]} strokes, {report["pen_down_mm"] / 1000:.2f} m of '
        f'ink, {report["pen_up_mm"] / 1000:.2f} m above the paper{_time(report["time_s"])}'
    )
    lines += [str(report[name]) for name in ('recipe', 'preview') if report[name]]
    return '\n'.join(lines)


def _ignored(entry: Mapping[str, Any]) -> str:
    ids = [*entry['ids'][:_MAX_IDS], *['...'] * (len(entry['ids']) > _MAX_IDS)]
    return f'not drawn: {entry["count"]} x {entry["kind"]}' + f' ({", ".join(ids)})' * bool(ids)


def _layer(layer: Mapping[str, Any]) -> str:
    names = [name for name in (layer['label'], layer['colour']) if name]
    return f'layer {" ".join(names) or "without a name"}: {layer["strokes"]} strokes'


def _time(time_s: Mapping[str, float | None]) -> str:
    known = {name: seconds for name, seconds in time_s.items() if seconds is not None}
    if not known:
        return ''
    minutes, seconds = divmod(round(sum(known.values())), 60)
    parts = ', '.join(f'{name} {spent:.0f} s' for name, spent in known.items() if spent)
    return f', {minutes}:{seconds:02d} min ({parts})'


def _box(segments: Sequence[Segment]) -> list[float] | None:
    return SegmentTable(segments).bounds().ravel().tolist() if segments else None


def _layers(layers: Iterable[Layer]) -> list[dict[str, Any]]:
    return [
        {'label': layer.label, 'colour': layer.colour, 'strokes': layer.strokes} for layer in layers
    ]

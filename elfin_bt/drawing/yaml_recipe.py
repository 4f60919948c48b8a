# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Recipes in YAML: a pen's way in space, from the middle of the paper, in metres.

What is below the travel height (z < 0) is drawn. Lines, B-splines up to the third degree and
curves through points stay exact; functions of t and higher splines become lines between samples.
Where the board is and how the arm stands is the cell's affair: `anchor`, `ready` and
`plane_rotate` do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from elfin_bt.drawing.artwork import Artwork, Outline, Report
from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.expressions import Formula, parse_formula
from elfin_bt.drawing.geometry import Array, Line, Segment, transform_all
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.transforms import affine
from elfin_bt.drawing.yaml_safety import load_yaml

MAX_SAMPLES = 100_000
MAX_DEGREE = 9

_TOP = (
    *('coordinates', 'ready', 'anchor', 'defaults', 'eef_step', 'scale', 'rotate'),
    *('plane_rotate', 'segments', 'name', 'description'),
)
_DEFAULTS = ('vel', 'acc', 'z', 'samples')
_ALWAYS = ('type', 'vel', 'acc', 'rpy', 'rpy_frame', 'name')
_FIELDS = {
    'lin': ('xyz',),
    'func': ('t', 'x', 'y', 'z', 'samples'),
    'bspline': ('points', 'degree', 'closed', 'z', 'samples'),
    'through': ('points', 'closed', 'z', 'samples'),
}
_CLOSE = 1e-9  # metres
_SMALLEST_PAGE = 1.0  # mm


def read_yaml_recipe(path: str | Path) -> Artwork:
    """The artwork of a YAML recipe, on a page around the middle of the paper.

    Raises:
        RecipeError: one line that says where the recipe is wrong and what was expected.
    """
    document, digest = load_yaml(path)
    report = Report()
    try:
        outlines = _Reader(document, report).outlines()
    except RecipeError as error:
        raise RecipeError(f'{path}: {str(error).removeprefix("recipe: ")}') from None
    if not outlines:
        return Artwork((1.0, 1.0), (), report.ignored, report.warnings, str(path), digest)
    segments = [segment for outline in outlines for segment in outline]
    reach = np.abs(SegmentTable(segments).bounds()).max(axis=0)
    half = np.maximum(1000.0 * reach, 0.5 * _SMALLEST_PAGE)
    to_page = affine(1000.0, 0, 0, -1000.0, *half)
    return Artwork(
        page_mm=(2.0 * float(half[0]), 2.0 * float(half[1])),
        outlines=tuple(
            Outline(transform_all(outline, to_page), closed=_is_closed(outline))
            for outline in outlines
        ),
        ignored=report.ignored,
        warnings=report.warnings,
        path=str(path),
        sha256=digest,
        page_source='around the middle of the paper',
        drawn=report.drawn,
    )


class _Reader:
    """A document's segments, one after the other; the pen begins at the anchor."""

    def __init__(self, document: Any, report: Report) -> None:
        self._document = _mapping(document, 'the document')
        self._report = report
        self._defaults = _mapping(self._document.get('defaults') or {}, 'defaults')
        self._name_unknown(self._document, _TOP, 'the document')
        self._name_unknown(self._defaults, _DEFAULTS, 'defaults')
        coordinates = self._document.get('coordinates', 'relative')
        if coordinates != 'relative':
            raise RecipeError(
                f'coordinates are {coordinates!r}; only relative ones can be put on the paper: '
                'give offsets from the anchor and coordinates: relative'
            )
        scale = _number(self._document.get('scale', 1.0), 'scale')
        if scale <= 0.0:
            raise RecipeError(f'scale is {scale:g}, expected more than 0')
        turn = np.radians(_number(self._document.get('rotate', 0.0), 'rotate'))
        cos, sin = scale * np.cos(turn), scale * np.sin(turn)
        self._plane = affine(cos, sin, -sin, cos, 0, 0)

    def outlines(self) -> list[tuple[Segment, ...]]:
        """The strokes, metres from the middle of the paper, y up."""
        entries = self._document.get('segments')
        if not isinstance(entries, list) or not entries:
            raise RecipeError('segments is not a list of segments')
        runs: list[list[Segment]] = []
        here, is_down = np.zeros(3), False
        for number, entry in enumerate(entries):
            kind = ''
            for segment, start, end in self._pieces(entry, f'segments[{number}]', here):
                here = np.append(segment.end, end)
                part = _below(segment, start, end)
                if part is None:
                    is_down = False
                    continue
                if not is_down:
                    runs.append([])
                runs[-1].append(part)
                is_down = end < 0.0
                if _is_long(part):
                    kind = entry['type']
            if kind:
                self._report.draw(kind, None)
        return [transform_all(_cleaned(run), self._plane) for run in runs]

    def _pieces(
        self, entry: Any, where: str, here: Array
    ) -> Iterator[tuple[Segment, float, float]]:
        """Plane segments, and the height at the start and the end of each."""
        entry = _mapping(entry, where)
        kind = entry.get('type')
        if kind not in _FIELDS:
            raise RecipeError(f'{where}.type is {kind!r}, expected {", ".join(_FIELDS)}')
        self._name_unknown(entry, (*_ALWAYS, *_FIELDS[kind]), where)
        if 'rpy' in entry:
            self._report.warn('rpy is not applied: the pen is always straight down')
        if kind == 'lin':
            yield from _lines(here, _numbers(entry.get('xyz'), 3, f'{where}.xyz')[None])
        elif kind == 'func':
            yield from _lines(here, self._sampled(entry, where))
        else:
            z = _number(entry.get('z', self._defaults.get('z', 0.0)), f'{where}.z')
            curve = self._curve(entry, where)
            yield from _lines(here, np.append(curve[0].start, z)[None])
            for segment in curve:
                yield segment, z, z

    def _sampled(self, entry: Mapping[str, Any], where: str) -> Array:
        """Points (N, 3) of a function of t."""
        span = entry.get('t')
        if not isinstance(span, list) or len(span) != 2:
            raise RecipeError(f'{where}.t is {span!r}, expected [first, last]')
        first, last = (_number(end, f'{where}.t') for end in span)
        t = np.linspace(first, last, self._samples(entry, where, 2))
        z = entry.get('z', self._defaults.get('z', 0.0))
        named = {'x': entry.get('x'), 'y': entry.get('y'), 'z': z}
        return np.column_stack(
            [_values(formula, t, f'{where}.{name}') for name, formula in named.items()]
        )

    def _curve(self, entry: Mapping[str, Any], where: str) -> Sequence[Segment]:
        """The segments of a spline."""
        # Splines are rare, and their library takes a moment to load.
        from elfin_bt.drawing import splines

        points = _points(entry.get('points'), f'{where}.points')
        closed = entry.get('closed', False)
        if not isinstance(closed, bool):
            raise RecipeError(f'{where}.closed is {closed!r}, expected true or false')
        self._samples(entry, where, 1)
        if entry['type'] == 'through':
            points = _without_repeats(points, closed)
            if len(points) < 2 + closed:
                raise RecipeError(f'{where}.points: {2 + closed} different points are needed')
            return splines.through(points, closed)
        degree = entry.get('degree', 3)
        if not isinstance(degree, int) or isinstance(degree, bool) or not 1 <= degree <= MAX_DEGREE:
            raise RecipeError(f'{where}.degree is {degree!r}, expected 1 to {MAX_DEGREE}')
        if len(points) <= degree:
            raise RecipeError(
                f'{where}.points: degree {degree} needs {degree + 1} points, there are '
                f'{len(points)}'
            )
        spline = splines.b_spline(points, degree, closed)
        if degree <= 3:
            return splines.as_cubics(spline)
        samples = spline(np.linspace(0.0, 1.0, self._samples(entry, where, 2)))
        return [Line(p, q) for p, q in zip(samples, samples[1:], strict=False)]

    def _samples(self, entry: Mapping[str, Any], where: str, least: int) -> int:
        samples = entry.get('samples', self._defaults.get('samples', 120))
        if isinstance(samples, bool) or not isinstance(samples, int):
            raise RecipeError(f'{where}.samples is {samples!r}, expected a whole number')
        if not least <= samples <= MAX_SAMPLES:
            raise RecipeError(f'{where}.samples is {samples}, expected {least} to {MAX_SAMPLES:,}')
        return samples

    def _name_unknown(self, entry: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for name in entry:
            if name not in known:
                self._report.warn(f'{where}: {str(name)[:40]!r} is not known and not applied')


def _lines(here: Array, points: Array) -> Iterator[tuple[Segment, float, float]]:
    """Lines from here (3,) through points (N, 3)."""
    for point in points:
        yield Line(here[:2], point[:2]), float(here[2]), float(point[2])
        here = point


def _below(segment: Segment, start: float, end: float) -> Segment | None:
    """The part of a segment that is below the travel height; heights at its start and end."""
    if start >= 0.0 and end >= 0.0:
        return None
    if start < 0.0 and end < 0.0 or not isinstance(segment, Line):
        return segment
    share = start / (start - end)
    crossing = segment.point(share)[0]
    return Line(crossing, segment.end) if end < 0.0 else Line(segment.start, crossing)


def _cleaned(run: list[Segment]) -> list[Segment]:
    """Without what has no length: plunges and lifts; a run of nothing else is a dot."""
    return [segment for segment in run if _is_long(segment)] or run[:1]


def _is_long(segment: Segment) -> bool:
    is_line = isinstance(segment, Line)
    return not is_line or bool(np.hypot(*(segment.end - segment.start)) > _CLOSE)


def _is_closed(outline: Sequence[Segment]) -> bool:
    is_dot = len(outline) == 1 and isinstance(outline[0], Line)
    return not is_dot and bool(np.hypot(*(outline[-1].end - outline[0].start)) <= _CLOSE)


def _without_repeats(points: Array, closed: bool) -> Array:
    before = np.roll(points, 1, axis=0)
    differs = np.hypot(*(points - before).T) > _CLOSE
    if not closed:
        differs[0] = True
    different: Array = points[differs]
    return different


def _values(formula: Any, t: Array, where: str) -> Array:
    with np.errstate(all='ignore'):
        values: Array = _formula(formula, where)(t)
    if not np.isfinite(values).all():
        at = t[np.flatnonzero(~np.isfinite(values))[0]]
        raise RecipeError(f'{where} = {formula!r} has no finite value at t = {at:g}')
    return values


def _formula(value: Any, where: str) -> Formula:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RecipeError(f'{where} is {value!r}, expected a number or a formula in t')
    if isinstance(value, str):
        try:
            return parse_formula(value)
        except RecipeError as error:
            raise RecipeError(f'{where}: {error}') from None
    number = _number(value, where)
    return lambda t: np.full(len(t), number)


def _number(value: Any, where: str) -> float:
    """A finite number; also one that YAML 1.1 takes for text, such as 1e-3 or pi/2."""
    if isinstance(value, str):
        return float(_values(value, np.zeros(1), where)[0])
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RecipeError(f'{where} is {value!r}, expected a number')
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise RecipeError(f'{where} is {value!r:.40}, expected a finite number')
    return number


def _numbers(value: Any, count: int, where: str) -> Array:
    if not isinstance(value, list) or len(value) != count:
        raise RecipeError(f'{where} is {str(value)[:60]!r}, expected {count} numbers')
    return np.array([_number(entry, where) for entry in value])


def _points(value: Any, where: str) -> Array:
    if not isinstance(value, list) or not value:
        raise RecipeError(f'{where} is {str(value)[:60]!r}, expected a list of [x, y]')
    return np.array([_numbers(point, 2, f'{where}[{i}]') for i, point in enumerate(value)])


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RecipeError(f'{where} is {str(value)[:60]!r}, expected names with values')
    return value

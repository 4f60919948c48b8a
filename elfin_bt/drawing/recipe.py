# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The recipe: what is to be drawn, exactly, and where on the paper.

A recipe is the only thing that passes from the drawing side to the planner. Strokes are kept in
page coordinates (mm, y down, as in the SVG) and in file order; `placement` maps them to the
`paper` frame (metres, y up). The exact segments stand beside the points sampled from them.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.geometry import Array, Segment, apply_affine
from elfin_bt.drawing.recipe_fields import (
    decode_segment,
    encode_segment,
    items,
    mapping,
    member,
    numbers,
    text,
    text_or_none,
)
from elfin_bt.drawing.segment_table import SegmentTable

FORMAT = 'elfin_bt/recipe'
VERSION = 1

# Neighbouring segments come from one path; more than rounding between them is a mistake.
JOINT_GAP_MM = 1e-3

# Bytes; a million points take about 50 MB.
MAX_FILE_SIZE = 500_000_000

StrokeKind: TypeAlias = Literal['line', 'arc', 'curve', 'polyline']


def stroke_kind(segments: Sequence[Segment]) -> StrokeKind:
    """'line' (one), 'polyline' (only lines), 'arc' (only arcs), else 'curve'."""
    kinds = {segment.kind for segment in segments}
    if kinds == {'line'}:
        return 'line' if len(segments) == 1 else 'polyline'
    return 'arc' if kinds == {'arc'} else 'curve'


@dataclass(frozen=True, eq=False)
class Stroke:
    """One pen-down path.

    Attributes:
        kind: what the segments are, see `stroke_kind`.
        segments: exact geometry in page mm, y down; each starts where the one before ends.
        points: (N, 2) page mm, from the first end to the last; a dot has one point.
        closed: the path returns to its start.
        layer: label of the Inkscape layer, if there is one.
        colour: '#rrggbb' of the stroke paint, else of the fill paint, where it is plain.
        element_id: id of the SVG element.
    """

    kind: StrokeKind
    segments: tuple[Segment, ...]
    points: Array
    closed: bool = False
    layer: str | None = None
    colour: str | None = None
    element_id: str | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stroke):
            return NotImplemented
        mine, theirs = dict(vars(self)), dict(vars(other))
        return np.array_equal(mine.pop('points'), theirs.pop('points')) and mine == theirs

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Recipe:
    """A placed drawing.

    Attributes:
        page_mm: page width and height.
        strokes: in the order in which they are drawn.
        placement: (2, 3) similarity from page mm (y down) to `paper` metres (y up).
        spacing_mm: largest distance of neighbouring points, on the paper.
        chord_tolerance_mm: largest distance of the curve from the chords, on the paper.
        source: path, sha256 and options that the recipe was made from.
        ignored: what the file has and the recipe lacks: {'kind', 'count', 'ids'} each.
        warnings: what a person should know before the arm moves.
    """

    page_mm: tuple[float, float]
    strokes: tuple[Stroke, ...]
    placement: Array
    spacing_mm: float
    chord_tolerance_mm: float
    source: Mapping[str, Any] = field(default_factory=dict)
    ignored: Sequence[Mapping[str, Any]] = ()
    warnings: Sequence[str] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Recipe):
            return NotImplemented
        return self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def placed_segments(self, index: int) -> tuple[Segment, ...]:
        """Exact segments of stroke `index` (from 0) in paper metres."""
        segments = self.strokes[index].segments
        return tuple(segment.transformed(self.placement) for segment in segments)

    def placed_points(self, index: int) -> Array:
        """Sampled points (N, 2) of stroke `index` (from 0) in paper metres."""
        return apply_affine(self.placement, self.strokes[index].points)

    @property
    def scale(self) -> float:
        """Paper mm per page mm."""
        return 1000.0 * float(np.sqrt(abs(np.linalg.det(self.placement[:, :2]))))

    @property
    def placed_mm(self) -> tuple[float, float]:
        """Width and height of the artwork's box on the paper."""
        lower, upper = self._table.bounds()
        width, height = self.scale * (upper - lower)
        return float(width), float(height)

    @property
    def pen_down_m(self) -> float:
        """Length of all strokes on the paper."""
        return float(self._table.lengths().sum()) * self.scale / 1000.0

    @cached_property
    def _table(self) -> SegmentTable:
        return SegmentTable([s for stroke in self.strokes for s in stroke.segments])

    def to_json(self) -> str:
        """One JSON document (docs/recipe.schema.json); `from_json` gives an equal recipe."""
        document = {
            'format': FORMAT,
            'version': VERSION,
            'page_mm': [float(side) for side in self.page_mm],
            'placement': self.placement.tolist(),
            'spacing_mm': self.spacing_mm,
            'chord_tolerance_mm': self.chord_tolerance_mm,
            'source': dict(self.source),
            'ignored': [dict(entry) for entry in self.ignored],
            'warnings': list(self.warnings),
            'strokes': [_encode_stroke(stroke) for stroke in self.strokes],
        }
        return json.dumps(document, ensure_ascii=False, allow_nan=False)

    @classmethod
    def read(cls, path: Path) -> Recipe:
        """The recipe of a file. Raises RecipeError, and OSError where it can't be read."""
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise RecipeError(f'{path} is not a file; name the JSON file of a recipe')
        if status.st_size > MAX_FILE_SIZE:
            raise RecipeError(
                f'{path} has {status.st_size} bytes, the limit is {MAX_FILE_SIZE}; '
                'draw it in parts, or with a wider spacing'
            )
        return cls.from_json(path.read_bytes())

    @classmethod
    def from_json(cls, document: str | bytes) -> Recipe:
        """The recipe of a JSON document; RecipeError says where the document is wrong."""
        try:
            return cls.from_document(json.loads(document))
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RecipeError(f'recipe: not JSON: {error}') from None

    @classmethod
    def from_document(cls, document: Any) -> Recipe:
        """The recipe of a JSON document that is parsed already, checked as in `from_json`."""
        name, version = member(document, 'format', ''), member(document, 'version', '')
        if name != FORMAT or version != VERSION:
            raise RecipeError(
                f'recipe: format {name!r} version {version!r} can not be read, '
                f'expected {FORMAT!r} version {VERSION}; make the recipe again from its SVG'
            )
        width, height = numbers(member(document, 'page_mm', ''), (2,), 'page_mm')
        strokes = items(member(document, 'strokes', ''), 'strokes')
        if not strokes:
            raise RecipeError('recipe: there are no strokes')
        return cls(
            page_mm=(float(width), float(height)),
            strokes=tuple(_decode_stroke(s, f'strokes[{i}]') for i, s in enumerate(strokes)),
            placement=_similarity(member(document, 'placement', '')),
            spacing_mm=_positive(member(document, 'spacing_mm', ''), 'spacing_mm'),
            chord_tolerance_mm=_positive(
                member(document, 'chord_tolerance_mm', ''), 'chord_tolerance_mm'
            ),
            source=mapping(member(document, 'source', ''), 'source'),
            ignored=[
                mapping(entry, f'ignored[{i}]')
                for i, entry in enumerate(items(member(document, 'ignored', ''), 'ignored'))
            ],
            warnings=[
                text(entry, f'warnings[{i}]')
                for i, entry in enumerate(items(member(document, 'warnings', ''), 'warnings'))
            ],
        )


def _encode_stroke(stroke: Stroke) -> dict[str, Any]:
    return {
        'kind': stroke.kind,
        'closed': stroke.closed,
        'layer': stroke.layer,
        'colour': stroke.colour,
        'element_id': stroke.element_id,
        'segments': [encode_segment(segment) for segment in stroke.segments],
        'points': stroke.points.tolist(),
    }


def _decode_stroke(document: Any, where: str) -> Stroke:
    entries = items(member(document, 'segments', where), f'{where}.segments')
    if not entries:
        raise RecipeError(f'recipe: {where} has no segments')
    segments = tuple(
        decode_segment(entry, f'{where}.segments[{i}]') for i, entry in enumerate(entries)
    )
    points = numbers(member(document, 'points', where), (-1, 2), f'{where}.points')
    stroke = Stroke(
        kind=stroke_kind(segments),
        segments=segments,
        points=points,
        closed=bool(member(document, 'closed', where)),
        layer=text_or_none(member(document, 'layer', where), f'{where}.layer'),
        colour=text_or_none(member(document, 'colour', where), f'{where}.colour'),
        element_id=text_or_none(member(document, 'element_id', where), f'{where}.element_id'),
    )
    _check_joined(stroke, where)
    return stroke


def _check_joined(stroke: Stroke, where: str) -> None:
    """A stroke is one path: nothing in it may jump, or the pen would cross the drawing."""
    for i, (before, after) in enumerate(pairwise(stroke.segments)):
        gap = float(np.hypot(*(after.start - before.end)))
        if gap > JOINT_GAP_MM:
            raise RecipeError(
                f'recipe: {where}.segments[{i + 1}] starts {gap:.6g} mm away from the end of the '
                f'one before, limit {JOINT_GAP_MM:g} mm'
            )
    ends = np.stack([stroke.segments[0].start, stroke.segments[-1].end])
    if not len(stroke.points) or np.abs(stroke.points[[0, -1]] - ends).max() > JOINT_GAP_MM:
        raise RecipeError(f'recipe: {where}.points do not run from end to end of its segments')


def _similarity(value: Any) -> Array:
    """A map that keeps shapes, since lengths and tolerances are carried over by one scale."""
    matrix = numbers(value, (2, 3), 'placement')
    columns = matrix[:, :2]
    gram = columns.T @ columns
    if gram[0, 0] <= 0.0 or np.abs(gram - gram[0, 0] * np.eye(2)).max() > 1e-9 * gram[0, 0]:
        raise RecipeError('recipe: placement is not a similarity (one scale, no skew)')
    return matrix


def _positive(value: Any, where: str) -> float:
    number = float(numbers(value, (), where))
    if number <= 0.0:
        raise RecipeError(f'recipe: {where} is {number:g}, expected more than 0')
    return number

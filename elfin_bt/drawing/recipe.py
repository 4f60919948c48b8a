# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The recipe: what is to be drawn, exactly, and where on the paper.

A recipe is the only thing that passes from the drawing side to the planner. Strokes are kept in
page coordinates (mm, y down, as in the SVG), in the order of drawing; `placement` maps them to the
`paper` frame (metres, y up). The exact segments stand beside the points sampled from them, and
the commands of the pen beside the strokes.

Nothing that is read is taken on trust: strokes must be contiguous and on the page, their points
on their geometry, and the commands pass the state machine of the pen.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from elfin_bt.drawing.artwork import Layer, layers_of
from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.geometry import Array, Segment, apply_affine
from elfin_bt.drawing.pen_states import (
    EDGE_SLACK_MM,
    JOINT_GAP_MM,
    Command,
    Pause,
    PenMachine,
    decode_command,
    encode_command,
    pen_commands,
)
from elfin_bt.drawing.points_check import check_points
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
VERSION = 2

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
        page_source: where the page size is from, as in 'width and height'.
        drawn: what of the file is drawn, like `ignored`.
        near_lifts: strokes (from 0) after which the pen is lifted only a little.
        pauses: where a person changes the pen or looks after it.
        planning: what the steps of pen planning did: {'step', 'before', 'after'} each, with
            strokes, segments, pen_down_mm and pen_up_mm (on the paper) in both.
    """

    page_mm: tuple[float, float]
    strokes: tuple[Stroke, ...]
    placement: Array
    spacing_mm: float
    chord_tolerance_mm: float
    source: Mapping[str, Any] = field(default_factory=dict)
    ignored: Sequence[Mapping[str, Any]] = ()
    warnings: Sequence[str] = ()
    page_source: str = ''
    drawn: Sequence[Mapping[str, Any]] = ()
    near_lifts: tuple[int, ...] = ()
    pauses: tuple[Pause, ...] = ()
    planning: Sequence[Mapping[str, Any]] = ()

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

    @property
    def pen_up_m(self) -> float:
        """Straight distances from the end of each stroke to the start of the next, on the paper."""
        starts, ends = self._ends
        return float(np.hypot(*(starts[1:] - ends[:-1]).T).sum()) * self.scale / 1000.0

    @property
    def layers(self) -> list[Layer]:
        """The layers in the order in which they are begun."""
        return layers_of(self.strokes)

    @property
    def commands(self) -> Iterator[Command]:
        """What the pen does, one thing after the other."""
        starts, ends = (side.tolist() for side in self._ends)
        return pen_commands(starts, ends, self.near_lifts, self.pauses)

    def check(self, commands: Iterable[Command] | None = None) -> PenMachine:
        """Refuse (RecipeError) strokes off the page and commands, its own if none are given, that
        break a rule of the pen; return the machine that ran them.
        """
        first = np.cumsum([0, *(len(stroke.segments) for stroke in self.strokes[:-1])])
        lower, upper = self._table.boxes()
        lower, upper = np.minimum.reduceat(lower, first), np.maximum.reduceat(upper, first)
        over = np.maximum(-lower, upper - np.array(self.page_mm)).max(axis=1)
        worst = int(over.argmax())
        if not over[worst] <= EDGE_SLACK_MM:
            raise RecipeError(
                f'recipe: strokes[{worst}] leaves the page of {self.page_mm[0]:.6g} x '
                f'{self.page_mm[1]:.6g} mm by {over[worst]:.3g} mm; clip the drawing, or enlarge '
                'its page'
            )
        machine = PenMachine(*self._ends, self.page_mm)
        machine.run(self.commands if commands is None else commands)
        return machine

    @cached_property
    def _ends(self) -> tuple[Array, Array]:
        """First and last points (S, 2) of all strokes, page mm."""
        starts = [stroke.segments[0].start for stroke in self.strokes]
        ends = [stroke.segments[-1].end for stroke in self.strokes]
        return np.array(starts).reshape(-1, 2), np.array(ends).reshape(-1, 2)

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
            'page_source': self.page_source,
            'drawn': [dict(entry) for entry in self.drawn],
            'planning': [dict(entry) for entry in self.planning],
            'strokes': [_encode_stroke(stroke) for stroke in self.strokes],
            'commands': [encode_command(command) for command in self.commands],
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
            parsed = json.loads(document)
        except (ValueError, RecursionError) as error:  # numbers of thousands of digits included
            raise RecipeError(f'recipe: not JSON: {error}') from None
        return cls.from_document(parsed)

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
        recipe = cls(
            page_mm=(float(width), float(height)),
            strokes=tuple(_decode_stroke(s, f'strokes[{i}]') for i, s in enumerate(strokes)),
            placement=_similarity(member(document, 'placement', '')),
            spacing_mm=_positive(member(document, 'spacing_mm', ''), 'spacing_mm'),
            chord_tolerance_mm=_positive(
                member(document, 'chord_tolerance_mm', ''), 'chord_tolerance_mm'
            ),
            source=mapping(member(document, 'source', ''), 'source'),
            ignored=_mappings(document, 'ignored'),
            warnings=[
                text(entry, f'warnings[{i}]')
                for i, entry in enumerate(items(member(document, 'warnings', ''), 'warnings'))
            ],
            page_source=text(member(document, 'page_source', ''), 'page_source'),
            drawn=_mappings(document, 'drawn'),
            planning=_mappings(document, 'planning'),
        )
        commands = items(member(document, 'commands', ''), 'commands')
        machine = recipe.check(decode_command(c, f'commands[{i}]') for i, c in enumerate(commands))
        check_points(
            [stroke.segments for stroke in recipe.strokes],
            [stroke.points for stroke in recipe.strokes],
            recipe.spacing_mm / recipe.scale,
            recipe.chord_tolerance_mm / recipe.scale,
        )
        return replace(recipe, near_lifts=tuple(machine.near_lifts), pauses=tuple(machine.pauses))


def _mappings(document: Any, name: str) -> list[Mapping[str, Any]]:
    entries = items(member(document, name, ''), name)
    return [mapping(entry, f'{name}[{i}]') for i, entry in enumerate(entries)]


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

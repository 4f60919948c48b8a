# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Artwork onto the paper: turned, scaled, planned for the pen, within the arm's reach, sampled.

Page coordinates are mm with y down; `paper` coordinates are metres with y up and the origin in
the middle of the working area. The box of the artwork, not the page, is centred.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from elfin_bt.drawing.artwork import Artwork, Outline
from elfin_bt.drawing.errors import PlacementError, RecipeError
from elfin_bt.drawing.geometry import Array, Index, Segment, apply_affine
from elfin_bt.drawing.pen_plan import PenOptions, PenPlan, plan_pen
from elfin_bt.drawing.recipe import Recipe, Stroke, stroke_kind
from elfin_bt.drawing.sampling import sample_strokes
from elfin_bt.drawing.segment_table import SegmentTable
from elfin_bt.drawing.transforms import affine, compose
from elfin_bt.drawing.working_area import WorkingArea

DEFAULT_SPACING_MM = 1.0
DEFAULT_TOLERANCE_MM = 0.02

# Curves are checked as chords that err by no more than this part of the artwork's size.
_FLATNESS = 5e-5
# A drawing that was made to fit ends at the limit itself, but for rounding.
_SLACK_M = 1e-9


@dataclass(frozen=True, kw_only=True)
class Placing:
    """Where and how large the artwork is to be on the paper. At most one size can be given.

    Attributes:
        width_mm: width of the artwork's box, after turning.
        height_mm: height of it.
        fit: as large as the working area allows.
        scale: times its physical size.
        rotate_deg: turned counter-clockwise.
        at_mm: (x, y) of its middle, from the middle of the paper, y up.
        middle: what is meant by it, of the artwork's box or of the page.
    """

    width_mm: float | None = None
    height_mm: float | None = None
    fit: bool = False
    scale: float | None = None
    rotate_deg: float = 0.0
    at_mm: tuple[float, float] = (0.0, 0.0)
    middle: Literal['artwork', 'page'] = 'artwork'

    def __post_init__(self) -> None:
        """Refuse what can't be placed."""
        sizes = {'width': self.width_mm, 'height': self.height_mm, 'scale': self.scale}
        given = [name for name, size in sizes.items() if size is not None] + ['fit'] * self.fit
        if len(given) > 1:
            raise PlacementError(f'{" and ".join(given)} exclude each other; give one of them')
        for name, size in sizes.items():
            if size is not None and not 0.0 < size < math.inf:
                unit = '' if name == 'scale' else ' mm'
                raise PlacementError(f'the {name} is {size:g}{unit}, expected more than 0')
        if not np.isfinite([self.rotate_deg, *self.at_mm]).all():
            raise PlacementError('the place and the angle must be finite numbers')


def place(
    artwork: Artwork,
    *,
    width_mm: float | None = None,
    fit: bool = False,
    spacing_mm: float = DEFAULT_SPACING_MM,
    tolerance_mm: float = DEFAULT_TOLERANCE_MM,
    area: WorkingArea | None = None,
    placing: Placing | None = None,
    pen: PenOptions | None = None,
) -> Recipe:
    """The recipe of an artwork at its physical size, or another one.

    Args:
        artwork: what to draw.
        width_mm: width of the artwork's box on the paper, where `placing` is not given.
        fit: scale the artwork's box to the working area instead.
        spacing_mm: largest distance of neighbouring points on the paper.
        tolerance_mm: largest distance of the curves from the chords between points.
        area: where the pen may go.
        placing: all that can be chosen about size and place.
        pen: how the pen's work is planned.

    Raises:
        PlacementError: there is nothing to draw, the size can't be had, or it doesn't fit, here
            or on its own page.
        DrawingError: the sampling limits are wrong or ask for too many points.
    """
    placing = placing or Placing(width_mm=width_mm, fit=fit)
    pen = pen or PenOptions()
    fitting = _Fitting(artwork, placing, area or WorkingArea(), bool(pen.hatch))
    scale = fitting.scale()
    plan = plan_pen(artwork, pen, scale)
    if not plan.outlines:
        raise PlacementError(f'{artwork.path}: there is nothing to draw{_instead(artwork)}')
    placement = fitting.placement(scale)
    fitting.check(plan.outlines, placement)
    recipe = _recipe(artwork, plan, placement, scale, spacing_mm, tolerance_mm)
    recipe = replace(
        recipe,
        source={
            'path': artwork.path,
            'sha256': artwork.sha256,
            'options': _options(placing, pen),
        },
    )
    try:
        recipe.check()
    except RecipeError as error:
        raise PlacementError(f'{artwork.path}: {str(error).removeprefix("recipe: ")}') from None
    return recipe


def _recipe(
    artwork: Artwork,
    plan: PenPlan,
    placement: Array,
    scale: float,
    spacing_mm: float,
    tolerance_mm: float,
) -> Recipe:
    points = sample_strokes(
        [outline.segments for outline in plan.outlines], spacing_mm / scale, tolerance_mm / scale
    )
    return Recipe(
        page_mm=artwork.page_mm,
        strokes=tuple(
            Stroke(
                kind=stroke_kind(outline.segments),
                segments=outline.segments,
                points=sampled,
                closed=outline.closed,
                layer=outline.layer,
                colour=outline.colour,
                element_id=outline.element_id,
            )
            for outline, sampled in zip(plan.outlines, points, strict=True)
        ),
        placement=placement,
        spacing_mm=spacing_mm,
        chord_tolerance_mm=tolerance_mm,
        ignored=artwork.ignored,
        warnings=artwork.warnings,
        page_source=artwork.page_source,
        drawn=artwork.drawn,
        near_lifts=plan.near_lifts,
        pauses=plan.pauses,
        planning=plan.planning,
    )


def _options(placing: Placing, pen: PenOptions) -> dict[str, Any]:
    """All that was chosen, as JSON has it."""
    return {**asdict(placing), 'at_mm': list(placing.at_mm), 'pen': asdict(pen)}


class _Fitting:
    """The artwork against the working area, turned already: mm of the file, y up."""

    def __init__(
        self, artwork: Artwork, placing: Placing, area: WorkingArea, hatched: bool
    ) -> None:
        self._artwork = artwork
        self._placing = placing
        self._area = area
        segments = [s for outline in artwork.outlines for s in outline.segments]
        if hatched and not segments:
            segments = [s for fill in artwork.fills for loop in fill.loops for s in loop]
        if not segments:
            raise PlacementError(f'{artwork.path}: there is nothing to draw{_instead(artwork)}')
        angle = math.radians(placing.rotate_deg)
        cos, sin = math.cos(angle), math.sin(angle)
        self._turn = compose(affine(cos, sin, -sin, cos, 0, 0), affine(1, 0, 0, -1, 0, 0))
        table = SegmentTable(segments).transformed(self._turn)
        box = table.bounds()
        self._centre = box.mean(axis=0)
        if placing.middle == 'page':
            self._centre = apply_affine(self._turn, 0.5 * np.array(artwork.page_mm))
        self._width, self._height = (float(side) for side in box[1] - box[0])
        self._side = max(self._width, self._height)
        self._start, self._end = _chords(table, _FLATNESS * self._side)[:2]

    def scale(self) -> float:
        """Paper mm per page mm."""
        placing = self._placing
        if placing.fit:
            largest = self._largest_scale()
            if largest <= 0.0:
                raise PlacementError(
                    f'{self._artwork.path}: nothing fits around the place {placing.at_mm} mm, '
                    f'which is outside the working area ({self._area})'
                )
            return largest if math.isfinite(largest) else 1.0
        if placing.width_mm is not None:
            return placing.width_mm / self._of('width', self._width, 'one vertical line')
        if placing.height_mm is not None:
            return placing.height_mm / self._of('height', self._height, 'one horizontal line')
        return 1.0 if placing.scale is None else placing.scale

    def _of(self, name: str, side: float, without: str) -> float:
        if side == 0.0:
            raise PlacementError(
                f'{self._artwork.path}: the artwork has no {name} (it is {without} or a dot), so '
                'no scale gives it one; use --fit or its physical size'
            )
        return side

    def _largest_scale(self) -> float:
        """At which the artwork is inside the area; infinite for a dot, 0 where nothing is."""
        if self._side == 0.0:
            return math.inf
        at = np.array(self._placing.at_mm) / 1000.0
        arm = np.concatenate([self._start, self._end]) - self._centre
        arm *= (1.0 + 2.0 * _FLATNESS * self._side / max(np.hypot(*arm.T).max(), 1e-12)) / 1000.0
        # |at + s arm| <= extent in x and y, and <= the radius of the clear disc.
        with np.errstate(divide='ignore'):
            square = (self._area.extent - np.sign(arm) * at) / np.abs(arm)
        a, b = (arm * arm).sum(axis=1), arm @ at
        c = float(at @ at) - self._area.clear_radius**2
        with np.errstate(divide='ignore', invalid='ignore'):
            disc = np.where(a > 0.0, (np.sqrt(b * b - a * c) - b) / a, np.inf)
        if c >= 0.0 or np.abs(at).max() >= self._area.extent:
            return 0.0
        return float(min(square.min(), disc.min()))

    def placement(self, scale: float) -> Array:
        """Page mm to paper metres: turned, the box's centre to its place."""
        metres = scale / 1000.0
        offset = np.array(self._placing.at_mm) / 1000.0 - metres * self._centre
        return compose(affine(metres, 0, 0, metres, *offset), self._turn)

    def check(self, outlines: Sequence[Outline], placement: Array) -> None:
        """PlacementError names the stroke and the point that are farthest outside."""
        outside = _farthest_outside([o.segments for o in outlines], placement, self._area)
        if outside is not None:
            stroke, where = outside
            name = outlines[stroke].name(stroke)
            raise PlacementError(f'{self._artwork.path}: {name} {where}; {self._advice()}')

    def _advice(self) -> str:
        width = math.floor(10.0 * self._largest_scale() * self._width) / 10.0
        return f'use --fit or --width {width:g} or less' if width > 0.0 else 'use --fit'


def check_area(recipe: Recipe, area: WorkingArea | None = None) -> None:
    """Refuse (PlacementError) a recipe, made by whomever, that leaves the working area."""
    strokes = [stroke.segments for stroke in recipe.strokes]
    outside = _farthest_outside(strokes, recipe.placement, area or WorkingArea())
    if outside is not None:
        raise PlacementError(
            f'stroke {outside[0] + 1} {outside[1]}; make the recipe again, smaller'
        )


def _farthest_outside(
    strokes: Sequence[Sequence[Segment]], placement: Array, area: WorkingArea
) -> tuple[int, str] | None:
    """The stroke that is farthest outside the area, and where; None if all is inside."""
    table = SegmentTable([segment for stroke in strokes for segment in stroke])
    flatness = _FLATNESS * float(np.ptp(table.bounds(), axis=0).max())
    start, end, row = _chords(table, flatness)
    excess, point = area.excess(apply_affine(placement, start), apply_affine(placement, end))
    worst = int(excess.argmax())
    if excess[worst] <= _SLACK_M + math.hypot(*placement[:, 0]) * flatness:
        return None
    last_row = np.cumsum([len(stroke) for stroke in strokes]) - 1
    x, y = 1000.0 * point[worst]
    return int(np.searchsorted(last_row, row[worst])), (
        f'reaches ({x:.1f}, {y:.1f}) mm on the paper, {1000.0 * excess[worst]:.1f} mm outside the '
        f'working area ({area})'
    )


def _chords(table: SegmentTable, flatness: float) -> tuple[Array, Array, Index]:
    """Starts (N, 2), ends (N, 2) and rows (N,) of chords along all segments."""
    rows = np.arange(table.size)
    steps = table.flat_steps(flatness) if flatness else np.ones_like(rows)
    row, _, points = table.flattened(rows, steps)
    same = row[1:] == row[:-1]
    return points[:-1][same], points[1:][same], row[1:][same]


def _instead(artwork: Artwork) -> str:
    """What the file has instead of drawable shapes."""
    kinds = [f'{entry["count"]} {entry["kind"]}' for entry in artwork.ignored]
    return f'; ignored: {", ".join(kinds)}' if kinds else ' (no visible shapes)'

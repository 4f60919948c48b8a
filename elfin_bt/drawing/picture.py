# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a picture of a drawing shows, in millimetres of the paper, y down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath

import numpy as np

from elfin_bt.drawing.geometry import Array, Segment, apply_affine
from elfin_bt.drawing.ink import Deviation, path_length
from elfin_bt.drawing.nearest import thin
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.drawing.segment_table import SegmentTable

SOURCE_COLOUR, SOURCE_WIDTH = '#c3c8cf', 0.8
INK_COLOUR, INK_WIDTH = '#1d4ed8', 0.3
PEN_UP_COLOUR, PEN_UP_WIDTH, PEN_UP_DASH = '#eda55f', 0.15, (1.0, 1.0)
WORST_COLOUR, WORST_WIDTH, WORST_RADIUS = '#d61f2c', 0.3, 2.0
TEXT_COLOUR, PAPER_COLOUR = '#4b5563', '#ffffff'

MARGIN = 6.0
_INK_TOLERANCE = 0.005  # ink is thinned by this, and what is left is what is drawn
_PEN_UP_TOLERANCE = 0.05
_PALE = 215.0  # of 255
_PAPER_TO_PICTURE = np.array([[1000.0, 0.0, 0.0], [0.0, -1000.0, 0.0]])


@dataclass(frozen=True)
class Picture:
    """Source, ink, pen-up ways and worst deviation of one drawing; all in mm, y down, true size.

    corner: (2,) upper left; size: (width, height). source: the segments of each stroke. ink,
    pen_up: polylines (M, 2); and colours of the ink where they are not all INK_COLOUR. worst: the
    point (2,) of largest deviation, with `worst_label`.
    """

    title: str
    caption: str
    corner: Array
    size: tuple[float, float]
    source: list[tuple[Segment, ...]]
    ink: list[Array]
    pen_up: list[Array]
    worst: Array | None = None
    worst_label: str = ''
    colours: list[str] | None = None

    @property
    def coloured_ink(self) -> Iterator[tuple[Array, str]]:
        """The ink, and the colour of each line."""
        return zip(self.ink, self.colours or [INK_COLOUR] * len(self.ink), strict=True)


def make_picture(
    recipe: Recipe,
    ink: Sequence[Array],
    pen_up: Sequence[Array],
    deviation: Deviation | None,
) -> Picture:
    """Put a picture together from what was to be drawn and what was executed.

    ink: points (M, 2) of each run. pen_up: paths (M, 2) or (M, 3). Both in metres in the paper
    frame, like the deviation. The picture covers the artwork and all the ink, pen-up ways only as
    far as they are within.
    """
    source = [
        tuple(segment.transformed(_PAPER_TO_PICTURE) for segment in recipe.placed_segments(index))
        for index in range(len(recipe.strokes))
    ]
    lines = [_thinned(points, _INK_TOLERANCE) for points in ink if len(points)]
    box = SegmentTable([segment for stroke in source for segment in stroke]).bounds()
    corners = np.concatenate([box, *lines])
    low, high = corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN
    label = '' if deviation is None else f'{1000.0 * deviation.max:.3f} mm'
    length = sum(path_length(line) for line in lines) / 1000.0
    worst = (
        None
        if deviation is None
        else apply_affine(_PAPER_TO_PICTURE, deviation.worst_point[None])[0]
    )
    return Picture(
        title=PurePath(str(recipe.source.get('path') or 'drawing')).name,
        caption=f'{length:.2f} m of ink, largest deviation {label}' if label else 'no ink',
        corner=low,
        size=(float(high[0] - low[0]), float(high[1] - low[1])),
        source=source,
        ink=lines,
        pen_up=[_thinned(path[:, :2], _PEN_UP_TOLERANCE) for path in pen_up],
        worst=worst,
        worst_label=label,
    )


def make_preview(recipe: Recipe) -> Picture:
    """What a recipe will look like: its strokes in their colours, dashed ways between them."""
    lines = [
        apply_affine(_PAPER_TO_PICTURE, recipe.placed_points(index))
        for index in range(len(recipe.strokes))
    ]
    corners = np.concatenate(lines)
    low, high = corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN
    ways = [np.stack([a[-1], b[0]]) for a, b in pairwise(lines)]
    return Picture(
        title=PurePath(str(recipe.source.get('path') or 'drawing')).name,
        caption=f'{len(lines)} strokes, {recipe.pen_down_m:.2f} m of ink, '
        f'{recipe.pen_up_m:.2f} m above the paper',
        corner=low,
        size=(float(high[0] - low[0]), float(high[1] - low[1])),
        source=[],
        ink=lines,
        pen_up=[way for way in ways if np.ptp(way, axis=0).any()],
        colours=[_visible(stroke.colour) for stroke in recipe.strokes],
    )


def label_place(picture: Picture, text_width: float) -> tuple[float, float, bool]:
    """Where the label of the worst deviation goes: x, y of its middle line, and if x is its end.

    Beside the circle, on the side with more room.
    """
    if picture.worst is None:
        raise ValueError('a picture without ink has no worst deviation to label')
    x, y = (float(value) for value in picture.worst)
    gap = WORST_RADIUS + 0.8
    room = picture.corner[0] + picture.size[0] - x
    ends = bool(room < gap + text_width)
    return (x - gap if ends else x + gap), y, ends


def _visible(colour: str | None) -> str:
    """A colour that can be seen on white paper."""
    if colour is None:
        return INK_COLOUR
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    is_pale = 0.299 * red + 0.587 * green + 0.114 * blue > _PALE
    return SOURCE_COLOUR if is_pale else colour


def _thinned(points: Array, tolerance_mm: float) -> Array:
    mm = apply_affine(_PAPER_TO_PICTURE, points)
    return mm[thin(mm, tolerance_mm)]

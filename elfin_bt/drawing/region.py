# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Areas bounded by exact segments: what a clip path leaves to be seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from elfin_bt.drawing.geometry import Array, Line, Segment, apply_affine

FillRule: TypeAlias = Literal['nonzero', 'evenodd']


@dataclass(frozen=True)
class Region:
    """The inside of closed loops, as far as it is inside of all `clips` as well.

    Attributes:
        loops: contiguous segments of each loop, the last one back to the start.
        rule: what of overlapping loops is inside.
        clips: further areas that limit this one.
    """

    loops: tuple[tuple[Segment, ...], ...]
    rule: FillRule = 'nonzero'
    clips: tuple[Clip, ...] = ()


@dataclass(frozen=True, eq=False)
class Clip:
    """The union of its regions; with none of them nothing is inside."""

    regions: tuple[Region, ...]


def rectangle(x: float, y: float, width: float, height: float, matrix: Array) -> Region:
    """A rectangle under the affine map `matrix` (2, 3)."""
    right, bottom = x + width, y + height
    corners = np.array([(x, y), (right, y), (right, bottom), (x, bottom), (x, y)])
    ends = apply_affine(matrix, corners)
    return Region((tuple(Line(a, b) for a, b in zip(ends, ends[1:], strict=False)),))


def closed_loop(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """The segments, and a line back to their start where they do not end there."""
    start, end = segments[0].start, segments[-1].end
    return segments if np.array_equal(start, end) else (*segments, Line(end, start))

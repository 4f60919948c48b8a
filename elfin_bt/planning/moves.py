# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The whole way of the pen for a drawing: approach, plunge, draw, lift, travel, retract.

All moves between strokes are straight and begin and end at rest.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.planning import bezier
from elfin_bt.planning.corners import SmoothCurves, rounded
from elfin_bt.planning.messages import Phase
from elfin_bt.planning.outline import Outline
from elfin_bt.planning.path import Leg, PenPath
from elfin_bt.planning.sampling import sample
from elfin_bt.planning.settings import Heights, Sampling, Speeds

Array = NDArray[np.float64]

_SAME_PLACE = 1e-9  # metres; no move is needed, a stroke that begins here goes on from the last


@dataclass(frozen=True)
class _Part:
    """Curves with one purpose: one straight move, or the curves first..last of a stroke."""

    phase: Phase
    stroke: int | None
    speed: float
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    end: tuple[float, float, float] = (0.0, 0.0, 0.0)
    first: int = 0
    last: int = -1


def drawing_path(
    outline: Outline,
    tip: Array,
    *,
    stroke_names: tuple[str, ...],
    heights: Heights,
    speeds: Speeds,
    sampling: Sampling,
    dry_run: bool,
) -> PenPath:
    """The path from the tip's position (3,), in the paper frame, to the retracted pen.

    A dry run draws at the height of the lifted pen.
    """
    curves = rounded(outline, sampling.corner_tolerance, speeds.pen)
    parts = _parts(outline, curves, tip, heights, speeds, dry_run)
    depth = heights.lift if dry_run else -heights.contact_depth
    return _path(parts, curves, depth, sampling, stroke_names)


def _parts(
    outline: Outline,
    curves: SmoothCurves,
    tip: Array,
    heights: Heights,
    speeds: Speeds,
    dry_run: bool,
) -> list[_Part]:
    """What the pen does, in order."""
    numbers = np.arange(len(outline.starts))
    first = np.searchsorted(curves.stroke, numbers, side='left').tolist()
    last = (np.searchsorted(curves.stroke, numbers, side='right') - 1).tolist()
    starts, ends = outline.starts.tolist(), outline.ends.tolist()
    depth = heights.lift if dry_run else -heights.contact_depth
    parts: list[_Part] = []
    here = (float(tip[0]), float(tip[1]), float(tip[2]))

    def move(phase: Phase, stroke: int | None, speed: float, x: float, y: float, z: float) -> None:
        nonlocal here
        there = (x, y, z)
        if math.dist(here, there) > _SAME_PLACE:
            parts.append(_Part(phase, stroke, speed, start=here, end=there))
            here = there

    move('approach', 0, speeds.travel, starts[0][0], starts[0][1], heights.lift)
    for stroke, (x, y) in enumerate(starts):
        move('travel', stroke, speeds.travel, x, y, here[2])
        move('plunge', stroke, speeds.plunge, x, y, depth)
        if last[stroke] >= first[stroke]:
            parts.append(_Part('draw', stroke, speeds.pen, first=first[stroke], last=last[stroke]))
            x, y = ends[stroke]
            here = (x, y, depth)
        gap = math.dist((x, y), starts[stroke + 1]) if stroke + 1 < len(starts) else math.inf
        if gap > _SAME_PLACE:
            near = gap < heights.near and not dry_run
            move('lift', stroke, speeds.travel, x, y, heights.near_lift if near else heights.lift)
    move('retract', None, speeds.travel, here[0], here[1], heights.retract)
    return parts


def _path(
    parts: list[_Part],
    smooth: SmoothCurves,
    depth: float,
    sampling: Sampling,
    stroke_names: tuple[str, ...],
) -> PenPath:
    drawn = np.concatenate([smooth.curves, np.full((4, 1, len(smooth.stroke)), depth)], axis=1)
    straight = [part for part in parts if part.phase != 'draw']
    moves = bezier.lines(
        np.array([part.start for part in straight]).T,
        np.array([part.end for part in straight]).T,
    )
    # Order of all curves: a part that draws stands for its curves.
    counts = np.array([1 if p.phase != 'draw' else p.last - p.first + 1 for p in parts])
    is_move = np.repeat([part.phase != 'draw' for part in parts], counts)
    curves = np.empty((4, 3, len(is_move)))
    curves[:, :, is_move], curves[:, :, ~is_move] = moves, drawn
    rests = np.ones(len(is_move), dtype=bool)
    rests[~is_move] = smooth.rests
    spacing = np.where(is_move, sampling.travel_spacing, sampling.spacing)
    rows = sample(curves, rests, spacing, sampling.turn)

    last_curve = np.cumsum(counts) - 1
    last_row = np.searchsorted(rows.curve, last_curve, side='right') - 1
    first_row = np.concatenate([[0], last_row[:-1] + 1])
    speed = np.repeat([part.speed for part in parts], counts)
    legs = tuple(
        Leg(part.phase, part.stroke, int(first), int(last))
        for part, first, last in zip(parts, first_row, last_row, strict=True)
    )
    return PenPath(
        rows.points.T,
        rows.tangents.T,
        rows.curvatures.T,
        rows.lengths,
        speed[rows.curve[:-1]],
        legs,
        stroke_names,
    )

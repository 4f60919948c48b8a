# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the points of a recipe are points of its strokes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elfin_bt.drawing.errors import DrawingError, RecipeError
from elfin_bt.drawing.geometry import Array, Segment, transform_all
from elfin_bt.drawing.nearest import NearestPath, Parabolas
from elfin_bt.drawing.pen_states import JOINT_GAP_MM
from elfin_bt.drawing.sampling import sample_strokes

_SAME = 1e-6  # mm; sampled twice, points differ by rounding only
_STEP_SLACK = 1e-3  # share of the spacing
_TO_METRES = np.array([[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0]])


def check_points(
    strokes: Sequence[Sequence[Segment]], points: Sequence[Array], spacing: float, tolerance: float
) -> None:
    """Refuse (RecipeError) points that are not on their stroke, or leave some of it out.

    Points as `sample_strokes` makes them are known at once; others, which another program or
    version may have chosen as well, are measured against the segments.

    Args:
        strokes: segments of each stroke, page mm.
        points: (N, 2) of each stroke, page mm.
        spacing: largest distance of neighbouring points, page mm.
        tolerance: largest distance of the strokes from the chords between points, page mm.
    """
    try:
        expected = sample_strokes(strokes, spacing, tolerance)
    except DrawingError as error:
        raise RecipeError(f'recipe: {error}') from None
    for number, (given, own) in enumerate(zip(points, expected, strict=True)):
        if given.shape != own.shape or np.abs(given - own).max() > _SAME:
            _measure(f'recipe: strokes[{number}].points', strokes[number], given, spacing)


def _measure(where: str, segments: Sequence[Segment], points: Array, spacing: float) -> None:
    path = NearestPath(Parabolas.of_segments(transform_all(segments, _TO_METRES)))
    distance = 1e3 * path.distances(1e-3 * points)
    worst = int(distance.argmax())
    if not distance[worst] <= JOINT_GAP_MM:
        raise RecipeError(
            f'{where}[{worst}] is {distance[worst]:.6g} mm away from its segments, limit '
            f'{JOINT_GAP_MM:g} mm; make the recipe again'
        )
    steps = np.hypot(*np.diff(points, axis=0).T)
    longest = int(steps.argmax()) if len(steps) else 0
    if len(steps) and steps[longest] > spacing * (1.0 + _STEP_SLACK):
        raise RecipeError(
            f'{where}[{longest}] and the next are {steps[longest]:.6g} mm apart, limit '
            f'{spacing:.6g} mm (spacing_mm); make the recipe again'
        )

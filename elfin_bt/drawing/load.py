# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A drawing file to a recipe, in one call."""

from __future__ import annotations

from pathlib import Path

from elfin_bt.drawing.placement import DEFAULT_SPACING_MM, DEFAULT_TOLERANCE_MM, place
from elfin_bt.drawing.read_options import DEFAULT_OPTIONS, ReadOptions
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.drawing.svg_reader import read_svg
from elfin_bt.drawing.working_area import WorkingArea


def load_drawing(
    path: str | Path,
    width_mm: float | None = None,
    fit: bool = False,
    spacing_mm: float = DEFAULT_SPACING_MM,
    tolerance_mm: float = DEFAULT_TOLERANCE_MM,
    area: WorkingArea | None = None,
    reading: ReadOptions = DEFAULT_OPTIONS,
) -> Recipe:
    """Read, place, check and sample an SVG or SVGZ file; see `read_svg` and `place`.

    Raises:
        DrawingError: one line that says what is wrong and what to do.
    """
    return place(
        read_svg(path, reading),
        width_mm=width_mm,
        fit=fit,
        spacing_mm=spacing_mm,
        tolerance_mm=tolerance_mm,
        area=area,
    )

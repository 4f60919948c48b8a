# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of an executed drawing over its source, ink.svg and ink.png, and of one to be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.ink import Deviation
from elfin_bt.drawing.ink_png import write_png
from elfin_bt.drawing.ink_svg import write_svg
from elfin_bt.drawing.picture import make_picture, make_preview
from elfin_bt.drawing.recipe import Recipe


def write_ink_svg(
    path: Path,
    recipe: Recipe,
    ink: Sequence[Array],
    pen_up: Sequence[Array],
    deviation: Deviation | None,
) -> None:
    """Write an SVG in true millimetres: source grey, ink blue, pen-up ways dashed, worst marked.

    ink, pen_up: paths in metres in the paper frame (see `make_picture`).
    """
    write_svg(path, make_picture(recipe, ink, pen_up, deviation))


def write_ink_png(
    path: Path,
    recipe: Recipe,
    ink: Sequence[Array],
    pen_up: Sequence[Array],
    deviation: Deviation | None,
) -> None:
    """Write the same picture as `write_ink_svg` as PNG, about 1200 px wide, with a caption."""
    write_png(path, make_picture(recipe, ink, pen_up, deviation))


def write_preview(path: Path, recipe: Recipe) -> None:
    """Write what a recipe will look like; DrawingError unless the name ends in .svg or .png."""
    writers = {'.svg': write_svg, '.png': write_png}
    write = writers.get(path.suffix.lower())
    if write is None:
        raise DrawingError(f'{path}: a preview is a .png or .svg file')
    write(path, make_preview(recipe))

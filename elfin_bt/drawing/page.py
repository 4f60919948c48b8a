# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The page of an SVG file: its physical size and the map from user units into it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from elfin_bt.drawing.artwork import Report
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.numbers import parse_numbers, refuse_non_finite
from elfin_bt.drawing.transforms import (
    AspectRatio,
    affine,
    compose,
    fit_view_box,
    parse_aspect_ratio,
)
from elfin_bt.drawing.units import MM_PER_PX, Direction, LengthBase, split_length, to_px

# Size of a replaced element that says nothing about its size (CSS 2.1, 10.3.2).
DEFAULT_SIZE_PX = (300.0, 150.0)


@dataclass(frozen=True)
class Page:
    """Size in mm, user units of the root to page mm (2, 3), and what percentages refer to.

    `sized` is False where neither the file's size nor its viewBox says how large the page is.
    `source` says where the size is from; `window_px` is the size in CSS px.
    """

    size_mm: tuple[float, float]
    matrix: Array
    viewport: tuple[float, float]
    sized: bool
    source: str

    @property
    def window_px(self) -> tuple[float, float]:
        """Width and height in CSS px, which need not be user units."""
        width, height = self.size_mm
        return width / MM_PER_PX, height / MM_PER_PX


def read_page(root: Mapping[str, str], report: Report) -> Page:
    """The page of the root element's attributes; SvgError if it has no area."""
    box = read_view_box(root.get('viewBox'), report)
    if box and not (box[2] > 0.0 and box[3] > 0.0):
        raise SvgError(
            f'the viewBox {root["viewBox"][:60]!r} has no area; nothing can be drawn in it'
        )
    width = _physical(root.get('width'), 'width', 'x')
    height = _physical(root.get('height'), 'height', 'y')
    source = 'width and height'
    sized = not width is height is None
    if width is None and height is None:
        report.warn(
            'the file has no physical size: 1 unit is taken as 1 px (1/96 in); '
            'choose a size with --width MM or --fit'
        )
        width, height = (box[2], box[3]) if box else DEFAULT_SIZE_PX
        source = 'viewBox, 1 unit = 1 px' if box else 'the artwork, 1 unit = 1 px'
    elif width is None or height is None:
        # The missing side follows the shape of the viewBox.
        shape = box[3] / box[2] if box else DEFAULT_SIZE_PX[1] / DEFAULT_SIZE_PX[0]
        given = 'height' if width is None else 'width'
        source = f'{given} and the shape of the {"viewBox" if box else "default page"}'
        width = height / shape if width is None and height is not None else width
        height = width * shape if height is None and width is not None else height
    assert width is not None and height is not None
    to_mm = affine(MM_PER_PX, 0, 0, MM_PER_PX, 0, 0)
    size_mm = (width * MM_PER_PX, height * MM_PER_PX)
    if box is None:
        return Page(size_mm, to_mm, (width, height), sized, source)
    aspect = read_aspect_ratio(root.get('preserveAspectRatio'), report)
    matrix = compose(to_mm, fit_view_box(box, (width, height), aspect))
    return Page(size_mm, matrix, (box[2], box[3]), sized=True, source=source)


def _physical(text: str | None, name: str, direction: Direction) -> float | None:
    """The length in px; None where the file leaves it to the viewer."""
    length = split_length(text or '')
    if length is None:
        refuse_non_finite(text or '')
        return None
    if length[1] == '%':
        return None
    size = to_px(*length, LengthBase(DEFAULT_SIZE_PX, window=DEFAULT_SIZE_PX), direction)
    if not math.isfinite(size) or size <= 0.0:
        raise SvgError(f'the page has {name} {text!r}; nothing can be drawn on it')
    return size


def read_view_box(text: str | None, report: Report) -> list[float] | None:
    """The numbers x, y, width and height; None if it is absent or wrong."""
    if text is None:
        return None
    values, complete = parse_numbers(text)
    if not complete or len(values) != 4:
        report.warn(f'viewBox {text[:40]!r} is not four numbers and is not applied')
        return None
    return values


def read_aspect_ratio(text: str | None, report: Report) -> AspectRatio:
    """The value of preserveAspectRatio, the default where it is absent or wrong."""
    if text is None:
        return AspectRatio()
    aspect = parse_aspect_ratio(text)
    if aspect is None:
        report.warn(f'preserveAspectRatio {text[:40]!r} is not known; xMidYMid meet is used')
        return AspectRatio()
    return aspect

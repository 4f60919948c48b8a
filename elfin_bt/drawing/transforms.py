# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Affine maps (2, 3) as SVG writes them: transform lists and viewBox fitting."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.numbers import parse_numbers

_FUNCTION = re.compile(r'[\s,]*([A-Za-z]+)\s*\(([^()]*)\)')
_END = re.compile(r'[\s,]*$')


def affine(a: float, b: float, c: float, d: float, e: float, f: float) -> Array:
    """The map x' = a x + c y + e, y' = b x + d y + f, in SVG's order of arguments."""
    return np.array([[a, c, e], [b, d, f]], dtype=np.float64)


IDENTITY = affine(1, 0, 0, 1, 0, 0)


def compose(outer: ArrayLike, inner: ArrayLike) -> Array:
    """The map that applies `inner` first and `outer` to the result."""
    outer, inner = np.asarray(outer), np.asarray(inner)
    linear = outer[:, :2] @ inner[:, :2]
    offset = outer[:, :2] @ inner[:, 2] + outer[:, 2]
    return np.column_stack([linear, offset])


def _translate(x: float, y: float = 0.0) -> Array:
    return affine(1, 0, 0, 1, x, y)


def _scale(x: float, y: float | None = None) -> Array:
    return affine(x, 0, 0, x if y is None else y, 0, 0)


def _rotate(degrees: float, x: float = 0.0, y: float = 0.0) -> Array:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turn = affine(cos, sin, -sin, cos, 0, 0)
    return compose(_translate(x, y), compose(turn, _translate(-x, -y)))


def _skew_x(degrees: float) -> Array:
    return affine(1, 0, math.tan(math.radians(degrees)), 1, 0, 0)


def _skew_y(degrees: float) -> Array:
    return affine(1, math.tan(math.radians(degrees)), 0, 1, 0, 0)


# Function and the numbers of arguments that it may have.
_FUNCTIONS: dict[str, tuple[Callable[..., Array], tuple[int, ...]]] = {
    'matrix': (affine, (6,)),
    'translate': (_translate, (1, 2)),
    'scale': (_scale, (1, 2)),
    'rotate': (_rotate, (1, 3)),
    'skewX': (_skew_x, (1,)),
    'skewY': (_skew_y, (1,)),
}


def parse_transform(text: str) -> Array | None:
    """The map of a transform list, the leftmost function outermost; None if it has an error.

    SvgError is raised for numbers that are not finite.
    """
    total = IDENTITY
    position = 0
    if text.strip() == 'none':
        return total
    while not _END.match(text, position):
        found = _FUNCTION.match(text, position)
        if found is None or found[1] not in _FUNCTIONS:
            return None
        function, arities = _FUNCTIONS[found[1]]
        arguments, complete = parse_numbers(found[2])
        if not complete or len(arguments) not in arities:
            return None
        total = compose(total, function(*arguments))
        position = found.end()
    return total


@dataclass(frozen=True)
class AspectRatio:
    """preserveAspectRatio: x and y alignment in 0, 0.5, 1; `stretch` for 'none'."""

    x: float = 0.5
    y: float = 0.5
    slice: bool = False
    stretch: bool = False


_ALIGN = {'Min': 0.0, 'Mid': 0.5, 'Max': 1.0}
_ASPECT = re.compile(
    r'(?:defer\s+)?(?:(none)|x(Min|Mid|Max)Y(Min|Mid|Max))(?:\s+(meet|slice))?', re.ASCII
)


def parse_aspect_ratio(text: str) -> AspectRatio | None:
    """The value of preserveAspectRatio; None if it has an error."""
    found = _ASPECT.fullmatch(text.strip())
    if found is None:
        return None
    if found[1]:
        return AspectRatio(stretch=True)
    return AspectRatio(_ALIGN[found[2]], _ALIGN[found[3]], slice=found[4] == 'slice')


def fit_view_box(view_box: Sequence[float], size: Sequence[float], aspect: AspectRatio) -> Array:
    """The map from viewBox (x, y, width, height) units into a viewport at 0, 0 of this size."""
    x, y, width, height = view_box
    scale_x, scale_y = size[0] / width, size[1] / height
    if not aspect.stretch:
        scale_x = scale_y = (max if aspect.slice else min)(scale_x, scale_y)
    return affine(
        scale_x,
        0,
        0,
        scale_y,
        aspect.x * (size[0] - width * scale_x) - x * scale_x,
        aspect.y * (size[1] - height * scale_y) - y * scale_y,
    )

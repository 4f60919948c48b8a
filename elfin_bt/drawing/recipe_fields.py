# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Checked reading of JSON documents, and the JSON form of a segment.

A recipe may come from anywhere, so nothing in it is taken on trust: each reader names the place
in the document ('strokes[3].segments[0].start') and what it expected there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.geometry import Array, CubicBezier, EllipseArc, Line, Segment


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, Mapping):
        raise RecipeError(f'recipe: {where} is not an object')
    return value


def member(document: Any, name: str, where: str) -> Any:
    """document[name], or a RecipeError that says what is missing."""
    if name not in mapping(document, where or 'the document'):
        raise RecipeError(f'recipe: {where or "the document"} has no "{name}"')
    return document[name]


def items(value: Any, where: str) -> list[Any]:
    """A JSON array."""
    if not isinstance(value, list):
        raise RecipeError(f'recipe: {where} is not an array')
    return value


def text(value: Any, where: str) -> str:
    """A JSON string."""
    if not isinstance(value, str):
        raise RecipeError(f'recipe: {where} is not a string')
    return value


def text_or_none(value: Any, where: str) -> str | None:
    """A JSON string or null."""
    if value is not None and not isinstance(value, str):
        raise RecipeError(f'recipe: {where} is neither a string nor null')
    return value


def numbers(value: Any, shape: tuple[int, ...], where: str) -> Array:
    """Finite numbers of this shape; -1 stands for any length."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise RecipeError(f'recipe: {where} is not an array of numbers') from None
    matches = array.ndim == len(shape) and all(
        expected in (-1, actual) for expected, actual in zip(shape, array.shape, strict=True)
    )
    if not matches:
        raise RecipeError(f'recipe: {where} has shape {array.shape}, expected {shape}')
    if not np.isfinite(array).all():
        raise RecipeError(f'recipe: {where} has a number that is not finite')
    return array


def encode_segment(segment: Segment) -> dict[str, Any]:
    """The JSON form of a segment, exact to the last bit."""
    if isinstance(segment, Line):
        return {'kind': 'line', 'start': segment.start.tolist(), 'end': segment.end.tolist()}
    if isinstance(segment, CubicBezier):
        return {'kind': 'curve', 'control': segment.control_points().tolist()}
    return {
        'kind': 'arc',
        'centre': segment.centre.tolist(),
        'axis_u': segment.axis_u.tolist(),
        'axis_v': segment.axis_v.tolist(),
        'start_angle': segment.start_angle,
        'sweep': segment.sweep,
    }


def decode_segment(document: Any, where: str) -> Segment:
    """The segment of its JSON form."""

    def vector(name: str) -> Array:
        return numbers(member(document, name, where), (2,), f'{where}.{name}')

    def number(name: str) -> float:
        return float(numbers(member(document, name, where), (), f'{where}.{name}'))

    kind = member(document, 'kind', where)
    if kind == 'line':
        return Line(vector('start'), vector('end'))
    if kind == 'curve':
        control = numbers(member(document, 'control', where), (4, 2), f'{where}.control')
        return CubicBezier(*control)
    if kind == 'arc':
        return EllipseArc(
            vector('centre'),
            vector('axis_u'),
            vector('axis_v'),
            number('start_angle'),
            number('sweep'),
        )
    raise RecipeError(f'recipe: {where}.kind is {kind!r}, expected "line", "arc" or "curve"')

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The map that an element's transform properties make (CSS Transforms 1 and 2, in the plane)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.numbers import refuse_non_finite
from elfin_bt.drawing.transforms import IDENTITY, affine, compose, parse_transform
from elfin_bt.drawing.units import Direction, LengthBase, parse_angle, split_length, to_px

PROPERTIES = ('transform', 'translate', 'rotate', 'scale')

_FUNCTION = re.compile(r'\s*([A-Za-z0-9]+)\(\s*([^()]*?)\s*\)\s*')
_PLACES = {'left': '0%', 'top': '0%', 'center': '50%', 'right': '100%', 'bottom': '100%'}


class Box(NamedTuple):
    """A rectangle in user units."""

    x: float
    y: float
    width: float
    height: float


class TransformError(ValueError):
    """A transform can not be read; the text says which part of it."""


def own_transform(
    attribute: str | None, own: Mapping[str, str], base: LengthBase, bounds: Callable[[], Box]
) -> Array:
    """The map (2, 3) from an element's user space into its parent's.

    Args:
        attribute: the `transform` attribute, which the property of that name overrides.
        own: declared properties.
        base: what lengths refer to.
        bounds: gives the bounding box of the element, asked for only where it matters.

    Raises:
        TransformError: for what can't be read, or leaves the plane.
    """
    total = IDENTITY
    box = _reference_box(own, base, bounds) if len(own) else Box(0.0, 0.0, *base.viewport)
    for name in ('translate', 'rotate', 'scale'):
        value = own.get(name, 'none')
        if value != 'none':
            separator = re.compile(r'\s+')
            total = compose(total, _function(name, separator.split(value), base, box))
    if 'transform' in own:
        total = compose(total, _list(own['transform'], base, box))
    elif attribute:
        matrix = parse_transform(attribute)
        if matrix is None:
            raise TransformError(attribute)
        total = compose(total, matrix)
    origin = own.get('transform-origin')
    if origin is None and own.get('transform-box') == 'fill-box':
        origin = '0 0'
    if origin is None or total is IDENTITY:
        return total
    x, y = _origin(origin, base, box)
    return compose(affine(1, 0, 0, 1, x, y), compose(total, affine(1, 0, 0, 1, -x, -y)))


def _reference_box(own: Mapping[str, str], base: LengthBase, bounds: Callable[[], Box]) -> Box:
    if own.get('transform-box') in ('fill-box', 'content-box', 'stroke-box', 'border-box'):
        return bounds()
    return Box(0.0, 0.0, *base.viewport)


def _origin(text: str, base: LengthBase, box: Box) -> tuple[float, float]:
    words = text.lower().split()[:2]
    if len(words) == 1:
        words.append('center')
    if words[0] in ('top', 'bottom') or words[1] in ('left', 'right'):
        words.reverse()
    x = _length(_PLACES.get(words[0], words[0]), base, box, 'x')
    y = _length(_PLACES.get(words[1], words[1]), base, box, 'y')
    return box.x + x, box.y + y


def _list(text: str, base: LengthBase, box: Box) -> Array:
    total = IDENTITY
    position = 0
    text = text.strip()
    if text == 'none':
        return total
    while position < len(text):
        found = _FUNCTION.match(text, position)
        if found is None:
            raise TransformError(text)
        arguments = [part for part in re.split(r'[\s,]+', found[2]) if part]
        total = compose(total, _function(found[1], arguments, base, box))
        position = found.end()
    return total


def _function(name: str, arguments: Sequence[str], base: LengthBase, box: Box) -> Array:
    """The map of one transform function or property."""
    function = _FUNCTIONS.get(name.lower())
    counts, make = function if function else ((), None)
    if make is None or len(arguments) not in counts:
        raise TransformError(f'{name}({", ".join(arguments)})')
    return make(arguments, base, box)


def _translate(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    x = _length(a[0], base, box, 'x')
    return affine(1, 0, 0, 1, x, _length(a[1], base, box, 'y') if len(a) > 1 else 0.0)


def _translate_y(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    return affine(1, 0, 0, 1, 0, _length(a[0], base, box, 'y'))


def _scale(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    return affine(_number(a[0]), 0, 0, _number(a[-1]), 0, 0)


def _scale_x(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    return affine(_number(a[0]), 0, 0, 1, 0, 0)


def _scale_y(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    return affine(1, 0, 0, _number(a[0]), 0, 0)


def _rotate(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    angle = _angle(a[0])
    turn = affine(math.cos(angle), math.sin(angle), -math.sin(angle), math.cos(angle), 0, 0)
    if len(a) == 1:
        return turn
    x, y = _length(a[1], base, box, 'x'), _length(a[2], base, box, 'y')
    return compose(affine(1, 0, 0, 1, x, y), compose(turn, affine(1, 0, 0, 1, -x, -y)))


def _skew(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    y = math.tan(_angle(a[1])) if len(a) > 1 else 0.0
    return affine(1, y, math.tan(_angle(a[0])), 1, 0, 0)


def _skew_y(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    return affine(1, math.tan(_angle(a[0])), 0, 1, 0, 0)


def _matrix(a: Sequence[str], base: LengthBase, box: Box) -> Array:
    ends = [_length(text, base, box, 'x') for text in a[4:]]
    numbers = [_number(text) for text in a[:4]]
    return affine(numbers[0], numbers[1], numbers[2], numbers[3], ends[0], ends[1])


_Function = Callable[[Sequence[str], LengthBase, Box], Array]
_FUNCTIONS: dict[str, tuple[tuple[int, ...], _Function]] = {
    'matrix': ((6,), _matrix),
    'translate': ((1, 2), _translate),
    'translatex': ((1,), _translate),
    'translatey': ((1,), _translate_y),
    'scale': ((1, 2), _scale),
    'scalex': ((1,), _scale_x),
    'scaley': ((1,), _scale_y),
    'rotate': ((1, 3), _rotate),
    'rotatez': ((1,), _rotate),
    'skew': ((1, 2), _skew),
    'skewx': ((1,), _skew),
    'skewy': ((1,), _skew_y),
}


def _length(text: str, base: LengthBase, box: Box, direction: Direction) -> float:
    length = split_length(text)
    if length is None:
        refuse_non_finite(text)
        raise TransformError(text)
    number, unit = length
    if unit == '%':
        return number / 100.0 * (box.width if direction == 'x' else box.height)
    return to_px(number, unit, base, direction)


def _number(text: str) -> float:
    length = split_length(text)
    if length is None or length[1] not in ('', '%'):
        refuse_non_finite(text)
        raise TransformError(text)
    return length[0] / 100.0 if length[1] == '%' else length[0]


def _angle(text: str) -> float:
    angle = parse_angle(text)
    if angle is None:
        refuse_non_finite(text)
        raise TransformError(text)
    return angle

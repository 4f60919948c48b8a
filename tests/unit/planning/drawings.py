# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Drawings for the planner's tests, in millimetres around the centre of the paper."""

import numpy as np
from numpy.typing import ArrayLike

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line, Segment
from elfin_bt.drawing.recipe import Recipe, Stroke

Strokes = list[list[Segment]]


def recipe(*strokes: list[Segment], names: tuple[str, ...] = ()) -> Recipe:
    """A recipe whose page is the paper: x and y in mm from its centre, y up."""
    ids = [*names, *[None] * (len(strokes) - len(names))]
    return Recipe(
        page_mm=(200.0, 200.0),
        strokes=tuple(
            Stroke('curve', tuple(segments), np.array([segments[0].start]), element_id=name)
            for segments, name in zip(strokes, ids, strict=True)
        ),
        placement=np.array([[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0]]),
        spacing_mm=1.0,
        chord_tolerance_mm=0.02,
    )


def polyline(points: ArrayLike) -> list[Segment]:
    points = np.asarray(points, dtype=float)
    return [Line(a, b) for a, b in zip(points, points[1:], strict=False)]


def circle(radius: float, x: float = 0.0, y: float = 0.0) -> list[Segment]:
    return [EllipseArc([x, y], [radius, 0.0], [0.0, radius], 0.0, 2.0 * np.pi)]


def dot(x: float, y: float) -> list[Segment]:
    return [Line([x, y], [x, y])]


def square(size: float) -> list[Segment]:
    return polyline([[0, 0], [size, 0], [size, size], [0, size], [0, 0]])


def spiral(turns: int, pitch: float, step: float) -> list[Segment]:
    angle = np.arange(0.0, 2.0 * np.pi * turns, step)
    radius = 0.5 + pitch * angle / (2.0 * np.pi)
    return polyline(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))


def star(radius: float) -> list[Segment]:
    angle = np.arange(6) * 4.0 * np.pi / 5.0
    return polyline(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1))


_ANGLE = np.arange(0.0, 6.0, 0.02)
_CIRCLE = 20.0 * np.stack([np.cos(_ANGLE), np.sin(_ANGLE)], axis=1)

SHAPES: dict[str, Strokes] = {
    'square': [square(50.0)],
    'circle': [circle(10.0)],
    'tiny circle': [circle(0.2)],
    'spiral': [spiral(10, 1.0, 0.1)],
    'teeth of 0.5 mm': [polyline([[0.25 * i, 0.5 * (i % 2)] for i in range(80)])],
    'star': [star(30.0)],
    'cusp': [[CubicBezier([0, 0], [20, 20], [0, 20], [20, 0])]],
    'almost a cusp': [[CubicBezier([0, 0], [20, 20], [0.05, 20], [20, 0])]],
    'loop': [[CubicBezier([0, 0], [30, 20], [-10, 20], [20, 0])]],
    'hairpin on a line': [[CubicBezier([0, 0], [40, 0], [-20, 0], [20, 0])]],
    'no first handle': [[CubicBezier([0, 0], [0, 0], [20, 10], [20, 0])]],
    'flat ellipse': [[EllipseArc([0, 0], [20, 0], [0, 0.0005], 0.0, 2.0 * np.pi)]],
    'there and back': [polyline([[0, 0], [30, 0], [0, 0]])],
    'microns straight on': [polyline([[0.002 * i, 0.0] for i in range(2000)])],
    'microns in zigzag': [polyline([[0.002 * i, 0.002 * (i % 2)] for i in range(2000)])],
    'line into arc': [[Line([-20, -10], [0, -10]), EllipseArc([0, 0], [0, -10], [10, 0], 0, 3)]],
    'rounded numbers': [polyline(np.round(_CIRCLE, 2))],
    'dots and a line': [dot(0, 0), polyline([[10, 0], [20, 5]]), dot(20.0, 5.0), dot(40, 5)],
    'strokes that touch': [polyline([[0, 0], [20, 0]]), polyline([[20, 0.0005], [20, 20]])],
    'rim of the paper': [[EllipseArc([0, 0], [159.5, 0], [0, 159.5], 0.0, 6.2)]],
}

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Drawings of any size to measure the planner with, made, not loaded."""

from collections.abc import Iterator

import numpy as np

from elfin_bt.drawing.geometry import Array, CubicBezier, Line, Segment
from elfin_bt.drawing.glyphs import glyph
from elfin_bt.drawing.placement import DEFAULT_SPACING_MM, DEFAULT_TOLERANCE_MM
from elfin_bt.drawing.recipe import Recipe, Stroke, stroke_kind
from elfin_bt.drawing.sampling import sample_strokes

SIDE = 200.0  # mm; the page, which is the paper
EDGE = 20.0
WORDS = 'Sphinx of black quartz, judge my vow! 0123456789 '
STYLES = ('spiral', 'polyline', 'teeth', 'text')


def drawing(style: str, points: int) -> Recipe:
    """A recipe of a style with about as many points, at the default spacing.

    spiral: cubics, pitch 1 mm. polyline: the same, in lines of 1 mm. teeth: zigzags of 0.5 mm.
    text: letters of 4 mm. What does not fit on the page is drawn over what is there.
    """
    strokes = [tuple(segments) for segments in _strokes(style, points)]
    sampled = sample_strokes(strokes, DEFAULT_SPACING_MM, DEFAULT_TOLERANCE_MM)
    kept = int(np.searchsorted(np.cumsum([len(at) for at in sampled]), points)) + 1
    return Recipe(
        (SIDE, SIDE),
        tuple(
            Stroke(stroke_kind(segments), segments, at)
            for segments, at in list(zip(strokes, sampled, strict=True))[:kept]
        ),
        1e-3 * np.array([[1.0, 0.0, -0.5 * SIDE], [0.0, -1.0, 0.5 * SIDE]]),
        DEFAULT_SPACING_MM,
        DEFAULT_TOLERANCE_MM,
    )


def points_of(recipe: Recipe) -> int:
    """Sampled points of all strokes."""
    return sum(len(stroke.points) for stroke in recipe.strokes)


def _strokes(style: str, points: int) -> Iterator[list[Segment]]:
    """Strokes until there are at least as many points of 1 mm."""
    length = 0.0
    while length < points:
        if style in ('spiral', 'polyline'):
            end = min(np.sqrt((points - length) / np.pi) + 1.0, 0.5 * SIDE - 1.0)
            pages = [_spiral(end) if style == 'spiral' else _lines(_spiral_points(end))]
            length += np.pi * end**2
        elif style == 'teeth':
            pages = [_lines(_teeth(y)) for y in np.arange(EDGE, SIDE - EDGE, 1.0)]
            length += sum(len(page) for page in pages)
        else:
            pages = [_lines(line) for line in _letters()]
            length += 2.0 * sum(len(page) for page in pages)
        yield from pages


def _spiral(end: float) -> list[Segment]:
    """Cubics of 1 mm pitch around the middle of the page, out to radius `end`, mm."""
    angle = np.linspace(0.0, 2.0 * np.pi * end, max(int(24 * end), 2) + 1)
    at, slope = _spiral_at(angle)
    third = slope * (angle[1] - angle[0]) / 3.0
    return [
        CubicBezier(at[k], at[k] + third[k], at[k + 1] - third[k + 1], at[k + 1])
        for k in range(len(angle) - 1)
    ]


def _spiral_points(end: float) -> Array:
    """Points about 1 mm apart along the same spiral."""
    return _spiral_at(np.sqrt(4.0 * np.pi * np.arange(1.0, np.pi * end**2, 0.99)))[0]


def _spiral_at(angle: Array) -> tuple[Array, Array]:
    radius, grows = angle / (2.0 * np.pi) + 0.5, 1.0 / (2.0 * np.pi)
    out = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    across = np.stack([-out[:, 1], out[:, 0]], axis=1)
    return 0.5 * SIDE + radius[:, None] * out, grows * out + radius[:, None] * across


def _teeth(y: float) -> Array:
    x = np.arange(EDGE, SIDE - EDGE, 0.25)
    return np.stack([x, y + 0.5 * (np.arange(len(x)) % 2)], axis=1)


def _letters() -> Iterator[Array]:
    """A page of lines of text, letter by letter, stroke by stroke."""
    size, number = 4.0, 0
    for y in np.arange(EDGE + size, SIDE - EDGE, 1.5 * size):
        x = EDGE
        while x < SIDE - EDGE:
            letter = glyph(WORDS[number % len(WORDS)])
            assert letter is not None
            yield from (np.array([x, y]) + size * line for line in letter.lines)
            x += size * letter.advance
            number += 1


def _lines(at: Array) -> list[Segment]:
    return [Line(a, b) for a, b in zip(at, at[1:], strict=False)]

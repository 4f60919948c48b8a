# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The picture of a drawing as PNG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from elfin_bt.drawing import picture as look
from elfin_bt.drawing.geometry import Array, EllipseArc, Line, Segment
from elfin_bt.drawing.picture import Picture, label_place

_WIDTH, _TALLEST = 1200, 1600  # px of the page
_OVERSAMPLING = 3  # drawn this much larger, then reduced: Pillow's lines have hard edges
_CAPTION_HEIGHT = 64
_TEXT_SIZE = 22
_CHORDS_PER_TURN = 180
_CHORDS_OF_A_CURVE = 48
_ROUND_JOINT = math.radians(10.0)


def write_png(path: Path, picture: Picture) -> None:
    """Write the picture, about 1200 px wide, with a line of text below."""
    canvas = _Canvas.for_picture(picture)
    for stroke in picture.source:
        canvas.line(_chords(stroke), look.SOURCE_COLOUR, look.SOURCE_WIDTH)
    for way in picture.pen_up:
        for dash in _dashes(way, *look.PEN_UP_DASH):
            canvas.line(dash, look.PEN_UP_COLOUR, look.PEN_UP_WIDTH)
    for line, colour in picture.coloured_ink:
        canvas.line(line, colour, look.INK_WIDTH)
    if picture.worst is not None:
        canvas.circle(picture.worst, look.WORST_RADIUS, look.WORST_COLOUR, look.WORST_WIDTH)
    image = canvas.reduced()
    if picture.worst is not None:
        _label_worst(image, picture, canvas.scale / _OVERSAMPLING)
    _with_caption(image, picture).save(path, optimize=True)


@dataclass(frozen=True)
class _Canvas:
    """An oversized image; coordinates and widths in mm of the picture."""

    image: Image.Image
    corner: Array
    scale: float  # px of the oversized image per mm

    @classmethod
    def for_picture(cls, picture: Picture) -> _Canvas:
        width, height = picture.size
        scale = min(_WIDTH / width, _TALLEST / height) * _OVERSAMPLING
        pixels = tuple(
            _OVERSAMPLING * max(1, round(side * scale / _OVERSAMPLING)) for side in picture.size
        )
        return cls(
            Image.new('RGB', (pixels[0], pixels[1]), look.PAPER_COLOUR), picture.corner, scale
        )

    def line(self, points: Array, colour: str, width: float) -> None:
        """A polyline (M, 2) with round ends and joints."""
        pixels = (points - self.corner) * self.scale
        broad = max(1.0, width * self.scale)
        draw = ImageDraw.Draw(self.image)
        if len(pixels) > 1:
            draw.line(pixels.reshape(-1).tolist(), fill=colour, width=round(broad))
        for x, y in pixels[_round_points(pixels)].tolist():
            draw.ellipse(_box(x, y, 0.5 * broad), fill=colour)

    def circle(self, centre: Array, radius: float, colour: str, width: float) -> None:
        """The outline of a circle."""
        x, y = ((centre - self.corner) * self.scale).tolist()
        ImageDraw.Draw(self.image).ellipse(
            _box(x, y, radius * self.scale), outline=colour, width=round(width * self.scale)
        )

    def reduced(self) -> Image.Image:
        """The image at its final size."""
        return self.image.reduce(_OVERSAMPLING)


def _box(x: float, y: float, radius: float) -> tuple[float, float, float, float]:
    """The box of a circle, as Pillow wants it."""
    return x - radius, y - radius, x + radius, y + radius


def _label_worst(image: Image.Image, picture: Picture, scale: float) -> None:
    font = ImageFont.load_default(_TEXT_SIZE)
    draw = ImageDraw.Draw(image)
    width = draw.textlength(picture.worst_label, font) / scale
    x, y, ends = label_place(picture, width)
    place = ((np.array([x, y]) - picture.corner) * scale).tolist()
    draw.text(
        (place[0], place[1]),
        picture.worst_label,
        fill=look.WORST_COLOUR,
        font=font,
        anchor='rm' if ends else 'lm',
        stroke_width=4,
        stroke_fill=look.PAPER_COLOUR,
    )


def _with_caption(image: Image.Image, picture: Picture) -> Image.Image:
    """The image with the title and what was measured below it."""
    font = ImageFont.load_default(_TEXT_SIZE)
    text = f'{picture.title}:  {picture.caption}'
    page = Image.new('RGB', (image.width, image.height + _CAPTION_HEIGHT), look.PAPER_COLOUR)
    page.paste(image)
    draw = ImageDraw.Draw(page)
    middle = image.height + _CAPTION_HEIGHT // 2
    while len(text) > 1 and draw.textlength(text, font) > page.width - 2 * _TEXT_SIZE:
        text = text[:-2].rstrip() + '…'
    draw.line([(0, image.height), (page.width, image.height)], fill=look.SOURCE_COLOUR)
    draw.text((_TEXT_SIZE, middle), text, fill=look.TEXT_COLOUR, font=font, anchor='lm')
    return page


def _chords(segments: Sequence[Segment]) -> Array:
    """Points (M, 2) close enough on a stroke for the eye."""
    points = [segments[0].start[None]]
    for segment in segments:
        count = 1 if isinstance(segment, Line) else _CHORDS_OF_A_CURVE
        if isinstance(segment, EllipseArc):
            count = max(1, math.ceil(abs(segment.sweep) / math.tau * _CHORDS_PER_TURN))
        points.append(segment.point(np.linspace(0.0, 1.0, count + 1)[1:]))
    return np.concatenate(points)


def _round_points(pixels: Array) -> Array:
    """Indices of the points that need a disc: both ends, and corners."""
    steps = np.diff(pixels, axis=0)
    turn = np.abs(np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))))
    corners = np.flatnonzero(turn > _ROUND_JOINT) + 1
    return np.unique(np.concatenate([[0], corners, [len(pixels) - 1]])).astype(np.intp)


def _dashes(points: Array, on: float, off: float) -> Iterator[Array]:
    """The pieces of a polyline (M, 2) that a dashed line shows."""
    travelled = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    for start in np.arange(0.0, travelled[-1], on + off):
        ends = [start, min(start + on, travelled[-1])]
        inner = points[(travelled > ends[0]) & (travelled < ends[1])]
        x, y = (np.interp(ends, travelled, points[:, axis]) for axis in (0, 1))
        edge = np.column_stack([x, y])
        yield np.concatenate([edge[:1], inner, edge[1:]])

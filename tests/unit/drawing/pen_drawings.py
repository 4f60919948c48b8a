# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Outlines for the tests of pen planning, and how far two sets of them are apart."""

from dataclasses import replace

import numpy as np

from elfin_bt.drawing.artwork import Artwork, Fill, Outline
from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line, transform_all
from elfin_bt.drawing.nearest import NearestPath, Parabolas
from elfin_bt.drawing.sampling import sample_strokes

_METRES = [[1e-3, 0, 0], [0, 1e-3, 0]]


def polyline(*points, closed=False, **attributes):
    corners = [*points, points[0]] if closed else points
    lines = tuple(Line(p, q) for p, q in zip(corners, corners[1:], strict=False))
    return Outline(lines, closed=closed, **attributes)


def circle(x, y, radius, start=0.0, **attributes):
    arc = EllipseArc((x, y), (radius, 0), (0, radius), start, 2 * np.pi)
    return Outline((arc,), closed=True, **attributes)


def wave(x, y, **attributes):
    curve = CubicBezier((x, y), (x + 5, y + 8), (x + 5, y - 8), (x + 10, y))
    return Outline((curve,), **attributes)


def artwork(*outlines, fills=(), page_mm=(200.0, 200.0), offset=(0.0, 0.0)):
    move = [[1, 0, offset[0]], [0, 1, offset[1]]]
    if any(offset):
        outlines = [replace(o, segments=transform_all(o.segments, move)) for o in outlines]
    return Artwork(
        page_mm=page_mm,
        outlines=tuple(outlines),
        ignored=[],
        warnings=[],
        path='drawing.svg',
        sha256='0' * 64,
        fills=tuple(fills),
    )


def square_fill(x, y, side, **attributes):
    corners = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]
    return Fill((polyline(*corners, closed=True).segments,), **attributes)


def apart(ones, others):
    """The largest distance, mm, from a point of either set of outlines to the other set."""
    return max(_beyond(ones, others), _beyond(others, ones))


def _beyond(ones, others):
    segments = transform_all([s for o in others for s in o.segments], _METRES)
    points = np.concatenate(sample_strokes([o.segments for o in ones], 0.2, 0.001))
    return 1000.0 * NearestPath(Parabolas.of_segments(segments)).distances(1e-3 * points).max()


def ink(outlines):
    return sum(segment.length() for outline in outlines for segment in outline.segments)


def travel(outlines):
    ends = [(o.segments[0].start, o.segments[-1].end) for o in outlines]
    return sum(float(np.hypot(*(b[0] - a[1]))) for a, b in zip(ends, ends[1:], strict=False))


def is_joined(outline):
    return all(
        np.hypot(*(b.start - a.end)) < 1e-3
        for a, b in zip(outline.segments, outline.segments[1:], strict=False)
    )

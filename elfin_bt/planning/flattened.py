# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Curves that were flattened to many short lines become curves again.

Programs hand out curves as polylines, with rounded coordinates. Drawn to the letter each vertex is
a corner, and the rounding a vibration. Where lines follow each other that turn little, that are of
similar length, and whose arcs would lie within ARC of them, the vertices are first moved by up to
FAIRING each, across the path, to where fourth differences are smaller (they are what a change of
curvature looks like), and then joined by the cubic spline through them, which has a continuous
second derivative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.repeats import repeated
from elfin_bt.planning import bezier

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

ARC = 15e-6
"""Largest height of the arc over one of the lines, m."""
FAIRING = 20e-6
"""How far a vertex may be moved, m."""

_TURN = 0.35  # rad; more at a vertex is a corner
_RATIO = 3.0  # of the lengths of neighbours
_LEAST_VERTICES = 4  # inside; fewer are no flattened curve
_FAIRING_ROUNDS = 40
_FAIRING_RATE = 0.3
_SPLINE_ROUNDS = 25  # the error halves with each, at least


def smoothed(curves: Array, stroke: Index) -> Array:
    """The curves (4, D, M) of strokes (M,), with chains of lines in place of which a curve fits."""
    if len(stroke) <= _LEAST_VERTICES:
        return curves
    smooth = _smooth_joints(curves, stroke)
    # A chain is a run of smooth joints; joint k lies between curves k and k + 1.
    edges = np.flatnonzero(np.diff(np.concatenate([[False], smooth, [False]])))
    first, last = edges[::2], edges[1::2]
    long = last - first >= _LEAST_VERTICES
    first, last = first[long], last[long]
    if not len(first):
        return curves
    # All chains at once, as one list of vertices with fixed ends.
    sizes = last - first + 2
    chain, number = repeated(sizes)
    curve = first[chain] + np.minimum(number, sizes[chain] - 2)
    is_end = number == sizes[chain] - 1
    vertices = np.where(is_end, curves[3][:, curve], curves[0][:, curve])
    inner = (number > 0) & ~is_end
    vertices = _faired(vertices, inner, number, sizes[chain])
    result = curves.copy()
    starts = np.flatnonzero(~is_end)
    result[:, :, curve[starts]] = _spline(vertices, inner, starts)
    return result


def _smooth_joints(curves: Array, stroke: Index) -> Mask:
    """Whether a flattened curve may pass the joint (M - 1,) after each curve."""
    leg = curves[3] - curves[0]
    length = bezier.norm(leg)
    direction = leg / np.maximum(length, 1e-300)
    turn = bezier.turn(direction[:, :-1], direction[:, 1:])
    longer = np.maximum(length[:-1], length[1:])
    shorter = np.minimum(length[:-1], length[1:])
    line = bezier.straight(curves)
    smooth: Mask = (
        line[:-1]
        & line[1:]
        & (stroke[1:] == stroke[:-1])
        & (turn < _TURN)
        & (longer * turn < 8.0 * ARC)
        & (longer < _RATIO * shorter)
    )
    return smooth


def _faired(vertices: Array, inner: Mask, number: Index, size: Index) -> Array:
    """Vertices (D, K) moved across the path by up to FAIRING; ends of chains stay."""
    deep = np.flatnonzero(inner & (number >= 2) & (number < size - 2))
    if not len(deep):
        return vertices
    along = bezier.unit(vertices[:, deep + 1] - vertices[:, deep - 1])
    across = np.stack([-along[1], along[0]])
    spacing = 0.5 * bezier.norm(vertices[:, deep + 1] - vertices[:, deep - 1])
    # A vertex may also not come near its neighbours.
    most = np.minimum(FAIRING, 0.1 * spacing)
    origin = vertices[:, deep]
    moved, offset = vertices.copy(), np.zeros(len(deep))
    for _ in range(_FAIRING_ROUNDS):
        fourth = (
            moved[:, deep - 2]
            - 4.0 * (moved[:, deep - 1] + moved[:, deep + 1])
            + 6.0 * moved[:, deep]
            + moved[:, deep + 2]
        )
        step = (fourth * across).sum(axis=0) / 6.0
        offset = np.clip(offset - _FAIRING_RATE * step, -most, most)
        moved[:, deep] = origin + offset * across
    return moved


def _spline(vertices: Array, inner: Mask, starts: Index) -> Array:
    """Cubics (4, D, L) from the vertices `starts` (L,) to the next ones, over their distance.

    The second derivative of a spline over intervals h: h0 m0 + 2 (h0 + h1) m1 + h1 m2 =
    6 (slope1 - slope0). At the ends of a chain it is that of the neighbour.
    """
    h = np.maximum(bezier.norm(np.diff(vertices, axis=1)), 1e-12)
    slope = np.diff(vertices, axis=1) / h
    at = np.flatnonzero(inner)
    before, after = h[at - 1], h[at]
    right = 6.0 * (slope[:, at] - slope[:, at - 1])
    second = np.zeros_like(vertices)
    first_of, last_of = at[~inner[at - 1]], at[~inner[at + 1]]
    for _ in range(_SPLINE_ROUNDS):
        pull = before * second[:, at - 1] + after * second[:, at + 1]
        second[:, at] = (right - pull) / (2.0 * (before + after))
        second[:, first_of - 1] = second[:, first_of]
        second[:, last_of + 1] = second[:, last_of]
    p0, p1, width = vertices[:, starts], vertices[:, starts + 1], h[starts]
    m0, m1 = second[:, starts], second[:, starts + 1]
    leave = (p1 - p0) / width - width * (2.0 * m0 + m1) / 6.0
    arrive = (p1 - p0) / width + width * (m0 + 2.0 * m1) / 6.0
    return np.stack([p0, p0 + width * leave / 3.0, p1 - width * arrive / 3.0, p1])

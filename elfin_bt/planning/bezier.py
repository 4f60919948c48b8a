# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Cubic Bezier curves in bulk: control points (M, 4, D), one row a curve, u in [0, 1].

Everything that the pen draws is a cubic here: a line exactly, a quarter of a quarter of an ellipse
within 1.3e-7 of its radius (8 nm at 60 mm). One form keeps trimming, rounding and sampling simple.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line, Segment

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_ARC_STEP = np.pi / 8
_DEGENERATE = 1e-6  # a control leg shorter than this share of the polygon has no direction


def lines(start: Array, end: Array) -> Array:
    """Straight curves (M, 4, D) of constant speed from start (M, D) to end (M, D)."""
    third = (end - start) / 3.0
    return np.stack([start, start + third, end - third, end], axis=1)


def of_segments(segments: Sequence[Segment]) -> tuple[Array, Index]:
    """Curves (M, 4, 2) of plane segments, and for each curve the index of its segment (M,)."""
    straight = [i for i, s in enumerate(segments) if isinstance(s, Line)]
    curved = [i for i, s in enumerate(segments) if isinstance(s, CubicBezier)]
    arcs = [i for i, s in enumerate(segments) if isinstance(s, EllipseArc)]
    ends = np.array([(s.start, s.end) for s in segments if isinstance(s, Line)]).reshape(-1, 2, 2)
    cubics = [(s.p0, s.p1, s.p2, s.p3) for s in segments if isinstance(s, CubicBezier)]
    pieces, owner = _of_arcs([s for s in segments if isinstance(s, EllipseArc)])
    curves = np.concatenate([lines(ends[:, 0], ends[:, 1]), np.reshape(cubics, (-1, 4, 2)), pieces])
    index = np.concatenate([straight, curved, np.array(arcs, dtype=np.intp)[owner]])
    index = index.astype(np.intp)
    order = np.argsort(index, kind='stable')
    return curves[order], index[order]


def _of_arcs(arcs: Sequence[EllipseArc]) -> tuple[Array, Index]:
    """Cubics of ellipse arcs, each over at most _ARC_STEP, and the arc that each belongs to."""
    frame = np.array([(a.centre, a.axis_u, a.axis_v) for a in arcs]).reshape(-1, 3, 2)
    angles = np.array([(a.start_angle, a.sweep) for a in arcs]).reshape(-1, 2)
    count = np.maximum(np.ceil(np.abs(angles[:, 1]) / _ARC_STEP - 1e-9), 1.0).astype(np.intp)
    owner = np.repeat(np.arange(len(arcs)), count)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    step = (angles[:, 1] / count)[owner]
    a = angles[owner, 0] + number * step
    b = a + step
    handle = 4.0 / 3.0 * np.tan(step / 4.0)
    unit = np.empty((len(owner), 4, 2))  # on the unit circle; an affine map away from the ellipse
    unit[:, 0] = np.stack([np.cos(a), np.sin(a)], axis=1)
    unit[:, 3] = np.stack([np.cos(b), np.sin(b)], axis=1)
    unit[:, 1] = unit[:, 0] + handle[:, None] * np.stack([-np.sin(a), np.cos(a)], axis=1)
    unit[:, 2] = unit[:, 3] - handle[:, None] * np.stack([-np.sin(b), np.cos(b)], axis=1)
    return frame[owner, :1] + unit @ frame[owner, 1:], owner


def point(curves: Array, u: Array) -> Array:
    """Points (M, D), one a curve, at the parameters u (M,)."""
    u = u[:, None]
    v = 1.0 - u
    p0, p1, p2, p3 = (curves[:, k] for k in range(4))
    return v * v * (v * p0 + 3.0 * u * p1) + u * u * (3.0 * v * p2 + u * p3)


def derivative(curves: Array, u: Array) -> Array:
    """Derivatives d/du (M, D) at the parameters u (M,)."""
    u = u[:, None]
    v = 1.0 - u
    p0, p1, p2, p3 = (curves[:, k] for k in range(4))
    return 3.0 * (v * v * (p1 - p0) + 2.0 * u * v * (p2 - p1) + u * u * (p3 - p2))


def part(curves: Array, first: Array, last: Array) -> Array:
    """The same curves between the parameters first and last (M,) only."""
    start, end = point(curves, first), point(curves, last)
    third = ((last - first) / 3.0)[:, None]
    return np.stack(
        [
            start,
            start + third * derivative(curves, first),
            end - third * derivative(curves, last),
            end,
        ],
        axis=1,
    )


def polygon_lengths(curves: Array) -> Array:
    """Lengths (M,) of the control polygons; no curve is longer."""
    lengths: Array = norm(np.diff(curves, axis=1)).sum(axis=1)
    return lengths


def start_tangents(curves: Array) -> Array:
    """Unit directions (M, D) at u = 0, also where control points coincide."""
    size = polygon_lengths(curves)
    result = curves[:, 3] - curves[:, 0]
    for k in (2, 1):
        leg = curves[:, k] - curves[:, 0]
        usable = norm(leg) > _DEGENERATE * size
        result = np.where(usable[:, None], leg, result)
    return unit(result)


def end_tangents(curves: Array) -> Array:
    """Unit directions (M, D) at u = 1, also where control points coincide."""
    return -start_tangents(curves[:, ::-1])


def turn(first: Array, second: Array) -> Array:
    """Angles (M,) between unit vectors (M, D), rad; exact for small ones."""
    return 2.0 * np.arctan2(norm(second - first), norm(second + first))


def norm(vectors: Array) -> Array:
    """Lengths (...,) of vectors (..., D)."""
    lengths: Array = np.sqrt(np.einsum('...i,...i->...', vectors, vectors))
    return lengths


def unit(vectors: Array) -> Array:
    """Vectors (M, D) at length 1; a zero vector stays zero."""
    length = norm(vectors)
    result: Array = vectors / np.where(length > 0.0, length, 1.0)[:, None]
    return result

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Cubic Bezier curves in bulk: control points (4, D, M) of M curves in D dimensions, u in [0, 1].

The curves are the last axis, so that one coordinate of all of them lies together in memory; points
and vectors are (D, M) accordingly.

Everything that the pen draws is a cubic here: a line exactly, a sixteenth of an ellipse within
1.3e-7 of its radius (8 nm at 60 mm). One form keeps trimming, rounding and sampling simple.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line, Segment
from elfin_bt.drawing.repeats import repeated

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_ARC_STEP = np.pi / 8
OFF_END = 1e-3
"""Share of a curve from its end where its curvature is taken if its handle has no length."""

_DEGENERATE = 1e-6  # a control leg shorter than this share of the polygon has no direction


def lines(start: Array, end: Array) -> Array:
    """Straight curves of constant speed from start (D, M) to end (D, M)."""
    third = (end - start) / 3.0
    return np.stack([start, start + third, end - third, end])


def of_segments(segments: Sequence[Segment]) -> tuple[Array, Index]:
    """Curves (4, 2, M) of plane segments, and for each curve the index of its segment (M,)."""
    straight = [i for i, s in enumerate(segments) if isinstance(s, Line)]
    curved = [i for i, s in enumerate(segments) if isinstance(s, CubicBezier)]
    arcs = [i for i, s in enumerate(segments) if isinstance(s, EllipseArc)]
    ends = _stacked([(s.start, s.end) for s in segments if isinstance(s, Line)], 2)
    cubics = _stacked([(s.p0, s.p1, s.p2, s.p3) for s in segments if isinstance(s, CubicBezier)], 4)
    pieces, owner = _of_arcs([s for s in segments if isinstance(s, EllipseArc)])
    index = np.concatenate([straight, curved, np.array(arcs, dtype=np.intp)[owner]])
    order = np.argsort(index, kind='stable')
    curves = np.concatenate([lines(ends[0], ends[1]), cubics, pieces], axis=2)
    return curves.take(order, axis=2), index[order].astype(np.intp)


def _stacked(vectors: Sequence[tuple[Array, ...]], count: int) -> Array:
    """(count, 2, M) from M tuples of `count` vectors (2,)."""
    flat = np.array(vectors, dtype=np.float64).reshape(-1, count, 2)
    return np.ascontiguousarray(np.moveaxis(flat, 0, -1))


def _of_arcs(arcs: Sequence[EllipseArc]) -> tuple[Array, Index]:
    """Cubics of ellipse arcs, each over at most _ARC_STEP, and the arc that each belongs to."""
    frame = _stacked([(a.centre, a.axis_u, a.axis_v) for a in arcs], 3)
    start, sweep = np.array([(a.start_angle, a.sweep) for a in arcs]).reshape(-1, 2).T
    count = np.maximum(np.ceil(np.abs(sweep) / _ARC_STEP - 1e-9), 1.0).astype(np.intp)
    owner, number = repeated(count)
    step = (sweep / count)[owner]
    first = start[owner] + number * step
    handle = 4.0 / 3.0 * np.tan(step / 4.0)
    # On the unit circle; cosine and sine then go along the two axes of the ellipse.
    c0, s0, c1, s1 = np.cos(first), np.sin(first), np.cos(first + step), np.sin(first + step)
    cosine = np.stack([c0, c0 - handle * s0, c1 + handle * s1, c1])[:, None]
    sine = np.stack([s0, s0 + handle * c0, s1 - handle * c1, s1])[:, None]
    centre, axis_u, axis_v = frame[:, :, owner]
    return centre + cosine * axis_u + sine * axis_v, owner


def point(curves: Array, u: Array) -> Array:
    """Points (D, M), one a curve, at the parameters u (M,)."""
    v = 1.0 - u
    p0, p1, p2, p3 = curves
    points: Array = (v * v) * (v * p0 + (3.0 * u) * p1) + (u * u) * ((3.0 * v) * p2 + u * p3)
    return points


def derivative(curves: Array, u: Array) -> Array:
    """Derivatives d/du (D, M) at the parameters u (M,)."""
    v = 1.0 - u
    p0, p1, p2, p3 = curves
    slope: Array = (v * v) * (p1 - p0) + (2.0 * u * v) * (p2 - p1) + (u * u) * (p3 - p2)
    return 3.0 * slope


def second_derivative(curves: Array, u: Array) -> Array:
    """Derivatives d2/du2 (D, M) at the parameters u (M,)."""
    p0, p1, p2, p3 = curves
    bend: Array = (1.0 - u) * (p0 - 2.0 * p1 + p2) + u * (p1 - 2.0 * p2 + p3)
    return 6.0 * bend


def curvature(slope: Array, bend: Array) -> Array:
    """d2p/ds2 (D, M), 1/m, from the derivatives dp/du and d2p/du2 (D, M); dp/du must not be 0.

    The part of d2p/du2 that is normal to the curve, over |dp/du|^2.
    """
    square = (slope * slope).sum(axis=0)
    normal: Array = (bend - slope * ((slope * bend).sum(axis=0) / square)) / square
    return normal


def part(curves: Array, first: Array, last: Array) -> Array:
    """The same curves between the parameters first and last (M,) only."""
    start, end = point(curves, first), point(curves, last)
    third = (last - first) / 3.0
    leave, arrive = third * derivative(curves, first), third * derivative(curves, last)
    return np.stack([start, start + leave, end - arrive, end])


def polygon_lengths(curves: Array) -> Array:
    """Lengths (M,) of the control polygons; no curve is longer."""
    p0, p1, p2, p3 = curves
    return norm(p1 - p0) + norm(p2 - p1) + norm(p3 - p2)


def straight(curves: Array) -> NDArray[np.bool_]:
    """Whether each curve (M,) is a line as `lines` makes them."""
    p0, p1, p2, p3 = curves
    third = (p3 - p0) / 3.0
    bend = np.abs(p1 - p0 - third).max(axis=0) + np.abs(p3 - p2 - third).max(axis=0)
    return np.asarray(bend <= 1e-12)


def start_tangents(curves: Array) -> Array:
    """Unit directions (D, M) at u = 0, also where control points coincide."""
    smallest = _DEGENERATE * polygon_lengths(curves)
    result = curves[3] - curves[0]
    for k in (2, 1):
        leg = curves[k] - curves[0]
        result = np.where(norm(leg) > smallest, leg, result)
    return unit(result)


def end_tangents(curves: Array) -> Array:
    """Unit directions (D, M) at u = 1, also where control points coincide."""
    return -start_tangents(curves[::-1])


def start_curvatures(curves: Array) -> Array:
    """Curvatures d2p/ds2 (D, M), 1/m, at u = 0; a little further on where there is no handle.

    Of the reversed curves it is that at u = 1: it does not depend on the direction.
    """
    u = np.where(norm(curves[1] - curves[0]) > _DEGENERATE * polygon_lengths(curves), 0.0, OFF_END)
    return curvature(derivative(curves, u), second_derivative(curves, u))


_GAUSS = np.polynomial.legendre.leggauss(4)


def lengths(curves: Array, first: Array, last: Array) -> Array:
    """Arc lengths (M,) between the parameters first and last (M,), by Gauss quadrature.

    Exact to 1e-8 of the length over a turn of 0.1 rad.
    """
    centre, half = 0.5 * (first + last), 0.5 * (last - first)
    total = np.zeros(len(first))
    for node, weight in zip(*_GAUSS, strict=True):
        total += weight * norm(derivative(curves, centre + node * half))
    return half * total


def parameter_at(curves: Array, distance: Array) -> Array:
    """Parameters (M,) about `distance` (M,) along each curve from its start, at most 1."""
    zero = np.zeros(len(distance))
    u = np.minimum(distance / np.maximum(lengths(curves, zero, zero + 1.0), 1e-300), 1.0)
    for _ in range(3):
        here = lengths(curves, zero, u)
        slope = np.maximum(norm(derivative(curves, u)), 0.1 * polygon_lengths(curves))
        u = np.clip(u + (distance - here) / slope, 0.0, 1.0)
    return u


def turn(first: Array, second: Array) -> Array:
    """Angles (M,) between unit vectors (D, M), rad; exact for small ones."""
    return 2.0 * np.arctan2(norm(second - first), norm(second + first))


def norm(vectors: Array) -> Array:
    """Lengths (...,) of vectors (D, ...)."""
    squares = vectors[0] * vectors[0]
    for component in vectors[1:]:
        squares = squares + component * component
    return np.asarray(np.sqrt(squares))


def unit(vectors: Array) -> Array:
    """Vectors (D, M) at length 1; a zero vector stays zero."""
    return vectors / np.maximum(norm(vectors), 1e-300)

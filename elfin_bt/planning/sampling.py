# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Curves become rows of points: dense where the direction changes and where the pen starts or ends.

Between two rows the joints move along cubics whose slopes are exact at the rows, so what matters
is the turn within an interval: the error falls with its fourth power.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.planning import bezier

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

_SHORTEST = 1e-6  # metres; no interval is split below this because of its turn
_OFF_END = 1e-3  # share of a curve
_SLACK = 1.25  # an interval this much too long is not worth another round
_ROUNDS = 12
# From rest the time goes with the root of the way: these shares of the first interval (and of the
# last, mirrored) are steps of equal time.
_FROM_REST = (1 / 16, 1 / 4)
_BETWEEN_RESTS = (1 / 32, 1 / 8, 1 / 2, 7 / 8, 31 / 32)


@dataclass(frozen=True, eq=False)
class Rows:
    """N rows in order along the curves.

    points (D, N) m; tangents (D, N) unit; curvatures (D, N) d2p/ds2 in 1/m; lengths (N - 1,) arc length to the next row, 0 where the
    pen rests; curve (N,) the curve that each row starts an interval on (or ends a run on).
    """

    points: Array
    tangents: Array
    curvatures: Array
    lengths: Array
    curve: Index


def sample(curves: Array, rests: Mask, spacing: Array, turn: float) -> Rows:
    """Sample curves (4, D, M) so that no interval is longer than spacing (M,) or turns more.

    rests (M,): whether the pen rests before each curve; it does after the last one.
    """
    curve, u = _start_nodes(curves, turn)
    for round_ in range(_ROUNDS):
        points, tangents = _evaluate(curves, curve, u)
        inside = curve[1:] == curve[:-1]
        chord = bezier.norm(np.diff(points, axis=1))
        turned = bezier.turn(tangents[:, :-1], tangents[:, 1:])
        turned[chord < _SHORTEST] = 0.0
        need = np.maximum(chord / spacing[curve[:-1]], turned / turn) * inside
        parts = np.where(need > (1.0 if round_ == 0 else _SLACK), np.ceil(need), 1.0)
        if parts.max(initial=1.0) <= 1.0:
            break
        curve, u = _split(curve, u, parts.astype(np.intp))
    curve, u = _refined_at_rests(curve, u, rests)
    return _rows(curves, curve, u, rests)


def _start_nodes(curves: Array, turn: float) -> tuple[Index, Array]:
    """Nodes at both ends of each curve, and two between where it may turn noticeably."""
    second = np.moveaxis(np.diff(curves, n=2, axis=0), 1, 0)
    bend = bezier.norm(second).max(axis=0) / bezier.polygon_lengths(curves)
    count = np.where(bend > 0.1 * turn, 3, 1)
    curve = np.repeat(np.arange(len(count)), count + 1)
    number = np.arange(len(curve)) - np.repeat(np.cumsum(count + 1) - count - 1, count + 1)
    return curve, number / count[curve]


def _evaluate(curves: Array, curve: Index, u: Array) -> tuple[Array, Array]:
    many = curves.take(curve, axis=2)
    slope = bezier.derivative(many, u)
    length = bezier.norm(slope)
    tangents = slope / np.maximum(length, 1e-300)
    # Where a handle has no length the derivative vanishes at the end, but not the direction.
    flat = np.flatnonzero(length < 1e-6 * bezier.polygon_lengths(curves)[curve])
    at_end = u[flat] > 0.5
    tangents[:, flat[~at_end]] = bezier.start_tangents(many[:, :, flat[~at_end]])
    tangents[:, flat[at_end]] = bezier.end_tangents(many[:, :, flat[at_end]])
    return bezier.point(many, u), tangents


def _split(curve: Index, u: Array, parts: Index) -> tuple[Index, Array]:
    """Split the interval after node i into parts[i] equal steps of u."""
    count = np.append(parts, 1)
    node = np.repeat(np.arange(len(u)), count)
    number = np.arange(len(node)) - np.repeat(np.cumsum(count) - count, count)
    step = np.append(np.diff(u), 0.0) / count
    return curve[node], u[node] + number * step[node]


def _refined_at_rests(curve: Index, u: Array, rests: Mask) -> tuple[Index, Array]:
    """Add nodes to the first and the last interval of each run."""
    first_curve = np.flatnonzero(rests)
    last_curve = np.append(first_curve[1:], len(rests)) - 1
    first = np.searchsorted(curve, first_curve, side='left')
    last = np.searchsorted(curve, last_curve, side='right') - 2
    alone = first == last
    ends = tuple(1.0 - share for share in _FROM_REST)
    groups = ((first[~alone], _FROM_REST), (last[~alone], ends), (first[alone], _BETWEEN_RESTS))
    nodes = np.concatenate([np.repeat(rows, len(shares)) for rows, shares in groups])
    shares = np.concatenate([np.tile(shares, len(rows)) for rows, shares in groups])
    added = u[nodes] + shares * (u[nodes + 1] - u[nodes])
    order = np.argsort(np.concatenate([np.arange(len(u)) + 0.0, nodes + shares]), kind='stable')
    return (
        np.concatenate([curve, curve[nodes]])[order],
        np.concatenate([u, added])[order],
    )


def _rows(curves: Array, curve: Index, u: Array, rests: Mask) -> Rows:
    """One row a node, but only one where two curves of a run meet."""
    last_of_curve = np.append(curve[1:] != curve[:-1], True)
    ends_run = last_of_curve & np.append(rests[1:], True)[curve]
    keep = ~last_of_curve | ends_run
    curve, u, ends_run = curve[keep], u[keep], ends_run[keep]
    points, tangents = _evaluate(curves, curve, u)
    chord = bezier.norm(np.diff(points, axis=1))
    turned = bezier.turn(tangents[:, :-1], tangents[:, 1:])
    # An arc is longer than its chord by x / sin x, with x half the turn.
    lengths = np.where(ends_run[:-1], 0.0, chord * (1.0 + turned**2 / 24.0))
    return Rows(points, tangents, _curvatures(curves, curve, u), lengths, curve)


def _curvatures(curves: Array, curve: Index, u: Array) -> Array:
    """d2p/ds2 (D, N); where the derivative vanishes at an end, that of a place near it."""
    many = curves.take(curve, axis=2)
    slope = bezier.derivative(many, u)
    flat = bezier.norm(slope) < 1e-6 * bezier.polygon_lengths(curves)[curve]
    if np.any(flat):
        u = np.where(flat, np.clip(u, _OFF_END, 1.0 - _OFF_END), u)
        slope = bezier.derivative(many, u)
    return bezier.curvature(slope, bezier.second_derivative(many, u))

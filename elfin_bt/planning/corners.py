# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Corners are rounded, so that the pen needs not stop at them.

At a corner C, where the direction turns by theta, the last piece of length d of the incoming curve
and the first of the outgoing one are replaced by the cubic with the control points

    P0,  P0 + 2/3 |C - P0| t0,  P3 - 2/3 |P3 - C| t1,  P3

which between straight lines is the parabola with the control point C. The parabola passes C at the
distance d/2 sin(theta/2), so the corner tolerance e allows d = 2 e / sin(theta/2). Shallow corners
need less: rounded over d the turn costs v^2 theta / 2d of acceleration at most times a little, and
where that is small anyway a longer rounding gains nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.planning import bezier
from elfin_bt.planning.outline import Outline

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

_STRAIGHT_ON = 2e-5  # rad; a step of direction that no limit notices
_STOP = np.radians(135.0)  # a sharper corner is drawn as it is: rounded it is hardly faster
_GENTLE = 0.1  # m/s2; rounding a shallow corner is allowed to cost this much acceleration
_LEAST_REACH = 50e-6  # metres; less makes knots that are microseconds apart
_HALVINGS = 6
_CRUMB = 0.02  # share of a curve


@dataclass(frozen=True, eq=False)
class SmoothCurves:
    """Curves (4, 2, M) in paper metres, their strokes (M,), and whether the pen rests before each.

    Between two rests the direction is continuous.
    """

    curves: Array
    stroke: Index
    rests: Mask


def rounded(outline: Outline, tolerance: float, speed: float) -> SmoothCurves:
    """The outline with its corners rounded within `tolerance` metres, for `speed` m/s."""
    curves, stroke = outline.curves, outline.stroke
    joints = np.flatnonzero(stroke[1:] == stroke[:-1])  # joint k: from curve k to curve k + 1
    before, after = curves[:, :, joints], curves[:, :, joints + 1]
    theta = bezier.turn(bezier.end_tangents(before), bezier.start_tangents(after))
    corners = joints[(theta > _STRAIGHT_ON) & (theta <= _STOP)]
    theta_of_corners = theta[(theta > _STRAIGHT_ON) & (theta <= _STOP)]
    reach = np.minimum(
        2.0 * tolerance / np.sin(0.5 * theta_of_corners),
        np.maximum(speed**2 * theta_of_corners / (2.0 * _GENTLE), _LEAST_REACH),
    )
    leave, meet, fits = _fitted(curves, corners, reach, tolerance)
    round_ = corners[fits]
    cut_from, cut_to = np.zeros(len(stroke)), np.ones(len(stroke))
    cut_to[round_], cut_from[round_ + 1] = leave[fits], meet[fits]
    # Where two roundings almost meet on a curve, they do: a rest of microns has no use.
    crumbs = np.flatnonzero(cut_to - cut_from < _CRUMB)
    cut_from[crumbs] = cut_to[crumbs] = 0.5 * (cut_from[crumbs] + cut_to[crumbs])
    blends = _blend(
        curves[:, :, round_], curves[:, :, round_ + 1], cut_to[round_], cut_from[round_ + 1]
    )
    cut = (cut_from > 0.0) | (cut_to < 1.0)
    kept = curves.copy()
    kept[:, :, cut] = bezier.part(curves[:, :, cut], cut_from[cut], cut_to[cut])

    rests = np.concatenate([[True], stroke[1:] != stroke[:-1]])[: len(stroke)]
    rests[joints[theta > _STOP] + 1] = True
    rests[corners[~fits] + 1] = True
    remains = cut_to > cut_from
    order = np.argsort(np.concatenate([2 * np.flatnonzero(remains), 2 * round_ + 1]), kind='stable')
    # A rest precedes a curve that starts untrimmed, so none is lost with what did not remain.
    return SmoothCurves(
        np.concatenate([kept[:, :, remains], blends], axis=2)[:, :, order],
        np.concatenate([stroke[remains], stroke[round_]])[order],
        np.concatenate([rests[remains], np.zeros(len(round_), dtype=bool)])[order],
    )


def _fitted(
    curves: Array, corners: Index, reach: Array, tolerance: float
) -> tuple[Array, Array, Mask]:
    """Roundings of corners that reach no further than `reach` (K,) metres along the curves.

    Returns the parameters at which the incoming curve is left and the outgoing one is met (K,),
    and which of the roundings keep to the tolerance (K,).
    """
    before, after = curves[:, :, corners], curves[:, :, corners + 1]
    size_before, size_after = bezier.polygon_lengths(before), bezier.polygon_lengths(after)
    reach = np.minimum(reach, 0.5 * np.minimum(size_before, size_after))
    leave, meet = np.empty(len(corners)), np.empty(len(corners))
    fits = np.zeros(len(corners), dtype=bool)
    # Between straight lines the tolerance is kept by the choice of the reach.
    measured = ~(bezier.straight(before) & bezier.straight(after))
    todo = np.arange(len(corners))
    for _ in range(_HALVINGS):
        b, a, d = before[:, :, todo], after[:, :, todo], reach[todo]
        meet[todo] = _parameter_at(a, d, size_after[todo])
        leave[todo] = 1.0 - _parameter_at(b[::-1], d, size_before[todo])
        fits[todo] = True
        todo, among = todo[measured[todo]], measured[todo]
        if not len(todo):
            break
        b, a = b[:, :, among], a[:, :, among]
        error = _deviation(b, a, leave[todo], meet[todo])
        fits[todo] = error <= tolerance * (1.0 + 1e-6)
        todo = todo[~fits[todo]]
        reach[todo] *= 0.5
    return leave, meet, fits


def _parameter_at(curves: Array, distance: Array, size: Array) -> Array:
    """Parameter (M,) about `distance` from the start of each curve, never beyond its middle."""
    speed = np.maximum(3.0 * bezier.norm(curves[1] - curves[0]), size)
    u = np.minimum(distance / speed, 0.5)
    actual = bezier.norm(bezier.point(curves, u) - curves[0])
    return u * np.minimum(1.0, distance / np.maximum(actual, 1e-15))


def _blend(before: Array, after: Array, leave: Array, meet: Array) -> Array:
    corner = after[0]
    start, end = bezier.point(before, leave), bezier.point(after, meet)
    t0 = bezier.unit(bezier.derivative(before, leave))
    t1 = bezier.unit(bezier.derivative(after, meet))
    in_leg, out_leg = bezier.norm(corner - start), bezier.norm(end - corner)
    return np.stack([start, start + 2.0 / 3.0 * in_leg * t0, end - 2.0 / 3.0 * out_leg * t1, end])


def _deviation(before: Array, after: Array, leave: Array, meet: Array) -> Array:
    """Largest distance (K,) between a rounding and the curves that it replaces, both ways."""
    blends = _blend(before, after, leave, meet)
    share = np.linspace(0.0, 1.0, 5)[:, None]
    incoming = bezier.point(before[:, :, None], leave + (1.0 - leave) * share)
    outgoing = bezier.point(after[:, :, None], meet * share[1:])
    source = np.concatenate([incoming, outgoing], axis=1)  # (2, 9, K)
    probes = bezier.point(blends[:, :, None], np.array([[0.25], [0.5], [0.75]]))  # (2, 3, K)
    start, step = source[:, None, :-1], np.diff(source, axis=1)[:, None]
    offset = probes[:, :, None] - start
    along = (offset * step).sum(axis=0) / np.maximum((step * step).sum(axis=0), 1e-30)
    to_source = bezier.norm(offset - np.clip(along, 0.0, 1.0) * step).min(axis=1).max(axis=0)
    corner_to_blend = bezier.norm(probes - after[0][:, None]).min(axis=0)
    error: Array = np.maximum(to_source, corner_to_blend)
    return error

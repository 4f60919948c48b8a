# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Corners and steps in curvature are blended, so that the pen needs not stop at them.

At a joint, where the direction turns by theta or the curvature steps, the last piece of length d of
the incoming curve and the first of the outgoing one are replaced by a `blend`, which meets both in
position, direction and curvature. Between straight lines its second derivative is a trapezoid:

    largest curvature about 1.5 sin(theta/2) / (d cos^2(theta/2)),
    d(curvature)/ds   about 2.25 sin(theta/2) / (d^2 cos^3(theta/2)),
    distance from the corner 0.361 d sin(theta/2),

so that the corner tolerance e allows d = 2.77 e / sin(theta/2). A step K in curvature (a line that
runs into an arc) allows a blend as long as sqrt(24 e / K); its curvature changes by 3.25 K a blend.
Neither is made longer than the pen's speed asks for.

With jerk limited it is often faster to stop: after a stop the pen has the speed
(4.5 jerk d^2)^(1/3) again at the distance d, while a sharp blend is run at a fraction of that.
So both are estimated, and the pen rests at the corners where that takes less time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.planning import bezier
from elfin_bt.planning.blend import blend
from elfin_bt.planning.outline import Outline

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

ACCELERATION = 2.0
"""What the arm can do at the tip, m/s2, for choices that are made before the joints are known."""
JERK = 10.0
"""The same in m/s3."""

_STRAIGHT_ON = 2e-5  # rad; a step of direction that no limit notices
_UNNOTICED = 0.01  # m/s2; a step in acceleration that no limit notices
_STOP = np.radians(135.0)  # a sharper corner is drawn as it is
_GENTLE = 0.15  # share of ACCELERATION and JERK; a longer blend than takes that gains nothing
_LEAST_REACH = 20e-6  # metres; less makes knots that are microseconds apart
_SHRINK = 0.75
_ROUNDS = 12
_CRUMB = 0.02  # share of a curve
_MOST = 0.9  # share of a curve that one blend may take


@dataclass(frozen=True, eq=False)
class SmoothCurves:
    """Curves (4, 2, M) in paper metres, their strokes (M,), and whether the pen rests before each.

    Between two rests direction and curvature are continuous, but for steps that no limit notices.
    peaks (M,): whether a curve is the middle of a blend, where the curvature has a peak.
    """

    curves: Array
    stroke: Index
    rests: Mask
    peaks: Mask


@dataclass(frozen=True, eq=False)
class _Joints:
    """K places where curve `index` (K,) meets the next one.

    before, after (4, 2, K) are the curves that meet, theta (K,) the turn, step (K,) the step in
    curvature, curvature (K,) the larger one of both sides.
    """

    index: Index
    before: Array
    after: Array
    theta: Array
    step: Array
    curvature: Array

    def only(self, which: Mask | Index) -> '_Joints':
        return _Joints(
            self.index[which],
            self.before[:, :, which],
            self.after[:, :, which],
            self.theta[which],
            self.step[which],
            self.curvature[which],
        )


def rounded(outline: Outline, tolerance: float, speed: float) -> SmoothCurves:
    """The outline with its joints blended within `tolerance` metres, for `speed` m/s."""
    curves, stroke = outline.curves, outline.stroke
    joints = _joints(curves, np.flatnonzero(stroke[1:] == stroke[:-1]))
    noticed = (joints.theta > _STRAIGHT_ON) | (joints.step * speed**2 > _UNNOTICED)
    rests = np.concatenate([[True], stroke[1:] != stroke[:-1]])[: len(stroke)]
    rests[joints.index[joints.theta > _STOP] + 1] = True

    joints = joints.only(noticed & (joints.theta <= _STOP))
    sizes = bezier.polygon_lengths(curves)
    reach = _fair(_wanted(joints, tolerance, speed), joints.index, sizes)
    leave, meet, reach, fits = _fitted(joints, reach, tolerance)
    fits &= _faster_than_stopping(joints, reach, sizes, speed)
    rests[joints.index[~fits] + 1] = True
    joints, leave, meet = joints.only(fits), leave[fits], meet[fits]

    cut_from, cut_to = np.zeros(len(stroke)), np.ones(len(stroke))
    cut_to[joints.index], cut_from[joints.index + 1] = leave, meet
    # Where two blends almost meet on a curve, they do.
    crumbs = np.flatnonzero((cut_to - cut_from < _CRUMB) & (cut_from > 0.0) & (cut_to < 1.0))
    cut_from[crumbs] = cut_to[crumbs] = 0.5 * (cut_from[crumbs] + cut_to[crumbs])
    blends = _blends(joints.before, joints.after, cut_to[joints.index], cut_from[joints.index + 1])
    cut = (cut_from > 0.0) | (cut_to < 1.0)
    kept = curves.copy()
    kept[:, :, cut] = bezier.part(curves[:, :, cut], cut_from[cut], cut_to[cut])

    remains = cut_to > cut_from
    count = blends.shape[-1]
    parts = 4 * np.flatnonzero(remains), (4 * joints.index + [[1], [2], [3]]).ravel()
    order = np.argsort(np.concatenate(parts), kind='stable')
    middle = np.repeat([False, True, False], len(joints.index))
    # A rest precedes a curve that starts untrimmed, so none is lost with what did not remain.
    return SmoothCurves(
        np.concatenate([kept[:, :, remains], blends], axis=2)[:, :, order],
        np.concatenate([stroke[remains], np.tile(stroke[joints.index], 3)])[order],
        np.concatenate([rests[remains], np.zeros(count, dtype=bool)])[order],
        np.concatenate([np.zeros(int(remains.sum()), dtype=bool), middle])[order],
    )


def _joints(curves: Array, index: Index) -> _Joints:
    before, after = curves[:, :, index], curves[:, :, index + 1]
    arriving, leaving = -bezier.start_tangents(before[::-1]), bezier.start_tangents(after)
    kappa_before = bezier.start_curvatures(before[::-1])
    kappa_after = bezier.start_curvatures(after)
    return _Joints(
        index,
        before,
        after,
        bezier.turn(arriving, leaving),
        bezier.norm(kappa_after - kappa_before),
        np.maximum(bezier.norm(kappa_before), bezier.norm(kappa_after)),
    )


def _wanted(joints: _Joints, tolerance: float, speed: float) -> Array:
    """Half lengths (K,) of the blends that the tolerance allows and the speed has a use for."""
    sine = np.maximum(np.sin(0.5 * joints.theta), 1e-12)
    step = np.maximum(joints.step, 1e-12)
    allowed = np.minimum(2.77 * tolerance / sine, 0.5 * np.sqrt(24.0 * tolerance / step))
    acceleration, jerk = _GENTLE * ACCELERATION, _GENTLE * JERK
    useful = np.maximum(
        np.maximum(1.5 * sine * speed**2 / acceleration, np.sqrt(2.25 * sine * speed**3 / jerk)),
        0.5 * 3.25 * step * speed**3 / jerk,
    )
    return np.minimum(allowed, np.maximum(useful, _LEAST_REACH))


def _fair(reach: Array, index: Index, sizes: Array) -> Array:
    """Half lengths (K,) such that two blends leave each other half of a curve, or what is left."""
    at_start, at_end = np.zeros(len(sizes)), np.zeros(len(sizes))
    at_end[index], at_start[index + 1] = reach, reach
    left = np.clip(sizes - at_start, 0.5 * sizes, _MOST * sizes)[index]
    right = np.clip(sizes - at_end, 0.5 * sizes, _MOST * sizes)[index + 1]
    return np.minimum(reach, np.minimum(left, right))


def _fitted(joints: _Joints, reach: Array, tolerance: float) -> tuple[Array, Array, Array, Mask]:
    """Blends that reach no further than `reach` (K,) metres along the curves.

    Returns the parameters at which the incoming curve is left and the outgoing one is met, the
    half lengths (K,), and which of the blends keep to the tolerance (K,).
    """
    reach = reach.copy()
    leave, meet = np.empty(len(reach)), np.empty(len(reach))
    fits = np.ones(len(reach), dtype=bool)
    # Between straight lines the tolerance is kept by the choice of the reach.
    measured = ~(bezier.straight(joints.before) & bezier.straight(joints.after))
    todo = np.arange(len(reach))
    for _ in range(_ROUNDS):
        b, a, d = joints.before[:, :, todo], joints.after[:, :, todo], reach[todo]
        meet[todo] = bezier.parameter_at(a, d)
        leave[todo] = 1.0 - bezier.parameter_at(b[::-1], d)
        fits[todo] = True
        among = measured[todo]
        todo = todo[among]
        if not len(todo):
            break
        error = _deviation(b[:, :, among], a[:, :, among], leave[todo], meet[todo])
        fits[todo] = error <= tolerance * (1.0 + 1e-6)
        todo = todo[~fits[todo]]
        reach[todo] *= _SHRINK
    return leave, meet, reach, fits


def _faster_than_stopping(joints: _Joints, reach: Array, sizes: Array, speed: float) -> Mask:
    """Whether the blends (K,) take less time than a rest at the joints.

    Speeding up by w, from constant speed to constant speed, takes 2 (w / jerk)^(1/2) and loses
    w^(3/2) / (speed jerk^(1/2)) against constant speed.
    """
    half = 0.5 * joints.theta
    sine, cosine = np.sin(half), np.cos(half)
    sharpness = np.maximum(
        2.25 * sine / (reach * cosine) ** 2 / cosine, 1.625 * joints.step / reach
    )
    peak = np.maximum(1.5 * sine / (reach * cosine**2), joints.curvature)
    through = np.minimum(np.cbrt(JERK / sharpness), np.sqrt(ACCELERATION / peak))
    # The speed that the pen has around the joint at best.
    shorter = np.minimum(sizes[joints.index], sizes[joints.index + 1])
    around = np.minimum(speed, np.cbrt(JERK / np.maximum(joints.curvature, 1e-9) ** 2))
    around = np.minimum(around, (0.5 * shorter * np.sqrt(JERK)) ** (2.0 / 3.0))
    through = np.minimum(through, around)
    lost = (around - through) ** 1.5 / (around * np.sqrt(JERK))
    lost += reach * (1.0 / through - 1.0 / around)
    return np.asarray(lost <= np.sqrt(around / JERK))


def _blends(before: Array, after: Array, leave: Array, meet: Array) -> Array:
    """The blends (4, 2, 3 K): all first parts, all second, all third."""
    ends = []
    for curves, u in ((before, leave), (after, meet)):
        slope, bend = bezier.derivative(curves, u), bezier.second_derivative(curves, u)
        ends.append((bezier.point(curves, u), bezier.unit(slope), bezier.curvature(slope, bend)))
    length = bezier.lengths(before, leave, np.ones(len(leave)))
    length += bezier.lengths(after, np.zeros(len(meet)), meet)
    return blend(*ends[0], *ends[1], length)


def _deviation(before: Array, after: Array, leave: Array, meet: Array) -> Array:
    """Largest distance (K,) between a blend and the curves that it replaces, both ways."""
    share = np.linspace(0.0, 1.0, 5)[:, None]
    incoming = bezier.point(before[:, :, None], leave + (1.0 - leave) * share)
    outgoing = bezier.point(after[:, :, None], meet * share[1:])
    source = np.concatenate([incoming, outgoing], axis=1)  # (2, 9, K)
    blends = _blends(before, after, leave, meet)
    many = blends.reshape(4, 2, 3, 1, -1)
    nodes = np.array([0.0, 1 / 3, 2 / 3])[:, None]
    probes = bezier.point(many, nodes).reshape(2, 9, -1)
    probes = np.concatenate([probes, blends[3, :, None, 2 * len(leave) :]], axis=1)  # (2, 10, K)
    to_source = _distances(probes[:, 1:-1], source).max(axis=0)
    to_blend = _distances(source[:, 1:-1], probes).max(axis=0)
    error: Array = np.maximum(to_source, to_blend)
    return error


def _distances(points: Array, polylines: Array) -> Array:
    """Distances (P, K) of points (2, P, K) from polylines (2, Q, K)."""
    start, step = polylines[:, None, :-1], np.diff(polylines, axis=1)[:, None]
    offset = points[:, :, None] - start
    along = (offset * step).sum(axis=0) / np.maximum((step * step).sum(axis=0), 1e-30)
    distances: Array = bezier.norm(offset - np.clip(along, 0.0, 1.0) * step).min(axis=1)
    return distances

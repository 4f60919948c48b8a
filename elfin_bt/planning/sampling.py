# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Curves become rows of points, as dense as the time law and the joints need them.

Three things bound an interval: its length, the turn within it, and its distance d from the nearest
slow place, which is a rest, the middle of a blend or a change of the largest speed. There the pen
has some speed v0 at most, and with limited jerk at most v0 + (4.5 jerk d^2)^(1/3) at the distance
d; an interval is at most what that takes _STEP_TIME to run.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.drawing.repeats import repeated
from elfin_bt.planning import bezier

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

_SHORTEST = 10e-6  # metres; no interval is split below this because of a slow place
_TINY = 3e-6  # metres; nor below this because of its turn
_UNEVEN = 0.003  # rad; what a curvature that is no straight line over an interval may turn more
_STEP_TIME = 0.010  # s
_GROWTH = 0.3  # of the intervals, where the pen may be at full speed, to the way
_RAMP = 2.0  # the bound in speeds where a ramp is over, which takes (speed^3 / jerk)^(1/2) of way
_JERK = 12.0  # m/s3, about what the arm can do at the tip
_ACCELERATION = 3.0  # m/s2
_LARGEST_TURN = 0.3  # rad; curvature times interval beyond which a peak is not resolved
_SLACK = 1.25  # an interval this much too long is not worth another round
_ROUNDS = 24
_PARTS = 8  # intervals that an interval is split into at most at once


@dataclass(frozen=True, eq=False)
class Rows:
    """N rows in order along the curves.

    points (D, N) m; tangents (D, N) unit; curvatures (D, N) d2p/ds2 in 1/m; lengths (N - 1,) arc
    length to the next row, 0 where the pen rests; curve (N,) the curve that each row starts an
    interval on (or ends a run on).
    """

    points: Array
    tangents: Array
    curvatures: Array
    lengths: Array
    curve: Index


def sample(
    curves: Array, rests: Mask, peaks: Mask, speeds: Array, spacing: Array, turn: float
) -> Rows:
    """Sample curves (4, D, M) so that no interval is longer than spacing (M,) or turns more.

    rests (M,): whether the pen rests before each curve; it does after the last one. peaks (M,):
    whether the curvature peaks in the middle of a curve. speeds (M,): largest speed on each, m/s.
    """
    zero = np.zeros(curves.shape[2])
    sizes = bezier.lengths(curves, zero, zero + 1.0)
    slow = _SlowPlaces.of(curves, rests, peaks, speeds, sizes)
    before = np.cumsum(sizes) - sizes
    curve, u, width = _start_intervals(curves, turn)
    done: list[tuple[Index, Array]] = []
    for round_ in range(_ROUNDS):
        p0, t0 = _evaluate(curves, curve, u)
        p1, t1 = _evaluate(curves, curve, u + width)
        chord = bezier.norm(p1 - p0)
        turned = np.where(chord < _TINY, 0.0, bezier.turn(t0, t1))
        middle = before[curve] + (u + 0.5 * width) * sizes[curve]
        longest = np.minimum(spacing[curve], slow.spacing(middle, speeds[curve]))
        # Were the curvature a straight line over the interval, its mean would be the turn.
        mean = 0.5 * (_curvatures(curves, curve, u) + _curvatures(curves, curve, u + width))
        uneven = np.where(chord < _SHORTEST, 0.0, bezier.norm(t1 - t0 - chord * mean))
        need = np.maximum(np.maximum(chord / longest, turned / turn), np.cbrt(uneven / _UNEVEN))
        parts = np.where(need > (1.0 if round_ == 0 else _SLACK), np.ceil(need), 1.0)
        ready = parts <= 1.0
        done.append((curve[ready], u[ready]))
        if ready.all():
            break
        count = np.minimum(parts[~ready], _PARTS).astype(np.intp)
        curve, u, width = _split(curve[~ready], u[~ready], width[~ready], count)
    else:
        done.append((curve, u))
    curve, u = (np.concatenate(arrays) for arrays in zip(*done, strict=True))
    ends_run = np.flatnonzero(np.append(rests[1:], True))
    curve = np.concatenate([curve, ends_run])
    u = np.concatenate([u, np.ones(len(ends_run))])
    order = np.argsort(curve + 0.5 * u, kind='stable')
    return _rows(curves, curve[order], u[order])


@dataclass(frozen=True, eq=False)
class _SlowPlaces:
    """Arc lengths (K,), rising, of places where the pen is slow, and its speed there (K,)."""

    way: Array
    speed: Array

    @staticmethod
    def of(curves: Array, rests: Mask, peaks: Mask, speeds: Array, sizes: Array) -> '_SlowPlaces':
        before = np.cumsum(sizes) - sizes
        middle = curves[:, :, peaks]
        half = np.full(middle.shape[2], 0.5)
        bend = bezier.norm(
            bezier.curvature(
                bezier.derivative(middle, half), bezier.second_derivative(middle, half)
            )
        )
        # The curvature rises to its peak over a part of the blend that is as long as this one.
        through = np.minimum(
            np.sqrt(_ACCELERATION / np.maximum(bend, 1e-9)),
            np.cbrt(_JERK * sizes[peaks] / np.maximum(bend, 1e-9)),
        )
        changes = np.flatnonzero((speeds[1:] != speeds[:-1]) & ~rests[1:]) + 1
        at_rests = np.append(before[rests], before[-1] + sizes[-1])
        way = np.concatenate([at_rests, before[peaks] + 0.5 * sizes[peaks], before[changes]])
        lower = np.minimum(speeds[changes], speeds[changes - 1])
        speed = np.concatenate([np.zeros(len(at_rests)), through, lower])
        order = np.argsort(way, kind='stable')
        return _SlowPlaces(way[order], speed[order])

    def spacing(self, way: Array, speeds: Array) -> Array:
        """The longest intervals (N,) at the arc lengths (N,), where the largest speed is `speeds`.

        Where the ramp from a place is over they grow with the distance.
        """
        right = np.clip(np.searchsorted(self.way, way), 1, len(self.way) - 1)
        result = np.full(len(way), np.inf)
        for place in (right - 1, right):
            distance = np.abs(way - self.way[place])
            speed = self.speed[place] + np.cbrt(4.5 * _JERK * distance**2)
            gain = np.maximum(_RAMP * speeds - self.speed[place], 0.0)
            beyond = np.maximum(distance - np.sqrt(gain**3 / (4.5 * _JERK)), 0.0)
            longest = _STEP_TIME * np.minimum(speed, speeds) + _GROWTH * beyond
            result = np.minimum(result, longest)
        return np.asarray(np.maximum(result, _SHORTEST))


def _start_intervals(curves: Array, turn: float) -> tuple[Index, Array, Array]:
    """Intervals, given by curve, first parameter and width: one a curve, three where it bends."""
    second = np.moveaxis(np.diff(curves, n=2, axis=0), 1, 0)
    bend = bezier.norm(second).max(axis=0) / bezier.polygon_lengths(curves)
    count = np.where(bend > 0.1 * turn, 3, 1)
    curve = np.arange(len(count))
    return _split(curve, np.zeros(len(count)), np.ones(len(count)), count)


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


def _split(curve: Index, u: Array, width: Array, parts: Index) -> tuple[Index, Array, Array]:
    """Split each interval into equal steps of u."""
    owner, number = repeated(parts)
    step = (width / parts)[owner]
    return curve[owner], u[owner] + number * step, step


def _rows(curves: Array, curve: Index, u: Array) -> Rows:
    """The rows at nodes in order; one at u = 1 ends a run."""
    points, tangents = _evaluate(curves, curve, u)
    last = np.append(np.where(curve[1:] == curve[:-1], u[1:], 1.0), 1.0)
    lengths = bezier.lengths(curves.take(curve, axis=2), u, last)[:-1]
    curvatures = _tamed(_curvatures(curves, curve, u), lengths)
    return Rows(points, tangents, curvatures, lengths, curve)


def _tamed(curvatures: Array, lengths: Array) -> Array:
    """Peaks that are narrower than the rows (D, N) are cut to what the rows around can show.

    Only bends of a few microns have such peaks, most of them at rests, where they mean nothing.
    """
    shorter = np.where(lengths > 0.0, lengths, np.inf)
    shorter = np.minimum(np.append(shorter, np.inf), np.insert(shorter, 0, np.inf))
    asked = bezier.norm(curvatures) * shorter
    tamed: Array = curvatures * np.minimum(1.0, _LARGEST_TURN / np.maximum(asked, 1e-12))
    return tamed


def _curvatures(curves: Array, curve: Index, u: Array) -> Array:
    """d2p/ds2 (D, N); where the derivative vanishes at an end, that of a place near it."""
    many = curves.take(curve, axis=2)
    slope = bezier.derivative(many, u)
    flat = bezier.norm(slope) < 1e-6 * bezier.polygon_lengths(curves)[curve]
    if np.any(flat):
        u = np.where(flat, np.clip(u, bezier.OFF_END, 1.0 - bezier.OFF_END), u)
        slope = bezier.derivative(many, u)
    return bezier.curvature(slope, bezier.second_derivative(many, u))

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The speed along a path: as fast as the limits allow, with bounded acceleration and jerk.

Symbols: s path length, v = ds/dt, a = dv/dt, j = da/dt; q', q'', q''' derivatives of the joints by
s. A joint moves with

    velocity       q' v
    acceleration   q' a + q'' v^2
    jerk           q' j + 3 q'' v a + q''' v^3

The worst joint of each term gives scalar limits along the path. They are a little conservative (the
joint that is worst in one term need not be the worst in another), and in return the profile is a
matter of two sweeps and one hull:

1. A cap V(s): speed limits, and what the terms in v^2 and v^3 leave when a = j = 0.
2. Two sweeps, backwards and forwards, hold the speed under ramps: from every place where the cap
   binds it may grow with jerk J up to acceleration A. What comes out has v'' <= J.
3. Its crests still have kinks, where a ramp up meets a ramp down. They are cut off by the largest
   function below it with v'' >= -J: with phi'' = J, the lower convex hull of v + phi over time,
   minus phi (the proximal hull of convex analysis).

A slower speed only stretches time, so that each step keeps what the one before it achieved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics.limits import JERK_PERIOD

Array = NDArray[np.float64]
Index = NDArray[np.intp]

BEND_SHARE = 0.85
"""Share of the acceleration limits that the term q'' v^2 may take."""
TWIST_SHARE = 0.7
"""Share of the jerk limits that the term q''' v^3 may take."""
LEFT_OVER = 0.15
"""Least share of a limit that is left for speeding up and slowing down."""

_LEAST = 1e-12  # derivatives below this limit nothing
_BLOCK = 8192
_HOLD = 1e-3
_PACES = (0.0, 0.7)
_ROUNDS = 6
_CREST_MARGIN = 0.1  # s, for ramps that had to be softened
_SLACK = 0.02


@dataclass(frozen=True, eq=False)
class SpeedLimits:
    """Scalar limits along a path of N rows.

    Attributes:
        lengths: (N - 1,) m from each row to the next; 0 where the path rests.
        cap: (N,) largest speed, m/s.
        acceleration: (N - 1,) A = min acceleration limit / |q'|, m/s2.
        jerk: (N - 1,) J = min jerk limit / |q'|, m/s3.
        bend: (N - 1,) share of A that v^2 takes, times v^2; s2/m2.
        coupling: (N - 1,) share of J that v a takes, times v a.
        twist: (N - 1,) share of J that v^3 takes, times v^3.
    """

    lengths: Array
    cap: Array
    acceleration: Array
    jerk: Array
    bend: Array
    coupling: Array
    twist: Array

    def rows(self, rows: Index) -> SpeedLimits:
        """Of some rows only; between rows that are not neighbours there is no length."""
        between = rows[:-1]
        return SpeedLimits(
            np.where(np.diff(rows) == 1, self.lengths[between], 0.0),
            self.cap[rows],
            *(getattr(self, name)[between] for name in _FIELDS[1:]),
        )

    def with_rows(self, rows: Index, other: SpeedLimits) -> SpeedLimits:
        """With what `rows` gave, changed to `other`; lengths stay."""
        result = [getattr(self, name).copy() for name in _FIELDS]
        result[0][rows] = other.cap
        for array, name in zip(result[1:], _FIELDS[1:], strict=True):
            array[rows[:-1]] = getattr(other, name)
        return SpeedLimits(self.lengths, *result)

    def extended(self, other: SpeedLimits) -> SpeedLimits:
        """With `other` after it, whose first row is the last one here."""
        joint = min(self.cap[-1], other.cap[0])
        return SpeedLimits(
            np.concatenate([self.lengths, other.lengths]),
            np.concatenate([self.cap[:-1], [joint], other.cap[1:]]),
            *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in _FIELDS[1:]),
        )

    def reversed(self) -> SpeedLimits:
        """Of the same path, run from its end."""
        return SpeedLimits(self.lengths[::-1], *(getattr(self, name)[::-1] for name in _FIELDS))

    def tightened(
        self, cap: Array, acceleration: Array | float = 1.0, jerk: Array | float = 1.0
    ) -> SpeedLimits:
        """With smaller caps (N,), and acceleration and jerk times these factors (N - 1,)."""
        return replace(
            self,
            cap=np.minimum(self.cap, cap),
            acceleration=self.acceleration * acceleration,
            jerk=self.jerk * jerk,
        )


_FIELDS = ('cap', 'acceleration', 'jerk', 'bend', 'coupling', 'twist')


def speed_limits(
    slopes: Array,
    bends: Array,
    lengths: Array,
    speeds: Array,
    velocity: Array,
    acceleration: Array,
    jerk: Array,
) -> SpeedLimits:
    """What joint limits (6,) mean along a path.

    Args:
        slopes: (N, 6) q', rad/m.
        bends: (N, 6) q'', rad/m2.
        lengths: (N - 1,) m, 0 where the path rests.
        speeds: (N - 1,) m/s, the largest allowed.
        velocity: rad/s.
        acceleration: rad/s2.
        jerk: rad/s3.
    """
    count = len(lengths)
    result = {
        name: np.empty(count) for name in ('acceleration', 'jerk', 'bend', 'coupling', 'twist')
    }
    cap = np.empty(count)
    for first in range(0, count, _BLOCK):
        part = slice(first, min(first + _BLOCK, count))
        slope = np.abs(slopes[first : part.stop + 1])
        bend = np.abs(bends[first : part.stop + 1])
        resting = lengths[part] == 0.0
        h = np.where(resting, np.inf, lengths[part])
        step = np.abs(np.diff(bends[first : part.stop + 1], axis=0))
        by_acceleration = _worst(slope, acceleration), _worst(bend, acceleration)
        by_jerk = _worst(slope, jerk), _worst(bend, jerk)
        step_by_jerk = np.maximum((step / jerk).max(axis=1), _LEAST)
        a_slope, a_bend, j_slope, j_bend = (
            np.maximum(rows[1:], rows[:-1]) for rows in (*by_acceleration, *by_jerk)
        )
        v_slope = _worst(slope, velocity)
        fastest = np.minimum(speeds[part], 1.0 / np.maximum(v_slope[1:], v_slope[:-1]))
        bent = np.sqrt(BEND_SHARE / a_bend)
        # A short interval is passed in less than the time over which jerk is judged: a step in
        # acceleration is a ramp of that time.
        twisted = np.maximum(
            np.cbrt(TWIST_SHARE * h / step_by_jerk),
            np.sqrt(TWIST_SHARE * JERK_PERIOD / step_by_jerk),
        )
        cap[part] = np.where(resting, 0.0, np.minimum(np.minimum(fastest, bent), twisted))
        result['acceleration'][part] = 1.0 / a_slope
        result['jerk'][part] = 1.0 / j_slope
        result['bend'][part] = a_bend
        result['coupling'][part] = 3.0 * j_bend
        most = TWIST_SHARE / np.maximum(cap[part], 1e-9) ** 3
        result['twist'][part] = np.minimum(step_by_jerk / h, most)
    at_rows = np.minimum(np.append(cap, np.inf), np.insert(cap, 0, np.inf))
    return SpeedLimits(lengths, at_rows, **result)


def _worst(values: Array, limits: Array) -> Array:
    shares: Array = (values * (1.0 / limits)).max(axis=1)
    return np.maximum(shares, _LEAST)


def speed_profile(
    limits: SpeedLimits, *, start: tuple[float, float] = (0.0, 0.0), hold: int = 0
) -> Array:
    """Speeds (N,) m/s at the rows; the path ends with its last cap, which is 0 for rest.

    Args:
        limits: along the path.
        start: speed m/s and acceleration m/s2 at the first row.
        hold: intervals at the start over which the acceleration does not grow.
    """
    backwards = _swept(limits.reversed(), float(limits.cap[-1]), 0.0)[::-1]
    jerk = limits.jerk.copy()
    jerk[:hold] *= _HOLD
    forwards = _swept(
        replace(limits, cap=backwards, jerk=jerk), min(start[0], backwards[0]), start[1]
    )
    return _crests_rounded(limits, forwards)


def last_settled_row(limits: SpeedLimits, steps: Array) -> int:
    """The last row whose speed does not depend on the path's coming to rest at its end.

    The braking ramp begins where the backward sweep from the end leaves the cap; rounding its crest
    takes up to 2 A / J more.

    Args:
        limits: along the path, whose last cap is 0.
        steps: (N - 1,) s, the times between the rows as planned.
    """
    count = len(limits.cap)
    size = 256
    while True:
        rows = np.arange(max(count - size, 0), count)
        end = limits.rows(rows)
        ramp = _swept(end.reversed(), 0.0, 0.0)[::-1]
        free = np.flatnonzero(ramp[:-1] >= end.cap[:-1])
        if len(free):
            break
        if size >= count:
            return 0
        size *= 4
    row = int(rows[free[-1]])
    if limits.cap[row] == 0.0:
        return row  # it rests there whatever comes
    begin = max(row - 256, 0)
    crest = 2.0 * float((limits.acceleration[begin:row] / limits.jerk[begin:row]).max(initial=0.0))
    time = np.cumsum(steps[:row][::-1])
    return max(row - 1 - int(np.searchsorted(time, crest + _CREST_MARGIN)), 0)


def _swept(limits: SpeedLimits, speed: float, acceleration: float) -> Array:
    """Speeds (N,) under the cap from which, from each row to the next, ramps lead upwards.

    Starts with `speed` and `acceleration`. Where the cap falls the speed falls with it; after an
    interval without length it starts anew from the cap, which is 0 where the path rests.
    """
    cap = limits.cap
    rows = len(cap)
    result: list[float] = cap.tolist()
    rises = np.flatnonzero(cap[1:] > cap[:-1])
    # The first row at or after each from which the cap rises; only there is there anything to do.
    next_rise = np.append(rises, rows - 1)[np.searchsorted(rises, np.arange(rows))].tolist()
    h, top = limits.lengths.tolist(), cap.tolist()
    most_a, most_j = limits.acceleration.tolist(), limits.jerk.tolist()
    bend, coupling, twist = (
        limits.bend.tolist(),
        limits.coupling.tolist(),
        limits.twist.tolist(),
    )
    v, a = speed, acceleration
    result[0] = v
    i, last = 0, rows - 1
    while i < last:
        if a <= 0.0 and v >= top[i]:
            i = next_rise[i]
            if i >= last:
                break
            v, a = top[i], 0.0
        length = h[i]
        if length == 0.0:
            i += 1
            v, a = top[i], 0.0
            result[i] = v
            continue
        x = v * v
        share = 1.0 - x * bend[i]
        A = most_a[i] * (share if share > LEFT_OVER else LEFT_OVER)
        share = 1.0 - v * (x * twist[i] + (a * coupling[i] if a > 0.0 else 0.0))
        J = most_j[i] * (share if share > LEFT_OVER else LEFT_OVER)
        if v > 0.0:
            # Time over the interval, v t + a t^2 / 2 + J t^3 / 6 = length: one Newton step from a
            # fair guess.
            t = length / (v + 0.5 * a * length / v) if a > 0.0 else length / v
            mean = v + t * (0.5 * a + t * J / 6.0)
            t = length / mean if mean > 0.0 else t
            rate = v + t * (a + t * J * 0.5)
            if rate > 0.0:
                t -= (t * (v + t * (0.5 * a + t * J / 6.0)) - length) / rate
        else:
            t = (6.0 * length / J) ** (1.0 / 3.0)
        a_end = a + J * t
        if a_end > A:
            a_end = A
            x += (a + a_end) * length
            v_end = x**0.5 if x > 0.0 else 0.0
        else:
            v_end = v + t * (a + 0.5 * J * t)
        i += 1
        most = top[i]
        if v_end >= most:
            slope = 0.5 * (most - v) * (most + v) / length
            v, a = most, (slope if slope > 0.0 else 0.0)
        else:
            v, a = v_end, a_end
        result[i] = v
    return np.array(result)


def _crests_rounded(limits: SpeedLimits, speed: Array) -> Array:
    """Speeds (N,) whose acceleration falls no faster than the jerk limit allows.

    Cutting a crest off takes time, over which the acceleration may fall further than it was taken
    to: so a second cut follows, of the same crests, over the times that the first one led to.
    """
    lower = speed
    for weight in _PACES:
        lower = _cut(limits, speed, speed + weight * (lower - speed))
        if lower is speed:
            break
    return np.maximum(lower, 0.0)


def _cut(limits: SpeedLimits, speed: Array, pace: Array) -> Array:
    """Speeds without their crests; times are those of the speeds `pace`."""
    breaks = np.flatnonzero(limits.lengths == 0.0)
    reach = 1.0
    for _ in range(_ROUNDS):
        time, phi, kinks, size = _kinks(limits, speed, pace)
        if not len(kinks):
            break
        # The hull leaves the profile about size / 2J before a kink, and joins it as long after.
        first = np.searchsorted(time, time[kinks] - reach * size, side='right') - 2
        last = np.searchsorted(time, time[kinks] + reach * size, side='left') + 1
        speed = speed.copy()
        run = np.searchsorted(breaks, kinks)
        first = np.maximum(first, np.insert(breaks + 1, 0, 0)[run])
        last = np.minimum(last, np.append(breaks, len(time) - 1)[run])
        for begin, end in _merged(first, last):
            zone = slice(begin, end + 1)
            y = speed[zone] + phi[zone]
            corners = _lower_hull(time[zone].tolist(), y.tolist())
            speed[zone] = np.interp(time[zone], time[zone][corners], y[corners]) - phi[zone]
        reach *= 2.0
    return speed


def _kinks(limits: SpeedLimits, speed: Array, pace: Array) -> tuple[Array, Array, Index, Array]:
    """Time (N,), phi (N,) with phi'' = J, rows (K,) that are too sharp a crest, and A/J there."""
    total = pace[:-1] + pace[1:]
    steps = 2.0 * limits.lengths / np.where(total > 0.0, total, 1.0)
    slope = np.diff(speed) / np.where(steps > 0.0, steps, 1.0)
    mean = 0.5 * (speed[:-1] + speed[1:])
    used = mean * (mean * mean * limits.twist + np.abs(slope) * limits.coupling)
    jerk = limits.jerk * np.maximum(1.0 - used, LEFT_OVER)
    time = np.insert(np.cumsum(steps), 0, 0.0)
    rate = np.insert(np.cumsum(jerk * steps), 0, 0.0)
    phi = np.insert(np.cumsum(0.5 * (rate[1:] + rate[:-1]) * steps), 0, 0.0)
    change = np.diff(slope)
    allowed = 0.5 * (jerk[1:] * steps[1:] + jerk[:-1] * steps[:-1])
    sharp = change < -(1.0 + _SLACK) * allowed - 1e-9
    kinks = np.flatnonzero(sharp & (speed[1:-1] > 0.0)) + 1
    return time, phi, kinks, -change[kinks - 1] / np.minimum(jerk[kinks], jerk[kinks - 1])


def _merged(first: Index, last: Index) -> list[tuple[int, int]]:
    """Ranges of rows without the overlaps; both inputs (K,) sorted by kink."""
    first = np.minimum.accumulate(first[::-1])[::-1]
    last = np.maximum.accumulate(last)
    starts = np.concatenate([[True], first[1:] > last[:-1]])
    ends = np.concatenate([starts[1:], [True]])
    return list(zip(first[starts].tolist(), last[ends].tolist(), strict=True))


def _lower_hull(x: list[float], y: list[float]) -> list[int]:
    """Indices of the corners of the lower convex hull of points with rising x (monotone chain)."""
    hull = [0]
    for k in range(1, len(x)):
        xk, yk = x[k], y[k]
        while len(hull) > 1:
            i, j = hull[-2], hull[-1]
            if (y[j] - y[i]) * (xk - x[j]) < (yk - y[j]) * (x[j] - x[i]):
                break
            hull.pop()
        hull.append(k)
    return hull

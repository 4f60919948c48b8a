# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The time law: as fast along the path as the joints allow, from rest to rest.

Symbols: s path length, v speed, x = v^2, a = dv/dt = dx/2ds, q' = dq/ds, q'' = d2q/ds2.
A joint moves with velocity q' v and acceleration q' a + q'' x. With, for the worst joint,

    A = min acceleration limit / |q'|       the path acceleration allowed where x = 0
    X = min acceleration limit / |q''|      the x at which bending takes all of it

|a| / A + x / X <= 1 keeps every joint within its limit. (It is a little more than needed: the
joint that limits A need not be the one that limits X.) With a constant over an interval of length h
from x0 up to x1 >= x0 this reads

    x1 <= (x0 + c) / (1 + c / X),   c = 2 h A

so one pass forwards and one backwards over x make the profile.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_LEAST = 1e-12  # slopes below this, rad/m, limit nothing
_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class PathLimits:
    """For each of N - 1 intervals: gain c (m2/s2), bend X (m2/s2), cap on x (m2/s2)."""

    gain: Array
    bend: Array
    cap: Array


def path_limits(
    positions: Array,
    slopes: Array,
    lengths: Array,
    speeds: Array,
    velocity: Array,
    acceleration: Array,
) -> PathLimits:
    """What joint limits, velocity and acceleration (6,), mean along a path.

    positions and slopes (N, 6) at the rows, rad and rad/m; lengths (N - 1,) m, 0 where the path
    rests; speeds (N - 1,) m/s, the largest allowed.
    """
    gain, bend, cap = (np.empty(len(lengths)) for _ in range(3))
    for first in range(0, len(lengths), _BLOCK):
        part = slice(first, first + _BLOCK)
        q, dq = positions[first : first + _BLOCK + 1], slopes[first : first + _BLOCK + 1]
        h = np.where(lengths[part] > 0.0, lengths[part], np.inf)[:, None]
        chord = (3.0 / h) * (q[1:] - q[:-1])
        # q'' at both ends of the cubic q(s) through the rows, as in hermite.end_accelerations.
        ddq0 = (chord - 2.0 * dq[:-1] - dq[1:]) * (2.0 / h)
        ddq1 = (2.0 * dq[1:] + dq[:-1] - chord) * (2.0 / h)
        slope = np.abs(dq)
        steepest = np.maximum(slope[1:], slope[:-1])
        curvature = np.maximum(np.abs(ddq0), np.abs(ddq1))
        gain[part] = 2.0 * lengths[part] / _largest(steepest, acceleration)
        bend[part] = 1.0 / _largest(curvature, acceleration)
        fastest = np.minimum(speeds[part], 1.0 / _largest(steepest, velocity))
        cap[part] = np.minimum(bend[part], fastest * fastest)
    return PathLimits(gain, bend, cap)


def _largest(values: Array, limits: Array) -> Array:
    """Largest share (K,) that values (K, 6) take of their limits (6,)."""
    shares: Array = (values * (1.0 / limits)).max(axis=1)
    return np.maximum(shares, _LEAST)


def squared_speeds(limits: PathLimits, rest: NDArray[np.bool_]) -> Array:
    """Squared speeds x (N,) at the rows, 0 where rest (N,) is true. Both end rows must rest."""
    cap = np.minimum(np.append(limits.cap, np.inf), np.insert(limits.cap, 0, np.inf))
    caps = np.where(rest, 0.0, cap).tolist()
    gains = limits.gain.tolist()
    shares = (1.0 / (1.0 + limits.gain / limits.bend)).tolist()
    x = 0.0
    rising = [0.0]
    append = rising.append
    for c, share, most in zip(gains, shares, caps[1:], strict=True):
        x = (x + c) * share
        if x > most:
            x = most
        append(x)
    x = 0.0
    rising.reverse()
    falling = [0.0]
    append = falling.append
    gains.reverse()
    shares.reverse()
    for c, share, most in zip(gains, shares, rising[1:], strict=True):
        x = (x + c) * share
        if x > most:
            x = most
        append(x)
    return np.array(falling[::-1])


def durations(lengths: Array, speed: Array) -> Array:
    """Time (N - 1,) over each interval of constant acceleration, from the speeds (N,) at the rows.

    0 over an interval without length.
    """
    total = speed[1:] + speed[:-1]
    return 2.0 * lengths / np.where(lengths > 0.0, total, 1.0)

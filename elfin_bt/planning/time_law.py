# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A joint path gets its times: quintics in time through all of its rows, within every limit.

`speed_profile` gives speeds v at the rows, from scalar limits. Here they become times T between the
rows, path accelerations a, and with them the joints' own velocities q' v and accelerations
q' a + q'' v^2. What the joints then really do is measured on the quintics; where a limit is
exceeded (the scalar limits hold at the rows, not between them), the path is slowed down around.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits
from elfin_bt.kinematics.limits import JERK_PERIOD
from elfin_bt.planning.hermite import Quintic
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.speed_profile import SpeedLimits, speed_limits, speed_profile

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

TOLERANCE = 0.08
"""Share by which a quintic may exceed the limits that were planned with (90 % of the arm's)."""

JERK_SHARE = 0.9
"""Share of the jerk limits that profiles plan with: quintics over their rows swing out a little."""

SPEED_SHARE = 0.99
"""Share of the largest speeds that profiles plan with, for the same reason."""

_MARGIN = 0.98
_MOST_AT_ONCE = 3.0  # more may be a matter of the rows, and go with a little less speed
_PATH_SHARE = 0.5
_LEAST_SPEED = 1e-9  # m/s
_TIMING_ROUNDS = 6
_ROUNDS = 6
_CRUISING = 1e-3  # m/s2
_CRUISE_TIME = 0.25  # s
_SAME_SPEED = 1e-9  # m/s
_SEAM = 3  # intervals after a start in motion
_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class PathMotion:
    """How a path of N rows is run.

    Attributes:
        steps: (N - 1,) s from each row to the next; 0 where the path rests.
        speed: (N,) ds/dt, m/s.
        acceleration: (N,) d2s/dt2, m/s2.
    """

    steps: Array
    speed: Array
    acceleration: Array

    @property
    def time(self) -> Array:
        """Times (N,) of the rows, s from the first."""
        return np.insert(np.cumsum(self.steps), 0, 0.0)

    def joint_motion(self, path: JointPath) -> tuple[Array, Array]:
        """Joint velocities and accelerations (N, 6), rad/s and rad/s2, at the rows."""
        v, a = self.speed[:, None], self.acceleration[:, None]
        return path.slopes * v, path.slopes * a + path.bends * (v * v)


def path_motion(
    path: JointPath,
    lengths: Array,
    speeds: Array,
    limits: JointLimits,
) -> PathMotion:
    """Run a path as fast as the limits allow, from rest to rest.

    Args:
        path: the joints at N rows.
        lengths: (N - 1,) m from row to row; where one is 0 the path rests.
        speeds: (N - 1,) m/s, the largest allowed there.
        limits: of the joints.
    """
    return within_limits(path, scalar_limits(path, lengths, speeds, limits), limits)[0]


def scalar_limits(
    path: JointPath, lengths: Array, speeds: Array, limits: JointLimits
) -> SpeedLimits:
    """Limits of speed, acceleration and jerk along the path, with room for what quintics add."""
    return speed_limits(
        path.slopes,
        path.bends,
        lengths,
        SPEED_SHARE * speeds,
        limits.velocity,
        limits.acceleration,
        JERK_SHARE * limits.jerk,
    )


def within_limits(
    path: JointPath,
    scalar: SpeedLimits,
    limits: JointLimits,
    start: tuple[float, float] = (0.0, 0.0),
) -> tuple[PathMotion, SpeedLimits]:
    """The motion that scalar limits lead to, and the limits as tightened on the way.

    It starts with the speed and acceleration `start`, m/s and m/s2, and ends at rest. From rest the
    joints keep their limits; from motion they do if they can.
    """
    scalar = scalar.tightened(np.append(np.full(len(scalar.lengths), np.inf), 0.0))
    motion, scalar, done = _improved(path, scalar, limits, start, 0, _ROUNDS)
    if not done:
        excess = joint_excess(path, motion, limits)
        if excess.max(initial=0.0) > 1.0 + TOLERANCE:
            motion = _stretched(motion, excess, start)
    return motion, scalar


def _improved(
    path: JointPath,
    scalar: SpeedLimits,
    limits: JointLimits,
    start: tuple[float, float],
    hold: int,
    rounds: int,
) -> tuple[PathMotion, SpeedLimits, bool]:
    """A motion, planned again with tightened limits around the places where it is too fast.

    Over `hold` intervals the acceleration of the start does not grow. The last value says whether
    no place is left, which is not known when the rounds are used up.
    """
    motion = _motion(scalar, speed_profile(scalar, start=start, hold=hold), start[1])
    if rounds == 0:
        return motion, scalar, False
    excess = joint_excess(path, motion, limits)
    wrong: Mask = np.any(excess > 1.0 + TOLERANCE, axis=1)
    if not wrong.any():
        return motion, scalar, True
    if start[0] > 0.0 and wrong[:_SEAM].any():
        hold += _SEAM
    tightened = _tightened(scalar, motion, excess, _SEAM if start[0] > 0.0 else 0)
    for rows in _rows_to_improve(wrong, motion, scalar):
        begins = rows[0] == 0
        better, tighter, done = _improved(
            path.rows(rows),
            tightened.rows(rows),
            limits,
            start if begins else (float(motion.speed[rows[0]]), 0.0),
            hold if begins else 0,
            rounds - 1,
        )
        apart = np.diff(rows) > 1
        edges = np.insert(apart, 0, not begins) | np.append(apart, rows[-1] < len(wrong))
        if np.abs(better.speed - motion.speed[rows])[edges].max(initial=0.0) < _SAME_SPEED:
            break  # otherwise whole runs are next, whose edges rest
    motion.speed[rows], motion.acceleration[rows] = better.speed, better.acceleration
    together = np.flatnonzero(~apart)
    motion.steps[rows[together]] = better.steps[together]
    return motion, tightened.with_rows(rows, tighter), done


def _rows_to_improve(wrong: Mask, motion: PathMotion, scalar: SpeedLimits) -> Iterator[Index]:
    """Rows around the wrong intervals (N - 1,): what is likely to do, then all of their runs.

    Out to where the motion will hardly change: to rests, or to where it has been cruising at a
    constant cap for a while.
    """
    cap, time = scalar.cap, motion.time
    breaks = np.flatnonzero(scalar.lengths == 0.0)
    rests = np.unique(np.concatenate([[0, len(cap) - 1], breaks, breaks + 1]))
    level = cap[1:] == cap[:-1]
    cruises = np.zeros(len(cap), dtype=bool)
    cruises[1:-1] = level[1:] & level[:-1]
    cruises &= (motion.speed == cap) & (np.abs(motion.acceleration) < _CRUISING)
    passed = np.insert(np.cumsum(cruises), 0, 0)
    begin = np.searchsorted(time, time - _CRUISE_TIME)
    end = np.searchsorted(time, time + _CRUISE_TIME)
    long = np.flatnonzero((passed[end] - passed[begin] == end - begin) & cruises)
    if len(long):
        yield _between(np.unique(np.concatenate([rests, long])), wrong)
    yield _between(rests, wrong)


def _between(cuts: Index, wrong: Mask) -> Index:
    """All rows from the cut before to the cut after each wrong interval."""
    interval = np.flatnonzero(wrong)
    inside = np.zeros(len(wrong) + 2, dtype=np.intp)
    np.add.at(inside, cuts[np.searchsorted(cuts, interval, side='right') - 1], 1)
    np.add.at(inside, cuts[np.searchsorted(cuts, interval + 1, side='left')] + 1, -1)
    return np.flatnonzero(np.cumsum(inside[:-1]) > 0)


def _tightened(scalar: SpeedLimits, motion: PathMotion, excess: Array, begin: int) -> SpeedLimits:
    """Limits that slow the motion down where a joint exceeds its own, and around there.

    Where the path itself asks for most of it, the cap is lowered, else the ramps are softened.
    Before interval `begin` nothing is changed: a softer crest would be harder to get onto.
    """
    excess = np.where(excess > 1.0 + TOLERANCE, np.minimum(excess, _MOST_AT_ONCE), 1.0)
    speed = np.maximum(motion.speed[1:], motion.speed[:-1])
    by_path = np.stack([scalar.bend * speed**2, scalar.twist * speed**3], axis=1) > _PATH_SHARE
    # From rest to the cap within one interval: softer ramps change nothing.
    at_once = (motion.speed[1:] == 0.0) & (motion.speed[:-1] == scalar.cap[:-1])
    at_once |= (motion.speed[:-1] == 0.0) & (motion.speed[1:] == scalar.cap[1:])
    by_path |= at_once[:, None]
    near = _spread(np.where(by_path, 1.0, excess))
    over = np.where(by_path, excess, 1.0)
    near[:begin] = over[:begin] = 1.0
    slower = np.minimum(over[:, 0] ** -0.5, over[:, 1] ** (-1.0 / 3.0))
    at_rows = np.minimum(np.append(slower, 1.0), np.insert(slower, 0, 1.0))
    cap = np.where(at_rows < 1.0, _MARGIN * at_rows * motion.speed, np.inf)
    return scalar.tightened(cap, 1.0 / near[:, 0], 1.0 / near[:, 1])


def _spread(excess: Array) -> Array:
    """The largest of each column (N - 1,) among an interval and its neighbours."""
    result = excess.copy()
    result[1:] = np.maximum(result[1:], excess[:-1])
    result[:-1] = np.maximum(result[:-1], excess[1:])
    return result


def _stretched(motion: PathMotion, excess: Array, start: tuple[float, float]) -> PathMotion:
    """Runs that are still too fast, slowed down as a whole, but for one that starts in motion.

    With k times the time accelerations fall by k^2 and jerks by k^3.
    """
    # Number of the run, from rest to rest, that each row belongs to.
    run = np.insert(np.cumsum(motion.steps == 0.0), 0, 0)
    worst = np.ones(run[-1] + 1)
    share = np.maximum(excess[:, 0] ** 0.5, np.cbrt(excess[:, 1]))
    np.maximum.at(worst, run[:-1], share)
    if start[0] > 0.0:
        worst[0] = 1.0
    k = worst[run]
    return PathMotion(motion.steps * k[:-1], motion.speed / k, motion.acceleration / k**2)


def _motion(scalar: SpeedLimits, speed: Array, start_acceleration: float) -> PathMotion:
    """Times and accelerations that fit to speeds (N,) at the rows.

    The speed is a cubic spline over time, whose integral over each interval is its length:

        T (v0 + v1) / 2 + T^2 (a0 - a1) / 12 = length

    T and a depend on each other and are found in turn. (A spline rather than parabolas through
    three rows each: where the jerk changes sign between two rows, these overshoot twice as much.)
    """
    lengths = scalar.lengths
    v0, v1 = speed[:-1], speed[1:]
    mean = 0.5 * (v0 + v1)
    resting = lengths == 0.0
    at_rest = np.flatnonzero(speed == 0.0)
    # Along a constant cap the speed must not swing over it.
    same = (v0 == v1) & (v0 == scalar.cap[:-1]) & (v1 == scalar.cap[1:])
    level = np.flatnonzero(np.append(same, False) | np.append(False, same))
    # From rest at constant jerk: v = j t^2 / 2 and s = j t^3 / 6, hence t = 3 s / v.
    factor = np.where((v0 == 0.0) | (v1 == 0.0), 1.5, 1.0)
    steps = factor * lengths / np.where(resting, 1.0, np.maximum(mean, _LEAST_SPEED))
    a = np.zeros(len(speed))
    for round_ in range(_TIMING_ROUNDS):
        slope = (v1 - v0) / np.where(resting, 1.0, steps)
        before, after = steps[:-1], steps[1:]
        both = np.where(resting[1:] | resting[:-1], np.inf, before + after)
        parabola = (slope[:-1] * after + slope[1:] * before) / both
        if round_ == 0:
            a[1:-1] = parabola
        else:
            a[1:-1] = 1.5 * parabola - 0.5 * (after * a[:-2] + before * a[2:]) / both
        a[level] = 0.0
        a[at_rest] = 0.0
        a[0] = start_acceleration
        root = np.sqrt(np.maximum(mean * mean + (a[:-1] - a[1:]) * lengths / 3.0, 0.05 * mean**2))
        steps = 2.0 * lengths / np.where(resting, 1.0, np.maximum(mean + root, _LEAST_SPEED))
    alone = np.flatnonzero((mean == 0.0) & ~resting)
    steps[alone] = _from_rest_to_rest(
        lengths[alone], scalar.acceleration[alone], scalar.jerk[alone]
    )
    return PathMotion(steps, speed, a)


def _from_rest_to_rest(length: Array, acceleration: Array, jerk: Array) -> Array:
    """Time of a single quintic: its peaks are 60 s / T^3 of jerk and 10 / sqrt(3) s / T^2."""
    by_jerk = np.cbrt(60.0 * length / jerk)
    time: Array = np.maximum(by_jerk, np.sqrt(10.0 / np.sqrt(3.0) * length / acceleration))
    return time


def joint_excess(path: JointPath, motion: PathMotion, limits: JointLimits) -> Array:
    """Largest shares (N - 1, 2) of the acceleration and jerk limits over each interval."""
    velocities, accelerations = motion.joint_motion(path)
    result = np.zeros((len(motion.steps), 2))
    for first in range(0, len(result), _BLOCK):
        part = slice(first, min(first + _BLOCK, len(result)))
        rows = slice(first, part.stop + 1)
        steps = motion.steps[part, None]
        h = np.where(steps > 0.0, steps, 1.0)
        q, v, a = path.positions[rows], velocities[rows], accelerations[rows]
        quintic = Quintic(h, q[:-1], q[1:], v[:-1], v[1:], a[:-1], a[1:])
        bend = np.max([np.abs(quintic.acceleration(u)) for u in (0.25, 0.5, 0.75, 1.0)], axis=0)
        # Half the period inside is as near to an end as a jerk shows that steps there; where the
        # path rests the next run may go on with the same.
        inside = np.minimum(0.5 * JERK_PERIOD / h, 0.5)
        at_rest = motion.speed[rows, None] == 0.0
        begin, end = np.where(at_rest[:-1], 0.0, inside), np.where(at_rest[1:], 0.0, inside)
        twist = np.max([np.abs(quintic.jerk(u)) for u in (begin, 0.5, 1.0 - end)], axis=0)
        step = 0.5 * np.abs(quintic.jerk(1.0)[:-1] + quintic.jerk(0.0)[1:])
        twist[:-1], twist[1:] = np.maximum(twist[:-1], step), np.maximum(twist[1:], step)
        shares = (bend / limits.acceleration).max(axis=1), (twist / limits.jerk).max(axis=1)
        result[part] = np.where(steps > 0.0, np.stack(shares, axis=1), 0.0)
    short = np.flatnonzero((motion.steps > 0.0) & (motion.steps < JERK_PERIOD))
    if len(short):
        # What of a jerk shows that lasts for such an interval only.
        result[short, 1] *= motion.steps[short] / JERK_PERIOD
        mean = _mean_jerk(motion.time, accelerations, short, limits.jerk)
        result[short, 1] = np.maximum(result[short, 1], mean)
    return result


def _mean_jerk(time: Array, accelerations: Array, intervals: Index, jerk: Array) -> Array:
    """Shares (K,) of the jerk limits, over JERK_PERIOD around the middle of each interval."""
    middle = 0.5 * (time[intervals] + time[intervals + 1])
    share = np.zeros(len(intervals))
    for joint in range(accelerations.shape[1]):
        before, after = (
            np.interp(middle + side * 0.5 * JERK_PERIOD, time, accelerations[:, joint])
            for side in (-1.0, 1.0)
        )
        share = np.maximum(share, np.abs(after - before) / (JERK_PERIOD * jerk[joint]))
    return share

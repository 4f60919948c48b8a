# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The trajectory clock: how fast path time runs, so that every stop stays on the path.

The arm is at q(s), where s is path time and r = ds/dt, from 0 to 1, its rate. Then

    velocity = q' r,    acceleration = q'' r^2 + q' dr/dt

(Bobrow, Dubowsky and Gibson, 1985), and with b = r^2, db/ds = 2 dr/dt: for each joint the
acceleration limit A bounds db/ds by straight lines in b,

    -2 (A + c b) / |q'|  <=  db/ds  <=  2 (A - c b) / |q'|,    c = q'' sign q'

Coming to rest follows the lower bound forwards from where the arm is. The latest that a moving end
of the path allows follows it backwards from rest at that end: the braking curve. Running up again
follows the upper bound, under the braking curve and the ceiling: the speed that people allow. A
lower ceiling is reached along the lower bound. A rate that does not change is always allowed, since
the path itself keeps the limits; so each of them exists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.joint_path import PathNodes

Array = NDArray[np.float64]

SLEW = 20.0
"""Largest change of the rate, 1/s: where the arm hardly moves the joints do not bound it."""

_HEADROOM = 0.98
"""Share of the limit that a ramp uses; the rest covers its steps, one node long."""

_BLOCK = 0.1
"""Path time, s, that is looked at together."""

_NEAR = 1e-8
"""Path time, s, that is not worth a node of its own: the clock is there."""

_EPSILON = 1e-9
"""Part of a sample by which rounding may miss it."""

ENDLESS = 1 << 30
"""Samples of a wait at rest on the path."""


class Path(Protocol):
    """What may be run along: up to `end`, where it may or may not be at rest."""

    @property
    def end(self) -> float:
        """Path time of the end, s."""

    @property
    def ends_at_rest(self) -> bool:
        """Whether the path's own velocity is zero at its end."""

    def nodes(self, start: float, end: float) -> PathNodes:
        """Derivatives on a dense grid."""


@dataclass(frozen=True, eq=False)
class RateProfile:
    """Rates over path time, linear in time between nodes.

    Attributes:
        place: (n,) path time of the nodes, s.
        rate: (n,) rate there; 0 at most at the ends.
        time: (n,) time at which the clock is there, s from the first.
        brake_time: time from which the profile slows down only because the path ends moving.
    """

    place: Array
    rate: Array
    time: Array
    brake_time: float

    @classmethod
    def through(cls, place: Array, squared_rate: Array, brake_place: float) -> RateProfile:
        """Profile through nodes (n,), of which two neighbours are never both at rate 0."""
        rate = np.sqrt(np.maximum(squared_rate, 0.0))
        steps = 2.0 * np.diff(place) / (rate[1:] + rate[:-1])
        time = np.concatenate(([0.0], np.cumsum(steps)))
        return cls(place, rate, time, float(np.interp(brake_place, place, time)))

    @property
    def duration(self) -> float:
        """Time at which the last node is reached, s."""
        return float(self.time[-1])

    def sample(self, time: Array) -> tuple[Array, Array]:
        """Path time and rate at times (m,); at the end after the end."""
        time = np.minimum(time, self.time[-1])
        rate = np.interp(time, self.time, self.rate)
        node = np.clip(np.searchsorted(self.time, time, side='right') - 1, 0, len(self.time) - 2)
        since = time - self.time[node]
        # The rate is linear in time, so its integral is a trapezium.
        place = self.place[node] + 0.5 * (self.rate[node] + rate) * since
        return np.where(time >= self.time[-1], self.place[-1], place), rate


@dataclass(frozen=True, eq=False)
class ClockSamples:
    """Consecutive samples: path time (m,), rate (m,), and whether the last one is at rest."""

    place: Array
    rate: Array
    at_rest: bool


class TrajectoryClock:
    """Runs from `start` along a path, one sample a `period`, until it comes to rest.

    acceleration: (joints,) limits, rad/s2.
    """

    def __init__(self, start: float, acceleration: Array, period: float) -> None:
        self._acceleration = _HEADROOM * acceleration
        self._period = period
        self._place, self._rate = start, 1.0
        self._path_end = start
        self._ceiling = 1.0
        self._profile: RateProfile | None = None
        self._samples = 0  # of the profile
        self._taken = 0  # of them
        self._begun = False
        self._stopping = False

    @property
    def place(self) -> float:
        """Path time of the last sample taken, s."""
        return self._place

    @property
    def rate(self) -> float:
        """Rate at the last sample taken."""
        return self._rate

    @property
    def ceiling(self) -> float:
        """The largest rate allowed, from 0 to 1; at 0 the arm waits at rest on its path."""
        return self._ceiling

    @property
    def remaining(self) -> int:
        """Samples until rest, as things stand; a wait at rest on the path has no end."""
        return ENDLESS if self._waits else self._samples - self._taken

    @property
    def uncontested(self) -> int:
        """Samples that would be the same if the path were extended now."""
        if self._profile is None or self._stopping or self._waits:
            return self.remaining
        before_brake = int(self._profile.brake_time / self._period + _EPSILON)
        return max(0, min(before_brake, self._samples - 1) - self._taken)

    @property
    def _waits(self) -> bool:
        stands_short = self._end < self._path_end - _NEAR
        return self._ceiling == 0.0 and stands_short and not self._stopping

    def run(self, path: Path) -> bool:
        """Go on along `path` at rate 1, or as near to it as the limits and a moving end allow.

        Returns False, and changes nothing, when the end is too near to come to rest before it.
        """
        if path.end <= self._place + _NEAR:
            return False
        brake = _BrakingCurve.of(path, self._place, self._acceleration)
        squared, allowed = self._rate**2, brake.at(self._place)
        if not self._begun:
            # At rest on the path, any rate is fit to begin with.
            squared = min(squared, allowed, self._ceiling**2)
        elif squared > allowed + 1e-6:
            return False
        self._path_end = path.end
        self._follow(self._running_profile(path, squared, brake))
        return True

    def limit_rate(self, ceiling: float, path: Path) -> None:
        """Run no faster than `ceiling`, from 0 to 1, along `path`, which it runs on."""
        if self._stopping or ceiling == self._ceiling:
            return
        previous, self._ceiling = self._ceiling, ceiling
        if not self.run(path):
            self._ceiling = previous

    def come_to_rest(self, path: Path) -> None:
        """Slow down to rest as fast as the limits allow, along the path that it runs on."""
        places, squares = self._slowing_down(path, self._rate**2, 0.0)
        if not path.ends_at_rest:
            squares[-1] = 0.0
        self._stopping = True
        self._follow(RateProfile.through(places, squares, np.inf) if len(places) > 1 else None)

    def take(self, count: int) -> ClockSamples:
        """The next samples, at most `count` and at most `remaining`."""
        count = min(count, self.remaining)
        place, rate = self._sample(self._taken, count)
        self._taken += count
        at_rest = self.remaining == 0
        if count and at_rest:
            place[-1], rate[-1] = self._end, 0.0
        if count:
            self._place, self._rate, self._begun = float(place[-1]), float(rate[-1]), True
        return ClockSamples(place, rate, at_rest)

    def preview(self, ahead: int) -> tuple[float, float] | None:
        """Path time and rate of the sample that is `ahead` (1 is the next), as things stand.

        None if the clock is at rest for good before it.
        """
        if ahead > self.remaining:
            return None
        place, rate = self._sample(self._taken + ahead - 1, 1)
        return float(place[0]), float(rate[0])

    @property
    def _end(self) -> float:
        """Path time where it comes to rest."""
        return self._place if self._profile is None else float(self._profile.place[-1])

    def _sample(self, first: int, count: int) -> tuple[Array, Array]:
        """Path time and rate of `count` samples of the profile from number `first` on."""
        if self._profile is None:  # it stands
            return np.full(count, self._place), np.zeros(count)
        ticks = np.arange(first + 1, first + count + 1, dtype=np.float64)
        return self._profile.sample(ticks * self._period)

    def _follow(self, profile: RateProfile | None) -> None:
        self._profile = profile
        # The end is moved up to the next sample; nothing before it is rounded.
        duration = 0.0 if profile is None else profile.duration
        self._samples = max(1, int(np.ceil(duration / self._period - _EPSILON)))
        self._taken = 0

    def _running_profile(
        self, path: Path, squared: float, brake: _BrakingCurve
    ) -> RateProfile | None:
        """To the ceiling, on at that rate, and down the braking curve at the end."""
        ceiling = self._ceiling**2
        if squared > ceiling:
            places, squares = self._slowing_down(path, squared, ceiling)
            if ceiling > 0.0:
                squares = np.minimum(squares, brake.at_each(places))
        else:
            places, squares = self._speeding_up(path, squared, ceiling, brake)
        if ceiling == 0.0:
            squares[-1] = 0.0
            return RateProfile.through(places, squares, np.inf) if len(places) > 1 else None
        tail_places, tail_squares = brake.below(ceiling)
        after = tail_places > places[-1] + _NEAR
        return RateProfile.through(
            np.concatenate((places, tail_places[after])),
            np.concatenate((squares, tail_squares[after])),
            float(tail_places[0]),
        )

    def _slowing_down(self, path: Path, squared: float, floor: float) -> tuple[Array, Array]:
        """Places and squared rates from here down to `floor`, or to the end of the path."""
        places, squares = [np.array([self._place])], [np.array([squared])]
        while squares[-1][-1] > floor and places[-1][-1] < path.end - _NEAR:
            start = float(places[-1][-1])
            nodes = path.nodes(start, min(start + _BLOCK, path.end))
            place, square = _slow_down(nodes, float(squares[-1][-1]), floor, self._acceleration)
            places.append(place[1:])
            squares.append(square[1:])
        return np.concatenate(places), np.concatenate(squares)

    def _speeding_up(
        self, path: Path, squared: float, ceiling: float, brake: _BrakingCurve
    ) -> tuple[Array, Array]:
        """Places and squared rates from here up to `ceiling`, under the braking curve."""
        places, squares = [np.array([self._place])], [np.array([squared])]
        while squares[-1][-1] < ceiling and places[-1][-1] < path.end - _NEAR:
            start = float(places[-1][-1])
            nodes = path.nodes(start, min(start + _BLOCK, path.end))
            highest = np.minimum(brake.at_each(nodes.time), ceiling)
            risen = _speed_up(nodes, float(squares[-1][-1]), highest, ceiling, self._acceleration)
            places.append(nodes.time[1 : len(risen)])
            squares.append(risen[1:])
        return np.concatenate(places), np.concatenate(squares)


@dataclass(frozen=True, eq=False)
class _BrakingCurve:
    """The largest squared rates (n,) at places (n,) from which rest at the end can be reached."""

    place: Array
    squared: Array

    @classmethod
    def of(cls, path: Path, start: float, acceleration: Array) -> _BrakingCurve:
        """From the end of `path` back to where rate 1 is reached, but not before `start`."""
        if path.ends_at_rest:
            return cls(np.array([path.end]), np.ones(1))
        places, squares = [np.array([path.end])], [np.zeros(1)]
        while squares[0][0] < 1.0 and places[0][0] > start + _NEAR:
            end = float(places[0][0])
            nodes = path.nodes(max(start, end - _BLOCK), end)
            risen = _brake_backwards(nodes, float(squares[0][0]), acceleration)
            places.insert(0, nodes.time[-len(risen) : -1])
            squares.insert(0, risen[:-1])
        return cls(np.concatenate(places), np.concatenate(squares))

    def below(self, ceiling: float) -> tuple[Array, Array]:
        """Its places and squared rates from where it falls below the squared rate `ceiling`."""
        lower = self.squared < ceiling
        first = int(np.argmax(lower)) if lower.any() else len(lower) - 1
        if first == 0 or not lower.any():
            return self.place[first:], np.minimum(self.squared[first:], ceiling)
        (s0, s1), (b0, b1) = self.place[first - 1 : first + 1], self.squared[first - 1 : first + 1]
        crossing = s0 + (b0 - ceiling) / (b0 - b1) * (s1 - s0)
        return (
            np.concatenate(([crossing], self.place[first:])),
            np.concatenate(([ceiling], self.squared[first:])),
        )

    def at(self, place: float) -> float:
        """The largest squared rate at one place."""
        return float(self.at_each(np.array([place]))[0])

    def at_each(self, places: Array) -> Array:
        """The largest squared rate at places (m,)."""
        squared: Array = np.interp(places, self.place, self.squared, left=1.0)
        return squared


class _SlewBounds:
    """Bounds of db/ds over each interval: the tightest of all joints at both of its ends."""

    def __init__(self, nodes: PathNodes, acceleration: Array) -> None:
        speed = np.maximum(np.abs(nodes.velocities), 1e-9)
        curvature = np.copysign(nodes.accelerations, nodes.accelerations * nodes.velocities)
        count = len(nodes.time) - 1
        self._offset = (2.0 * acceleration / speed).reshape(count, -1)
        self._slope = (2.0 * curvature / speed).reshape(count, -1)

    def fall(self, interval: int, squared: float) -> float:
        """The largest -db/ds there, at this squared rate."""
        bound = (self._offset[interval] + self._slope[interval] * squared).min()
        return min(max(float(bound), 0.0), 2.0 * SLEW)

    def rise(self, interval: int, squared: float) -> float:
        """The largest db/ds there, at this squared rate."""
        bound = (self._offset[interval] - self._slope[interval] * squared).min()
        return min(max(float(bound), 0.0), 2.0 * SLEW)


def _slow_down(
    nodes: PathNodes, squared: float, floor: float, acceleration: Array
) -> tuple[Array, Array]:
    """Places and squared rates from `squared` down, to `floor` or the end of the nodes."""
    bounds = _SlewBounds(nodes, acceleration)
    places, squares = [float(nodes.time[0])], [squared]
    for interval, step in enumerate(np.diff(nodes.time)):
        fall = bounds.fall(interval, squared)
        fall = min(fall, bounds.fall(interval, max(0.0, squared - fall * step)))
        if squared - floor <= fall * step:
            places.append(places[-1] + (squared - floor) / fall)
            squares.append(floor)
            break
        squared -= fall * step
        places.append(float(nodes.time[interval + 1]))
        squares.append(squared)
    return np.array(places), np.array(squares)


def _speed_up(
    nodes: PathNodes, squared: float, highest: Array, enough: float, acceleration: Array
) -> Array:
    """Squared rates at the first nodes from `squared` up, until `enough` or the nodes end.

    highest: (n + 1,) squared rates allowed at the nodes.
    """
    bounds = _SlewBounds(nodes, acceleration)
    squares = [squared]
    for interval, step in enumerate(np.diff(nodes.time)):
        rise = bounds.rise(interval, squared)
        rise = min(rise, bounds.rise(interval, squared + rise * step))
        squared = min(squared + rise * step, float(highest[interval + 1]))
        squares.append(squared)
        if squared >= enough:
            break
    return np.array(squares)


def _brake_backwards(nodes: PathNodes, squared: float, acceleration: Array) -> Array:
    """Squared rates at the last nodes, from `squared` at the last one back until 1 is reached."""
    bounds = _SlewBounds(nodes, acceleration)
    steps = np.diff(nodes.time)
    squares = [squared]
    for interval in range(len(steps) - 1, -1, -1):
        step = float(steps[interval])
        rise = bounds.fall(interval, squared)
        rise = min(rise, bounds.fall(interval, squared + rise * step))
        squared = min(squared + rise * step, 1.0)
        squares.append(squared)
        if squared >= 1.0:
            break
    return np.array(squares[::-1])

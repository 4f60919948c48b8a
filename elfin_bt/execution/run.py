# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""One motion from rest to rest: how far it may go, what is sent of it, and whether it has arrived.

How the path is left to end, apart from its own end at rest: `come_to_rest` ramps down at once; a
path that ends in motion and gets no successor is braked at the last moment.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.actions import DeviceReport
from elfin_bt.execution.chunk import Ack, Chunk
from elfin_bt.execution.clock import TrajectoryClock
from elfin_bt.execution.goal import Goal
from elfin_bt.execution.goal_queue import Stretch
from elfin_bt.execution.motion import Executed, Motion
from elfin_bt.execution.points import ErrorCode
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.execution.stillness import Stillness
from elfin_bt.execution.tolerances import JointTolerances

Array = NDArray[np.float64]

RELUCTANT_POINTS = 16
"""Points sent at once when a successor may still change what follows."""


class UnsafeSample(Exception):
    """A point that would break a limit; the text names joint, value and limit."""


class Run:
    """Runs along a stretch, which may grow, in chunks of motion `number`.

    Attributes:
        ending: why it is being brought to rest before the end of its path, '' if it is not;
            `ending_code` the result code of the goals that it leaves unfinished.
        stretch: what it runs along.
    """

    def __init__(
        self,
        settings: ExecutorSettings,
        stretch: Stretch,
        ack: Ack,
        number: int,
        ceiling: float = 1.0,
    ) -> None:
        self._settings = settings
        self._check = settings.sample_check()
        self._clock = TrajectoryClock(
            stretch.start, settings.limits.acceleration, settings.sample_period
        )
        self._clock.run(stretch)
        self._clock.limit_rate(ceiling, stretch)
        self._motion = Motion(
            epoch=ack.epoch,
            number=number,
            free_frames=ack.free_frames,
            start=stretch.start,
            position=stretch.evaluate(np.array([stretch.start]))[0][0],
        )
        self._stillness: Stillness | None = None
        self._braking_due: float | None = None  # since when only braking is left to be sent
        self.stretch = stretch
        self.ending = ''
        self.ending_code = ErrorCode.INVALID_GOAL

    @property
    def epoch(self) -> int:
        """Epoch of its chunks."""
        return self._motion.epoch

    @property
    def closed(self) -> bool:
        """Whether all of it has been sent, up to its rest."""
        return self._motion.closed

    @property
    def place(self) -> float:
        """Path time up to which it has been sent, s."""
        return self._clock.place

    @property
    def rate(self) -> float:
        """Rate of the trajectory clock there."""
        return self._clock.rate

    @property
    def is_executed(self) -> bool:
        """Whether the firmware has executed all of it."""
        return self._motion.is_executed

    @property
    def last_position(self) -> np.ndarray:
        """Position (joints,) of the last point sent, rad."""
        return self._motion.last_position

    def executed(self) -> Executed:
        """The last point that was surely executed."""
        return self._motion.executed()

    def executed_at(self, report: DeviceReport) -> tuple[Executed, Executed] | None:
        """The points that the arm was between at a report; None if the books do not say."""
        return self._motion.executed_at(report.sequence, report.frames)

    def state_in(self, time: float) -> tuple[Array, Array, Array] | None:
        """Position, velocity and acceleration (joints,) `time` s from now; None beyond the end."""
        ahead = max(0, round(time / self._settings.sample_period))
        sent = self._motion.sent_ahead(ahead)
        if sent is not None:
            place, rate = sent.place, self._clock.rate
        elif ahead <= self._motion.depth:
            place, rate = self.stretch.start, 0.0  # nothing has been executed yet
        else:
            later = self._clock.preview(ahead - self._motion.depth)
            if later is None:
                return None
            place, rate = later
        q, v, a = self.stretch.derivatives(np.array([place]))
        return q[0], v[0] * rate if sent is None else sent.velocity, a[0] * rate**2

    # --- its path

    def extend(self, stretch: Stretch) -> None:
        """Go on along a longer stretch, unless it is being brought to rest."""
        if not self.ending and stretch.end > self.stretch.end and self._clock.run(stretch):
            self.stretch, self._braking_due = stretch, None

    def shorten(self, stretch: Stretch) -> bool:
        """End at the end of a shorter stretch; False if the arm can't come to rest before it."""
        if self.ending or not self._clock.run(stretch):
            return False
        self.stretch = stretch
        return True

    def come_to_rest(self, why: str, code: ErrorCode = ErrorCode.INVALID_GOAL) -> None:
        """Ramp down to rest within the limits, once."""
        if not self.ending:
            self.ending, self.ending_code = why, code
            self._clock.come_to_rest(self.stretch)

    def limit_rate(self, ceiling: float) -> None:
        """Let the trajectory clock run no faster than `ceiling`, 0 to 1, from the next point on."""
        self._clock.limit_rate(ceiling, self.stretch)

    # --- its points

    def acknowledge(self, ack: Ack) -> None:
        """Enter an acknowledgement."""
        self._motion.acknowledge(ack)

    def lost_chunk(self, now: float, ack_age: float) -> str | None:
        """What to say of a chunk that has waited too long for its acknowledgement."""
        return self._motion.lost_chunk(now, ack_age, self._settings.ack_timeout)

    def chunks(self, now: float) -> Iterator[Chunk]:
        """What is to be sent now, up to the committed depth.

        Raises:
            UnsafeSample: the next points break a limit and must not be sent.
        """
        while not self.closed:
            count = self._due(now)
            if count <= 0:
                return
            yield self._next_chunk(count, now)

    def _due(self, now: float) -> int:
        """Points to send at once: whole chunks as they fit, fewer when it gets urgent.

        What a successor may still change, braking or the final point, is sent as late as possible.
        """
        settings, depth = self._settings, self._motion.depth
        committed = round(settings.committed_depth / settings.sample_period)
        low_water = round(settings.low_water / settings.sample_period)
        count = min(settings.chunk_points, self._motion.room, committed - depth)
        if count < settings.chunk_points and depth >= low_water:
            return 0
        uncontested = self._clock.uncontested
        if uncontested >= min(count, self._clock.remaining):
            return count
        if depth >= low_water or self._puts_off_braking(low_water, now):
            return 0
        return min(count, max(uncontested, RELUCTANT_POINTS))

    def _puts_off_braking(self, low_water: int, now: float) -> bool:
        """Whether to wait for a successor, because the device's time stands still meanwhile."""
        if self.stretch.ends_at_rest or self._motion.sent < low_water:
            return False
        if self._braking_due is None:
            self._braking_due = now
        return now - self._braking_due < self._settings.successor_patience

    def _next_chunk(self, count: int, now: float) -> Chunk:
        samples = self._clock.take(count)
        position, velocity = self.stretch.evaluate(samples.place)
        velocity *= samples.rate[:, None]
        violation = self._check.violation(
            np.concatenate((self._motion.last_position[None], position)),
            np.concatenate((self._motion.last_velocity[None], velocity)),
        )
        if violation:
            raise UnsafeSample(violation)
        return self._motion.chunk(samples, position, velocity, self._settings.sample_period, now)

    # --- its end

    def arrival(self, report: DeviceReport, goal: Goal | None) -> str | None:
        """'' once the arm has arrived, what is wrong once it is too late, None until then.

        goal: the one at whose end the arm rests, None if it was brought to rest elsewhere.
        """
        if not self.is_executed:
            return None
        if self._stillness is None:
            self._stillness = self._expected_stillness(goal)
        return self._stillness.observe(report)

    def _expected_stillness(self, goal: Goal | None) -> Stillness:
        limits = self._settings.goal_limits()
        joints = len(limits.joint_names)
        return Stillness(
            joint_names=limits.joint_names,
            target=self.last_position,
            tolerances=(
                goal.goal_tolerance
                if goal
                else JointTolerances.uniform(np.inf, self._settings.goal_velocity_tolerance, joints)
            ),
            time_tolerance=goal.time_tolerance if goal else limits.goal_time,
            dwell=self._settings.dwell,
        )

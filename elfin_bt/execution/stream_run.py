# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""One streamed motion: windows spliced by their own time onto what has been committed.

Stream time is the streamer's: header stamp plus time_from_start. It goes on with the device's time
from where the first window was joined, so jitter and late windows do not shake the reference, and a
clock that is seconds off does no harm. Only receive time decides what has expired.

A window ahead of the committed state is reached by its own interpolation from there; one that began
before is joined where it is by now. When the last window has run out its velocity is kept for the
time-out, and then a tail brings the arm to rest. A window that arrives during the tail is followed.

Nothing is committed from which a tail within all limits would not be possible: a stream that asks
for too much is held back along such a tail until it asks for less.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.actions import DeviceReport
from elfin_bt.execution.chunk import Ack, Chunk
from elfin_bt.execution.clock import ClockSamples
from elfin_bt.execution.joint_path import JointPath, Waypoints
from elfin_bt.execution.motion import Executed, Motion
from elfin_bt.execution.points import GoalError
from elfin_bt.execution.run import UnsafeSample
from elfin_bt.execution.sample_check import SampleCheck
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.execution.stillness import Stillness
from elfin_bt.execution.stream_filter import Follower, State, after, path_to_rest
from elfin_bt.execution.stream_window import Window
from elfin_bt.execution.tolerances import JointTolerances

Array = NDArray[np.float64]

STEP = 0.004
"""Time for which the jerk is constant, s; at least one sample."""

CREDIBLE = 1.0
"""A header stamp farther from our clock than this, s, says nothing about now."""

ROLLING = 0.5
"""A window no longer than this, s, is taken to be meant for now, by its newest point."""

ASTRAY = 0.1
"""Stream time this far from where a window would be joined, s, is set anew."""

_NEAR = 0.02  # rad and 10 x rad/s within which a rest is reached by one quintic
_TIP_SHARE = 0.99  # of the tip's speed limit, which leaves room for rounding


class StreamRun:
    """Follows windows in chunks of motion `number`, from rest at `position` (joints,) to rest.

    Attributes:
        ending: why it is being brought to rest although windows may come, '' if it is not.
        held_back: the last limit that kept it from following, '' if none did.
    """

    def __init__(
        self,
        settings: ExecutorSettings,
        ack: Ack,
        number: int,
        position: Array,
        window: Window,
        now: float,
        stamp_now: float,
    ) -> None:
        self._settings = settings
        self._check = settings.sample_check()
        self._careful = settings.sample_check(_TIP_SHARE)
        self._coarse = settings.sample_check(_TIP_SHARE, STEP)
        self._samples_a_step = max(1, round(STEP / settings.sample_period))
        self._step = self._samples_a_step * settings.sample_period
        self._follower = Follower(settings.limits, self._step)
        self._motion = Motion(
            epoch=ack.epoch,
            number=number,
            free_frames=ack.free_frames,
            start=0.0,
            position=position,
        )
        rest = np.zeros_like(position)
        self._state = State(position, rest, rest)  # at the end of what is committed
        self._time: float | None = None  # stream time there
        self._tail: JointPath | None = None
        self._tail_time = 0.0
        self._is_held_back = False  # on the tail, since following would break a limit
        self._stamp = -np.inf
        self._heard = now
        self._stillness: Stillness | None = None
        self.ending = self.held_back = ''
        self.hear(window, now, stamp_now)

    @property
    def epoch(self) -> int:
        """Epoch of its chunks."""
        return self._motion.epoch

    @property
    def last_position(self) -> Array:
        """Position (joints,) of the last point sent, rad."""
        return self._motion.last_position

    def executed(self) -> Executed:
        """The last point that was surely executed; its place is s since the beginning."""
        return self._motion.executed()

    def acknowledge(self, ack: Ack) -> None:
        """Enter an acknowledgement."""
        self._motion.acknowledge(ack)

    def lost_chunk(self, now: float, ack_age: float) -> str | None:
        """What to say of a chunk that has waited too long for its acknowledgement."""
        return self._motion.lost_chunk(now, ack_age, self._settings.ack_timeout)

    # --- windows

    def hear(self, window: Window, now: float, stamp_now: float) -> None:
        """Follow a window from the end of what is committed.

        Raises:
            GoalError: it comes too late, or can't be reached in its time.
        """
        if self.ending or self._motion.closed:
            raise GoalError('the arm is coming to rest: begin the stream anew when it has stopped')
        stamp = window.stamp or stamp_now
        if 0.0 < self._stamp - stamp < CREDIBLE:
            raise GoalError(f'the window is {self._stamp - stamp:.3f} s older than the last one')
        depth = self._motion.depth * self._settings.sample_period
        wanted = self._join_time(window, stamp, stamp_now, depth)
        time = self._time
        if time is None or abs(wanted - time) > ASTRAY:
            time = wanted
        self._reference = _Reference.spliced(window, stamp, time, self._state)
        self._refuse_if_out_of_reach(self._reference, time)
        self._time, self._stamp, self._heard = time, stamp, now
        if not self._is_held_back:
            self._tail = None

    def _join_time(self, window: Window, stamp: float, stamp_now: float, depth: float) -> float:
        """Stream time at which a window is joined at the end of what is committed.

        As soon as its stamps say, but early enough that it lasts for the horizon.
        """
        first, last = stamp + window.waypoints.time[[0, -1]]
        if abs(stamp - stamp_now) <= CREDIBLE:
            time_now = stamp_now
        else:
            time_now = last if window.span <= ROLLING else first
        ahead = self._settings.stream_horizon - depth
        return float(min(time_now + depth, last - self._settings.stream_slack - ahead))

    def _refuse_if_out_of_reach(self, reference: _Reference, time: float) -> None:
        settings = self._settings
        in_time = max(0.0, reference.end - time) + settings.stream_horizon
        reach = settings.limits.velocity * in_time + settings.start_tolerance
        apart = np.abs(reference.last_position - self._state.q)
        joint = int(np.argmax(apart - reach))
        if apart[joint] > reach[joint]:
            raise GoalError(
                f'the window ends {apart[joint]:.3f} rad from {settings.joint_names[joint]}, '
                f'which can go {reach[joint]:.3f} rad until then'
            )

    def come_to_rest(self, why: str) -> None:
        """Come to rest after what is committed, and follow no window any more."""
        self.ending = self.ending or why

    # --- points

    def chunks(self, now: float) -> Iterator[Chunk]:
        """What is to be sent now: up to the horizon when the depth is below low water.

        Raises:
            UnsafeSample: the next points break a limit even while coming to rest.
        """
        period = self._settings.sample_period
        if self._motion.depth >= round(self._settings.stream_low_water / period):
            return
        due = round(self._settings.stream_horizon / period) - self._motion.depth
        due = min(due, self._motion.room)
        while due > 0 and not self._motion.closed:
            count = min(due, self._settings.chunk_points)
            yield self._next_chunk(count, now)
            due -= count

    def _next_chunk(self, count: int, now: float) -> Chunk:
        if self._tail is None and (self.ending or self._is_over(now)):
            self._begin_tail()
        if self._tail is None or self._is_held_back:
            position, velocity = self._follow_if_safe(count)
        else:
            position, velocity = self._along_tail(self._tail, count)
        violation = self._violation(position, velocity, self._check)
        if violation:
            raise UnsafeSample(violation)
        at_rest = self._tail is not None and self._tail_time >= self._tail.duration
        period, sent = self._settings.sample_period, self._motion.sent
        place: Array = period * np.arange(sent + 1.0, sent + len(position) + 1.0)
        samples = ClockSamples(place, np.ones(len(position)), at_rest)
        return self._motion.chunk(samples, position, velocity, period, now)

    def _follow_if_safe(self, count: int) -> tuple[Array, Array]:
        """About `count` samples of the reference, if the arm can come to rest behind them.

        Else those of the tail behind the samples before, of which that was so.
        """
        before = self._state, self._time, self._tail, self._tail_time
        self._tail = None
        position, velocity = self._steps(count)
        violation = self._violation(position, velocity, self._careful) or self._why_no_tail()
        self._is_held_back = violation is not None
        if violation is None:
            return position, velocity
        self.held_back = violation
        self._state, self._time, self._tail, self._tail_time = before
        if self._tail is None:
            self._tail, self._tail_time = path_to_rest(self._state, self._settings.limits), 0.0
        return self._along_tail(self._tail, count)

    def _why_no_tail(self) -> str | None:
        """What keeps the arm from coming to rest within all limits from where it is; None: all."""
        return self._coarse.violation(
            *self._samples_of(path_to_rest(self._state, self._settings.limits))
        )

    @staticmethod
    def _samples_of(path: JointPath) -> tuple[Array, Array]:
        """Positions and velocities of a path, STEP apart."""
        q, v, _ = path.evaluate(np.arange(0.0, path.duration + STEP, STEP))
        return q, v

    def _violation(self, position: Array, velocity: Array, check: SampleCheck) -> str | None:
        return check.violation(
            np.concatenate((self._motion.last_position[None], position)),
            np.concatenate((self._motion.last_velocity[None], velocity)),
        )

    def _steps(self, count: int) -> tuple[Array, Array]:
        rows: list[State] = []
        while len(rows) < count:
            rows.extend(self._one_step())
        return np.stack([row.q for row in rows]), np.stack([row.v for row in rows])

    def _one_step(self) -> Iterator[State]:
        assert self._time is not None, 'a window was heard'
        jerk = self._follower.jerk(self._state, self._reference.at(self._time))
        for sample in range(1, self._samples_a_step + 1):
            yield after(self._state, jerk, sample * self._settings.sample_period)
        self._state = after(self._state, jerk, self._step)
        self._time += self._step

    def _is_over(self, now: float) -> bool:
        """Whether the stream is silent, what it said has run out, and the arm is near its end."""
        assert self._time is not None, 'a window was heard'
        silent = now - self._heard > self._settings.stream_timeout
        if not silent or self._time < self._reference.end:
            return False
        return not self._reference.ends_at_rest or self._is_near_the_end()

    def _is_near_the_end(self) -> bool:
        apart = np.abs(self._reference.last_position - self._state.q).max()
        return bool(apart < _NEAR and np.abs(self._state.v).max() < 10.0 * _NEAR)

    def _begin_tail(self) -> None:
        """From here on to rest: where the stream said, or as soon as possible."""
        limits = self._settings.limits
        self._tail_time, self._is_held_back = 0.0, False
        if not self.ending and self._reference.ends_at_rest:
            landing = path_to_rest(self._state, limits, self._reference.last_position)
            if self._coarse.violation(*self._samples_of(landing)) is None:
                self._tail = landing
                return
        self._tail = path_to_rest(self._state, limits)

    def _along_tail(self, tail: JointPath, count: int) -> tuple[Array, Array]:
        """The next `count` samples of a tail, fewer where it ends."""
        period = self._settings.sample_period
        left = max(1, int(np.ceil((tail.duration - self._tail_time) / period - 1e-9)))
        times: Array = self._tail_time + period * np.arange(1.0, min(count, left) + 1.0)
        if count >= left:
            times[-1] = tail.duration
        self._tail_time = float(times[-1])
        q, v, a = tail.evaluate(times)
        self._state = State(q[-1], v[-1], a[-1])
        if self._time is not None:
            self._time += period * len(times)
        return q, v

    # --- its end

    def arrival(self, report: DeviceReport) -> str | None:
        """'' once the arm rests after all that was sent, what is wrong once it is too late."""
        if not self._motion.is_executed:
            return None
        if self._stillness is None:
            settings, joints = self._settings, len(self._settings.joint_names)
            self._stillness = Stillness(
                joint_names=settings.joint_names,
                target=self.last_position,
                tolerances=JointTolerances.uniform(
                    settings.goal_position_tolerance, settings.goal_velocity_tolerance, joints
                ),
                time_tolerance=settings.goal_time,
                dwell=settings.dwell,
            )
        return self._stillness.observe(report)


class _Reference:
    """What a window wants at stream times; after its end it goes on at its last velocity.

    Attributes:
        end: stream time of the last knot, s.
        last_position: (joints,) there.
        ends_at_rest: whether its velocity there is 0.
    """

    def __init__(self, waypoints: Waypoints, begin: float) -> None:
        self._begin = begin
        self._path = JointPath(waypoints)
        self._rest = np.zeros_like(waypoints.positions[-1])
        self._last_velocity = waypoints.velocities[-1]
        self.end = begin + self._path.duration
        self.last_position = waypoints.positions[-1]
        self.ends_at_rest = bool(np.abs(self._last_velocity).max() < 1e-4)

    @classmethod
    def spliced(cls, window: Window, stamp: float, time: float, state: State) -> _Reference:
        """Of a window that is joined at a stream time from a state."""
        knots, first = window.waypoints, float(window.waypoints.time[0])
        begin = stamp + first
        shifted = Waypoints(
            knots.time - first, knots.positions, knots.velocities, knots.accelerations
        )
        if begin <= time + 1e-6 and len(knots) > 1:
            return cls(shifted, begin)
        lead = max(begin - time, STEP)
        ahead = Waypoints(
            shifted.time + lead, knots.positions, knots.velocities, knots.accelerations
        )
        return cls(ahead.starting_from(state.q, state.v), begin - lead)

    def at(self, time: float) -> State:
        """State that is wanted at a stream time."""
        since = time - self._begin
        q, v, a = self._path.evaluate(np.array([since]))
        over = time - self.end
        if over <= 0.0:
            return State(q[0], v[0], a[0])
        return State(q[0] + over * self._last_velocity, self._last_velocity, self._rest)

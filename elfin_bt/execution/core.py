# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor: from accepted goals to chunks of PVT points, and to one result for each goal.

It is fed with events and with the time, and collects actions for its node. Every motion runs on the
path of the queued goals and ends at rest on it:

- the queue ends at rest: the last point is `final`, and the firmware's watchdog disarms;
- the queue's end moves and no successor comes: the clock brakes to rest before the end;
- cancel, or a silent lease: the clock ramps to rest at once;
- stop or fault: the firmware ramps to rest along its frames, and everything queued is discarded.
"""

from __future__ import annotations

import numpy as np

from elfin_bt.execution.actions import (
    Action,
    DeviceReport,
    FinishGoal,
    Log,
    Outcome,
    Progress,
    PublishChunk,
    StopHardware,
)
from elfin_bt.execution.chunk import Ack
from elfin_bt.execution.faults import Fault
from elfin_bt.execution.goal import Goal, GoalRequest, check_size
from elfin_bt.execution.goal_queue import GoalId, GoalQueue, QueuedGoal, Stretch
from elfin_bt.execution.hardware_link import HardwareLink
from elfin_bt.execution.intake import Intake
from elfin_bt.execution.joint_path import SAME_TIME
from elfin_bt.execution.points import ErrorCode, GoalError
from elfin_bt.execution.run import Run, UnsafeSample
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.execution.stream_gate import STREAM_TOPIC, StreamGate
from elfin_bt.execution.stream_run import StreamRun
from elfin_bt.execution.stream_window import Window, WindowLimits, WindowRequest, read_window

CHECKS_PER_TICK = 2000
"""Samples checked ahead in one tick; bounds the time that a tick takes."""

CHECK_OVERHEAD = 100
"""A check costs as much as this many samples, however few there are."""

_STARVED = (
    'the trajectory ends in motion and no goal that continues it came in time: the arm was brought '
    'to rest on the path'
)
_CANCELED_BEFORE = 'the goal before it was canceled'
_PREEMPTED = 'preempted by a newer goal'


class ExecutorCore:
    """All that the executor decides. `now` is a steady time in s, passed in with each event."""

    def __init__(self, settings: ExecutorSettings) -> None:
        self.settings = self._settings = settings
        self._check = settings.sample_check()
        self._link = HardwareLink(settings.hardware_timeout)
        self._queue = GoalQueue(spacing=settings.sample_period)
        self._intake = Intake(settings, self._link, self._queue)
        self._window_limits = WindowLimits.of(settings)
        self._actions: list[Action] = []
        self._lease_time: float | None = None
        self._motions = 0  # begun so far
        self._run: Run | None = None
        self._stream: StreamRun | None = None
        self._stream_gate = StreamGate(settings.stream_timeout)
        self._successor: tuple[GoalId, Goal] | None = None  # waits for the motion it preempted
        self._speed = 1.0
        self._waiting_since: float | None = None  # for more path, before a motion begins

    # --- goals

    def refuse_if_too_long(self, points: int) -> None:
        """Refuse a goal of too many points before it is looked at.

        Raises:
            GoalError: it has too many.
        """
        check_size(points, self._settings.max_points)

    def form(self, request: GoalRequest, stamp_now: float) -> Goal:
        """Check what a goal is in itself. Any thread may call it: it needs no state.

        stamp_now: the time that header stamps are compared with, s.

        Raises:
            GoalError: it can't be executed at all.
        """
        return self._intake.form(request, stamp_now)

    def admit(self, goal: Goal, now: float, stamp_now: float) -> None:
        """Check a goal of the right form against the state, without taking it.

        Raises:
            GoalError: it can't be executed now.
        """
        self._intake.refuse_if_not_ready(now, owned=self._owns_the_arm)
        if self._stream is not None:
            raise GoalError(
                f'a stream on {STREAM_TOPIC} owns the arm: end it, and send the goal when the arm '
                'is at rest'
            )
        refusal = self._refusal(goal, stamp_now)
        if refusal is None:
            self._intake.refuse_if_full()
        elif not (self._settings.preempt and self._queue):
            raise refusal

    def accept(self, goal_id: GoalId, goal: Goal, now: float, stamp_now: float) -> None:
        """Queue an admitted goal; if it can't be executed any more, it is aborted."""
        try:
            self.admit(goal, now, stamp_now)
        except GoalError as error:
            self._finish(goal_id, Outcome.ABORTED, error.code, str(error))
            return
        if self._settings.preempt and self._queue and self._refusal(goal, stamp_now):
            self._preempt(goal_id, goal)
            return
        goal, entry = self._intake.take(goal)
        self._queue.append(goal_id, goal, entry.path)
        if entry.lead_in:
            self._actions.append(
                Log(
                    f'the goal begins {entry.gap:.4f} rad from the arm: its first point is '
                    f'approached first, in {entry.lead_in:.2f} s'
                )
            )

    def cancel(self, goal_id: GoalId) -> None:
        """Come to rest on the path; the goal is canceled there, later ones are aborted."""
        if self._successor is not None and self._successor[0] == goal_id:
            self._successor = None
            self._finish(goal_id, Outcome.CANCELED, text='before it began')
            return
        goal, run = self._queue.find(goal_id), self._run
        if goal is None:
            return
        goal.cancelled = True
        if run is None or (run.closed and goal.start >= run.place - SAME_TIME):
            self._discard_from(goal, _CANCELED_BEFORE)
        elif not run.closed and not self._drop_before_it_runs(run, goal):
            run.come_to_rest(_CANCELED_BEFORE)

    @property
    def _owns_the_arm(self) -> bool:
        return bool(self._queue) or self.moves

    def _refusal(self, goal: Goal, stamp_now: float) -> GoalError | None:
        """Why a goal does not fit behind what is queued."""
        last, run = self._queue.last, self._run
        done = run.executed().place if run is not None else self._queue.start
        travel = last.end - done if last is not None else 0.0
        return self._intake.refusal(goal, self._obstacle(), stamp_now, travel)

    def _preempt(self, goal_id: GoalId, goal: Goal) -> None:
        """Bring the arm to rest on its path; then the goal is judged by where the arm really is."""
        if self._successor is not None:
            self._finish(self._successor[0], Outcome.ABORTED, ErrorCode.INVALID_GOAL, _PREEMPTED)
        self._successor = (goal_id, goal)
        self._end_motion(_PREEMPTED)

    # --- other events

    def activate(self) -> None:
        """Take goals from now on."""
        self._intake.closed = ''

    def deactivate(self, now: float) -> None:
        """Take no more goals; a motion is stopped by the firmware, on its path, and latched."""
        self._intake.closed = 'the executor is not active: activate it first'
        why = 'the executor was deactivated in motion'
        if self._run is not None or self._stream is not None:
            self._stop(why, now)
        else:
            self._abort_all(why)

    def stop(self, now: float) -> None:
        """A person's stop: the firmware stops on the path, all goals are aborted."""
        self._stop(Fault.STOP_REQUESTED.abort_text, now, cause='')

    def hear_ack(self, ack: Ack, now: float) -> None:
        """An acknowledgement of the hardware node."""
        self._link.hear_ack(ack, now)
        self._motions = max(self._motions, ack.motion)
        motion = self._run or self._stream
        if ack.fault:
            fault = Fault.from_number(ack.fault)
            following = fault is Fault.FOLLOWING_ERROR
            code = ErrorCode.PATH_TOLERANCE_VIOLATED if following else ErrorCode.INVALID_GOAL
            self._abort_all(self._link.fault_text, code)
        elif motion is not None and ack.epoch != motion.epoch:
            self._abort_all('the hardware node was restarted or reset during the motion')
        elif motion is not None:
            motion.acknowledge(ack)

    def hear_device(self, report: DeviceReport, now: float) -> None:
        """A report of the device."""
        self._link.hear_report(report, now)
        if self._run is not None:
            self._supervise(self._run, report)

    def limit_speed(self, factor: float) -> None:
        """Run at most at this share of the planned speed, 0 to 1; 0 waits at rest on the path."""
        if factor != self._speed:
            self._actions.append(Log(f'speed limited to {100.0 * factor:g} %'))
        self._speed = factor

    def hear_window(self, request: WindowRequest, now: float, stamp_now: float) -> str:
        """A message on the streaming topic; returns why it was not followed, '' if it was.

        A message without points asks for rest, whoever moves the arm.
        """
        if not request.points:
            self._stream_gate.shut()
            self._end_motion(f'an empty trajectory on {STREAM_TOPIC} asked for rest')
            return ''
        blocked = self._stream_gate.blocked(now)
        try:
            self._intake.refuse_if_not_ready(now, owned=self._owns_the_arm)
            window = read_window(request, self._window_limits)
            if blocked:
                raise GoalError(blocked)
            self._follow(window, now, stamp_now)
        except GoalError as error:
            return str(error)
        return ''

    def _follow(self, window: Window, now: float, stamp_now: float) -> None:
        ack, report = self._link.ack, self._link.report
        if self._queue or self._successor is not None:
            raise GoalError('a goal owns the arm: the stream may begin when it is at rest')
        if self._speed == 0.0:
            raise GoalError('the speed is limited to 0 %: raise it, then begin the stream anew')
        assert ack is not None and report is not None, 'the hardware is ready'
        if report.paused:
            raise GoalError('paused: call ~/resume, then begin the stream anew')
        if self._stream is not None:
            self._stream.hear(window, now, stamp_now)
            return
        position = self._link.rest_position(self._settings.start_tolerance)
        assert position is not None, 'the hardware is ready'
        self._stream = StreamRun(
            self._settings, ack, self._motions + 1, position, window, now, stamp_now
        )
        self._motions += 1

    def hear_lease(self, now: float) -> None:
        """A sign of life of the client that owns the motion."""
        self._lease_time = now

    def tick(self, now: float, stamp_now: float) -> None:
        """Let time pass: watch, check ahead, begin, send, finish.

        stamp_now: the time that header stamps are compared with, s.
        """
        self._watch(now)
        self._check_ahead()
        if self._run is None and self._stream is None:
            self._begin(now, stamp_now)
        if self._run is not None and not self._run.closed:
            self._feed(self._run, now, stamp_now)
        if self._run is not None:
            self._finish_passed(self._run)
            self._finish_at_rest(self._run)
        if self._stream is not None:
            self._feed_stream(self._stream, now)
        if self._successor is not None and self._run is None and not self._queue:
            (goal_id, goal), self._successor = self._successor, None
            self.accept(goal_id, goal, now, stamp_now)

    def take_actions(self) -> list[Action]:
        """What is to be done since the last call, in order."""
        actions, self._actions = self._actions, []
        return actions

    # --- state

    @property
    def fault(self) -> Fault:
        """What is latched in the hardware node, or about to be."""
        return self._link.fault

    @property
    def goals(self) -> int:
        """Goals that have no result yet."""
        return len(self._queue) + (self._successor is not None)

    @property
    def paused(self) -> bool:
        """Whether the firmware's feed rate is held at 0."""
        return self._link.report is not None and self._link.report.paused

    @property
    def speed(self) -> float:
        """Share of the planned speed that is allowed, 0 to 1."""
        return self._speed

    @property
    def streams(self) -> bool:
        """Whether the streaming topic moves the arm."""
        return self._stream is not None

    @property
    def moves(self) -> bool:
        """Whether a motion of ours is in the firmware."""
        return self._run is not None or self._stream is not None

    @property
    def refusal(self) -> str:
        """Why no goal is taken now, '' while goals are."""
        return self._intake.closed or (self._link.fault_text if self._link.fault else '')

    def progress(self) -> Progress | None:
        """Where the arm is and should be; None before the hardware has been heard."""
        report = self._link.report
        rest = self._link.rest_position(self._settings.start_tolerance)
        if report is None or rest is None or self._link.ack is None:
            return None
        if self._stream is not None:
            point = self._stream.executed()
            return Progress(
                None, point.place, point.position, point.velocity,
                report.position, report.velocity, 1.0,
            )  # fmt: skip
        if self._run is None:
            still = np.zeros_like(rest)
            return Progress(None, 0.0, rest, still, report.position, report.velocity, self._speed)
        executed = self._run.executed()
        goal = self._queue.goal_at(executed.place)
        return Progress(
            goal_id=goal.goal_id if goal else None,
            goal_time=executed.place - goal.start if goal else 0.0,
            desired_position=executed.position,
            desired_velocity=executed.velocity,
            position=report.position,
            velocity=report.velocity,
            rate=self._run.rate,
        )

    def state_in(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Position, velocity, acceleration (joints,) `time` s from now; None beyond the end."""
        return None if self._run is None else self._run.state_in(time)

    # --- watching

    def _watch(self, now: float) -> None:
        if self._link.stop_is_due_again(now):
            self._link.stop_asked(now)
            self._actions.append(StopHardware('the stop has not been confirmed'))
        motion = self._run or self._stream
        if motion is not None:
            silence = self._link.silence(now) or motion.lost_chunk(now, self._link.ack_age(now))
            if silence:
                self._stop(f'FAULT: {silence}', now, unacknowledged=True)
        self._stream_gate.watch(now, latched=bool(self._link.fault))
        report = self._link.report
        if self._stream is not None and ((report and report.paused) or self._speed == 0.0):
            self._end_motion('paused' if self._speed else 'the speed is limited to 0 %')
        self._watch_lease(now)

    def _watch_lease(self, now: float) -> None:
        """A lease that was seen and falls silent brings the arm to rest; then it is forgotten."""
        timeout = self._settings.lease_timeout
        if self._lease_time is None or now - self._lease_time <= timeout:
            return
        self._lease_time = None
        if self._queue or self._successor is not None or self._stream is not None:
            why = f'the lease was silent for more than {timeout:g} s'
            self._actions.append(Log(f'coming to rest: {why}', is_error=True))
            self._end_motion(why)

    def _end_motion(self, why: str, code: ErrorCode = ErrorCode.INVALID_GOAL) -> None:
        """Come to rest on the path; what has not been executed there is aborted."""
        run = self._run
        if self._stream is not None:
            self._stream_gate.shut()
            self._stream.come_to_rest(why)
        if run is not None and not run.closed:
            run.come_to_rest(why, code)
            return
        # What has been sent to its end comes to rest there; the goals behind it do not begin.
        for goal in self._queue:
            if run is None or goal.start >= run.place - SAME_TIME:
                self._discard_from(goal, why)
                return

    def _supervise(self, run: Run, report: DeviceReport) -> None:
        """Compare the arm with the points that it executes: those of the scaled clock."""
        between = run.executed_at(report)
        if between is None or run.ending_code is ErrorCode.PATH_TOLERANCE_VIOLATED:
            return
        goal = self._queue.goal_at(between[0].place)
        if goal is None or goal.failure or goal.goal.path_tolerance.limits_nothing:
            return
        worst = goal.goal.path_tolerance.worst(
            _outside(report.position, between[0].position, between[1].position),
            _outside(report.velocity, between[0].velocity, between[1].velocity),
        )
        if worst is not None:
            joint, text = worst
            goal.failure = f'{self._settings.joint_names[joint]} left its path: {text}'
            self._actions.append(Log(f'coming to rest: {goal.failure}', is_error=True))
            self._end_motion(goal.failure, ErrorCode.PATH_TOLERANCE_VIOLATED)

    def _check_ahead(self) -> None:
        """Check samples of goals that wait; a path is not run on before all of it is checked."""
        budget = CHECKS_PER_TICK
        for goal in self._queue:
            while not goal.is_checked and budget > 0:
                before = goal.checked_to
                violation = goal.check(self._check, CHECKS_PER_TICK // 2)
                checked = (goal.checked_to - before) / self._settings.sample_period
                budget -= round(checked) + CHECK_OVERHEAD
                if violation:
                    self._actions.append(Log(f'goal aborted: {violation}', is_error=True))
                    followers = self._queue.cut(goal)[1:]
                    self._finish(goal.goal_id, Outcome.ABORTED, ErrorCode.INVALID_GOAL, violation)
                    self._abort(followers, f'the goal before it was aborted: {violation}')
                    return

    # --- running

    def _obstacle(self) -> str:
        """Why the motion in progress takes no successor, '' if it does or there is none."""
        run = self._run
        if run is not None and run.ending:
            return 'the arm is coming to rest after a cancel: send it when it has stopped'
        if run is not None and run.closed and not run.stretch.ends_at_rest:
            return 'too late: the queue ended in motion and has been brought to rest'
        return ''

    def _begin(self, now: float, stamp_now: float) -> None:
        """Begin a motion when there is a path, and everything is as it was when it was accepted."""
        stretch = self._queue.stretch(stamp_now)
        ack, report = self._link.ack, self._link.report
        if stretch is None or ack is None or report is None:
            return
        begin = stretch.evaluate(np.array([stretch.start]))[0][0]
        apart = np.abs(begin - report.position)
        joint, limit = int(apart.argmax()), self._settings.start_tolerance
        if self._link.fault:
            self._abort_all(self._link.fault_text)
        elif silence := self._link.silence(now):
            self._abort_all(silence)
        elif not report.is_idle:
            self._abort_all(f'{report.why_not_idle}, not by this executor')
        elif apart[joint] > limit:
            self._abort_all(
                f'{self._settings.joint_names[joint]} has moved: it is {apart[joint]:.4f} rad from '
                f'the start of the path; limit {limit:g}'
            )
        elif report.paused or self._speed == 0.0:
            return
        elif not self._waits_for_more(stretch, now):
            self._motions += 1
            self._run = Run(self._settings, stretch, ack, self._motions, self._speed)
            self._waiting_since = None

    def _waits_for_more(self, stretch: Stretch, now: float) -> bool:
        """Whether to stay at rest for a moment, since a short path that ends in motion has just
        arrived, and the goals that continue it are probably on their way.
        """
        short = stretch.end - stretch.start < self._settings.committed_depth
        if stretch.ends_at_rest or not short:
            return False
        if self._waiting_since is None:
            self._waiting_since = now
        return now - self._waiting_since < self._settings.start_patience

    def _feed(self, run: Run, now: float, stamp_now: float) -> None:
        """Run on along goals that have been checked since, and send points."""
        stretch = self._queue.stretch(stamp_now)
        if stretch is not None:
            run.extend(stretch)
        run.limit_rate(self._speed)
        self._send(run, now)

    def _feed_stream(self, stream: StreamRun, now: float) -> None:
        """Send what follows from the last window, and end when the arm rests after a silence."""
        self._send(stream, now)
        report = self._link.report
        if self._stream is None or report is None:
            return
        error = stream.arrival(report)
        if error is not None:
            self._stream = None
            self._link.rests_at(None if error else stream.last_position)
            why = stream.ending or 'the stream fell silent'
            self._actions.append(Log(f'the stream has ended at rest: {why}'))
            if stream.held_back:
                self._actions.append(Log(f'it was held back, or {stream.held_back}', True))
            if error:
                self._actions.append(Log(f'but the arm is not where it should be: {error}', True))

    def _send(self, motion: Run | StreamRun, now: float) -> None:
        try:
            for chunk in motion.chunks(now):
                self._actions.append(PublishChunk(chunk))
        except UnsafeSample as error:
            self._stop(f'FAULT: the last check before sending failed: {error}', now)

    def _drop_before_it_runs(self, run: Run, goal: QueuedGoal) -> bool:
        """Cut a goal off that has not been sent, if the arm can still rest before it."""
        before = self._queue.stretch(np.inf, before=goal) if goal.start > run.place else None
        if before is None or not run.shorten(before):
            return False
        self._discard_from(goal, _CANCELED_BEFORE)
        return True

    def _stop(
        self, why: str, now: float, *, cause: str | None = None, unacknowledged: bool = False
    ) -> None:
        if not self._link.stop_is_pending:
            self._link.stop_asked(now, why if cause is None else cause)
            self._actions.append(StopHardware(why, unacknowledged))
        self._stream_gate.shut()
        self._abort_all(why)

    # --- results

    def _finish_passed(self, run: Run) -> None:
        """Goals that the arm has run through, into the next one, have succeeded."""
        executed = run.executed().place
        for goal in self._queue:
            rests_here = run.closed and goal.end >= run.place - SAME_TIME
            if goal.end > executed or rests_here or goal.cancelled or goal.failure:
                return
            self._queue.pop()
            self._finish(goal.goal_id, Outcome.SUCCEEDED)

    def _finish_at_rest(self, run: Run) -> None:
        """End a motion whose frames are done, once the arm has been still for the dwell time."""
        report = self._link.report
        if report is None or not run.is_executed:
            return
        last = self._queue.goal_at(run.place - SAME_TIME)
        rests_at_its_end = last is not None and last.end <= run.place + SAME_TIME
        error = run.arrival(report, last.goal if last and rests_at_its_end else None)
        if error is None:
            return
        self._run = None
        self._link.rests_at(None if error else run.last_position)
        for goal in self._queue:
            if goal.start >= run.place - SAME_TIME and not self._ends_the_queue(run):
                return  # of the next motion
            self._queue.pop()
            self._finish_of(goal, run, error)

    @staticmethod
    def _ends_the_queue(run: Run) -> bool:
        """Whether nothing that was queued behind the rest of a motion can begin there."""
        return bool(run.ending) or not run.stretch.ends_at_rest

    def _finish_of(self, goal: QueuedGoal, run: Run, error: str) -> None:
        """Result of a goal of a motion that is over; `error` if it missed its target."""
        braked = not run.stretch.ends_at_rest and goal.end >= run.stretch.end - SAME_TIME
        if goal.failure:
            violated = ErrorCode.PATH_TOLERANCE_VIOLATED
            self._finish(goal.goal_id, Outcome.ABORTED, violated, goal.failure)
        elif goal.cancelled:
            self._finish(goal.goal_id, Outcome.CANCELED, text='at rest on the path')
        elif error and goal.end >= run.place - SAME_TIME:
            self._finish(goal.goal_id, Outcome.ABORTED, ErrorCode.GOAL_TOLERANCE_VIOLATED, error)
        elif goal.end <= run.place + SAME_TIME and not braked:
            self._finish(goal.goal_id, Outcome.SUCCEEDED)
        elif run.ending:
            self._abort([goal], run.ending)
        else:
            self._abort([goal], _STARVED, ErrorCode.GOAL_TOLERANCE_VIOLATED)

    def _discard_from(self, first: QueuedGoal, why: str) -> None:
        """Take a goal and its followers out of the queue, none of which has been sent."""
        for goal in self._queue.cut(first):
            if goal.cancelled:
                self._finish(goal.goal_id, Outcome.CANCELED, text='before it began')
            else:
                self._abort([goal], why)

    def _abort_all(self, why: str, code: ErrorCode = ErrorCode.INVALID_GOAL) -> None:
        """Abort every goal and forget the motion: what follows is not on our path."""
        while self._queue:
            self._abort([self._queue.pop()], why, code)
        if self._successor is not None:
            self._finish(self._successor[0], Outcome.ABORTED, code, why)
        if self.moves:
            self._link.rests_at(None)
            self._stream_gate.shut()
        self._run = self._stream = self._successor = self._waiting_since = None

    def _abort(
        self, goals: list[QueuedGoal], why: str, code: ErrorCode = ErrorCode.INVALID_GOAL
    ) -> None:
        for goal in goals:
            self._finish(goal.goal_id, Outcome.ABORTED, code, why)

    def _finish(
        self,
        goal_id: GoalId,
        outcome: Outcome,
        code: ErrorCode = ErrorCode.SUCCESSFUL,
        text: str = '',
    ) -> None:
        self._actions.append(FinishGoal(goal_id, outcome, code, text))


def _outside(value: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far values (joints,) are outside the interval between two others."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    outside: np.ndarray = np.maximum(0.0, np.maximum(low - value, value - high))
    return outside

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
from elfin_bt.execution.goal import ErrorCode, Goal, GoalError, GoalRequest
from elfin_bt.execution.goal_queue import GoalId, GoalQueue, QueuedGoal, Stretch
from elfin_bt.execution.hardware_link import HardwareLink
from elfin_bt.execution.intake import Intake
from elfin_bt.execution.joint_path import SAME_TIME
from elfin_bt.execution.run import Run, UnsafeSample
from elfin_bt.execution.settings import ExecutorSettings

CHECKS_PER_TICK = 2000
"""Samples checked ahead in one tick; bounds the time that a tick takes."""

_STARVED = (
    'the trajectory ends in motion and no goal that continues it came in time: the arm was brought '
    'to rest on the path'
)
_CANCELED_BEFORE = 'the goal before it was canceled'


class ExecutorCore:
    """All that the executor decides. `now` is a steady time in s, passed in with each event."""

    def __init__(self, settings: ExecutorSettings) -> None:
        self._settings = settings
        self._check = settings.sample_check()
        self._link = HardwareLink(settings.hardware_timeout)
        self._queue = GoalQueue(spacing=settings.sample_period)
        self._intake = Intake(settings, self._link, self._queue)
        self._actions: list[Action] = []
        self._lease_time: float | None = None
        self._motions = 0  # begun so far
        self._run: Run | None = None
        self._waiting_since: float | None = None  # for more path, before a motion begins

    # --- goals

    def read(self, request: GoalRequest, now: float, stamp_now: float) -> Goal:
        """Check a goal without taking it.

        stamp_now: the time that header stamps are compared with, s.

        Raises:
            GoalError: it can't be executed, now or at all.
        """
        return self._intake.read(request, now, stamp_now, self._obstacle())

    def accept(self, goal_id: GoalId, goal: Goal, now: float) -> None:
        """Queue a goal that `read` returned; if it can't be any more, it is aborted."""
        try:
            path = self._intake.take(goal, now, self._obstacle())
        except GoalError as error:
            self._finish(goal_id, Outcome.ABORTED, error.code, str(error))
        else:
            self._queue.append(goal_id, goal, path)

    def cancel(self, goal_id: GoalId) -> None:
        """Come to rest on the path; the goal is canceled there, later ones are aborted."""
        goal, run = self._queue.find(goal_id), self._run
        if goal is None:
            return
        goal.cancelled = True
        if run is None or (run.closed and goal.start >= run.place - SAME_TIME):
            self._discard_from(goal, _CANCELED_BEFORE)
        elif not run.closed and not self._drop_before_it_runs(run, goal):
            run.come_to_rest(_CANCELED_BEFORE)

    # --- other events

    def activate(self) -> None:
        """Take goals from now on."""
        self._intake.closed = ''

    def deactivate(self, now: float) -> None:
        """Take no more goals; a motion is stopped by the firmware, on its path, and latched."""
        self._intake.closed = 'the executor is not active: activate it first'
        why = 'the executor was deactivated'
        if self._run is not None:
            self._stop(why, now)
        else:
            self._abort_all(why)

    def stop(self, now: float) -> None:
        """A person's stop: the firmware stops on the path, all goals are aborted."""
        self._stop(Fault.STOP_REQUESTED.abort_text, now)

    def hear_ack(self, ack: Ack, now: float) -> None:
        """An acknowledgement of the hardware node."""
        self._link.hear_ack(ack, now)
        self._motions = max(self._motions, ack.motion)
        if ack.fault:
            self._abort_all(Fault.from_number(ack.fault).abort_text)
        elif self._run is not None and ack.epoch != self._run.epoch:
            self._abort_all('the hardware node was restarted or reset during the motion')
        elif self._run is not None:
            self._run.acknowledge(ack)

    def hear_device(self, report: DeviceReport, now: float) -> None:
        """A report of the device."""
        self._link.hear_report(report, now)

    def hear_lease(self, now: float) -> None:
        """A sign of life of the client that owns the motion."""
        self._lease_time = now

    def tick(self, now: float) -> None:
        """Let time pass: watch, check ahead, begin, send, finish."""
        self._watch(now)
        self._check_ahead()
        if self._run is None:
            self._begin(now)
        if self._run is not None and not self._run.closed:
            self._feed(self._run, now)
        if self._run is not None:
            self._finish_passed(self._run)
            self._finish_at_rest(self._run)

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
        return len(self._queue)

    def progress(self) -> Progress | None:
        """Where the arm is and should be; None before the hardware has been heard."""
        report = self._link.report
        rest = self._link.rest_position(self._settings.start_tolerance)
        if report is None or rest is None or self._link.ack is None:
            return None
        if self._run is None:
            still = np.zeros_like(rest)
            return Progress(None, 0.0, rest, still, report.position, report.velocity, 1.0)
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

    # --- watching

    def _watch(self, now: float) -> None:
        if self._link.stop_is_due_again(now):
            self._link.stop_asked(now)
            self._actions.append(StopHardware('the stop has not been confirmed'))
        if self._run is not None:
            ack_age = self._link.ack_age(now)
            silence = self._link.silence(now) or self._run.lost_chunk(now, ack_age)
            if silence:
                self._stop(f'FAULT: {silence}', now)
        self._watch_lease(now)

    def _watch_lease(self, now: float) -> None:
        """A lease that was seen and falls silent brings the arm to rest; then it is forgotten."""
        timeout, run = self._settings.lease_timeout, self._run
        if self._lease_time is None or now - self._lease_time <= timeout:
            return
        self._lease_time = None
        if not self._queue:
            return
        why = f'the lease was silent for more than {timeout:g} s'
        self._actions.append(Log(f'coming to rest: {why}', is_error=True))
        if run is not None and not run.closed:
            run.come_to_rest(why)
            return
        # What has been sent to its end comes to rest there; the goals behind it do not begin.
        for goal in self._queue:
            if run is None or goal.start >= run.place - SAME_TIME:
                self._discard_from(goal, why)
                return

    def _check_ahead(self) -> None:
        """Check samples of goals that wait; a path is not run on before all of it is checked."""
        budget = CHECKS_PER_TICK
        for goal in self._queue:
            while not goal.is_checked and budget > 0:
                budget -= CHECKS_PER_TICK // 2
                violation = goal.check(self._check, CHECKS_PER_TICK // 2)
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

    def _begin(self, now: float) -> None:
        """Begin a motion when there is a path, and everything is as it was when it was accepted."""
        stretch, ack, report = self._queue.stretch(), self._link.ack, self._link.report
        if stretch is None or ack is None or report is None:
            return
        begin = stretch.evaluate(np.array([stretch.start]))[0][0]
        apart = np.abs(begin - report.position)
        joint, limit = int(apart.argmax()), self._settings.start_tolerance
        if self._link.fault:
            self._abort_all(self._link.fault.abort_text)
        elif silence := self._link.silence(now):
            self._abort_all(silence)
        elif not report.is_idle:
            self._abort_all(f'{report.why_not_idle}, not by this executor')
        elif apart[joint] > limit:
            self._abort_all(
                f'{self._settings.joint_names[joint]} has moved: it is {apart[joint]:.4f} rad from '
                f'the start of the path; limit {limit:g}'
            )
        elif not self._waits_for_more(stretch, now):
            self._motions += 1
            self._run = Run(self._settings, stretch, ack, self._motions)
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

    def _feed(self, run: Run, now: float) -> None:
        """Run on along goals that have been checked since, and send points."""
        stretch = self._queue.stretch()
        if stretch is not None:
            run.extend(stretch)
        try:
            for chunk in run.chunks(now):
                self._actions.append(PublishChunk(chunk))
        except UnsafeSample as error:
            self._stop(f'FAULT: the last check before sending failed: {error}', now)

    def _drop_before_it_runs(self, run: Run, goal: QueuedGoal) -> bool:
        """Cut a goal off that has not been sent, if the arm can still rest before it."""
        before = self._queue.stretch(before=goal) if goal.start > run.place else None
        if before is None or not run.shorten(before):
            return False
        self._discard_from(goal, _CANCELED_BEFORE)
        return True

    def _stop(self, why: str, now: float) -> None:
        self._link.stop_asked(now)
        self._actions.append(StopHardware(why))
        self._abort_all(why)

    # --- results

    def _finish_passed(self, run: Run) -> None:
        """Goals that the arm has run through, into the next one, have succeeded."""
        executed = run.executed().place
        for goal in self._queue:
            rests_here = run.closed and goal.end >= run.place - SAME_TIME
            if goal.end > executed or rests_here or goal.cancelled:
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
        if goal.cancelled:
            self._finish(goal.goal_id, Outcome.CANCELED, text='at rest on the path')
        elif error and goal.end >= run.place - SAME_TIME:
            self._finish(goal.goal_id, Outcome.ABORTED, ErrorCode.GOAL_TOLERANCE_VIOLATED, error)
        elif goal.end <= run.place + SAME_TIME and not braked:
            self._finish(goal.goal_id, Outcome.SUCCEEDED)
        else:
            self._abort([goal], run.ending or _STARVED)

    def _discard_from(self, first: QueuedGoal, why: str) -> None:
        """Take a goal and its followers out of the queue, none of which has been sent."""
        for goal in self._queue.cut(first):
            if goal.cancelled:
                self._finish(goal.goal_id, Outcome.CANCELED, text='before it began')
            else:
                self._abort([goal], why)

    def _abort_all(self, why: str) -> None:
        """Abort every goal and forget the motion: what follows is not on our path."""
        while self._queue:
            self._abort([self._queue.pop()], why)
        if self._run is not None:
            self._link.rests_at(None)
        self._run, self._waiting_since = None, None

    def _abort(self, goals: list[QueuedGoal], why: str) -> None:
        for goal in goals:
            self._finish(goal.goal_id, Outcome.ABORTED, ErrorCode.INVALID_GOAL, why)

    def _finish(
        self,
        goal_id: GoalId,
        outcome: Outcome,
        code: ErrorCode = ErrorCode.SUCCESSFUL,
        text: str = '',
    ) -> None:
        self._actions.append(FinishGoal(goal_id, outcome, code, text))

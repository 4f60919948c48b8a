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
from numpy.typing import NDArray

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
from elfin_bt.execution.clock import TrajectoryClock
from elfin_bt.execution.faults import Fault
from elfin_bt.execution.goal import ErrorCode, Goal, GoalError, GoalRequest, read_goal
from elfin_bt.execution.goal_queue import GoalId, GoalQueue, QueuedGoal, Stretch
from elfin_bt.execution.hardware_link import HardwareLink
from elfin_bt.execution.joint_path import SAME_TIME
from elfin_bt.execution.motion import Motion
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.execution.splice import entered_path, splice_error
from elfin_bt.execution.stillness import Stillness

Array = NDArray[np.float64]

CHECKS_PER_TICK = 2000
"""Samples checked ahead in one tick; bounds the time that a tick takes."""

RELUCTANT_POINTS = 16
"""Points sent at once when a successor may still change what follows."""


class ExecutorCore:
    """All that the executor decides. `now` is a steady time in s, passed in with each event."""

    def __init__(self, settings: ExecutorSettings) -> None:
        self._settings = settings
        self._check = settings.sample_check()
        self._goal_limits = settings.goal_limits()
        self._link = HardwareLink(settings.hardware_timeout)
        self._queue = GoalQueue(spacing=settings.sample_period)
        self._actions: list[Action] = []
        self._active = False
        self._lease_time: float | None = None
        self._motions = 0
        # Where the last motion ended, if nothing has moved the arm since.
        self._resting_at: Array | None = None
        self._motion: Motion | None = None
        self._stretch: Stretch | None = None  # what the motion runs along
        self._stillness: Stillness | None = None
        self._ending = ''  # why the motion is being brought to rest
        self._waiting_since: float | None = None  # for more path

    # --- goals

    def read(self, request: GoalRequest, now: float, stamp_now: float) -> Goal:
        """Check a goal without taking it.

        stamp_now: the time that header stamps are compared with, s.

        Raises:
            GoalError: it can't be executed, now or at all.
        """
        self._refuse_if_not_ready(now)
        goal = read_goal(request, self._goal_limits, stamp_now)
        self._refuse_if_apart(goal)
        return goal

    def accept(self, goal_id: GoalId, goal: Goal, now: float) -> None:
        """Queue a goal that `read` returned; if it can't be any more, it is aborted."""
        try:
            self._refuse_if_not_ready(now)
            self._refuse_if_apart(goal)
        except GoalError as error:
            self._finish(goal_id, Outcome.ABORTED, error.code, str(error))
            return
        position, velocity = self._end_state()
        path = entered_path(goal.waypoints, position, velocity, self._settings.limits.acceleration)
        self._queue.append(goal_id, goal, path)

    def cancel(self, goal_id: GoalId) -> None:
        """Come to rest on the path; the goal is canceled there, later ones are aborted."""
        goal = self._queue.find(goal_id)
        if goal is None:
            return
        goal.cancelled = True
        if self._ending:
            return
        motion = self._motion
        if motion is None or (motion.closed and goal.start >= motion.clock.place - SAME_TIME):
            self._discard_from(goal, 'the goal before it was canceled')
        elif not motion.closed and not self._drop_before_it_runs(motion, goal):
            self._come_to_rest('the goal before it was canceled')

    # --- other events

    def activate(self) -> None:
        """Take goals from now on."""
        self._active = True

    def deactivate(self, now: float) -> None:
        """Take no more goals; a motion is stopped by the firmware, on its path, and latched."""
        self._active = False
        if self._motion is not None:
            self._stop('the executor was deactivated', now)
        else:
            self._abort_all('the executor was deactivated')

    def stop(self, now: float) -> None:
        """A person's stop: the firmware stops on the path, all goals are aborted."""
        self._stop(Fault.STOP_REQUESTED.abort_text, now)

    def hear_ack(self, ack: Ack, now: float) -> None:
        """An acknowledgement of the hardware node."""
        self._link.hear_ack(ack, now)
        self._motions = max(self._motions, ack.motion)
        if ack.fault:
            self._abort_all(Fault.from_number(ack.fault).abort_text)
            self._resting_at = None
        elif self._motion is not None and ack.epoch != self._motion.epoch:
            self._abort_all('the hardware node was restarted or reset during the motion')
        elif self._motion is not None:
            self._motion.acknowledge(ack)

    def hear_device(self, report: DeviceReport, now: float) -> None:
        """A report of the device."""
        self._link.hear_report(report, now)

    def hear_lease(self, now: float) -> None:
        """A sign of life of the client that owns the motion."""
        self._lease_time = now

    def tick(self, now: float) -> None:
        """Let time pass: watch, check ahead, send, finish."""
        self._watch(now)
        self._check_ahead()
        if self._motion is None:
            self._open(now)
        if self._motion is not None and not self._motion.closed:
            self._extend(self._motion)
            self._feed(self._motion, now)
        if self._motion is not None:
            self._finish_passed(self._motion)
            self._finish_at_rest(self._motion)

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
        """Where the arm is and should be; None before the first device report."""
        report = self._link.report
        if report is None:
            return None
        if self._motion is None:
            rest, still = self._resting_state(report)
            return Progress(None, 0.0, rest, still, report.position, report.velocity, 1.0)
        executed = self._motion.executed()
        goal = self._queue.goal_at(executed.place)
        return Progress(
            goal_id=goal.goal_id if goal else None,
            goal_time=executed.place - goal.start if goal else 0.0,
            desired_position=executed.position,
            desired_velocity=executed.velocity,
            position=report.position,
            velocity=report.velocity,
            rate=self._motion.clock.rate,
        )

    # --- intake

    def _refuse_if_not_ready(self, now: float) -> None:
        if not self._active:
            raise GoalError('the executor is not active: activate it first')
        if self._link.fault:
            raise GoalError(f'refused while latched: {self._link.fault.abort_text}')
        silence = self._link.silence(now)
        if silence:
            raise GoalError(silence)
        report = self._link.report
        if not self._queue and report is not None and not report.is_idle:
            raise GoalError(
                f'the device is in state {report.state} with {report.frames} frames loaded, which '
                'are not of this executor: wait until it is IDLE'
            )
        if self._ending:
            raise GoalError('the arm is coming to rest after a cancel: send it when it has stopped')
        if len(self._queue) >= self._settings.queue_size:
            raise GoalError(f'{len(self._queue)} goals are queued, which is the limit')
        if self._motion is not None and self._motion.closed and self._ends_moving():
            raise GoalError('too late: the queue ended in motion and has been brought to rest')

    def _refuse_if_apart(self, goal: Goal) -> None:
        """A first point at time 0 says where the arm is: at rest there, or at the queue's end."""
        if goal.waypoints.time[0] > 0.0:
            return
        settings, waypoints = self._settings, goal.waypoints
        position, velocity = self._end_state()
        if self._queue:
            tolerance, what, rejected = settings.seam_position_tolerance, 'end of the queue', True
        else:
            tolerance, what, rejected = settings.start_tolerance, 'arm', False
        error = splice_error(
            waypoints, position, velocity, tolerance, settings.seam_velocity_tolerance
        )
        if error is not None:
            joint, text = error
            busy = 'busy, and the goal does not continue the queue: ' if self._queue else ''
            raise GoalError(
                f'{busy}{text} of {settings.joint_names[joint]} at the first point '
                f'differs from the {what}; start there, or leave out the point at time 0',
                rejected=rejected,
            )

    def _end_state(self) -> tuple[Array, Array]:
        """Position and velocity that the next goal continues from."""
        last = self._queue.last
        if last is not None:
            return last.end_state()
        report = self._link.report
        assert report is not None
        return self._resting_state(report)

    def _resting_state(self, report: DeviceReport) -> tuple[Array, Array]:
        """The commanded position, where it is known and believable, else the reported one."""
        commanded = self._resting_at
        if commanded is None or (
            np.abs(commanded - report.position).max() > self._settings.start_tolerance
        ):
            commanded = report.position
        return commanded, np.zeros_like(commanded)

    # --- coming to rest

    def _ends_moving(self) -> bool:
        return self._stretch is not None and not self._stretch.ends_at_rest

    def _drop_before_it_runs(self, motion: Motion, goal: QueuedGoal) -> bool:
        """Cut a goal off that has not been sent, if the arm can still rest before it."""
        if goal.start <= motion.clock.place:
            return False
        rest = self._queue.stretch(before=goal)
        if rest is None or not motion.clock.run(rest):
            return False
        self._stretch = rest
        self._discard_from(goal, 'the goal before it was canceled')
        return True

    def _come_to_rest(self, why: str) -> None:
        motion = self._motion
        if motion is None:
            self._abort_all(why)
        elif motion.closed:
            for goal in self._queue:
                if goal.start >= motion.clock.place - SAME_TIME:
                    self._discard_from(goal, why)
                    break
        elif not self._ending:
            assert self._stretch is not None
            self._ending = why
            motion.clock.come_to_rest(self._stretch)

    def _stop(self, why: str, now: float) -> None:
        self._link.stop_asked(now)
        self._actions.append(StopHardware(why))
        self._abort_all(why)

    def _watch(self, now: float) -> None:
        settings = self._settings
        if self._link.stop_is_due_again(now):
            self._link.stop_asked(now)
            self._actions.append(StopHardware('the stop has not been confirmed'))
        if self._motion is not None:
            silence = self._link.silence(now) or self._lost_chunk(self._motion, now)
            if silence:
                self._stop(f'FAULT: {silence}', now)
        if self._lease_time is not None and now - self._lease_time > settings.lease_timeout:
            self._lease_time = None
            if self._queue:
                why = f'the lease was silent for more than {settings.lease_timeout:g} s'
                self._actions.append(Log(f'coming to rest: {why}', is_error=True))
                self._come_to_rest(why)

    def _lost_chunk(self, motion: Motion, now: float) -> str | None:
        """What to say of a chunk that has waited too long for its acknowledgement."""
        since, limit = motion.unacknowledged_since(), self._settings.ack_timeout
        if since is None or now - since <= limit:
            return None
        waited = f'a chunk waits {now - since:.3f} s for its acknowledgement, limit {limit:g}'
        if self._link.ack_age(now) >= now - since:
            return f'hardware not answering: {waited}'
        return f'{Fault.CHUNK_LOST.name}: {waited}: {Fault.CHUNK_LOST.text}'

    # --- running

    def _check_ahead(self) -> None:
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

    def _open(self, now: float) -> None:
        """Begin a motion when there is a path and the device is idle."""
        stretch = self._queue.stretch()
        ack, report = self._link.ack, self._link.report
        if stretch is None or ack is None or report is None or not report.is_idle:
            return
        if self._link.fault or self._link.silence(now):
            self._abort_all(self._link.silence(now) or self._link.fault.abort_text)
            return
        if self._waits_for_more(stretch, now):
            return
        begin = stretch.evaluate(np.array([stretch.start]))[0][0]
        apart = np.abs(begin - report.position)
        if apart.max() > self._settings.start_tolerance:
            joint = int(apart.argmax())
            self._abort_all(
                f'{self._settings.joint_names[joint]} is {apart[joint]:.4f} rad from the start '
                f'of the path; limit {self._settings.start_tolerance:g}'
            )
            return
        clock = TrajectoryClock(
            stretch.start, self._settings.limits.acceleration, self._settings.sample_period
        )
        clock.run(stretch)
        self._motions += 1
        self._motion = Motion(
            epoch=ack.epoch,
            number=self._motions,
            free_frames=ack.free_frames,
            start=stretch.start,
            position=begin,
            clock=clock,
        )
        self._stretch, self._stillness, self._ending = stretch, None, ''
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

    def _extend(self, motion: Motion) -> None:
        """Run on along goals that have been checked since."""
        stretch = self._queue.stretch()
        if stretch is None or self._stretch is None or self._ending:
            return
        if stretch.end > self._stretch.end and motion.clock.run(stretch):
            self._stretch, self._waiting_since = stretch, None

    def _feed(self, motion: Motion, now: float) -> None:
        """Send points up to the committed depth."""
        settings = self._settings
        committed = round(settings.committed_depth / settings.sample_period)
        low_water = round(settings.low_water / settings.sample_period)
        while not motion.closed:
            whole = settings.chunk_points
            count = min(whole, motion.room, committed - motion.depth)
            uncontested = motion.clock.uncontested
            if count < whole and motion.depth >= low_water:
                return
            if uncontested < min(count, motion.clock.remaining):
                # What follows changes if a successor comes: wait for it as long as it can be.
                if motion.depth >= low_water or self._holds_for_successor(motion, low_water, now):
                    return
                count = min(count, max(uncontested, RELUCTANT_POINTS))
            if count <= 0 or not self._send(motion, count, now):
                return

    def _holds_for_successor(self, motion: Motion, low_water: int, now: float) -> bool:
        """Whether to wait with the braking, because the device's time stands still meanwhile."""
        if not self._ends_moving() or motion.sent < low_water:
            return False
        if self._waiting_since is None:
            self._waiting_since = now
        return now - self._waiting_since < self._settings.successor_patience

    def _send(self, motion: Motion, count: int, now: float) -> bool:
        """Send the next `count` points; False when they must not be sent."""
        assert self._stretch is not None
        samples = motion.clock.take(count)
        position, velocity = self._stretch.evaluate(samples.place)
        velocity *= samples.rate[:, None]
        violation = self._check.violation(
            np.concatenate((motion.last_position[None], position)),
            np.concatenate((motion.last_velocity[None], velocity)),
        )
        if violation:
            self._stop(f'FAULT: the last check before sending failed: {violation}', now)
            return False
        chunk = motion.chunk(samples, position, velocity, self._settings.sample_period, now)
        self._actions.append(PublishChunk(chunk))
        return True

    # --- results

    def _finish_passed(self, motion: Motion) -> None:
        """Goals that the arm has run through, into the next one, have succeeded."""
        executed = motion.executed().place
        for goal in self._queue:
            rests_here = motion.closed and goal.end >= motion.clock.place - SAME_TIME
            if goal.end > executed or rests_here or goal.cancelled:
                return
            self._queue.pop()
            self._finish(goal.goal_id, Outcome.SUCCEEDED)

    def _finish_at_rest(self, motion: Motion) -> None:
        """End a motion whose frames are done, once the arm has been still for the dwell time."""
        report = self._link.report
        if not motion.is_executed or report is None or not report.is_idle:
            return
        if self._stillness is None:
            self._stillness = self._expected_stillness(motion)
        verdict = self._stillness.observe(report)
        if verdict is None:
            return
        self._close_books(motion, error=verdict)

    def _expected_stillness(self, motion: Motion) -> Stillness:
        """Tolerances of the goal at whose end the arm rests; the defaults elsewhere."""
        goal = self._queue.goal_at(motion.clock.place - SAME_TIME)
        limits = self._goal_limits
        joints = len(limits.joint_names)
        if goal is None or goal.end > motion.clock.place + SAME_TIME:
            position, velocity = np.full(joints, np.inf), np.full(joints, limits.goal_velocity)
            time = limits.goal_time
        else:
            position = goal.goal.position_tolerance
            velocity = goal.goal.velocity_tolerance
            time = goal.goal.time_tolerance
        return Stillness(
            joint_names=limits.joint_names,
            target=motion.last_position,
            position_tolerance=position,
            velocity_tolerance=velocity,
            time_tolerance=time,
            dwell=self._settings.dwell,
        )

    def _close_books(self, motion: Motion, error: str) -> None:
        """Give results to the goals of a motion that is over; `error` if it missed its target."""
        place, ended_moving, ending = motion.clock.place, self._ends_moving(), self._ending
        self._motion, self._stretch, self._ending = None, None, ''
        self._resting_at = None if error else motion.last_position
        for goal in self._queue:
            reached = goal.end <= place + SAME_TIME
            starved = ended_moving and goal is self._queue.last
            if not reached and goal.start >= place - SAME_TIME and not (ending or ended_moving):
                break  # of the next motion
            self._queue.pop()
            if goal.cancelled:
                self._finish(goal.goal_id, Outcome.CANCELED, text='at rest on the path')
            elif error and goal.end >= place - SAME_TIME:
                self._finish(
                    goal.goal_id, Outcome.ABORTED, ErrorCode.GOAL_TOLERANCE_VIOLATED, error
                )
            elif reached and not starved:
                self._finish(goal.goal_id, Outcome.SUCCEEDED)
            else:
                self._abort([goal], ending or _STARVED)

    def _discard_from(self, first: QueuedGoal, why: str) -> None:
        """Take a goal and its followers out of the queue, none of which has been sent."""
        for goal in self._queue.cut(first):
            if goal.cancelled:
                self._finish(goal.goal_id, Outcome.CANCELED, text='before it began')
            else:
                self._abort([goal], why)

    def _abort_all(self, why: str) -> None:
        """Abort every goal and forget the motion: what follows is not on our path."""
        goals = list(self._queue)
        for _ in goals:
            self._queue.pop()
        self._abort(goals, why)
        if self._motion is not None:
            self._resting_at = None
        self._motion, self._stretch, self._ending = None, None, ''
        self._waiting_since = None

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


_STARVED = (
    'the trajectory ends in motion and no goal that continues it came in time: the arm was brought '
    'to rest on the path'
)

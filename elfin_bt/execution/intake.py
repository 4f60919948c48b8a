# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which goals are taken, as things stand: the state of arm, queue and hardware node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.goal import AT_REST, STAMP_SLACK, Goal, GoalRequest, read_goal
from elfin_bt.execution.goal_queue import GoalQueue
from elfin_bt.execution.hardware_link import HardwareLink
from elfin_bt.execution.points import GoalError
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.execution.splice import Entry, entered_path, splice_error

Array = NDArray[np.float64]


class Intake:
    """Reads goals for a queue.

    Attributes:
        closed: why no goal is taken at all, '' while goals are.
    """

    def __init__(self, settings: ExecutorSettings, link: HardwareLink, queue: GoalQueue) -> None:
        self._settings = settings
        self._limits = settings.goal_limits()
        self._link = link
        self._queue = queue
        self.closed = 'the executor is not active: activate it first'

    def form(self, request: GoalRequest, stamp_now: float) -> Goal:
        """Check what a goal is in itself. Needs nothing of the state: any thread may call it.

        stamp_now: the time that header stamps are compared with, s.

        Raises:
            GoalError: it can't be executed at all.
        """
        return read_goal(request, self._limits, stamp_now)

    def refuse_if_not_ready(self, now: float, *, owned: bool) -> None:
        """Refuse what would move the arm while it must not or can't be moved.

        owned: whether what moves it now, if anything, is ours.

        Raises:
            GoalError: why.
        """
        if self.closed:
            raise GoalError(self.closed)
        if self._link.fault:
            raise GoalError(f'refused while latched: {self._link.fault_text}')
        silence = self._link.silence(now)
        if silence:
            raise GoalError(silence)
        report = self._link.report
        if report is not None and not report.amps_enabled:
            raise GoalError('the amplifiers are off: enable them at the hardware node')
        if not owned and report is not None and not report.is_idle:
            if report.paused:
                raise GoalError(
                    "the device is paused in a motion that is not this executor's: call ~/stop, "
                    'then ~/reset_fault'
                )
            raise GoalError(f'{report.why_not_idle}, not by this executor: wait until it is IDLE')

    def refusal(
        self, goal: Goal, obstacle: str, stamp_now: float, travel: float
    ) -> GoalError | None:
        """Why a goal does not continue the queue, or begin where the arm rests.

        obstacle: why the motion in progress takes no successor, '' if it does.
        travel: path time, s, until the queue ends.
        """
        if obstacle:
            return GoalError(obstacle)
        if goal.waypoints.time[0] > 0.0 and self._queue and self._settings.preempt:
            return GoalError('it has no point at time 0, so it preempts')
        if goal.waypoints.time[0] == 0.0:
            apart = self._apart(goal)
            if apart is not None:
                return apart
        if goal.start_time is not None and self._continues_in_motion():
            early = goal.start_time - stamp_now - travel
            if early > STAMP_SLACK:
                return GoalError(
                    f'it continues a queue that ends in motion {early:.3f} s before its header '
                    'stamp, and the arm cannot wait there: send stamp 0',
                    rejected=False,
                )
        return None

    def refuse_if_full(self) -> None:
        """Refuse a goal that continues a queue which takes no more.

        Raises:
            GoalError: how many there are.
        """
        if len(self._queue) >= self._settings.queue_size:
            raise GoalError(f'{len(self._queue)} goals are queued, which is the limit')

    def take(self, goal: Goal) -> tuple[Goal, Entry]:
        """A goal that nothing is against, and its path from where the queue ends or the arm is."""
        if self._continues_in_motion():
            goal = replace(goal, start_time=None)
        position, velocity = self._end_state()
        settings = self._settings
        return goal, entered_path(
            goal.waypoints,
            position,
            velocity,
            settings.limits.acceleration,
            settings.blend_tolerance,
        )

    def _continues_in_motion(self) -> bool:
        last = self._queue.last
        return last is not None and bool(np.abs(last.end_state[1]).max() >= AT_REST)

    def _apart(self, goal: Goal) -> GoalError | None:
        """A first point at time 0 says where the arm is: at rest there, or at the queue's end."""
        settings = self._settings
        tolerance = settings.seam_position_tolerance if self._queue else settings.start_tolerance
        error = splice_error(
            goal.waypoints, *self._end_state(), tolerance, settings.seam_velocity_tolerance
        )
        if error is None:
            return None
        joint, text = error
        there = 'the end of the queue' if self._queue else 'the arm'
        busy = 'busy, and the goal does not continue the queue: ' if self._queue else ''
        return GoalError(
            f'{busy}{text} of {settings.joint_names[joint]} at the first point differs from '
            f'{there}; start there, or leave out the point at time 0',
            rejected=bool(self._queue),
        )

    def _end_state(self) -> tuple[Array, Array]:
        """Position and velocity that the next goal continues from."""
        last = self._queue.last
        if last is not None:
            return last.end_state
        position = self._link.rest_position(self._settings.start_tolerance)
        assert position is not None, 'nothing is taken before the first report'
        return position, np.zeros_like(position)

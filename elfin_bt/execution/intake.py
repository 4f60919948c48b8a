# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which goals are taken, as things stand: the state of arm, queue and hardware node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.goal import Goal, GoalError, GoalRequest, read_goal
from elfin_bt.execution.goal_queue import GoalQueue
from elfin_bt.execution.hardware_link import HardwareLink
from elfin_bt.execution.joint_path import JointPath
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.execution.splice import entered_path, splice_error

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

    def read(self, request: GoalRequest, now: float, stamp_now: float, obstacle: str) -> Goal:
        """Check a goal without taking it.

        stamp_now: the time that header stamps are compared with, s.
        obstacle: why the motion in progress takes no successor, '' if it does.

        Raises:
            GoalError: it can't be executed, now or at all.
        """
        self._refuse_if_not_ready(now, obstacle)
        goal = read_goal(request, self._limits, stamp_now)
        self._refuse_if_apart(goal)
        return goal

    def take(self, goal: Goal, now: float, obstacle: str) -> JointPath:
        """Path of a goal from where the queue ends, or the arm rests.

        Raises:
            GoalError: it can't be executed any more.
        """
        self._refuse_if_not_ready(now, obstacle)
        self._refuse_if_apart(goal)
        position, velocity = self._end_state()
        return entered_path(goal.waypoints, position, velocity, self._settings.limits.acceleration)

    def _refuse_if_not_ready(self, now: float, obstacle: str) -> None:
        if self.closed:
            raise GoalError(self.closed)
        if self._link.fault:
            raise GoalError(f'refused while latched: {self._link.fault.abort_text}')
        silence = self._link.silence(now)
        if silence:
            raise GoalError(silence)
        report = self._link.report
        if not self._queue and report is not None and not report.is_idle:
            raise GoalError(f'{report.why_not_idle}, not by this executor: wait until it is IDLE')
        if obstacle:
            raise GoalError(obstacle)
        if len(self._queue) >= self._settings.queue_size:
            raise GoalError(f'{len(self._queue)} goals are queued, which is the limit')

    def _refuse_if_apart(self, goal: Goal) -> None:
        """A first point at time 0 says where the arm is: at rest there, or at the queue's end."""
        if goal.waypoints.time[0] > 0.0:
            return
        settings = self._settings
        tolerance = settings.seam_position_tolerance if self._queue else settings.start_tolerance
        error = splice_error(
            goal.waypoints, *self._end_state(), tolerance, settings.seam_velocity_tolerance
        )
        if error is None:
            return
        joint, text = error
        there = 'the end of the queue' if self._queue else 'the arm'
        busy = 'busy, and the goal does not continue the queue: ' if self._queue else ''
        raise GoalError(
            f'{busy}{text} of {settings.joint_names[joint]} at the first point differs from '
            f'{there}; start there, or leave out the point at time 0',
            rejected=bool(self._queue),
        )

    def _end_state(self) -> tuple[Array, Array]:
        """Position and velocity that the next goal continues from."""
        last = self._queue.last
        if last is not None:
            return last.end_state()
        position = self._link.rest_position(self._settings.start_tolerance)
        assert position is not None, 'nothing is taken before the first report'
        return position, np.zeros_like(position)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Planning the way to the ready pose."""

from __future__ import annotations

from py_trees.common import Status

from elfin_bt.behaviours.leaf import Leaf

PATIENCE = 10.0


class PlanHome(Leaf):
    """Plans the motion from where the arm stands to the ready pose; nothing moves.

    * SUCCESS: the whole way is planned and waits in the ``home`` plan.
    * FAILURE: the way is refused, or the cell has not come up within 10 s; the job is given up.
    * RUNNING: planning, or the hardware or the executor has not been heard of yet.
    """

    def initialise(self) -> None:
        """Start anew: the arm may have been moved since the last time."""
        self._requested = False
        self._give_up_at = self.cell.clock() + PATIENCE

    def update(self) -> Status:
        """Ask once the pose is known, then wait for the answer."""
        planner, jobs = self.cell.planner, self.cell.jobs
        if not self._requested:
            return self._request()
        planner.collect()
        plan = planner.home
        if plan.refusal or plan.failure:
            jobs.give_up(plan.refusal or plan.failure)
            return Status.FAILURE
        return Status.SUCCESS if plan.complete else Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        """Take the request back when something more important came up."""
        if self.was_interrupted(new_status):
            self.cell.planner.cancel()

    def _request(self) -> Status:
        robot = self.cell.robot
        if robot.positions is not None and robot.executor_available and robot.at_rest:
            self.cell.planner.plan_home(robot.positions)
            self._requested = True
            return Status.RUNNING
        if self.cell.clock() < self._give_up_at:
            return self.explain(Status.RUNNING, 'waiting for the arm and the executor')
        missing = (
            'no joint states have come from the hardware node'
            if robot.positions is None
            else 'the arm does not come to rest'
            if robot.executor_available
            else 'the executor does not take goals'
        )
        self.cell.jobs.give_up(f'{missing} for {PATIENCE:g} s; see whether the nodes run')
        return Status.FAILURE

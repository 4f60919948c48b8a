# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Executing a plan piece by piece."""

from __future__ import annotations

from py_trees.common import Status
from py_trees.ports import PortInformation

from elfin_bt.behaviours.leaf import Leaf
from elfin_bt.behaviours.phase import Phase
from elfin_bt.behaviours.plan import PlanKind

KNOTS_PER_TICK = 200
"""Making goals takes about 3 us a knot, and a tick has to stay short. One piece always goes."""

STALL = 5.0
"""Seconds of standing still in the middle of a plan after which something is wrong."""


class ExecutePlan(Leaf):
    """Sends the pieces of a plan to the executor, a bounded time ahead, and waits for their end.

    * SUCCESS: the plan is complete and every piece has been executed; the arm is at rest.
    * FAILURE: the executor did not carry out a piece, or leaves the arm standing for 5 s with goals
      to carry out; the fault is latched.
    * RUNNING: the arm moves, or waits for the first piece.

    Interrupted, it has the executor come to rest on the path.
    """

    INPUT_PORTS = {
        'plan': PortInformation(data_type=PlanKind, description='which plan: home or drawing'),
        'phase': PortInformation(data_type=Phase, description='what the job is doing meanwhile'),
    }

    def initialise(self) -> None:
        """Forget goals of the past."""
        planner = self.cell.planner
        is_home = self.get_input('plan') is PlanKind.HOME
        self._plan = planner.home if is_home else planner.drawing
        self.cell.motion.clear()
        self._alive_at = self.cell.clock()
        self.cell.jobs.enter(self.get_input('phase'))

    def update(self) -> Status:
        """Keep the executor's queue filled."""
        motion = self.cell.motion
        failure = motion.failure or self._stall()
        if failure:
            self.cell.faults.latch('executor', failure)
            return Status.FAILURE
        self._send()
        if self._plan.exhausted and motion.idle:
            return Status.SUCCESS
        return self.explain(Status.RUNNING, f'{len(self._plan.pieces)} pieces planned ahead')

    def terminate(self, new_status: Status) -> None:
        """Come to rest on the path when something more important came up."""
        if self.was_interrupted(new_status):
            self.cell.motion.cancel()

    def _stall(self) -> str:
        """Why the motion does not get on, '' while it does."""
        now = self.cell.clock()
        if self.cell.motion.idle or not self.cell.robot.at_rest:
            self._alive_at = now
        if now - self._alive_at < STALL:
            return ''
        return f'it left the arm standing for {STALL:g} s with goals to carry out; see its log'

    def _send(self) -> None:
        motion, pieces, knots = self.cell.motion, self._plan.pieces, 0
        while pieces and motion.has_room:
            knots += len(pieces[0].trajectory)
            if knots > KNOTS_PER_TICK and knots > len(pieces[0].trajectory):
                return
            motion.send(pieces.popleft())

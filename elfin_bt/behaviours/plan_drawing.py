# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Planning a drawing, up to the point where it is known to be possible."""

from __future__ import annotations

from py_trees.common import Status

from elfin_bt.behaviours.leaf import Leaf


class PlanDrawing(Leaf):
    """Has the whole drawing checked before anything moves; planning goes on after that.

    * SUCCESS: every stroke can be drawn; pieces have begun to arrive in the ``drawing`` plan.
    * FAILURE: a stroke can't be; the job is refused, naming stroke, point and cause.
    * RUNNING: checking.

    Needs a complete ``home`` plan: the drawing starts where that ends.
    """

    def initialise(self) -> None:
        """Ask for the plan."""
        planner, robot = self.cell.planner, self.cell.robot
        pieces = planner.home.pieces
        start = pieces[-1].trajectory.positions[-1] if pieces else robot.positions
        assert start is not None, 'a home plan exists only where the joints are known'
        planner.plan_drawing(start, self.cell.jobs.order)

    def update(self) -> Status:
        """Wait for the verdict."""
        planner = self.cell.planner
        planner.collect()
        plan = planner.drawing
        if plan.refusal or plan.failure:
            self.cell.jobs.give_up(plan.refusal or plan.failure)
            return Status.FAILURE
        return Status.SUCCESS if plan.checked else Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        """Take the request back when something more important came up."""
        if self.was_interrupted(new_status):
            self.cell.planner.cancel()

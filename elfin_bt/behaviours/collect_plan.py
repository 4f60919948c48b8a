# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Taking in the rest of a plan while its beginning is being executed."""

from __future__ import annotations

from py_trees.common import Status

from elfin_bt.behaviours.leaf import Leaf


class CollectPlan(Leaf):
    """Moves planned pieces of the drawing into the bounded ``drawing`` plan.

    * SUCCESS: the drawing is planned to its end.
    * FAILURE: the planner failed half way; the fault is latched.
    * RUNNING: planning goes on.
    """

    def update(self) -> Status:
        """Take in what has arrived."""
        planner = self.cell.planner
        planner.collect()
        plan = planner.drawing
        if plan.refusal or plan.failure:
            self.cell.faults.latch('planner', plan.failure or plan.refusal)
            return Status.FAILURE
        return Status.SUCCESS if plan.complete else Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        """Stop planning when something more important came up."""
        if self.was_interrupted(new_status):
            self.cell.planner.cancel()

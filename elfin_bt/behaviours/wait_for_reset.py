# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for a person to clear a fault."""

from __future__ import annotations

from py_trees.common import Status

from elfin_bt.behaviours.leaf import Leaf


class WaitForReset(Leaf):
    """Waits for a reset, then has the executor, the hardware and the planner made ready again.

    The tree never asks for a reset itself, and nothing resumes after one.

    * SUCCESS: a person asked, and everything is clear.
    * RUNNING: nobody has asked, the reset is going on, or its cause persists (the person is told).
    """

    def initialise(self) -> None:
        """Nothing has been passed on yet."""
        self._resetting = False

    def update(self) -> Status:
        """Pass a request on, then its outcome back."""
        cell = self.cell
        if not self._resetting:
            if not cell.jobs.take_reset_request():
                return self.explain(Status.RUNNING, 'waiting for ~/reset_fault')
            cell.robot.begin_reset()
            self._resetting = True
        refusal = cell.robot.reset_outcome
        if refusal is None:
            return self.explain(Status.RUNNING, 'resetting')
        self._resetting = False
        if not refusal:
            if cell.planner.death:
                cell.planner.restart()
            cell.motion.clear()
            cell.faults.clear()
        cell.jobs.answer_reset(refusal)
        return self.explain(Status.RUNNING, refusal) if refusal else Status.SUCCESS

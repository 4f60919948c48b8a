# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for the recipe of a job."""

from __future__ import annotations

from py_trees.common import Status

from elfin_bt.behaviours.leaf import Leaf
from elfin_bt.behaviours.phase import Phase


class LoadRecipe(Leaf):
    """Waits until the recipe of the job has been read, which a thread does since it may be large.

    * SUCCESS: it has been read.
    * FAILURE: it can't be; the job is refused with the reason.
    * RUNNING: it is being read.
    """

    def initialise(self) -> None:
        """Note that the job is being looked at."""
        self.cell.jobs.enter(Phase.CHECKING)

    def update(self) -> Status:
        """Look whether the reading has ended."""
        jobs = self.cell.jobs
        if jobs.load_error:
            jobs.give_up(jobs.load_error)
            return Status.FAILURE
        return Status.RUNNING if jobs.loading else Status.SUCCESS

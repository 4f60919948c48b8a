# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The good end of a job."""

from __future__ import annotations

from py_trees.common import Status

from elfin_bt.behaviours.leaf import Leaf


class FinishJob(Leaf):
    """Marks the job as done.

    * SUCCESS: always.
    """

    def update(self) -> Status:
        """Mark it."""
        self.cell.jobs.finish()
        return Status.SUCCESS

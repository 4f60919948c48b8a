# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The bad end of a job."""

from __future__ import annotations

from py_trees.common import Status
from py_trees.ports import PortInformation

from elfin_bt.behaviours.leaf import Leaf


class GiveUpJob(Leaf):
    """Ends the job, if there is one, and says why: the latched fault, or else ``reason``.

    * SUCCESS: always.
    """

    INPUT_PORTS = {
        'reason': PortInformation(data_type=str, description='why, where no fault is latched')
    }

    def update(self) -> Status:
        """End it."""
        self.cell.jobs.give_up(self.cell.faults.cause or self.get_input('reason'))
        return Status.SUCCESS

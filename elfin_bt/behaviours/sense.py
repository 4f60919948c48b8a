# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the cell reports and people ask for, brought to the blackboard."""

from __future__ import annotations

from py_trees.common import Status
from py_trees.ports import PortInformation

from elfin_bt.behaviours.leaf import Leaf


class Sense(Leaf):
    """First in every tick: looks for faults and requests and writes one flag for each branch.

    * SUCCESS: always. The flags are up to date.

    Faults found here are latched; the flag stays up until a reset.
    """

    OUTPUT_PORTS = {
        'fault': PortInformation(data_type=bool, description='something waits for a reset'),
        'cancel': PortInformation(data_type=bool, description='the job is to be given up'),
        'draw': PortInformation(data_type=bool, description='there is a drawing job'),
        'home': PortInformation(data_type=bool, description='the arm is to go home'),
    }

    def update(self) -> Status:
        """Look, and write the flags."""
        cell = self.cell
        if cell.robot.fault:
            cell.faults.latch('hardware', cell.robot.fault)
        if cell.robot.silent:
            cell.faults.latch(
                'hardware',
                'the hardware node has stopped reporting joint states; start it again, '
                'then call ~/reset_fault',
            )
        if cell.planner.death:
            cell.faults.latch(
                'planner', f'{cell.planner.death}; ~/reset_fault starts a new planner'
            )
        self._set_output('fault', bool(cell.faults.cause))
        self._set_output('cancel', cell.jobs.cancel_requested)
        self._set_output('draw', cell.jobs.draw_active)
        self._set_output('home', cell.jobs.home_active)
        return Status.SUCCESS

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The base of our leaves: a behaviour with ports that knows its cell."""

from __future__ import annotations

from typing import Any

from py_trees.common import Status
from py_trees.ports import BehaviourWithPorts, PortInformation

from elfin_bt.behaviours.cell import Cell


class Leaf(BehaviourWithPorts):
    """Keeps the cell that ``setup(cell=...)`` hands to the whole tree."""

    INPUT_PORTS: dict[str, PortInformation] = {}
    OUTPUT_PORTS: dict[str, PortInformation] = {}

    cell: Cell

    def setup(self, **kwargs: Any) -> None:
        """Take the cell. Raises KeyError when the tree was set up without one."""
        self.cell = kwargs['cell']

    def explain(self, status: Status, message: str) -> Status:
        """Return ``status`` with a few words on it for whoever watches the tree."""
        self.feedback_message = message
        return status

    def was_interrupted(self, new_status: Status) -> bool:
        """Whether ``terminate(new_status)`` means that something more important took over."""
        return new_status == Status.INVALID and self.status == Status.RUNNING

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing to do."""

from __future__ import annotations

from py_trees.common import Status

from elfin_bt.behaviours.leaf import Leaf


class Idle(Leaf):
    """Holds the lowest place in the tree.

    * RUNNING: always; whatever comes up interrupts it.
    """

    def update(self) -> Status:
        """Wait."""
        return Status.RUNNING

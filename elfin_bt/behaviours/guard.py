# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A guard over a subtree, re-checked at every tick."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator
from py_trees.ports import PortInformation, PortsMixin


class Guard(PortsMixin, Decorator):
    """Lets its child run while ``when`` is true.

    * SUCCESS, RUNNING: the child's status.
    * FAILURE: ``when`` is false (a running child has been interrupted), or the child failed.

    Unlike a condition in front of a sequence with memory, it is checked at every tick.
    """

    INPUT_PORTS = {'when': PortInformation(data_type=bool, description='whether the child may run')}
    OUTPUT_PORTS: dict[str, PortInformation] = {}

    def __init__(self, name: str, child: Behaviour, **kwargs: Any) -> None:
        super().__init__(name=name, child=child, **kwargs)

    def tick(self) -> Iterator[Behaviour]:
        """Check the condition, then tick the child."""
        if self.get_input('when'):
            yield from super().tick()
            return
        self.stop(Status.INVALID)
        self.stop(Status.FAILURE)
        yield self

    def update(self) -> Status:
        """Return what the child returned."""
        return self.decorated.status

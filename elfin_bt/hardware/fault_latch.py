# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The latch: what was found wrong, and in which epoch of its life the hardware node is."""

from __future__ import annotations

from elfin_bt.execution.faults import Fault


class FaultLatch:
    """Open until the first fault, then closed until it is opened again.

    Attributes:
        epoch: +1 each time that it closes or opens; chunks of another epoch move nothing.
        fault: what closed it, Fault.NONE while it is open.
        text: what happened, with every further fault since, one line.
    """

    def __init__(self, epoch: int) -> None:
        self._first_epoch = self.epoch = epoch
        self.fault = Fault.NONE
        self.text = ''
        self._noted: set[Fault] = set()

    @property
    def is_closed(self) -> bool:
        """Whether motion is refused."""
        return self.fault is not Fault.NONE

    @property
    def faults(self) -> int:
        """How many different faults it knows of."""
        return len(self._noted)

    def knows(self, fault: Fault) -> bool:
        """Whether a fault is in the text already."""
        return fault in self._noted

    def was(self, epoch: int) -> bool:
        """Whether an epoch is one of its own and over."""
        return self._first_epoch <= epoch < self.epoch

    def close(self, fault: Fault, text: str = '') -> None:
        """Note a fault: the first is the cause, a later one is added to the text, once."""
        if fault in self._noted:
            return
        self._noted.add(fault)
        line = f'{fault.name}: {text or fault.text}'
        if self.is_closed:
            self.text += f'; then {line}'
            return
        self.fault, self.text = fault, line
        self.epoch += 1

    def open(self) -> None:
        """Forget all faults: motion is allowed again."""
        self.fault, self.text = Fault.NONE, ''
        self._noted.clear()
        self.epoch += 1

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The latch for what went wrong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LatchedFault:
    """What went wrong (``reason``, with the remedy) and which part of the cell said so."""

    source: str
    reason: str

    @property
    def text(self) -> str:
        """One line."""
        return f'{self.source}: {self.reason}'


class FaultLatch:
    """Keeps faults until a reset. The first is the cause; the others came with it."""

    def __init__(self) -> None:
        self._faults: list[LatchedFault] = []

    @property
    def cause(self) -> str:
        """The first fault, one line; '' when there is none."""
        return self._faults[0].text if self._faults else ''

    @property
    def texts(self) -> list[str]:
        """All faults in the order in which they came."""
        return [fault.text for fault in self._faults]

    def latch(self, source: str, reason: str) -> None:
        """Keep a fault, once."""
        fault = LatchedFault(source, reason)
        if fault not in self._faults:
            self._faults.append(fault)

    def clear(self) -> None:
        """Forget all."""
        self._faults.clear()

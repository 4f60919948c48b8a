# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of the hardware node: its last acknowledgement and report, its latch, our stops.

The latch itself lives in the hardware node and outlives this one. A stop that was asked for counts
as latched until the hardware node confirms it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.actions import DeviceReport
from elfin_bt.execution.chunk import Ack
from elfin_bt.execution.faults import Fault

STOP_RETRY = 0.25
"""Time after which an unconfirmed stop is asked for again, s."""


class HardwareLink:
    """Last words of the hardware node; silence beyond `timeout`, s of receive time, is noticed."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._ack_time = self._report_time = -np.inf
        self._stop_asked: float | None = None
        self._stop_epoch: int | None = None
        self._cause = ''
        self._commanded: NDArray[np.float64] | None = None
        self.ack: Ack | None = None
        self.report: DeviceReport | None = None

    def hear_ack(self, ack: Ack, now: float) -> None:
        """Take an acknowledgement in; a latched fault or a new epoch confirms a stop."""
        if ack.fault or ack.epoch != self._stop_epoch:
            self._stop_asked = None
        if not ack.fault and self._stop_asked is None:
            self._cause = ''
        if ack.fault or (self.ack is not None and ack.epoch != self.ack.epoch):
            self._commanded = None
        self.ack, self._ack_time = ack, now

    def hear_report(self, report: DeviceReport, now: float) -> None:
        """Take a device report in."""
        self.report, self._report_time = report, now

    def stop_asked(self, now: float, cause: str = '') -> None:
        """Remember that the hardware node was asked to stop, and the first cause of it."""
        self._stop_asked = now
        self._cause = self._cause or cause
        self._stop_epoch = self.ack.epoch if self.ack else None

    @property
    def stop_is_pending(self) -> bool:
        """Whether a stop that was asked for has not been confirmed."""
        return self._stop_asked is not None

    def stop_is_due_again(self, now: float) -> bool:
        """Whether a stop has been unconfirmed for so long that it should be repeated."""
        return self._stop_asked is not None and now - self._stop_asked >= STOP_RETRY

    @property
    def fault(self) -> Fault:
        """What is latched; a stop still to be confirmed counts."""
        if self.ack is not None and self.ack.fault:
            return Fault.from_number(self.ack.fault)
        return Fault.NONE if self._stop_asked is None else Fault.STOP_REQUESTED

    @property
    def fault_text(self) -> str:
        """What is latched, why and what to do, one line; a stop of ours names its cause."""
        fault = self.fault
        if fault is Fault.STOP_REQUESTED and self._cause:
            return f'{self._cause}; call ~/reset_fault when the cell is clear'
        return fault.abort_text

    def rests_at(self, commanded: NDArray[np.float64] | None) -> None:
        """Remember where a motion has left the arm (joints,); None if that is not known."""
        self._commanded = commanded

    def rest_position(self, tolerance: float) -> NDArray[np.float64] | None:
        """Where the next motion begins (joints,), None before the first report.

        The firmware continues from the position commanded last. The reported one may differ by a
        following error; it counts where the other is not known, or off by more than `tolerance`.
        """
        if self.report is None:
            return None
        commanded, reported = self._commanded, self.report.position
        if commanded is None or not np.abs(commanded - reported).max() <= tolerance:
            return reported
        return commanded

    def ack_age(self, now: float) -> float:
        """Time since the last acknowledgement, s; infinite before the first."""
        return now - self._ack_time

    def silence(self, now: float) -> str | None:
        """Why the hardware node can't be relied on now, or None."""
        if self.ack is None:
            return 'hardware not answering: no acknowledgement has come from pvt_hardware yet'
        age = self.ack_age(now)
        if age > self._timeout:
            return (
                f'hardware not answering: no acknowledgement for {age:.2f} s, '
                f'limit {self._timeout:g}; check that pvt_hardware runs'
            )
        if self.report is None or now - self._report_time > self._timeout:
            return 'hardware not answering: no device state on dynamic_joint_states'
        if not np.isfinite(self.report.position).all():
            return 'the device has no joint positions (it is lost or not connected)'
        return None

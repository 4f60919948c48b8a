# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the firmware does when something is wrong (RMP documentation, stopping actions)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from elfin_bt.hardware.device import Source


class StopAction(Enum):
    """Names as RMP's ``RSIAction``, in rising order of severity.

    RMP's E_STOP_MODIFY, an e-stop with its own deceleration and jerk, is the one that is not here.
    """

    NONE = 0
    STOP = 1
    E_STOP = 2
    E_STOP_CMD_EQ_ACT = 3
    E_STOP_ABORT = 4
    ABORT = 5

    @property
    def cuts_power(self) -> bool:
        """Whether the amplifiers are off in the end."""
        return self in (StopAction.E_STOP_CMD_EQ_ACT, StopAction.E_STOP_ABORT, StopAction.ABORT)


LIMIT_ACTIONS: Mapping[Source, StopAction] = MappingProxyType(
    {
        Source.AMP_FAULT: StopAction.ABORT,
        Source.POSITION_ERROR: StopAction.E_STOP,
        Source.HW_LIMIT_POSITIVE: StopAction.E_STOP,
        Source.HW_LIMIT_NEGATIVE: StopAction.E_STOP,
        Source.NETWORK: StopAction.ABORT,
    }
)
"""The action of each limit. A drive with a fault, or without its fieldbus, has no power to ramp."""

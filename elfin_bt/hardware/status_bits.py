# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Motion bits of the status word, for devices that do not send one of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.hardware.device import DeviceState, Status

COARSE, FINE = 0.01, 0.001  # rad of following error; IN_COARSE and SETTLED


def status_bits(
    state: DeviceState,
    *,
    position: NDArray[np.float64],
    actual_position: NDArray[np.float64],
    frames_loaded: int,
) -> Status:
    """Bits as RMP sets them, from commanded and actual joints, (6,) rad.

    DONE says that the arm is at rest and settled, whatever ended the move.
    """
    error = float(np.abs(position - actual_position).max())
    status = Status.IN_COARSE if error <= COARSE else Status(0)
    if not state.at_rest:
        return status | Status.MOTION_START
    if frames_loaded == 0:
        status |= Status.AT_TARGET
    if error <= FINE:
        status |= Status.SETTLED | Status.DONE
    return status

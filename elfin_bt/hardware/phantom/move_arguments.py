# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What MovePVT refuses whatever state it is called in."""

from __future__ import annotations

import numpy as np

from elfin_bt.execution.chunk import JOINTS
from elfin_bt.hardware.device import ErrorNumber, FirmwareError
from elfin_bt.hardware.phantom.frames import Floats, Integers

LARGEST_CALL = (1 << 16) - 1  # points; the element id of one call must not wrap


def checked_durations(
    positions: Floats, velocities: Floats, times: Floats, *, empty_count: int, sample: float
) -> Integers:
    """The times (n,) in s of n points as whole samples of ``sample`` s.

    Raises:
        FirmwareError: shapes, numbers, times or emptyCount are wrong; nothing may be taken.
    """
    count = len(times)
    shape = (count, JOINTS)
    if times.ndim != 1 or count == 0 or positions.shape != shape or velocities.shape != shape:
        raise _invalid(
            f'shapes are positions {positions.shape}, velocities {velocities.shape}, times '
            f'{times.shape}: they must be (n, {JOINTS}), (n, {JOINTS}), (n,) with n at least 1'
        )
    if count > LARGEST_CALL:
        raise _invalid(f'{count} points in one call: at most {LARGEST_CALL} can be counted')
    if not all(np.isfinite(values).all() for values in (positions, velocities, times)):
        raise _invalid('a position, velocity or time is not a finite number')
    if empty_count < 1:
        raise _invalid(
            f'emptyCount is {empty_count}: it must be at least 1, because what a starved '
            'stream does otherwise is undefined'
        )
    ratio = times / sample
    durations: Integers = np.rint(ratio).astype(np.int64)
    wrong = (durations < 1) | (np.abs(ratio - durations) > 1e-6 * np.maximum(durations, 1))
    if np.any(wrong):
        index = int(np.argmax(wrong))
        raise _invalid(
            f'time {index} is {times[index]:.9g} s: it must be a whole multiple, at least 1, '
            f'of the sample {sample:g} s'
        )
    return durations


def _invalid(text: str) -> FirmwareError:
    return FirmwareError(ErrorNumber.INVALID_ARGUMENT, f'MovePVT: {text}')

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the RapidCode backend, with the values of the Elfin5 as its vendor wires it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from elfin_bt.hardware.rapidcode.library import DEFAULT_FOLDER
from elfin_bt.hardware.settings import SettingsError

JOINTS = 6
PHANTOM, ETHERCAT = 'phantom', 'ethercat'
AXES = (PHANTOM, ETHERCAT)

ENCODER_COUNTS = 1 << 17
GEAR_RATIO = 101
COUNTS_PER_RADIAN = ENCODER_COUNTS * GEAR_RATIO / (2.0 * math.pi)


def _setting(default: Any, description: str) -> Any:
    """A field and what its parameter's descriptor says."""
    return field(default=default, metadata={'description': description})


@dataclass(frozen=True, kw_only=True)
class RapidCodeSettings:
    """What the backend must know about controller, network and wiring; lists are per joint."""

    axes: str = _setting(
        PHANTOM, 'phantom: simulated in RMP itself, ethercat: the drives of the arm'
    )
    rmp_path: str = _setting(DEFAULT_FOLDER, "RMP's folder; RapidCodePython lies there too")
    nic: str = _setting('', 'network card of EtherCAT, empty for the one RMP was set up with')
    cpu: int = _setting(-1, "isolated core for RMP's firmware threads, -1 to leave it as it is")
    sample_rate: float = _setting(1000.0, 'Hz, as the EtherCAT network was configured for')
    frame_buffer: int = _setting(1024, 'frames of each axis, a power of 2')
    drive_order: tuple[int, ...] = _setting(
        (1, 0, 2, 3, 4, 5), 'axis of each joint; the dual-axis modules count joint 2 before 1'
    )
    signs: tuple[int, ...] = _setting(
        (-1,) * JOINTS, '1 or -1 per joint: the direction in which its drive counts'
    )
    counts_per_radian: float = _setting(
        COUNTS_PER_RADIAN, 'encoder counts for one radian of a joint, gear included'
    )
    zero_positions: tuple[float, ...] = _setting(
        (0.0,) * JOINTS, 'rad the drive reports at joint position 0; found in commissioning'
    )
    position_error_limit: float = _setting(
        0.1, 'rad between command and encoder that lead to an e-stop'
    )
    amp_interval: float = _setting(
        2.0, 's between switching on the even axes and the odd ones, to limit inrush'
    )

    def __post_init__(self) -> None:
        """Refuse what can't be meant.

        Raises:
            SettingsError: names the parameter, its value and what it may be.
        """
        if self.axes not in AXES:
            raise SettingsError(f"rapidcode.axes is '{self.axes}': choose {' or '.join(AXES)}")
        if sorted(self.drive_order) != list(range(JOINTS)):
            raise SettingsError(
                f'rapidcode.drive_order is {list(self.drive_order)}: give each axis from 0 to '
                f'{JOINTS - 1} once, that of joint 1 first'
            )
        if len(self.signs) != JOINTS or any(sign not in (-1, 1) for sign in self.signs):
            raise SettingsError(
                f'rapidcode.signs is {list(self.signs)}: give {JOINTS} numbers, each 1 or -1'
            )
        zeros = self.zero_positions
        if len(zeros) != JOINTS or not all(math.isfinite(zero) for zero in zeros):
            raise SettingsError(
                f'rapidcode.zero_positions is {list(zeros)}: give {JOINTS} finite numbers in rad'
            )
        if self.frame_buffer < 2 or self.frame_buffer & (self.frame_buffer - 1):
            raise SettingsError(
                f'rapidcode.frame_buffer is {self.frame_buffer}: it must be a power of 2'
            )
        for name, value in (
            ('sample_rate', self.sample_rate),
            ('counts_per_radian', self.counts_per_radian),
            ('position_error_limit', self.position_error_limit),
        ):
            if not (math.isfinite(value) and value > 0.0):
                raise SettingsError(f'rapidcode.{name} is {value}: it must be positive')
        if not (math.isfinite(self.amp_interval) and self.amp_interval >= 0.0):
            raise SettingsError(
                f'rapidcode.amp_interval is {self.amp_interval} s: it must not be negative'
            )

    @property
    def is_phantom(self) -> bool:
        """Whether no drive is touched."""
        return self.axes == PHANTOM

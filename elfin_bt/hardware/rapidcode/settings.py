# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the RapidCode backend, with the values of the Elfin5 as its vendor wires it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from elfin_bt.hardware.rapidcode.library import DEFAULT_FOLDER
from elfin_bt.hardware.settings import SettingsError

JOINTS = 6
PHANTOM, ETHERCAT = 'phantom', 'ethercat'
AXES = (PHANTOM, ETHERCAT)

ENCODER_COUNTS = 1 << 17
GEAR_RATIO = 101
COUNTS_PER_RADIAN = ENCODER_COUNTS * GEAR_RATIO / (2.0 * math.pi)


@dataclass(frozen=True, kw_only=True)
class RapidCodeSettings:
    """What the backend must know about controller, network and wiring.

    Attributes:
        axes: ``phantom`` simulates the drives in RMP itself, ``ethercat`` are the arm's.
        rmp_path: RMP's folder; RapidCodePython lies there too.
        nic: network card that EtherCAT runs on, '' for the one that RMP was set up with.
        cpu: core of RMP's firmware threads (isolated, on a PREEMPT_RT kernel), -1 to leave it.
        sample_rate: Hz; must be what the EtherCAT network was configured for.
        frame_buffer: frames of each axis, a power of 2.
        drive_order: axis number of each joint. The dual-axis modules count joint 2 before joint 1.
        signs: +1 or -1 per joint: the direction in which the drive counts.
        counts_per_radian: encoder counts for one radian of the joint, gear included.
        zero_positions: what the drive reports at joint position 0, rad per joint. It belongs to
            one arm and is found in commissioning.
        position_error_limit: rad between command and encoder that lead to an e-stop.
        amp_interval: s between switching on the even axes and the odd ones: less inrush.
    """

    axes: str = PHANTOM
    rmp_path: str = DEFAULT_FOLDER
    nic: str = ''
    cpu: int = -1
    sample_rate: float = 1000.0
    frame_buffer: int = 1024
    drive_order: tuple[int, ...] = (1, 0, 2, 3, 4, 5)
    signs: tuple[int, ...] = (-1,) * JOINTS
    counts_per_radian: float = COUNTS_PER_RADIAN
    zero_positions: tuple[float, ...] = (0.0,) * JOINTS
    position_error_limit: float = 0.1
    amp_interval: float = 2.0

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

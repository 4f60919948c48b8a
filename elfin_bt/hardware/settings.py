# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node's settings, and the check that they fit each other and the device."""

from __future__ import annotations

import math
from dataclasses import dataclass

from elfin_bt.hardware.device import FRAMES_PER_POINT, DeviceInfo

LARGEST_EMPTY_SHARE = 0.2
"""emptyCount stays below this share of the frame buffer (RMP documentation, motion streaming)."""


class SettingsError(ValueError):
    """Settings that no motion may run with; the message names both numbers that clash."""


@dataclass(frozen=True, kw_only=True)
class HardwareSettings:
    """Times in s, counts in frames (a point takes two).

    ``sample_period`` is the time between two streamed points. The firmware e-stops when fewer than
    ``empty_count`` frames of an open motion are left; ``estop_time`` and ``stop_time`` are its
    ramps. A motion is opened once ``preload`` frames or its end have arrived, at the latest
    ``preload_timeout`` after its first chunk.
    """

    sample_period: float = 0.001
    empty_count: int = 120
    estop_time: float = 0.05
    stop_time: float = 0.5
    preload: int = 240
    preload_timeout: float = 0.02

    @property
    def empty_time(self) -> float:
        """How long the last ``empty_count`` frames last, s."""
        return self.empty_count / FRAMES_PER_POINT * self.sample_period

    def check(self, device: DeviceInfo) -> list[str]:
        """Return warnings about these settings on this device.

        A linear ramp over ``estop_time`` eats half of it in path, so fewer frames than that end
        in a jerk; the vendor asks for the whole of it.

        Raises:
            SettingsError: with these settings the arm could leave its path or halt with a jerk.
        """
        samples = self.sample_period / device.sample
        if samples < 0.999999 or not math.isclose(samples, round(samples), rel_tol=1e-6):
            raise SettingsError(
                f'sample_period is {self.sample_period:g} s and the firmware sample '
                f'{device.sample:g} s: set sample_period to a whole multiple of it'
            )
        if self.empty_time < self.estop_time / 2:
            raise SettingsError(
                f'empty_count {self.empty_count} lasts {self.empty_time:g} s and an e-stop eats '
                f'{self.estop_time / 2:g} s of path (estop_time / 2): the arm would halt with a '
                'jerk, so raise empty_count or lower estop_time'
            )
        largest = int(LARGEST_EMPTY_SHARE * device.frame_buffer)
        if self.empty_count > largest:
            raise SettingsError(
                f'empty_count is {self.empty_count} frames and 20 % of the {device.frame_buffer} '
                f'frame buffer is {largest}: lower empty_count'
            )
        if not self.empty_count <= self.preload <= device.frame_buffer // 2:
            raise SettingsError(
                f'preload is {self.preload} frames: it must be at least empty_count '
                f'({self.empty_count}), or the watchdog would trip at once, and at most half of '
                f'the buffer ({device.frame_buffer // 2})'
            )
        if self.empty_time < self.estop_time:
            return [
                f'empty_count {self.empty_count} lasts {self.empty_time:g} s, shorter than '
                f'estop_time {self.estop_time:g} s: the vendor asks for at least as long'
            ]
        return []

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node's settings, and the check that they fit each other and the device."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from elfin_bt.hardware.device import FRAMES_PER_POINT, DeviceInfo

LARGEST_EMPTY_SHARE = 0.2
"""emptyCount stays below this share of the frame buffer (RMP documentation, motion streaming)."""


class SettingsError(ValueError):
    """Settings that no motion may run with; the message names both numbers that clash."""


def _setting(default: Any, description: str, minimum: float, maximum: float) -> Any:
    """A field and what its parameter's descriptor says."""
    metadata = {'description': description, 'minimum': minimum, 'maximum': maximum}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class HardwareSettings:
    """Times in s, counts in frames (a point takes two); each is a parameter of the node."""

    sample_period: float = _setting(0.001, 'time between two PVT points, s', 1e-4, 0.1)
    empty_count: int = _setting(
        120, 'the firmware e-stops an open motion with fewer frames left', 2, 65536
    )
    estop_time: float = _setting(0.05, 'e-stop ramp from full speed, s', 0.001, 1.0)
    stop_time: float = _setting(0.5, 'pause and resume ramp, s', 0.001, 5.0)
    preload: int = _setting(240, 'frames with which a motion is opened', 2, 65536)
    preload_timeout: float = _setting(0.02, 'longest wait for them, s', 0.001, 0.5)
    jitter: float = _setting(
        0.033, 'longest delay of this node that what is loaded has to outlast, s', 0.0, 0.5
    )

    @property
    def empty_time(self) -> float:
        """How long the last ``empty_count`` frames last, s."""
        return self._lasting(self.empty_count)

    def _lasting(self, frames: int) -> float:
        return frames / FRAMES_PER_POINT * self.sample_period

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
        warnings = []
        if self.empty_time < self.estop_time:
            warnings.append(
                f'empty_count {self.empty_count} lasts {self.empty_time:g} s, shorter than '
                f'estop_time {self.estop_time:g} s: the vendor asks for at least as long'
            )
        opened, needed = self._lasting(self.preload), self.empty_time + self.jitter
        if opened < needed:
            warnings.append(
                f'preload {self.preload} lasts {opened:g} s, shorter than the watchdog '
                f'{self.empty_time:g} s + jitter {self.jitter:g} s: a motion may starve at its '
                'birth, so raise preload'
            )
        return warnings

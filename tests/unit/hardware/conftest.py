# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Streams of points, and a phantom's firmware in this process as a device."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from elfin_bt.execution.chunk import Chunk, encode_chunk
from elfin_bt.hardware.core import HardwareCore
from elfin_bt.hardware.device import DeviceInfo, DeviceLost, DeviceSnapshot
from elfin_bt.hardware.phantom.multi_axis import MultiAxis
from elfin_bt.hardware.settings import HardwareSettings

EPOCH = 1000


@dataclass
class Stream:
    """n points of joint 1 at constant velocity, from `start` rad; the arm must come from there."""

    positions: np.ndarray
    velocities: np.ndarray
    times: np.ndarray


@pytest.fixture
def stream() -> Callable[..., Stream]:
    def make(n: int, *, velocity: float = 0.1, first: int = 1, period: float = 0.001) -> Stream:
        """Points `first` .. `first + n - 1` of a line that begins at zero."""
        positions = np.zeros((n, 6))
        positions[:, 0] = velocity * period * np.arange(first, first + n)
        velocities = np.zeros((n, 6))
        velocities[:, 0] = velocity
        return Stream(positions, velocities, np.full(n, period))

    return make


class LocalDevice:
    """A MultiAxis in this process; the test moves its clock. `lost` makes every call fail."""

    def __init__(self, **axis) -> None:
        self.axis = MultiAxis(**axis)
        self.lost = False
        self.calls: list[str] = []
        self.info = DeviceInfo(sample=0.001, frame_buffer=1024, speedup=1.0)

    def _do(self, name: str, *arguments, **keywords) -> DeviceSnapshot:
        if self.lost:
            raise DeviceLost('gone')
        self.calls.append(name)
        getattr(self.axis, name)(*arguments, **keywords)
        return self.axis.snapshot()

    def connect(self) -> DeviceInfo:
        if self.lost:
            raise DeviceLost('gone')
        return self.info

    def close(self) -> None:
        pass

    def snapshot(self) -> DeviceSnapshot:
        if self.lost:
            raise DeviceLost('gone')
        return self.axis.snapshot()

    def configure(self, **ramps) -> DeviceSnapshot:
        return self._do('configure', **ramps)

    def move_pvt(self, *points, **options) -> DeviceSnapshot:
        return self._do('move_pvt', *points, **options)

    def estop(self) -> DeviceSnapshot:
        return self._do('estop')

    def clear_faults(self) -> DeviceSnapshot:
        return self._do('clear_faults')

    def set_feed_rate(self, rate: float) -> DeviceSnapshot:
        return self._do('set_feed_rate', rate)

    def amp_enable(self) -> DeviceSnapshot:
        return self._do('amp_enable')

    def amp_disable(self) -> DeviceSnapshot:
        return self._do('amp_disable')

    def inject(self, fault: str) -> DeviceSnapshot:
        return self._do('inject', fault)

    def error_log(self) -> list[str]:
        if self.lost:
            raise DeviceLost('gone')
        return self.axis.error_log()

    def record(self, enable: bool) -> str:
        if self.lost:
            raise DeviceLost('gone')
        return '/a/record' if enable else ''


class Bench:
    """A hardware core on a local device, with a simulated wall clock in step with the axis."""

    def __init__(self, settings: HardwareSettings | None = None, **axis) -> None:
        self.device = LocalDevice(**axis)
        self.axis = self.device.axis
        self.core = HardwareCore(self.device, settings or HardwareSettings(), epoch=EPOCH)
        self.now = 0.0

    def start(self) -> 'Bench':
        self.core.connect()
        self.core.active = True
        return self

    def run(self, samples: int) -> np.ndarray:
        self.now += samples * self.axis.sample
        rows = self.axis.advance(samples)
        self.core.poll(self.now)
        return rows

    def send(self, chunk: Chunk) -> None:
        self.core.take(encode_chunk(chunk), self.now)


@pytest.fixture
def bench() -> Bench:
    return Bench().start()


@pytest.fixture
def make_bench() -> type[Bench]:
    return Bench


@pytest.fixture
def chunk(stream) -> Callable[..., Chunk]:
    def make(
        sequence: int = 0,
        *,
        motion: int = 1,
        epoch: int = EPOCH,
        final: bool = False,
        n: int = 64,
        velocity: float = 0.1,
    ) -> Chunk:
        """Chunk `sequence` of a motion of joint 1 at constant velocity, 64 points a chunk."""
        points = stream(n, velocity=velocity, first=64 * sequence + 1)
        if final:
            points.velocities[-1] = 0.0
        return Chunk(
            epoch, motion, sequence, final, points.times, points.positions, points.velocities
        )

    return make

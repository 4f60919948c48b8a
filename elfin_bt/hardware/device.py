# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The contract between the hardware node and a motion device (one MultiAxis of an RMP).

Names and meanings follow RapidCode: ``MovePVT``, ``EStop``, ``ClearFaults``, ``RSIState``,
``SourceNameGet``, ``FramesToExecuteGet``. A backend that speaks to other hardware keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FRAMES_PER_POINT = 2
"""Each streamed point takes a trajectory frame and an identification frame of the buffer."""


class DeviceState(IntEnum):
    """State of the MultiAxis, in the order of RMP's ``RSIState``."""

    IDLE = 0
    MOVING = 1
    STOPPING = 2
    STOPPED = 3
    STOPPING_ERROR = 4
    ERROR = 5

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves in this state."""
        return self in (DeviceState.IDLE, DeviceState.STOPPED, DeviceState.ERROR)

    @property
    def failed(self) -> bool:
        """Whether this state needs ``clear_faults`` before the next move."""
        return self in (DeviceState.STOPPING_ERROR, DeviceState.ERROR)


class Source(IntEnum):
    """Why the device is in an error state (RMP: ``SourceNameGet``)."""

    NONE = 0
    OUT_OF_FRAMES = 1
    USER = 2


@dataclass(frozen=True, slots=True)
class DeviceSnapshot:
    """What the device reports at one sample.

    ``time`` is the device's own clock in s. ``frames_loaded`` counts the frames still to execute,
    ``frames_free`` the room for more. ``motion_id`` numbers the executing (or last executed) move
    call and ``element_id`` the point in it, both 16 bit and wrapping. ``feed_rate`` is the rate of
    the path clock right now: 1 at planned speed, 0 at rest on the path. ``position`` (6,) rad and
    ``velocity`` (6,) rad/s are commanded values in joint order.
    """

    time: float
    state: DeviceState
    source: Source
    frames_loaded: int
    frames_free: int
    motion_id: int
    element_id: int
    feed_rate: float
    amps_enabled: bool
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What never changes while the device runs: sample in s, buffer size in frames, speed-up."""

    sample: float
    frame_buffer: int
    speedup: float


class ErrorNumber(IntEnum):
    """Why the firmware refused a call."""

    WRONG_STATE = 1
    INVALID_ARGUMENT = 2
    BUFFER_FULL = 3
    AMPS_DISABLED = 4


class FirmwareError(Exception):
    """The firmware refused a call and did nothing: ``number`` for code, ``text`` for a person."""

    def __init__(self, number: ErrorNumber, text: str) -> None:
        super().__init__(text)
        self.number = number
        self.text = text


class DeviceLost(Exception):
    """The device does not answer any more; ``connect`` tries again."""


class Device(Protocol):
    """A device as the hardware node drives it.

    Every call may raise :class:`DeviceLost`. Calls that change the motion raise
    :class:`FirmwareError` when the firmware refuses them, and otherwise return its state right
    after the call took effect.
    """

    def connect(self) -> DeviceInfo:
        """Connect, or connect again; the device's state is whatever it was."""

    def close(self) -> None:
        """Let go of the device without changing its state. Harmless when not connected."""

    def configure(self, *, estop_time: float, stop_time: float) -> DeviceSnapshot:
        """Set the durations in s of a full-speed e-stop ramp and stop ramp."""

    def snapshot(self) -> DeviceSnapshot:
        """Read the present state."""

    def move_pvt(
        self,
        positions: NDArray[np.float64],
        velocities: NDArray[np.float64],
        times: NDArray[np.float64],
        *,
        empty_count: int,
        final: bool,
    ) -> DeviceSnapshot:
        """Open a move with, or append to the open move, n points.

        ``positions`` and ``velocities`` are (n, 6) in rad and rad/s, ``times`` (n,) the duration
        in s of the segment that ends at each point. Until a call with ``final``, fewer than
        ``empty_count`` frames left to execute mean OUT_OF_FRAMES and an e-stop.
        """

    def stop(self) -> DeviceSnapshot:
        """Ramp the feed rate to 0 over the stop time; ``resume`` continues the path."""

    def resume(self) -> DeviceSnapshot:
        """Continue a stopped move."""

    def estop(self) -> DeviceSnapshot:
        """Ramp the feed rate to 0 over the e-stop time and end in ERROR; amplifiers stay on."""

    def abort(self) -> DeviceSnapshot:
        """Switch the amplifiers off at once, without a ramp, and end in ERROR."""

    def amp_enable(self) -> DeviceSnapshot:
        """Switch the amplifiers on again (after ``abort`` and ``clear_faults``)."""

    def clear_faults(self) -> DeviceSnapshot:
        """Go from ERROR (or STOPPED) to IDLE, dropping every frame that is still loaded."""

    def set_feed_rate(self, rate: float) -> DeviceSnapshot:
        """Ramp the feed rate to ``rate`` (0 to 2); 0 pauses on the path without an error."""

    def record(self, enable: bool) -> str:
        """Start a new record of executed samples, or end it; return the path of its file."""

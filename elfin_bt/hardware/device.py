# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The contract between the hardware node and a motion device (one MultiAxis of an RMP).

Names and meanings follow RapidCode: ``MovePVT``, ``EStop``, ``ClearFaults``, ``RSIState``,
``SourceNameGet``, ``FramesToExecuteGet``. A backend that speaks to other hardware keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
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
    """Why the device is in an error state (RMP: ``SourceNameGet``), most telling ones last."""

    NONE = 0
    OUT_OF_FRAMES = 1
    USER = 2
    AMP_FAULT = 3
    POSITION_ERROR = 4
    HW_LIMIT_POSITIVE = 5
    HW_LIMIT_NEGATIVE = 6
    SW_LIMIT_POSITIVE = 7
    SW_LIMIT_NEGATIVE = 8
    NETWORK = 9

    @property
    def is_drive_fault(self) -> bool:
        """Whether drives or fieldbus report it, and not our own stop or our own stream."""
        return self > Source.USER


class Status(IntFlag):
    """Motion bits of the status word, at their places in RMP's; DONE stays until the next move."""

    IN_COARSE = 0x01
    AT_TARGET = 0x02
    AT_VELOCITY = 0x04
    SETTLED = 0x08
    DONE = 0x10
    MOTION_START = 0x20


@dataclass(frozen=True, slots=True)
class DeviceSnapshot:
    """What the device reports at one sample.

    Attributes:
        time: the device's own clock in s.
        source: the first cause of an error state; ``source_joint`` is the joint (0 to 5) it came
            from, -1 when it is the whole arm's.
        active: every cause that has been noted since the last ``clear_faults``. A drive fault that
            came during an e-stop of our own stands here beside USER.
        frames_loaded, frames_free: frames still to execute, and the room for more.
        motion_id, element_id: number of the executing (or last executed) move call and of the point
            in it, both 16 bit and wrapping.
        feed_rate: rate of the path clock right now: 1 at planned speed, 0 at rest.
        feed_target: the feed rate that was asked for last; 0 means paused, in motion or not.
        amps_enabled: whether every drive is switched on.
        position, velocity: (6,) commanded values in joint order, rad and rad/s.
        actual_position, actual_velocity: (6,) what the encoders say. A device without encoders
            (RMP's phantom axes, whose actual position stays 0) repeats the commanded values.
    """

    time: float
    state: DeviceState
    source: Source
    source_joint: int
    active: frozenset[Source]
    status: Status
    frames_loaded: int
    frames_free: int
    motion_id: int
    element_id: int
    feed_rate: float
    feed_target: float
    amps_enabled: bool
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    actual_position: NDArray[np.float64]
    actual_velocity: NDArray[np.float64]

    @property
    def paused(self) -> bool:
        """Whether a pause is asked for: motion comes to rest and none begins."""
        return self.feed_target == 0.0

    @property
    def drive_faults(self) -> list[Source]:
        """The active causes that drives or fieldbus report."""
        return sorted(source for source in self.active if source.is_drive_fault)


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
    FAULT_PERSISTS = 5
    NOT_SUPPORTED = 6


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
        """Switch the amplifiers on; only in IDLE. Nothing but a person's request leads here."""

    def amp_disable(self) -> DeviceSnapshot:
        """Switch the amplifiers off; only at rest. An arm without brakes would sink."""

    def clear_faults(self) -> DeviceSnapshot:
        """Go from ERROR (or STOPPED) to IDLE, dropping every frame that is still loaded.

        Refused (WRONG_STATE) in motion, and with FAULT_PERSISTS while a cause is still there.
        """

    def set_feed_rate(self, rate: float) -> DeviceSnapshot:
        """Ramp the feed rate to ``rate`` (0 to 2); 0 pauses on the path without an error."""

    def error_log(self) -> list[str]:
        """Take what the device has logged since the last call (RMP: ``ErrorLogGet``), oldest first.

        A library may log a failure and not raise it: what is in here is shown to people.
        """

    def record(self, enable: bool) -> str:
        """Start a new record of executed samples, or end it; return the path of its file.

        Raises FirmwareError with NOT_SUPPORTED where the device keeps no such record.
        """

    def inject(self, fault: str) -> DeviceSnapshot:
        """Simulate a fault of the drives, '' to take all away again.

        Raises FirmwareError with NOT_SUPPORTED where the device is real.
        """

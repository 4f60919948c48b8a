# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the executor core asks its node to do, and what it is told about the device."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.chunk import NO_SEQUENCE, Chunk
from elfin_bt.execution.goal_queue import GoalId
from elfin_bt.execution.points import ErrorCode

DEVICE_IDLE = 0
"""`RSIState` IDLE of the `state` interface; the other numbers are not documented."""


class Outcome(Enum):
    """Terminal state of a goal."""

    SUCCEEDED = 'succeeded'
    ABORTED = 'aborted'
    CANCELED = 'canceled'


@dataclass(frozen=True)
class PublishChunk:
    """Publish a chunk on `pvt_hardware/chunk`."""

    chunk: Chunk


@dataclass(frozen=True)
class FinishGoal:
    """Bring a goal to its terminal state; each accepted goal gets exactly one."""

    goal_id: GoalId
    outcome: Outcome
    code: ErrorCode
    text: str


@dataclass(frozen=True)
class StopHardware:
    """Call `pvt_hardware/stop`; asked for again until the hardware node confirms.

    With `unacknowledged` it is `~/stop_unacknowledged`: the latch then names that cause.
    """

    reason: str
    unacknowledged: bool = False


@dataclass(frozen=True)
class Log:
    """Write a line to the log; `is_error` for what a person should look at."""

    text: str
    is_error: bool = False


Action = PublishChunk | FinishGoal | StopHardware | Log


@dataclass(frozen=True, eq=False)
class DeviceReport:
    """The device by `dynamic_joint_states`.

    `stamp` is device time, s; `state` the number of its RSIState; `frames` those not executed yet;
    positions (joints,) rad and velocities (joints,) rad/s are NaN while the device is lost;
    `sequence` is the last chunk that `frames` counts in; `paused` whether the firmware's feed rate
    is held at 0.
    """

    stamp: float
    state: int
    frames: int
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    sequence: int = NO_SEQUENCE
    paused: bool = False
    amps_enabled: bool = True

    @property
    def is_idle(self) -> bool:
        """Whether it may begin a motion: nothing moves and nothing is loaded."""
        return self.state == DEVICE_IDLE and self.frames == 0

    @property
    def why_not_idle(self) -> str:
        """What keeps it from a motion."""
        return f'the device is in state {self.state} with {self.frames} frames loaded'


@dataclass(frozen=True, eq=False)
class Progress:
    """Where the executor is, for feedback and `~/controller_state`.

    Attributes:
        goal_id: the goal being executed, None between motions.
        goal_time: s since its start, in its own time.
        desired_position: (joints,) of the last executed point, likewise desired_velocity.
        rate: of the trajectory clock at the last point sent.
    """

    goal_id: GoalId | None
    goal_time: float
    desired_position: NDArray[np.float64]
    desired_velocity: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    rate: float

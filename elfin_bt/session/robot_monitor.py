# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The arm as its reports show it: where it is, whether it moves, what is latched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.faults import Fault

REST_SPEED = 1e-5
"""rad/s; below it a joint stands still. Commanded velocities are exactly 0 at rest."""
REST_DWELL = 0.05
SILENCE = 1.5  # s; the executor, which moves the arm, gives up sooner
RESET_PATIENCE = 3.0
CLEAR_PATIENCE = 0.5


class ExecutorServices(Protocol):
    """The executor as the monitor needs it."""

    @property
    def available(self) -> bool:
        """Whether it takes goals."""

    def reset_fault(self) -> None:
        """Ask it to reset; the answer comes through ``RobotMonitor.on_reset_answer``."""


class RobotMonitor:
    """Fed with reports, it answers questions about the arm. ``clock`` gives monotonic seconds."""

    def __init__(self, executor: ExecutorServices, clock: Callable[[], float]) -> None:
        self._executor = executor
        self._clock = clock
        self._positions: NDArray[np.float64] | None = None
        self._fault = Fault.NONE
        self._heard_at = 0.0
        self._moving = False
        self.last_moving_at: float | None = None
        self.motion_began_at: float | None = None
        self._reset_began_at: float | None = None
        self._reset_answer: tuple[float, str] | None = None

    def on_joints(self, positions: NDArray[np.float64], velocities: NDArray[np.float64]) -> None:
        """Take joint positions (6,) rad and velocities (6,) rad/s."""
        now = self._clock()
        self._positions = positions
        self._heard_at = now
        moving = bool(np.abs(velocities).max() > REST_SPEED)
        if moving:
            if not self._moving:
                self.motion_began_at = now
            self.last_moving_at = now
        self._moving = moving

    def on_fault_code(self, code: float) -> None:
        """Take the number of the fault that the hardware node has latched."""
        self._fault = Fault.from_number(code)

    def on_reset_answer(self, refusal: str) -> None:
        """Take the executor's answer to a reset, '' when it did it."""
        self._reset_answer = (self._clock(), refusal)

    @property
    def positions(self) -> NDArray[np.float64] | None:
        """Joint positions (6,) rad, None before the first report."""
        return self._positions

    @property
    def silent(self) -> bool:
        """Whether reports have stopped; false before the first."""
        return self._positions is not None and self._clock() - self._heard_at > SILENCE

    @property
    def at_rest(self) -> bool:
        """Whether every joint has stood still for a moment, by reports that are fresh."""
        if self._positions is None or self._moving or self.silent:
            return False
        return self.last_moving_at is None or self._clock() - self.last_moving_at > REST_DWELL

    @property
    def fault(self) -> str:
        """What the hardware node has latched, with the remedy; '' when nothing."""
        return '' if self._fault is Fault.NONE else f'{self._fault.name}: {self._fault.text}'

    @property
    def executor_available(self) -> bool:
        """Whether the executor takes goals."""
        return self._executor.available

    def begin_reset(self) -> None:
        """Ask the executor, and through it the hardware, to clear what is latched."""
        self._reset_began_at, self._reset_answer = self._clock(), None
        self._executor.reset_fault()

    @property
    def reset_outcome(self) -> str | None:
        """None while a reset runs; then '' (nothing is latched any more) or why it is not.

        What counts is that the hardware reports no fault. The executor also says no when it had
        nothing to clear, as after the death of a planner.
        """
        assert self._reset_began_at is not None, 'begin_reset() comes first'
        if self._reset_answer is None:
            if self._clock() - self._reset_began_at < RESET_PATIENCE:
                return None
            return 'the executor has not answered the reset; see whether it runs'
        answered_at, refusal = self._reset_answer
        if self.silent:
            return 'the hardware node is silent; start it again'
        if not self.fault:
            return ''
        if self._clock() - answered_at < CLEAR_PATIENCE:
            return None
        return refusal or self.fault

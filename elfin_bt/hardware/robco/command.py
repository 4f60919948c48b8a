# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Command sets, commands and the arm's state: what is said between this backend and the arm.

An arm takes either position, velocity and acceleration together, or effort, the same set for all
joints at any moment. One command carries all joints, so a change of set is a matter of one message.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOTION_INTERFACES = ('position', 'velocity', 'acceleration')
EFFORT_INTERFACES = ('effort',)


class CommandSet(StrEnum):
    """What the arm is told. FLOAT is the effort set at zero: the arm can be moved by hand."""

    POSITION = 'position'
    EFFORT = 'effort'
    FLOAT = 'float'

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Names of the command interfaces of each joint."""
        return MOTION_INTERFACES if self is CommandSet.POSITION else EFFORT_INTERFACES


@dataclass(frozen=True, eq=False, slots=True)
class Command:
    """One set point of all joints; it acts at once.

    ``values`` is (6, k), a column for each of ``interfaces``: rad, rad/s and rad/s2, or Nm.
    """

    interfaces: tuple[str, ...]
    values: Floats

    @classmethod
    def motion(cls, position: Floats, velocity: Floats, acceleration: Floats) -> Command:
        """The position set, from three (6,)."""
        return cls(MOTION_INTERFACES, np.column_stack((position, velocity, acceleration)))

    @classmethod
    def effort(cls, effort: Floats) -> Command:
        """The effort set, from (6,) Nm."""
        return cls(EFFORT_INTERFACES, effort[:, None])


@dataclass(frozen=True, eq=False, slots=True)
class ArmState:
    """What the arm reported last: (6,) rad, (6,) rad/s, and when that arrived, s (monotonic)."""

    position: Floats
    velocity: Floats
    received: float


class Selector(Protocol):
    """Asks for a command set; the answer is '' or why it is refused."""

    def __call__(self, command_set: CommandSet) -> str:
        """Change to ``command_set``."""


class Link(Protocol):
    """The way to the arm; ``state`` and ``enabled`` may be read from any thread."""

    def open(self, select: Selector) -> None:
        """Begin to listen; requests for another command set go to ``select``."""

    def close(self) -> None:
        """Cease to listen and to speak. Harmless when not open."""

    @property
    def state(self) -> ArmState | None:
        """What the arm reported last, None before the first report."""

    @property
    def enabled(self) -> bool:
        """Whether the arm has said that it is enabled."""

    def send(self, command: Command) -> None:
        """Send a set point."""

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A small simulated arm of RobCo's kind: what stands behind the topics when no arm does.

It is disabled when it starts, takes one command set for all joints and answers a wrong command with
an exception. Under positions it is where it is told to be; under efforts it moves as its masses do
(articulated-body algorithm). Pure: time passes in :meth:`SimulatedArm.advance` alone.
"""

from __future__ import annotations

import numpy as np

from elfin_bt.hardware.robco.command import (
    EFFORT_INTERFACES,
    MOTION_INTERFACES,
    Command,
    Floats,
)
from elfin_bt.hardware.robco.dynamics import ArmDynamics

STEP = 0.0005  # s of the integration


class CommandRefused(Exception):
    """The arm did not take a command; the text says why."""


class SimulatedArm:
    """An arm at rest in ``position`` (6,) rad.

    With ``compensates`` it adds gravity and Coriolis torques to the efforts it is told, as RobCo's
    does; without, its motors get the bare efforts.

    Attributes:
        position, velocity: (6,) rad and rad/s.
        enabled: whether commands are taken; the brakes hold a disabled arm.
    """

    def __init__(self, dynamics: ArmDynamics, position: Floats, *, compensates: bool) -> None:
        self._dynamics = dynamics
        self._compensates = compensates
        self.position = np.array(position, dtype=float)
        self.velocity = np.zeros(6)
        self.enabled = False
        self._effort: Floats | None = None

    def enable(self, enable: bool) -> None:
        """Switch on or off, as the vendor's tool would; no command outlives it."""
        self.enabled = enable
        self.velocity = np.zeros(6)
        self._effort = None

    def take(self, command: Command) -> None:
        """Take a set point; it acts at once and until the next one.

        Raises:
            CommandRefused: the arm is disabled, or this is no set that it knows.
        """
        if not self.enabled:
            raise CommandRefused('the arm is disabled and was commanded: enable it first')
        if command.values.shape != (6, len(command.interfaces)):
            raise CommandRefused(f'{command.values.shape} values: one row a joint is wanted')
        if not np.all(np.isfinite(command.values)):
            raise CommandRefused('a command is not a finite number')
        if command.interfaces == EFFORT_INTERFACES:
            self._effort = command.values[:, 0].copy()
        elif command.interfaces == MOTION_INTERFACES:
            self._effort = None
            self.position, self.velocity = command.values[:, 0].copy(), command.values[:, 1].copy()
        else:
            raise CommandRefused(
                f'{command.interfaces} is no command set: position, velocity and acceleration '
                'together, or effort'
            )

    def advance(self, seconds: float) -> None:
        """Let time pass: under efforts the arm moves, otherwise it stays."""
        if self._effort is None:
            return
        for _ in range(max(1, round(seconds / STEP))):
            torque = self._effort
            if self._compensates:
                torque = torque + self._dynamics.bias(self.position, self.velocity)
            acceleration = self._dynamics.acceleration(self.position, self.velocity, torque)
            self.velocity = self.velocity + STEP * acceleration
            self.position = self.position + STEP * self.velocity

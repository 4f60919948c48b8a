# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The law of the effort set: computed torque.

tau_command = M(q) (a_ref + K_d (v_ref - v) + K_p (q_ref - q)), and what reaches the motors is

    tau = tau_command + gravity(q) + Coriolis(q, v).

RobCo's arm adds the last two itself, so that a zero command floats; an arm that does not needs them
from the host. Adding them twice would throw the arm upwards, so it is one parameter that says who.
(Siciliano et al., Robotics, section 8.5.2, inverse dynamics control.)
"""

from __future__ import annotations

import numpy as np

from elfin_bt.hardware.robco.dynamics import ArmDynamics, Floats
from elfin_bt.hardware.robco.settings import HOST, RobcoSettings


class EffortLaw:
    """Torques that make the joints follow a reference like decoupled, damped unit masses."""

    def __init__(self, dynamics: ArmDynamics, settings: RobcoSettings) -> None:
        self._dynamics = dynamics
        self._stiffness = settings.stiffness
        self._damping = settings.damping
        self._host_compensates = settings.compensation == HOST

    def floating(self, position: Floats, velocity: Floats) -> Floats:
        """Efforts (6,) Nm to send for a zero command, with the joints at (6,) rad, (6,) rad/s."""
        return self._compensated(np.zeros_like(position), position, velocity)

    def following(
        self,
        position: Floats,
        velocity: Floats,
        *,
        reference: tuple[Floats, Floats, Floats],
    ) -> Floats:
        """Efforts (6,) Nm to send; ``reference`` is position, velocity and acceleration (6,)."""
        wanted, wanted_velocity, wanted_acceleration = reference
        acceleration = (
            wanted_acceleration
            + self._damping * (wanted_velocity - velocity)
            + self._stiffness * (wanted - position)
        )
        command = self._dynamics.inertial(position, acceleration)
        return self._compensated(command, position, velocity)

    def _compensated(self, command: Floats, position: Floats, velocity: Floats) -> Floats:
        if self._host_compensates:
            command = command + self._dynamics.bias(position, velocity)
        limit = self._dynamics.effort_limit
        return np.clip(command, -limit, limit)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid-body dynamics of the arm: M(q) a + C(q, v) v + g(q) = tau, by Pinocchio.

Masses and inertias are those of config/elfin5.urdf, which says how far they can be trusted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio
from numpy.typing import NDArray

from elfin_bt.kinematics.limits import JOINT_NAMES

Floats = NDArray[np.float64]


class ArmDynamics:
    """The arm of ``urdf``; all vectors are (6,) in joint order: rad, rad/s, rad/s2, Nm.

    Attributes:
        effort_limit: (6,) Nm, the largest torque of each joint.
    """

    def __init__(self, urdf: Path) -> None:
        self._model = pinocchio.buildModelFromUrdf(str(urdf))
        names = tuple(self._model.names)[1:]
        if names != JOINT_NAMES:
            raise ValueError(f'{urdf} has the joints {names}: they must be {JOINT_NAMES}')
        self._data = self._model.createData()
        self.effort_limit: Floats = np.array(self._model.effortLimit)

    def bias(self, position: Floats, velocity: Floats) -> Floats:
        """Gravity and Coriolis torques C(q, v) v + g(q): what holds the arm on its course."""
        return np.array(pinocchio.nonLinearEffects(self._model, self._data, position, velocity))

    def inertial(self, position: Floats, acceleration: Floats) -> Floats:
        """Torques M(q) a that accelerate the arm, gravity and Coriolis apart."""
        inertia = pinocchio.crba(self._model, self._data, position)
        upper = np.triu(inertia)  # crba fills the upper triangle only
        symmetric = upper + np.triu(upper, 1).T
        return np.asarray(symmetric @ acceleration, dtype=np.float64)

    def acceleration(self, position: Floats, velocity: Floats, effort: Floats) -> Floats:
        """What the arm does under motor torques ``effort`` (articulated-body algorithm)."""
        return np.array(pinocchio.aba(self._model, self._data, position, velocity, effort))

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The time-optimal way along a path without a jerk limit: TOPP-RA.

Pham and Pham, "A New Approach to Time-Optimal Path Parameterization Based on Reachability
Analysis", IEEE T-RO 34(3), 2018; their package `toppra`, with its compiled solver.
"""

import numpy as np

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.path import PenPath

Array = np.ndarray

NO_LIMIT = 1e6
"""For what is not to count."""


class TimesByToppra:
    """Times from rest to rest within the velocity and acceleration limits of the joints."""

    def __init__(self, limits: JointLimits) -> None:
        from toppra.algorithm import TOPPRA
        from toppra.constraint import JointAccelerationConstraint, JointVelocityConstraint

        self._solver = TOPPRA
        # The pen's speed is a seventh joint, whose velocity is 1 at the largest speed.
        self._constraints = [
            JointVelocityConstraint(np.append(limits.velocity, 1.0)),
            JointAccelerationConstraint(np.append(limits.acceleration, NO_LIMIT)),
        ]

    def of(self, path: PenPath, joints: JointPath, first: int, last: int) -> float:
        """Seconds from row `first` to row `last`, two rows on at least; NaN where it fails."""
        s = np.insert(np.cumsum(path.lengths[first:last]), 0, 0.0)
        speeds = path.speeds[first:last]
        slowest = np.minimum(np.append(speeds, np.inf), np.insert(speeds, 0, np.inf))
        rows = slice(first, last + 1)
        table = [
            np.column_stack([joints.positions[rows], s]),
            np.column_stack([joints.slopes[rows], 1.0 / slowest]),
            np.column_stack([joints.bends[rows], np.zeros(len(s))]),
        ]
        problem = self._solver(
            self._constraints, _Rows(s, table), gridpoints=s, solver_wrapper='seidel'
        )
        _, speed, _ = problem.compute_parameterization(0.0, 0.0)
        if speed is None:
            return float('nan')
        return float((2.0 * np.diff(s) / (speed[1:] + speed[:-1])).sum())


class _Rows:
    """A path that is known at its rows; TOPP-RA asks at grid points only, which they are."""

    dof = 7

    def __init__(self, s: Array, table: list[Array]) -> None:
        self.path_interval = np.array([0.0, s[-1]])
        self._s, self._table = s, table

    def __call__(self, at: Array, order: int = 0) -> Array:
        values: Array = self._table[order][np.searchsorted(self._s, at)]
        return values

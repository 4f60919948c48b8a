# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How far a configuration is from the arm's three singularities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics.geometry import FOREARM, UPPER_ARM

Array = NDArray[np.float64]

# Thresholds for a Cartesian path. Near the wrist and elbow singularities joint speeds grow as
# 1/sin, at the shoulder as 1/radius: these bounds keep that factor below 12, which leaves the tip
# 1.57 rad/s / 12 = 0.13 rad/s of turn, or about 0.1 m/s of reach.
WRIST_MINIMUM = 0.08  # |sin q5|
ELBOW_MINIMUM = 0.08  # |sin q3|
SHOULDER_MINIMUM = 0.08  # m, wrist centre to axis 1


@dataclass(frozen=True)
class Singularity:
    """Distance from each singularity, (N,) each; 0 is singular.

    Attributes:
        wrist: |sin q5| (axes 4 and 6 in line).
        elbow: |sin q3| (arm straight or folded).
        shoulder: metres from the wrist centre to axis 1.
    """

    wrist: Array
    elbow: Array
    shoulder: Array

    def first_below_minimum(self) -> tuple[int, str] | None:
        """Index and description of the first configuration nearer than the thresholds, or None."""
        checks = (
            (self.wrist, WRIST_MINIMUM, 'wrist singularity: |sin q5| {:.3f} is below {:.3f}'),
            (self.elbow, ELBOW_MINIMUM, 'elbow singularity: |sin q3| {:.3f} is below {:.3f}'),
            (
                self.shoulder,
                SHOULDER_MINIMUM,
                'shoulder singularity: wrist centre {:.3f} m from axis 1 is below {:.3f} m',
            ),
        )
        found = [
            (int(np.argmax(value < minimum)), text, value, minimum)
            for value, minimum, text in checks
            if np.any(value < minimum)
        ]
        if not found:
            return None
        index, text, value, minimum = min(found, key=lambda item: item[0])
        return index, text.format(value[index], minimum)


def singularity_measure(q: Array) -> Singularity:
    """Distance of each configuration (N, 6) from the wrist, elbow and shoulder singularities."""
    radius = UPPER_ARM * np.sin(-q[:, 1]) + FOREARM * np.sin(q[:, 2] - q[:, 1])
    return Singularity(np.abs(np.sin(q[:, 4])), np.abs(np.sin(q[:, 2])), np.abs(radius))

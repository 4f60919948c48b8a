# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The fastest way over a distance, from rest to rest: up to seven phases of constant jerk.

The phases are Ruckig's (Berscheid and Kroeger, "Jerk-limited Real-time Trajectory Generation with
Arbitrary Target States", RSS 2021). Within a phase the distance is a cubic in time, so that Hermite
interpolation between the knots is exact, whether cubic or quintic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ruckig import InputParameter, Result, Ruckig
from ruckig import Trajectory as Profile

Array = NDArray[np.float64]

_SHORTEST_PHASE = 1e-9  # s


@dataclass(frozen=True, eq=False)
class SCurve:
    """Knots (N,) of a scalar motion: time s, distance, speed, acceleration."""

    time: Array
    distance: Array
    speed: Array
    acceleration: Array

    @property
    def duration(self) -> float:
        """Seconds it takes."""
        return float(self.time[-1])


def s_curve(
    distance: float, speed: float, acceleration: float, jerk: float, step: float = 0.02
) -> SCurve:
    """The time-optimal motion over `distance` > 0, at rest at both ends.

    Args:
        distance: any unit.
        speed: largest, unit/s.
        acceleration: largest, unit/s2.
        jerk: largest, unit/s3; math.inf gives a trapezoid of speed.
        step: largest time between knots, s; the phases' ends are knots too.

    Raises:
        ValueError: an argument is not positive.
    """
    question = InputParameter(1)
    question.current_position, question.target_position = [0.0], [distance]
    question.max_velocity, question.max_acceleration = [speed], [acceleration]
    question.max_jerk = [jerk]
    profile = Profile(1)
    result = (
        Ruckig(1).calculate(question, profile)
        if min(distance, speed, acceleration, jerk) > 0.0
        else Result.ErrorInvalidInput
    )
    if result != Result.Working:
        raise ValueError(
            f'no motion over {distance:g} with speed {speed:g}, acceleration {acceleration:g} and '
            f'jerk {jerk:g}: all must be positive'
        )
    phases = [t for t in profile.profiles[0][0].t if t > _SHORTEST_PHASE]
    ends = np.cumsum([0.0, *phases])
    time = np.concatenate(
        [
            [0.0],
            *(
                np.linspace(begin, end, int(np.ceil((end - begin) / step)) + 1)[1:]
                for begin, end in zip(ends[:-1], ends[1:], strict=True)
            ),
        ]
    )
    rows = np.array([profile.at_time(t) for t in time.tolist()])[:, :, 0]
    rows[0], rows[-1] = 0.0, (distance, 0.0, 0.0)
    return SCurve(time, *rows.T)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Has the arm arrived? Within tolerance and still, for a while, by the device's own time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.actions import DeviceReport
from elfin_bt.execution.tolerances import JointTolerances

Array = NDArray[np.float64]


@dataclass
class Stillness:
    """Watches reports that come after the last point was executed.

    target (joints,) rad; `dwell` s within `tolerances` are enough, `time_tolerance` s without are
    too much.
    """

    joint_names: tuple[str, ...]
    target: Array
    tolerances: JointTolerances
    time_tolerance: float
    dwell: float
    _began: float | None = field(default=None, init=False)
    _still_since: float | None = field(default=None, init=False)

    def observe(self, report: DeviceReport) -> str | None:
        """'' once the arm has arrived, what is wrong once it is too late, None until then."""
        if self._began is None:
            self._began = report.stamp
        wrong = self._wrong(report)
        if wrong:
            self._still_since = None
            late = report.stamp - self._began > self.time_tolerance
            return f'{wrong} {self.time_tolerance:g} s after the end' if late else None
        if self._still_since is None:
            self._still_since = report.stamp
        return '' if report.stamp - self._still_since >= self.dwell else None

    def _wrong(self, report: DeviceReport) -> str:
        if not report.is_idle:
            return report.why_not_idle
        worst = self.tolerances.worst(report.position - self.target, report.velocity)
        return f'{self.joint_names[worst[0]]}: {worst[1]}' if worst else ''

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The phantom's simulated drives: how the arm follows its command, and what fails in them.

The vendor's phantom axes follow without an error, and so do these by default. With a lag the joints
follow as a first-order system (5 to 20 ms are what a servo drive has), so that following error,
settling and goal tolerances mean something.
"""

from __future__ import annotations

import numpy as np

from elfin_bt.hardware.device import ErrorNumber, FirmwareError, Source
from elfin_bt.hardware.phantom.frames import Floats
from elfin_bt.kinematics.limits import JOINT_NAMES

POSITION_ERROR_LIMIT = 0.1  # rad
COARSE, FINE = 0.01, 0.001  # rad; IN_COARSE and SETTLED
WHOLE_ARM = -1
_RESTING = 1e-9  # rad of following error that is none any more

INJECTIONS = {
    'amp_fault': Source.AMP_FAULT,
    'following_error': Source.POSITION_ERROR,
    'limit_positive': Source.HW_LIMIT_POSITIVE,
    'limit_negative': Source.HW_LIMIT_NEGATIVE,
    'communication_loss': Source.NETWORK,
}
"""What may be injected; ``following_error`` blocks the joint, all others are reported at once."""


class Drives:
    """Six drives that stand at ``position`` (6,) rad; ``sample`` and ``lag`` in s, lag 0 for none.

    Attributes:
        position, velocity: (6,) what the encoders say, rad and rad/s.
        powered: without power the brakes hold the arm where it is.
    """

    def __init__(
        self,
        position: Floats,
        *,
        sample: float,
        lag: float = 0.0,
        position_error_limit: float = POSITION_ERROR_LIMIT,
    ) -> None:
        self.position = np.array(position, dtype=float)
        self.velocity = np.zeros_like(self.position)
        self.powered = True
        self._sample = sample
        self._keep = float(np.exp(-sample / lag)) if lag > 0.0 else 0.0
        self._limit = position_error_limit
        self._free = np.ones_like(self.position)  # 0 where a joint is blocked
        self._reported: dict[Source, int] = {}

    # Following

    @property
    def _ideal(self) -> bool:
        return self.powered and self._keep == 0.0 and bool(self._free.all())

    def trace(self, commanded: Floats) -> Floats:
        """Actual positions (n, 6) over n samples of ``commanded`` positions (n, 6), in rad."""
        if self._ideal:
            return commanded
        gain = self._free * (1.0 - self._keep) * self.powered
        actual = np.empty_like(commanded)
        position = self.position
        for sample, target in enumerate(commanded):
            position = position + gain * (target - position)
            actual[sample] = position
        return actual

    def strayed(self, commanded: Floats, actual: Floats) -> int:
        """First sample whose following error is over the limit; n when there is none."""
        if actual is commanded or not self.powered:
            return len(commanded)
        over = np.abs(commanded - actual).max(axis=1) > self._limit
        return int(np.argmax(over)) if over.any() else len(over)

    def reach(self, actual: Floats) -> None:
        """Let the samples ``actual`` (n, 6) rad pass, n at least 1."""
        before = actual[-2] if len(actual) > 1 else self.position
        self.velocity = (actual[-1] - before) / self._sample
        self.position = actual[-1].copy()

    def rests(self, commanded: Floats) -> bool:
        """Whether nothing moves while ``commanded`` (6,) rad stands still."""
        gain = self._free * self.powered
        return bool((np.abs(gain * (commanded - self.position)) <= _RESTING).all())

    def error(self, commanded: Floats) -> float:
        """Largest following error of a joint, rad."""
        return float(np.abs(commanded - self.position).max())

    # Faults

    def inject(self, text: str) -> None:
        """Simulate ``KIND [JOINT]`` (joint 1 by default); '' takes everything away again.

        Raises:
            FirmwareError: no such kind or joint.
        """
        if not text.strip():
            self._free[:] = 1.0
            self._reported.clear()
            return
        source, joint = _parse(text)
        if source is Source.POSITION_ERROR:
            self._free[joint] = 0.0
        else:
            self._reported[source] = WHOLE_ARM if source is Source.NETWORK else joint

    def causes(self, commanded: Floats) -> dict[Source, int]:
        """What is wrong right now, and the joint of each (WHOLE_ARM: all of them)."""
        causes = dict(self._reported)
        if self.powered and self.error(commanded) > self._limit:
            causes[Source.POSITION_ERROR] = int(np.argmax(np.abs(commanded - self.position)))
        return causes


def _parse(text: str) -> tuple[Source, int]:
    kind, *joint = text.split()
    names = [*JOINT_NAMES]
    name = joint[0] if joint else names[0]
    if kind not in INJECTIONS or name not in names or len(joint) > 1:
        raise FirmwareError(
            ErrorNumber.INVALID_ARGUMENT,
            f"'{text}' can not be injected: give KIND [JOINT], KIND one of "
            f'{", ".join(INJECTIONS)}, JOINT one of {names[0]} to {names[-1]}',
        )
    return INJECTIONS[kind], names.index(name)

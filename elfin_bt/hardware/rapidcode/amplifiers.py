# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Switching the amplifiers: even axes first, the odd ones a little later, to limit inrush.

Only a person's request leads here. Phantom axes have no amplifiers; for them a flag answers, on
from the start, so that the same requests and refusals apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

AMP_ON, AMP_OFF = True, False


class Amplifiers:
    """The amplifiers of ``axes`` (RapidCode Axis objects, by axis number).

    ``interval`` is the time in s between the even axes and the odd ones.
    """

    def __init__(self, axes: Sequence[Any], *, is_phantom: bool, interval: float) -> None:
        self._axes = axes
        self._is_phantom = is_phantom
        self._interval = interval
        self._flag = is_phantom
        self._odd_due: float | None = None

    @property
    def all_on(self) -> bool:
        """Whether every amplifier is on."""
        return self._flag if self._is_phantom else all(self._states())

    @property
    def text(self) -> str:
        """What is on, for a person."""
        if self._is_phantom:
            return f'phantom axes, {"on" if self._flag else "off"}'
        states = self._states()
        on = [str(number) for number, state in enumerate(states) if state]
        pending = ', the odd axes follow' if self._odd_due is not None else ''
        return f'{len(on)} of {len(states)} on ({", ".join(on) or "none"}){pending}'

    def enable(self, now: float) -> None:
        """Switch the even axes on at ``now`` s; ``tick`` does the odd ones when they are due."""
        self._switch(0, AMP_ON)
        if self._is_phantom:
            self._switch(1, AMP_ON)
            self._flag = True
        else:
            self._odd_due = now + self._interval

    def tick(self, now: float, *, healthy: bool) -> None:
        """Go on with the sequence; give it up when the arm is no longer ``healthy``."""
        if self._odd_due is None:
            return
        if not healthy:
            self._odd_due = None
        elif now >= self._odd_due:
            self._odd_due = None
            self._switch(1, AMP_ON)

    def disable(self) -> None:
        """Switch all off at once."""
        self._odd_due = None
        self._flag = False
        self._switch(0, AMP_OFF)
        self._switch(1, AMP_OFF)

    def cut(self) -> None:
        """The firmware has switched them off by itself."""
        self._odd_due = None
        self._flag = False

    def _states(self) -> list[bool]:
        return [bool(axis.AmpEnableGet()) for axis in self._axes]

    def _switch(self, parity: int, state: bool) -> None:
        for axis in self._axes[parity::2]:
            axis.AmpEnableSet(state)

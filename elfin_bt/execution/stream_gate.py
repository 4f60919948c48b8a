# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a stream may begin: never because it simply went on through a stop."""

from __future__ import annotations

import math

STREAM_TOPIC = '~/joint_trajectory'


class StreamGate:
    """Shut by a stop, a fault or a soft stop; opened by a silence of more than `timeout` s.

    So a streamer that has not noticed the stop does not move the arm after the reset: somebody has
    to let go and begin anew.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._heard = -math.inf
        self._is_shut = False

    def shut(self) -> None:
        """Refuse what is being streamed until it has fallen silent."""
        self._is_shut = True

    def blocked(self, now: float) -> str:
        """Why a message that has just arrived must not move the arm, '' if it may."""
        self._heard = now
        if not self._is_shut:
            return ''
        return (
            f'the stream was stopped and has not been silent since: pause it for more than '
            f'{self._timeout:g} s, then begin anew'
        )

    def watch(self, now: float, *, latched: bool) -> None:
        """Let time pass."""
        if latched:
            self._is_shut = True
        elif now - self._heard > self._timeout:
            self._is_shut = False

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Where a job is."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """Where a job is. The last three are final."""

    ACCEPTED = 'accepted'
    CHECKING = 'checking'
    HOMING = 'homing'
    DRAWING = 'drawing'
    RETRACTING = 'retracting'
    DONE = 'done'
    REFUSED = 'refused'
    FAILED = 'failed'

    @property
    def is_final(self) -> bool:
        """Whether nothing follows this phase."""
        return self in (Phase.DONE, Phase.REFUSED, Phase.FAILED)

    @property
    def in_motion(self) -> bool:
        """Whether the arm moves for the job in this phase."""
        return self in (Phase.HOMING, Phase.DRAWING, Phase.RETRACTING)

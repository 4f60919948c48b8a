# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What `elfin-bt draw` is asked for, and how it ended. No ROS: a refusal needs none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from elfin_bt.session.report import Result


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How to draw. Speeds in m/s; speedup is None where a running session has its own."""

    speedup: float | None = 1.0
    pen_speed_m_s: float = 0.08
    dry_run: bool = False
    attach: bool = False


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """How a drawing ended.

    `status` is the session's last word on the job. `record` is the bytes of the executed samples,
    empty when unknown; `logs` what the processes that were started have printed, by file name.
    """

    result: Result
    reason: str = ''
    status: Mapping[str, Any] = field(default_factory=dict)
    record: bytes = b''
    logs: Mapping[str, bytes] = field(default_factory=dict)

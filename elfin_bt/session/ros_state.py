# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session's state as diagnostics: one line for a person, values for an engineer."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from elfin_bt.ros.conversions import diagnostic_array
from elfin_bt.session.core import SessionCore
from elfin_bt.session.tick_stats import TickStats


def state_message(node: Node, core: SessionCore, stats: TickStats) -> DiagnosticArray:
    """Return the message of ``~/state``: ERROR while a fault is latched, OK otherwise."""
    cause, status = core.faults.cause, core.jobs.status
    values: dict[str, object] = {
        'activity': core.activity,
        'job': status.id if status else '',
        'job_phase': status.phase if status else '',
        'job_reason': status.reason if status else '',
        'faults': ' | '.join(core.faults.texts),
        'planner': core.planner.death or 'running',
        'pieces_ahead': len(core.planner.drawing.pieces),
        'goals_queued': core.motion.goals,
        'seconds_queued': f'{core.motion.seconds:.3f}',
        'tick_p50_ms': f'{1000.0 * stats.percentile(50.0):.2f}',
        'tick_p99_ms': f'{1000.0 * stats.percentile(99.0):.2f}',
        'tick_max_ms': f'{1000.0 * stats.percentile(100.0):.2f}',
        'tick_overruns': stats.overruns,
    }
    return diagnostic_array(
        node.get_clock().now().to_msg(),
        f'{node.get_name()}: session',
        DiagnosticStatus.ERROR if cause else DiagnosticStatus.OK,
        cause or core.activity,
        values,
    )

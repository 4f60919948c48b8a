# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the hardware node says about itself on ``/diagnostics``, the same for every device."""

from __future__ import annotations

from collections.abc import Iterable

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from elfin_bt.hardware.core import CoreReport
from elfin_bt.hardware.csv_record import CsvRecord
from elfin_bt.hardware.feeder import Feeder
from elfin_bt.ros.conversions import diagnostic_array


def diagnostics(
    node_name: str, stamp: Time, feeder: Feeder, record: CsvRecord, errors: Iterable[str]
) -> DiagnosticArray:
    """One status. Reading it begins a new period of the ``worst`` and ``slowest`` figures."""
    report, snapshot = feeder.report, feeder.report.snapshot
    level, text = _summary(report, feeder.failure)
    values: dict[str, object] = {
        'device_state': snapshot.state.name if snapshot else 'lost',
        'status': (snapshot.status.name or '') if snapshot else '',
        'amplifiers': 'on' if snapshot and snapshot.amps_enabled else 'off',
        'frames_loaded': snapshot.frames_loaded if snapshot else 0,
        'feed_rate': snapshot.feed_rate if snapshot else 0.0,
        'paused': bool(snapshot and snapshot.paused),
        'points_executed': report.points_executed,
        'fault': report.fault.name,
        'epoch': report.ack.epoch,
        'chunks_accepted': report.accepted,
        'chunks_refused': report.refused,
        'csv_record': record.path if record.running else '',
        'error_log': ' | '.join(errors),
        'slowest_chunk_ms': f'{1000.0 * feeder.take_slowest():.2f}',
        'worst_lateness_ms': f'{1000.0 * feeder.lateness.take_worst():.2f}',
        **feeder.lateness.values(),
    }
    return diagnostic_array(stamp, f'{node_name}: device', level, text, values)


def _summary(report: CoreReport, failure: str) -> tuple[bytes, str]:
    if failure:
        return DiagnosticStatus.ERROR, failure
    if report.latched:
        return DiagnosticStatus.ERROR, report.fault_text
    if not report.active or report.snapshot is None:
        return DiagnosticStatus.OK, 'not active'
    if not report.snapshot.amps_enabled:
        return DiagnosticStatus.WARN, 'the amplifiers are off: call ~/enable_amps'
    if report.snapshot.paused:
        return DiagnosticStatus.OK, 'paused: call ~/resume'
    return DiagnosticStatus.OK, 'takes chunks'

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between ROS messages and the plain values of the pure layers."""

from __future__ import annotations

from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Quaternion

NANOSECONDS = 1_000_000_000


def duration_from_seconds(seconds: float) -> Duration:
    """`seconds` (may be negative) as a Duration, rounded to the nanosecond."""
    total = round(seconds * NANOSECONDS)
    return Duration(sec=total // NANOSECONDS, nanosec=total % NANOSECONDS)


def seconds_from_duration(duration: Duration) -> float:
    """A Duration in seconds."""
    return duration.sec + duration.nanosec / NANOSECONDS


def time_from_seconds(seconds: float) -> Time:
    """`seconds` since the epoch (not negative) as a Time, rounded to the nanosecond."""
    total = round(seconds * NANOSECONDS)
    return Time(sec=total // NANOSECONDS, nanosec=total % NANOSECONDS)


def seconds_from_time(stamp: Time) -> float:
    """A Time in seconds since the epoch."""
    return stamp.sec + stamp.nanosec / NANOSECONDS


def quaternion_from_xyzw(xyzw: tuple[float, float, float, float]) -> Quaternion:
    """A Quaternion message from (x, y, z, w)."""
    x, y, z, w = (float(value) for value in xyzw)
    return Quaternion(x=x, y=y, z=z, w=w)


def diagnostic_array(
    stamp: Time, name: str, level: bytes, message: str, values: dict[str, object]
) -> DiagnosticArray:
    """One DiagnosticStatus in an array. `level` is DiagnosticStatus.OK, WARN, ERROR or STALE."""
    status = DiagnosticStatus(
        name=name,
        level=level,
        message=message,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )
    array = DiagnosticArray(status=[status])
    array.header.stamp = stamp
    return array

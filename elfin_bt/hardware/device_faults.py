# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From what the device reports to the faults that people and goals are told."""

from __future__ import annotations

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.device import DeviceSnapshot, Source
from elfin_bt.kinematics.limits import JOINT_NAMES

_FAULTS = {
    Source.OUT_OF_FRAMES: Fault.OUT_OF_FRAMES,
    Source.AMP_FAULT: Fault.AMP_FAULT,
    Source.POSITION_ERROR: Fault.FOLLOWING_ERROR,
    Source.HW_LIMIT_POSITIVE: Fault.LIMIT_REACHED,
    Source.HW_LIMIT_NEGATIVE: Fault.LIMIT_REACHED,
    Source.SW_LIMIT_POSITIVE: Fault.LIMIT_REACHED,
    Source.SW_LIMIT_NEGATIVE: Fault.LIMIT_REACHED,
    Source.NETWORK: Fault.NETWORK_LOST,
}


def device_faults(snapshot: DeviceSnapshot) -> list[tuple[Fault, str]]:
    """What the device itself has found wrong, with a line for each; the first cause comes first.

    An e-stop by a client (USER) is no fault of the device and not in here.
    """
    causes = [snapshot.source, *sorted(snapshot.active)]
    found: dict[Fault, str] = {}
    for source in causes:
        fault = _FAULTS.get(source)
        if fault is not None and fault not in found:
            found[fault] = _line(fault, source, snapshot)
    return list(found.items())


def _line(fault: Fault, source: Source, snapshot: DeviceSnapshot) -> str:
    if source is Source.OUT_OF_FRAMES:
        return fault.text
    where, numbers = 'the arm', ''
    if source is snapshot.source and snapshot.source_joint >= 0:
        joint = snapshot.source_joint
        where = JOINT_NAMES[joint]
        actual, wanted = snapshot.actual_position[joint], snapshot.position[joint]
        numbers = f' (at {actual:.4f} rad, commanded {wanted:.4f} rad)'
    return f'{source.name} of {where}{numbers}: {fault.text}'

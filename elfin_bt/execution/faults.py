# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Faults that the hardware node latches: one number on the wire, one text for people.

The number travels in `pvt_hardware/ack` and in the `fault_code` state interface. The latch lives in
the hardware node; the executor aborts its goals with `abort_text`.
"""

from __future__ import annotations

from enum import IntEnum


class Fault(IntEnum):
    """Why the motion was stopped. The numbers are part of the interface and never change."""

    NONE = 0
    STOP_REQUESTED = 1
    OUT_OF_FRAMES = 2
    CHUNK_LOST = 3
    CHUNK_REPEATED = 4
    CHUNK_REORDERED = 5
    CHUNK_FOREIGN_EPOCH = 6
    CHUNK_INVALID = 7
    BUFFER_OVERFLOW = 8
    FIRMWARE_LOST = 9
    FIRMWARE_ERROR = 10
    NODE_DEACTIVATED = 11
    AMP_FAULT = 12
    LIMIT_REACHED = 13
    FOLLOWING_ERROR = 14
    NETWORK_LOST = 15
    AMPS_DISABLED = 16
    CHUNK_UNACKNOWLEDGED = 17

    @property
    def text(self) -> str:
        """What happened and what to do next, one line."""
        return _TEXTS[self]

    @property
    def abort_text(self) -> str:
        """`error_string` of a goal that this fault ended."""
        return f'FAULT: {self.name}: {self.text}'

    @classmethod
    def from_number(cls, number: float) -> Fault:
        """Fault of a wire number; a number that we do not know is a firmware error."""
        try:
            return cls(int(number))
        except (ValueError, OverflowError):
            return cls.FIRMWARE_ERROR


_TEXTS = {
    Fault.NONE: 'no fault',
    Fault.STOP_REQUESTED: 'a stop was requested; call ~/reset_fault when the cell is clear',
    Fault.OUT_OF_FRAMES: (
        'the firmware ran short of frames in an open motion and stopped on the path; '
        'look for a late or dead executor, then call ~/reset_fault'
    ),
    Fault.CHUNK_LOST: (
        'a chunk of the motion did not arrive; check the link between executor and hardware node, '
        'then call ~/reset_fault'
    ),
    Fault.CHUNK_REPEATED: (
        'the same chunk arrived twice; check that one executor runs, then call ~/reset_fault'
    ),
    Fault.CHUNK_REORDERED: (
        'a chunk arrived behind a later one; check that the chunk topic is reliable and has one '
        'publisher, then call ~/reset_fault'
    ),
    Fault.CHUNK_FOREIGN_EPOCH: (
        'a chunk was made before the last stop or reset and was not executed; call ~/reset_fault'
    ),
    Fault.CHUNK_INVALID: (
        'a chunk was malformed or its motion may not begin or continue now; '
        'check the versions of executor and hardware node, then call ~/reset_fault'
    ),
    Fault.BUFFER_OVERFLOW: (
        'a chunk needs more frames than the firmware has free; '
        'check committed_depth against the frame buffer, then call ~/reset_fault'
    ),
    Fault.FIRMWARE_LOST: (
        'the firmware does not answer; check its process or the controller, restart the hardware '
        'node, then call ~/reset_fault'
    ),
    Fault.FIRMWARE_ERROR: (
        'the firmware reports an error of its own; read its error log, remove the cause, '
        'then call ~/reset_fault'
    ),
    Fault.NODE_DEACTIVATED: (
        'the hardware node was deactivated while it owned a motion; activate it, '
        'then call ~/reset_fault'
    ),
    Fault.AMP_FAULT: (
        'a drive reports a fault and the amplifiers are off; read its code, remove the cause, '
        'call ~/reset_fault, then enable the amplifiers'
    ),
    Fault.LIMIT_REACHED: (
        'a joint reached a limit of the drives; look at where it stands, then call ~/reset_fault'
    ),
    Fault.FOLLOWING_ERROR: (
        'a joint did not follow its path; look for an obstacle or an overload, '
        'then call ~/reset_fault'
    ),
    Fault.NETWORK_LOST: (
        'the fieldbus is down and the amplifiers are off; check cables and drives, '
        'call ~/reset_fault, then enable the amplifiers'
    ),
    Fault.AMPS_DISABLED: (
        'a motion was to begin with the amplifiers off; enable them, then call ~/reset_fault'
    ),
    Fault.CHUNK_UNACKNOWLEDGED: (
        'the executor heard no acknowledgement of its chunks in time; check the link between '
        'executor and hardware node, then call ~/reset_fault'
    ),
}

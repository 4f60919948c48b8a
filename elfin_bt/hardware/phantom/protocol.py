# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the hardware node and the phantom firmware say to each other over a unix socket.

The socket keeps message borders (SOCK_SEQPACKET): one request, one reply. A request is a header
(call, time of sending on CLOCK_MONOTONIC in s) and the arguments of that call. A reply is a header
(error number, 0 for none; the state; the phantom's constants) and a text: what was wrong, or the
result of the call.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from elfin_bt.execution.chunk import JOINTS
from elfin_bt.hardware.device import (
    DeviceInfo,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    FirmwareError,
    Source,
    Status,
)
from elfin_bt.hardware.phantom.frames import Floats

MAX_MESSAGE = 1 << 17  # bytes; a full buffer of points is 53 kB
MAX_REPLY = 1 << 16  # bytes; a full error log is some 15 kB

_REQUEST = struct.Struct('<Bd')
_POINTS = struct.Struct('<I??')
_RAMPS = struct.Struct('<dd')
_RATE = struct.Struct('<d')
_FLAG = struct.Struct('<?')
_REPLY = struct.Struct(f'<BdBBbHBIIHHdd?{4 * JOINTS}ddId')


class Call(IntEnum):
    """The calls of :class:`elfin_bt.hardware.device.Device`, as numbers on the wire."""

    SNAPSHOT = 0
    CONFIGURE = 1
    MOVE_PVT = 2
    STOP = 3
    RESUME = 4
    ESTOP = 5
    ABORT = 6
    AMP_ENABLE = 7
    CLEAR_FAULTS = 8
    SET_FEED_RATE = 9
    RECORD = 10
    AMP_DISABLE = 11
    ERROR_LOG = 12
    INJECT = 13


class ProtocolError(Exception):
    """A message that this protocol does not know."""


@dataclass(frozen=True, slots=True)
class MovePvt:
    """Arguments of a move call: (n, 6), (n, 6), (n,) and the rest."""

    positions: Floats
    velocities: Floats
    times: Floats
    empty_count: int
    final: bool
    retain: bool = False


Arguments = MovePvt | tuple[float, float] | float | bool | str | None
"""By call: MOVE_PVT, CONFIGURE (estop_time, stop_time), SET_FEED_RATE, RECORD, INJECT, others."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the firmware answers; ``error`` is None when the call was carried out."""

    error: ErrorNumber | None
    text: str
    snapshot: DeviceSnapshot
    info: DeviceInfo


class MoveBuffer:
    """Room for the bytes of the largest move call, allocated once and used by every one."""

    def __init__(self) -> None:
        self._bytes = bytearray(MAX_MESSAGE)
        self._start = _REQUEST.size + _POINTS.size
        width = 1 + 2 * JOINTS
        rows = (MAX_MESSAGE - self._start) // (8 * width)
        self._table = np.frombuffer(
            self._bytes, offset=self._start, count=rows * width, dtype=np.float64
        ).reshape(rows, width)

    def pack(self, sent: float, move: MovePvt) -> memoryview:
        """A request of MOVE_PVT, valid until the next one.

        Raises:
            FirmwareError: more points than a message holds.
        """
        count = len(move.times)
        if count > len(self._table):
            raise FirmwareError(
                ErrorNumber.INVALID_ARGUMENT,
                f'{count} points in one call: a message holds {len(self._table)}',
            )
        _REQUEST.pack_into(self._bytes, 0, Call.MOVE_PVT, sent)
        _POINTS.pack_into(self._bytes, _REQUEST.size, move.empty_count, move.final, move.retain)
        self._table[:count, 0] = move.times
        self._table[:count, 1 : 1 + JOINTS] = move.positions
        self._table[:count, 1 + JOINTS :] = move.velocities
        return memoryview(self._bytes)[: self._start + count * self._table.strides[0]]


def pack_request(call: Call, sent: float, arguments: Arguments = None) -> bytes:
    """A request as bytes; ``sent`` is the present time on CLOCK_MONOTONIC in s."""
    head = _REQUEST.pack(call, sent)
    match call, arguments:
        case Call.MOVE_PVT, MovePvt() as move:
            return bytes(MoveBuffer().pack(sent, move))
        case Call.CONFIGURE, (float() as estop_time, float() as stop_time):
            return head + _RAMPS.pack(estop_time, stop_time)
        case Call.SET_FEED_RATE, float() as rate:
            return head + _RATE.pack(rate)
        case Call.RECORD, bool() as enable:
            return head + _FLAG.pack(enable)
        case Call.INJECT, str() as fault:
            return head + fault.encode()
        case _:
            return head


def unpack_request(message: bytes) -> tuple[Call, float, Arguments]:
    """Call, time of sending and arguments of a request; ProtocolError when it makes no sense."""
    try:
        number, sent = _REQUEST.unpack_from(message)
        call = Call(number)
        body = message[_REQUEST.size :]
        match call:
            case Call.MOVE_PVT:
                empty_count, final, retain = _POINTS.unpack_from(body)
                table = np.frombuffer(body, offset=_POINTS.size).reshape(-1, 1 + 2 * JOINTS)
                return (
                    call,
                    sent,
                    MovePvt(
                        table[:, 1 : 1 + JOINTS], table[:, 1 + JOINTS :], table[:, 0],
                        empty_count, final, retain,
                    ),
                )  # fmt: skip
            case Call.CONFIGURE:
                estop_time, stop_time = _RAMPS.unpack(body)
                return call, sent, (estop_time, stop_time)
            case Call.SET_FEED_RATE:
                return call, sent, float(_RATE.unpack(body)[0])
            case Call.RECORD:
                return call, sent, bool(_FLAG.unpack(body)[0])
            case Call.INJECT:
                return call, sent, body.decode()
            case _:
                return call, sent, None
    except (struct.error, ValueError) as error:
        raise ProtocolError(f'a request of {len(message)} bytes makes no sense: {error}') from error


def pack_reply(reply: Reply) -> bytes:
    """A reply as bytes."""
    state, info = reply.snapshot, reply.info
    head = _REPLY.pack(
        0 if reply.error is None else reply.error,
        state.time,
        state.state,
        state.source,
        state.source_joint,
        sum(1 << source for source in state.active),
        state.status,
        state.frames_loaded,
        state.frames_free,
        state.motion_id,
        state.element_id,
        state.feed_rate,
        state.feed_target,
        state.amps_enabled,
        *state.position,
        *state.velocity,
        *state.actual_position,
        *state.actual_velocity,
        info.sample,
        info.frame_buffer,
        info.speedup,
    )
    return head + reply.text.encode()


def unpack_reply(message: bytes | memoryview) -> Reply:
    """A reply from bytes; ProtocolError when it makes no sense."""
    try:
        fields = _REPLY.unpack_from(message)
        error, time, state, source, joint, active, status, loaded, free = fields[:9]
        motion, element, rate, target, amps = fields[9:14]
        position, velocity, actual_position, actual_velocity = np.array(
            fields[14 : 14 + 4 * JOINTS]
        ).reshape(4, JOINTS)
        sample, frame_buffer, speedup = fields[14 + 4 * JOINTS :]
        return Reply(
            error=ErrorNumber(error) if error else None,
            text=bytes(message[_REPLY.size :]).decode(),
            snapshot=DeviceSnapshot(
                time=time,
                state=DeviceState(state),
                source=Source(source),
                source_joint=joint,
                active=frozenset(source for source in Source if active & 1 << source),
                status=Status(status),
                frames_loaded=loaded,
                frames_free=free,
                motion_id=motion,
                element_id=element,
                feed_rate=rate,
                feed_target=target,
                amps_enabled=amps,
                position=position,
                velocity=velocity,
                actual_position=actual_position,
                actual_velocity=actual_velocity,
            ),
            info=DeviceInfo(sample=sample, frame_buffer=frame_buffer, speedup=speedup),
        )
    except (struct.error, ValueError) as error:
        raise ProtocolError(f'a reply of {len(message)} bytes makes no sense: {error}') from error

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The phantom firmware as a device: the hardware node's end of the socket."""

from __future__ import annotations

import socket
import time
from pathlib import Path

from elfin_bt.hardware.device import DeviceInfo, DeviceLost, DeviceSnapshot, FirmwareError
from elfin_bt.hardware.phantom.frames import Floats
from elfin_bt.hardware.phantom.protocol import (
    MAX_REPLY,
    Arguments,
    Call,
    MoveBuffer,
    MovePvt,
    ProtocolError,
    Reply,
    pack_request,
    unpack_reply,
)


class PhantomClient:
    """Implements :class:`elfin_bt.hardware.device.Device` over the phantom's socket.

    A call blocks until the firmware has answered, at most ``timeout`` s; a firmware that doesn't
    is lost. It answers at once as long as it runs (0.1 ms).
    """

    def __init__(self, socket_path: Path, *, timeout: float = 1.0) -> None:
        self._path = socket_path
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._move = MoveBuffer()
        self._reply = bytearray(MAX_REPLY)

    def connect(self) -> DeviceInfo:
        """Connect, taking over from any other client."""
        self.close()
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.settimeout(self._timeout)
        try:
            connection.connect(str(self._path))
        except OSError as error:
            connection.close()
            raise DeviceLost(
                f'no phantom firmware at {self._path} ({error.strerror or error}): '
                'start phantom_firmware with this --socket'
            ) from error
        self._socket = connection
        return self._call(Call.SNAPSHOT).info

    def close(self) -> None:
        """Close the socket; the firmware goes on by itself."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def configure(self, *, estop_time: float, stop_time: float) -> DeviceSnapshot:
        """Set the ramp times in s."""
        return self._call(Call.CONFIGURE, (float(estop_time), float(stop_time))).snapshot

    def snapshot(self) -> DeviceSnapshot:
        """Read the present state."""
        return self._call(Call.SNAPSHOT).snapshot

    def move_pvt(
        self,
        positions: Floats,
        velocities: Floats,
        times: Floats,
        *,
        empty_count: int,
        final: bool,
        retain: bool = False,
    ) -> DeviceSnapshot:
        """Open a move or append to it; ``retain`` keeps executed points to be retraced."""
        move = MovePvt(positions, velocities, times, empty_count, final, retain)
        return self._call(Call.MOVE_PVT, move).snapshot

    def stop(self) -> DeviceSnapshot:
        """Ramp to rest over the stop time."""
        return self._call(Call.STOP).snapshot

    def resume(self) -> DeviceSnapshot:
        """Continue a stopped move."""
        return self._call(Call.RESUME).snapshot

    def estop(self) -> DeviceSnapshot:
        """Ramp to rest over the e-stop time, then ERROR."""
        return self._call(Call.ESTOP).snapshot

    def abort(self) -> DeviceSnapshot:
        """Amplifiers off at once."""
        return self._call(Call.ABORT).snapshot

    def amp_enable(self) -> DeviceSnapshot:
        """Amplifiers on."""
        return self._call(Call.AMP_ENABLE).snapshot

    def amp_disable(self) -> DeviceSnapshot:
        """Amplifiers off."""
        return self._call(Call.AMP_DISABLE).snapshot

    def clear_faults(self) -> DeviceSnapshot:
        """From ERROR to IDLE."""
        return self._call(Call.CLEAR_FAULTS).snapshot

    def set_feed_rate(self, rate: float) -> DeviceSnapshot:
        """Ramp the feed rate."""
        return self._call(Call.SET_FEED_RATE, float(rate)).snapshot

    def record(self, enable: bool) -> str:
        """Start or end the record; return its path."""
        return self._call(Call.RECORD, enable).text

    def error_log(self) -> list[str]:
        """Take what the firmware has logged."""
        return self._call(Call.ERROR_LOG).text.splitlines()

    def inject(self, fault: str) -> DeviceSnapshot:
        """Simulate a fault: see :data:`elfin_bt.hardware.phantom.drives.INJECTIONS`."""
        return self._call(Call.INJECT, fault).snapshot

    def _call(self, call: Call, arguments: Arguments = None) -> Reply:
        if self._socket is None:
            raise DeviceLost('not connected to the phantom firmware')
        try:
            now = time.monotonic()
            if isinstance(arguments, MovePvt):
                self._socket.send(self._move.pack(now, arguments))
            else:
                self._socket.send(pack_request(call, now, arguments))
            size = self._socket.recv_into(self._reply)
            if not size:
                raise DeviceLost('the phantom firmware has ended, or another client took it over')
            reply = unpack_reply(memoryview(self._reply)[:size])
        except TimeoutError as error:
            self.close()
            raise DeviceLost(
                f'the phantom firmware did not answer within {self._timeout:g} s'
            ) from error
        except (OSError, ProtocolError) as error:
            self.close()
            raise DeviceLost(f'lost the phantom firmware: {error}') from error
        except DeviceLost:
            self.close()
            raise
        if reply.error is not None:
            raise FirmwareError(reply.error, reply.text)
        return reply

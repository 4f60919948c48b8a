# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The phantom's firmware process: a MultiAxis kept in step with the wall clock, behind a socket.

Like real firmware it is a process of its own that outlives its clients and keeps its state. One
client at a time is served; a new one takes over. On SIGTERM it e-stops what moves and exits with 0
once the arm is at rest.

Time is strict: a command takes effect at the sample in which its client sent it. When this process
itself was not scheduled for a while it catches up sample by sample, and what arrived meanwhile is
applied at its place.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

from elfin_bt.execution.chunk import JOINTS
from elfin_bt.hardware.device import DeviceInfo, ErrorNumber, FirmwareError
from elfin_bt.hardware.phantom.clock import PhantomClock
from elfin_bt.hardware.phantom.multi_axis import MultiAxis
from elfin_bt.hardware.phantom.protocol import (
    MAX_MESSAGE,
    Arguments,
    Call,
    MovePvt,
    ProtocolError,
    Reply,
    pack_reply,
    unpack_request,
)
from elfin_bt.hardware.phantom.recorder import Recorder

WAKE_MOVING = 0.002  # s; bounds how late executed samples reach the record
WAKE_AT_REST = 0.02  # s; a request wakes the process at once anyway
_PR_SET_PDEATHSIG = 1  # prctl(2)


class FirmwareServer:
    """Serves ``axis`` on the socket at ``path`` until told to end."""

    def __init__(self, axis: MultiAxis, *, path: Path, speedup: float, frame_buffer: int) -> None:
        self._axis = axis
        self._info = DeviceInfo(sample=axis.sample, frame_buffer=frame_buffer, speedup=speedup)
        self._clock = PhantomClock(wall=time.monotonic(), sample=axis.sample, speedup=speedup)
        self._recorder = Recorder(path.parent)
        self._path = path
        self._listener = _listen(path)
        self._client: socket.socket | None = None
        self._ending = False

    def end(self) -> None:
        """Make ``run`` return once the arm is at rest."""
        self._ending = True

    def run(self) -> None:
        """Serve until ``end`` was called and nothing moves."""
        try:
            while True:
                if self._ending:
                    if self._axis.state.at_rest:
                        return
                    self._axis.estop()
                # Read the clock before the socket: whatever was sent before `wall` is applied
                # before the axis gets there.
                wall = time.monotonic()
                self._serve_pending()
                self._advance_to(wall)
                self._wait()
        finally:
            self._recorder.stop()
            self._drop_client()
            self._listener.close()
            self._path.unlink(missing_ok=True)

    def _wait(self) -> None:
        sockets = [self._listener] + ([self._client] if self._client else [])
        select.select(sockets, [], [], WAKE_AT_REST if self._axis.state.at_rest else WAKE_MOVING)

    def _serve_pending(self) -> None:
        try:
            newcomer, _ = self._listener.accept()
        except BlockingIOError:
            pass
        else:
            self._drop_client()
            newcomer.setblocking(False)
            self._client = newcomer
        while self._client is not None:
            try:
                message = self._client.recv(MAX_MESSAGE)
                if message:
                    self._client.send(self._answer(message))
                else:
                    self._drop_client()
            except BlockingIOError:
                return
            except (OSError, ProtocolError) as error:
                print(f'phantom_firmware: dropped the client: {error}', file=sys.stderr)
                self._drop_client()

    def _drop_client(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
            self._axis.client_gone()

    def _answer(self, message: bytes) -> bytes:
        call, sent, arguments = unpack_request(message)
        self._advance_to(min(sent, time.monotonic()))
        error, text = None, ''
        try:
            text = self._carry_out(call, arguments)
        except FirmwareError as refusal:
            error, text = refusal.number, refusal.text
            self._axis.log(text)
        self._axis.reload()
        return pack_reply(Reply(error, text, self._axis.snapshot(), self._info))

    def _carry_out(self, call: Call, arguments: Arguments) -> str:
        axis = self._axis
        match call, arguments:
            case Call.MOVE_PVT, MovePvt() as move:
                axis.move_pvt(
                    move.positions,
                    move.velocities,
                    move.times,
                    empty_count=move.empty_count,
                    final=move.final,
                    retain=move.retain,
                )
                self._clock.fed()
            case Call.CONFIGURE, (estop_time, stop_time):
                axis.configure(estop_time=estop_time, stop_time=stop_time)
            case Call.SET_FEED_RATE, float() as rate:
                axis.set_feed_rate(rate)
            case Call.RECORD, bool() as enable:
                return self._record(enable)
            case Call.INJECT, str() as fault:
                axis.inject(fault)
            case Call.ERROR_LOG, None:
                return '\n'.join(axis.error_log())
            case _:
                self._plain_calls[call]()
        return ''

    @property
    def _plain_calls(self) -> dict[Call, Callable[[], None]]:
        axis = self._axis
        return {
            Call.SNAPSHOT: lambda: None,
            Call.STOP: axis.stop,
            Call.RESUME: axis.resume,
            Call.ESTOP: axis.estop,
            Call.ABORT: axis.abort,
            Call.AMP_ENABLE: axis.amp_enable,
            Call.AMP_DISABLE: axis.amp_disable,
            Call.CLEAR_FAULTS: axis.clear_faults,
        }

    def _record(self, enable: bool) -> str:
        try:
            if enable:
                self._recorder.start()
            else:
                self._recorder.stop()
        except OSError as error:
            raise FirmwareError(
                ErrorNumber.INVALID_ARGUMENT, f'the record could not be written: {error}'
            ) from error
        return self._recorder.path

    def _advance_to(self, wall: float) -> None:
        rows = self._axis.advance(self._clock.due(wall, self._axis.runway))
        try:
            self._recorder.write(rows)
        except OSError as error:
            # A full disk must not stop the arm; the record just ends here.
            print(f'phantom_firmware: the record ended: {error}', file=sys.stderr)
            self._recorder.stop()


def _listen(path: Path) -> socket.socket:
    """Listen at ``path``; the file appears only once connecting works.

    Raises:
        OSError: the path can't be used, or another firmware already serves it.
    """
    probe = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with probe:
        try:
            probe.connect(str(path))
        except OSError:
            pass  # absent, or left behind by a firmware that was killed
        else:
            raise OSError(f'another phantom firmware already serves {path}')
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.setblocking(False)
    unready = path.with_name(f'{path.name}.{os.getpid()}')
    unready.unlink(missing_ok=True)
    listener.bind(str(unready))
    listener.listen()
    unready.replace(path)
    return listener


def _end_with_parent() -> None:
    """Ask for SIGTERM when the parent process dies."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def _parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='phantom_firmware', description='Firmware of a phantom arm, served on a unix socket.'
    )
    parser.add_argument('--socket', type=Path, required=True, help='where to listen')
    parser.add_argument(
        '--speedup', type=float, default=1.0, help='device seconds per second (default 1)'
    )
    parser.add_argument(
        '--sample', type=float, default=0.001, help='firmware sample in s (default 0.001)'
    )
    parser.add_argument(
        '--frame-buffer', type=int, default=1024, help='size of the buffer (default 1024 frames)'
    )
    parser.add_argument(
        '--initial-joints',
        type=float,
        nargs=JOINTS,
        default=[0.0] * JOINTS,
        metavar='Q',
        help='joint positions at the start in rad (default all zero)',
    )
    parser.add_argument(
        '--supervised', action='store_true', help='end when the parent process dies'
    )
    parser.add_argument(
        '--lag',
        type=float,
        default=0.0,
        help='time constant in s with which the joints follow (default 0: they follow exactly)',
    )
    options = parser.parse_args(arguments)
    if not 1.0 <= options.speedup <= 1000.0:
        parser.error(f'--speedup {options.speedup:g}: it lies between 1 and 1000')
    if not 0.0001 <= options.sample <= 0.1:
        parser.error(f'--sample {options.sample:g}: it lies between 0.0001 and 0.1 s')
    if not 0.0 <= options.lag <= 0.1:
        parser.error(f'--lag {options.lag:g}: it lies between 0 and 0.1 s')
    if options.frame_buffer < 2 or options.frame_buffer & (options.frame_buffer - 1):
        parser.error(f'--frame-buffer {options.frame_buffer}: it must be a power of 2')
    if not np.all(np.isfinite(options.initial_joints)):
        parser.error('--initial-joints: every value must be a finite number')
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the firmware until SIGTERM or SIGINT; return the exit code."""
    options = _parse_arguments(arguments)
    axis = MultiAxis(
        sample=options.sample,
        frame_buffer=options.frame_buffer,
        position=np.array(options.initial_joints),
        lag=options.lag,
    )
    try:
        server = FirmwareServer(
            axis, path=options.socket, speedup=options.speedup, frame_buffer=options.frame_buffer
        )
    except OSError as error:
        print(f'phantom_firmware: can not listen at {options.socket}: {error}', file=sys.stderr)
        return 1

    def end(_number: int, _frame: FrameType | None) -> None:
        server.end()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    if options.supervised:
        _end_with_parent()
    # A collection over everything that was imported would take longer than a buffer lasts.
    gc.collect()
    gc.freeze()
    server.run()
    return 0


if __name__ == '__main__':
    sys.exit(main())

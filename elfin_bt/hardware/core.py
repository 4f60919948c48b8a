# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the hardware node decides: which chunks reach the device, and when the arm is stopped.

The core owns the stop latch. Whatever goes wrong ends in the same way: the device e-stops along
its buffered frames, a named fault is latched, the epoch moves on, so that nothing made before can
move the arm afterwards, and chunks are refused until a person resets. The core knows no clock:
``now`` is a wall time in s that its caller passes in.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from elfin_bt.execution.chunk import Ack, Chunk, ChunkError, decode_chunk
from elfin_bt.execution.faults import Fault
from elfin_bt.hardware import chunk_limits
from elfin_bt.hardware.chunk_limits import Floats
from elfin_bt.hardware.chunk_sequence import ChunkSequence
from elfin_bt.hardware.device import (
    FRAMES_PER_POINT,
    Device,
    DeviceInfo,
    DeviceLost,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    FirmwareError,
)
from elfin_bt.hardware.device_faults import device_faults
from elfin_bt.hardware.fault_latch import FaultLatch
from elfin_bt.hardware.point_count import PointCount
from elfin_bt.hardware.preload import Preload
from elfin_bt.hardware.settings import HardwareSettings, SettingsError


@dataclass(frozen=True, eq=False, slots=True)
class CoreReport:
    """What a core knows at one moment; names as :class:`HardwareCore`'s."""

    ack: Ack
    snapshot: DeviceSnapshot | None
    fault: Fault
    fault_text: str
    active: bool
    accepted: int
    refused: int
    frames_waiting: int
    points_executed: int

    @property
    def latched(self) -> bool:
        """Whether motion is refused until a reset."""
        return self.fault is not Fault.NONE


class HardwareCore:
    """Drives one ``device``; ``epoch`` is a random number, so that no older chunk fits by chance.

    Attributes:
        active: whether chunks are taken at all.
        accepted, refused: chunks taken, and chunks refused while latched or not active.
    """

    def __init__(self, device: Device, settings: HardwareSettings, *, epoch: int) -> None:
        self._device = device
        self._settings = settings
        self._latch = FaultLatch(epoch)
        self.active = False
        self.accepted = 0
        self.refused = 0
        self.info: DeviceInfo | None = None
        self._snapshot: DeviceSnapshot | None = None
        self._sequence = ChunkSequence()
        self._preload = Preload(settings.preload)
        self._count = PointCount()
        self._now = 0.0
        self._last_chunk_at = 0.0
        self._last_point: Floats = np.zeros(0)

    # Reading

    @property
    def snapshot(self) -> DeviceSnapshot | None:
        """The device's state as read last; None while the device is lost."""
        return self._snapshot

    @property
    def latched(self) -> bool:
        """Whether motion is refused until a reset."""
        return self._latch.is_closed

    @property
    def fault(self) -> Fault:
        """What is latched, Fault.NONE when nothing is."""
        return self._latch.fault

    @property
    def fault_text(self) -> str:
        """What happened, with every further fault since, one line."""
        return self._latch.text

    @property
    def epoch(self) -> int:
        """+1 at each latch and each reset."""
        return self._latch.epoch

    @property
    def sequence(self) -> int:
        """Last chunk taken of the present motion, -1 before the first."""
        return self._sequence.last

    @property
    def frames_waiting(self) -> int:
        """Frames of a motion that has not been opened yet."""
        return self._preload.frames

    def ack(self) -> Ack:
        """The acknowledgement that tells the executor how things stand."""
        return Ack(
            epoch=self.epoch,
            motion=self._sequence.motion,
            sequence=self._sequence.last,
            free_frames=self._free_frames(),
            fault=self.fault,
        )

    def report(self) -> CoreReport:
        """All of it at this moment, for other threads."""
        return CoreReport(
            ack=self.ack(),
            snapshot=self._snapshot,
            fault=self.fault,
            fault_text=self.fault_text,
            active=self.active,
            accepted=self.accepted,
            refused=self.refused,
            frames_waiting=self.frames_waiting,
            points_executed=self._count.executed,
        )

    # Events

    def connect(self) -> list[str]:
        """Connect to the device and set it up; return warnings about the settings.

        A device that is not IDLE was left so by an earlier client: it is brought to rest, and what
        it reports is latched, to be looked at and reset by a person.

        Raises:
            DeviceLost: there is no device.
            SettingsError: the settings do not fit the device.
            FirmwareError: the device refuses the settings.
        """
        snapshot, warnings = self._connect()
        if snapshot.state is not DeviceState.IDLE:
            known = device_faults(snapshot)
            self.stop(
                known[0][0] if known else Fault.FIRMWARE_ERROR,
                f'the device was {snapshot.state.name} (source {snapshot.source.name}) when this '
                'node connected, as an earlier client left it; call ~/reset_fault',
            )
        return warnings

    def close(self) -> None:
        """Let go of the device."""
        self._device.close()
        self._snapshot = None

    def activate(self) -> tuple[bool, str]:
        """Take chunks from now on; what is latched stays latched."""
        self.active = True
        return True, ''

    def deactivate(self) -> tuple[bool, str]:
        """Stop, latch, take no more chunks."""
        self.stop(Fault.NODE_DEACTIVATED)
        self.active = False
        return True, ''

    def come_to_rest(self) -> tuple[bool, str]:
        """E-stop what moves; return whether nothing moves any more, and the device's state."""
        snapshot = self._read_device()
        if snapshot is None or snapshot.state.at_rest:
            return True, ''
        self.stop(Fault.NODE_DEACTIVATED, 'the hardware node was told to end')
        return False, f'the device is {snapshot.state.name}'

    def poll(self, now: float) -> None:
        """Read the device, latch what it reports, open a motion that waited long enough."""
        self._now = now
        if self._read_device() is None or not self._preload.points:
            return
        if now - self._preload.since >= self._settings.preload_timeout:
            self._open()

    def take(self, data: Sequence[float] | array[float] | Floats, now: float) -> None:
        """Take a chunk in its flat form; anything wrong with it stops the motion."""
        self._now = now
        if self.latched or not self.active or self._snapshot is None:
            self.refused += 1
            return
        try:
            chunk = decode_chunk(data)
        except ChunkError as error:
            self.stop(Fault.CHUNK_INVALID, str(error))
            return
        if self._is_stale(chunk):
            self.refused += 1
            return
        objection = self._misplaced(chunk)
        if objection is None and not self._sequence.is_open:
            snapshot = self._read_device()
            if snapshot is None or snapshot.state.failed:
                self.refused += 1
                return
            self._last_point = snapshot.position
            objection = _not_idle(chunk, snapshot)
        objection = objection or self._unfit(chunk)
        if objection is not None:
            self.stop(*objection)
            return
        self._sequence.take(chunk)
        self._last_point = chunk.positions[-1]
        self.accepted += 1
        self._forward(chunk)
        self._last_chunk_at = now

    def stop(self, fault: Fault, text: str = '') -> None:
        """Bring the arm to rest on its path, drop everything, latch ``fault``. Idempotent.

        ``text`` says what happened and what to do, where there is more to say than ``fault.text``.
        """
        estopped = None
        trouble: Exception | None = None
        if self._snapshot is not None and not self._snapshot.state.failed:
            try:
                estopped = self._device.estop()
            except (DeviceLost, FirmwareError) as error:
                trouble = error
        self._note(fault, text)
        if estopped is not None:
            self._observe(estopped)
        if isinstance(trouble, DeviceLost):
            self._lose(trouble)
        elif trouble is not None:
            self._note(Fault.FIRMWARE_ERROR, f'the firmware refused to e-stop: {trouble}')

    def reset(self) -> tuple[bool, str]:
        """Clear stop and fault together; return whether that worked, and a line for a person."""
        if not self.latched:
            return False, 'nothing latched'
        if not self.active:
            return False, f'{self.fault.name} stays latched: activate the hardware node first'
        try:
            refusal = self._clear_device()
        except DeviceLost as error:
            self._lose(error)
            refusal = str(error)
        except (FirmwareError, SettingsError) as error:
            refusal = str(error)
        if refusal:
            return False, f'{self.fault.name} stays latched: {refusal}'
        cleared = self.fault
        self._latch.open()
        return True, f'cleared {cleared.name}'

    def pause(self) -> tuple[bool, str]:
        """Come to rest on the path with everything kept, or let the next motion wait. Idempotent.

        Returns whether that holds now, and a line for a person.
        """
        if self.latched:
            return False, f'{self.fault.name} is latched: the arm is at rest or coming to it'
        if self._snapshot is not None and self._snapshot.paused:
            return True, 'paused already; call ~/resume'
        return self._ask(lambda: self._device.set_feed_rate(0.0), 'paused; call ~/resume')

    def resume(self) -> tuple[bool, str]:
        """Continue after a pause, along the same path. Idempotent."""
        if self.latched:
            return False, (
                f'{self.fault.name} is latched and what was paused is discarded: '
                'call ~/reset_fault, then send a new motion'
            )
        if self._snapshot is not None and not self._snapshot.paused:
            return True, 'not paused'
        return self._ask(lambda: self._device.set_feed_rate(1.0), 'resumed')

    def switch_amps(self, enable: bool) -> tuple[bool, str]:
        """Switch the amplifiers on or off, both at rest only; a person asks for it."""
        if enable and self.latched:
            return False, f'{self.fault.name} is latched: call ~/reset_fault first'
        switch = self._device.amp_enable if enable else self._device.amp_disable
        return self._ask(switch, f'amplifiers {"on" if enable else "off"}')

    def inject(self, fault: str) -> tuple[bool, str]:
        """Simulate a fault of the drives, '' to end all; see :meth:`Device.inject`."""
        return self._ask(lambda: self._device.inject(fault), f'injected: {fault or "nothing"}')

    def record(self, enable: bool) -> tuple[bool, str]:
        """Start or end the device's record; return whether that worked, and its path or why not."""
        try:
            return True, self._device.record(enable)
        except DeviceLost as error:
            self._lose(error)
            return False, str(error)
        except FirmwareError as error:
            return False, error.text

    def take_error_log(self) -> list[str]:
        """What the device has logged since the last call."""
        if self._snapshot is None:
            return []
        try:
            return self._device.error_log()
        except DeviceLost as error:
            self._lose(error)
            return []

    def _ask(self, call: Callable[[], DeviceSnapshot], done: str) -> tuple[bool, str]:
        """Make a call on a person's request; return whether it worked, and a line."""
        if self._snapshot is None:
            return False, 'the device is lost: call ~/reset_fault to find it again'
        try:
            self._observe(call())
        except DeviceLost as error:
            self._lose(error)
            return False, str(error)
        except FirmwareError as error:
            return False, error.text
        return True, done

    # Chunks

    def _is_stale(self, chunk: Chunk) -> bool:
        """Whether a chunk was still on its way when its motion was stopped and reset.

        It can do no harm now, unlike one from nowhere or one in the middle of a motion.
        """
        return self._latch.was(chunk.epoch) and not self._sequence.is_open

    def _misplaced(self, chunk: Chunk) -> tuple[Fault, str] | None:
        """Why this chunk is not the one to come now."""
        if chunk.epoch != self.epoch:
            return (
                Fault.CHUNK_FOREIGN_EPOCH,
                f'{_name(chunk)} has epoch {chunk.epoch}, the present one is {self.epoch}; '
                'check that one executor runs, then call ~/reset_fault',
            )
        return self._sequence.objection(chunk)

    def _unfit(self, chunk: Chunk) -> tuple[Fault, str] | None:
        """Why the arm must not execute the points of this chunk."""
        text = chunk_limits.objection(chunk, self._last_point, self._settings.sample_period)
        if text is not None:
            return Fault.CHUNK_INVALID, f'{_name(chunk)}: {text}'
        needed = FRAMES_PER_POINT * len(chunk)
        if needed > self._free_frames():
            self._read_device()
        if needed <= self._free_frames() or self.latched:
            return None
        return (
            Fault.BUFFER_OVERFLOW,
            f'{_name(chunk)} needs {needed} frames and {self._free_frames()} are free; '
            'check committed_depth against the frame buffer, then call ~/reset_fault',
        )

    def _free_frames(self) -> int:
        """Frames that can still be taken; those of a motion not opened yet are taken."""
        return self._snapshot.frames_free - self.frames_waiting if self._snapshot else 0

    def _forward(self, chunk: Chunk) -> None:
        """Pass a chunk on, or hold it until there is enough to open the motion with."""
        if chunk.sequence > 0 and not self._preload.points:
            points = (chunk.positions, chunk.velocities, chunk.time)
            if self._send(points, final=chunk.final):
                self._count.appended(len(chunk))
            return
        self._preload.add(chunk, self._now)
        if chunk.final or self.frames_waiting >= self._settings.preload:
            self._open()

    def _open(self) -> None:
        points, final = self._preload.take(), self._preload.final
        if self._send(points, final=final) and self._snapshot is not None:
            self._count.opened(self._snapshot.motion_id, len(points[0]))

    def _send(self, points: tuple[Floats, Floats, Floats], *, final: bool) -> bool:
        """Give positions, velocities and times to the device; whether it took them."""
        try:
            snapshot = self._device.move_pvt(
                *points, empty_count=self._settings.empty_count, final=final
            )
        except DeviceLost as error:
            self._lose(error)
        except FirmwareError as error:
            self._refused_by_device(error)
        else:
            self._observe(snapshot)
            return True
        return False

    def _refused_by_device(self, error: FirmwareError) -> None:
        fault = _REFUSALS.get(error.number)
        if fault is not None:
            self.stop(fault, f'{fault.text} ({error.text})')
            return
        # A device that has just stopped by itself refuses too: then that is the cause.
        snapshot = self._read_device()
        if snapshot is not None and not snapshot.state.failed:
            self.stop(Fault.FIRMWARE_ERROR, error.text)

    # Device and latch

    def _connect(self) -> tuple[DeviceSnapshot, list[str]]:
        self.info = self._device.connect()
        warnings = self._settings.check(self.info)
        self._snapshot = self._device.configure(
            estop_time=self._settings.estop_time, stop_time=self._settings.stop_time
        )
        return self._snapshot, warnings

    def _read_device(self) -> DeviceSnapshot | None:
        """The present state, with what it reports latched; None when the device is lost."""
        if self._snapshot is None:
            return None
        try:
            self._observe(self._device.snapshot())
        except DeviceLost as error:
            self._lose(error)
        return self._snapshot

    def _observe(self, snapshot: DeviceSnapshot) -> None:
        """Keep a snapshot; latch what the device reports that is not our own e-stop.

        Its faults count even when our own e-stop came first or the device does not stop for them.
        """
        self._snapshot = snapshot
        self._count.observe(
            snapshot.motion_id,
            snapshot.element_id,
            reached=snapshot.state is DeviceState.IDLE and snapshot.frames_loaded == 0,
        )
        for fault, text in device_faults(snapshot):
            if fault is Fault.OUT_OF_FRAMES:
                silence = self._now - self._last_chunk_at
                text = f'no chunk for {silence:.3f} s: {text}' if self.accepted else text
            if snapshot.state.failed:
                self._note(fault, text)
            elif not self._latch.knows(fault):
                self.stop(fault, text)
        if snapshot.state.failed and not self.latched:
            self._note(
                Fault.FIRMWARE_ERROR,
                f'the device is in {snapshot.state.name}, source {snapshot.source.name}',
            )

    def _lose(self, error: DeviceLost) -> None:
        self._snapshot = None
        self._device.close()
        self._note(Fault.FIRMWARE_LOST, str(error))

    def _note(self, fault: Fault, text: str = '') -> None:
        """Close the latch and drop whatever was still to be sent."""
        self._preload.clear()
        self._sequence.close()
        self._latch.close(fault, text)

    def _clear_device(self) -> str:
        """Bring the device to IDLE; return why it is not, or ''."""
        known = self._latch.faults
        snapshot = self._connect()[0] if self._snapshot is None else self._device.snapshot()
        self._observe(snapshot)
        if self._latch.faults > known:
            return f'a further fault came to light; look at it, then reset again: {self.fault_text}'
        if not snapshot.state.at_rest:
            self._snapshot = self._device.estop()
            return 'the arm is still coming to rest; try again in a moment'
        if snapshot.state is not DeviceState.IDLE:
            self._snapshot = self._device.clear_faults()
        if self._snapshot is not None and self._snapshot.paused:
            # What was paused is gone, and a reset is as clear a word as a resume.
            self._snapshot = self._device.set_feed_rate(1.0)
        return ''


_REFUSALS = {
    ErrorNumber.BUFFER_FULL: Fault.BUFFER_OVERFLOW,
    ErrorNumber.AMPS_DISABLED: Fault.AMPS_DISABLED,
}
"""Refusals of a move call that have a name of their own."""


def _name(chunk: Chunk) -> str:
    return f'chunk {chunk.sequence} of motion {chunk.motion}'


def _not_idle(chunk: Chunk, snapshot: DeviceSnapshot) -> tuple[Fault, str] | None:
    if snapshot.state is DeviceState.IDLE:
        return None
    return (
        Fault.CHUNK_INVALID,
        f'{_name(chunk)} opens a motion while the device is {snapshot.state.name}: '
        'it may begin when the device is IDLE',
    )

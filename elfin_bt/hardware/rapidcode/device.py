# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""An RMP controller as a device: RapidCode's calls under the contract of the hardware node.

All calls come from the node's one thread. The amplifiers are switched by ``amp_enable`` and
``amp_disable`` alone, which nothing but a person's request reaches; nothing here switches them on
as a side effect.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elfin_bt.hardware.device import (
    FRAMES_PER_POINT,
    DeviceInfo,
    DeviceLost,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    FirmwareError,
    Source,
)
from elfin_bt.hardware.host_record import HostRecord
from elfin_bt.hardware.rapidcode.amplifiers import Amplifiers
from elfin_bt.hardware.rapidcode.binding import Binding
from elfin_bt.hardware.rapidcode.bring_up import (
    Rmp,
    bring_to_rest,
    bring_up,
    compose,
    release,
)
from elfin_bt.hardware.rapidcode.joint_map import JointMap
from elfin_bt.hardware.rapidcode.library import LibraryMissing, load
from elfin_bt.hardware.rapidcode.move_pvt import MovePvt
from elfin_bt.hardware.rapidcode.reading import WHOLE_ARM, Reader
from elfin_bt.hardware.rapidcode.settings import RapidCodeSettings
from elfin_bt.hardware.settings import SettingsError
from elfin_bt.hardware.status_bits import status_bits

Floats = NDArray[np.float64]
MAX_FEED_RATE = 2.0


class RapidCodeDevice:
    """Implements :class:`elfin_bt.hardware.device.Device`.

    Records go to ``record_folder``. ``clock`` (s, monotonic) and ``sleep`` are there to be replaced
    in tests; ``sleep`` is used while connecting and closing only.
    """

    def __init__(
        self,
        settings: RapidCodeSettings,
        *,
        record_folder: Path,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._map = JointMap(settings)
        self._clock = clock
        self._sleep = sleep
        self._binding: Binding | None = None
        self._rmp: Rmp | None = None
        self._record = HostRecord(record_folder)
        self._log: list[str] = []

    # Life

    def connect(self) -> DeviceInfo:
        """Create the controller, start the network, set up axes; what moves is brought to rest.

        Blocks for as long as EtherCAT takes to start (4 to 30 s).

        Raises:
            SettingsError: it can't work before a person has changed something.
        """
        self.close()
        try:
            binding = Binding(load(self._settings.rmp_path))
        except LibraryMissing as error:
            raise SettingsError(str(error)) from error
        rmp = bring_up(binding, self._settings, self._map, self._sleep)
        self._binding, self._rmp = binding, rmp
        phantom = self._settings.is_phantom
        self._reader = Reader(binding, rmp, self._map, is_phantom=phantom)
        self._amplifiers = Amplifiers(
            rmp.axes, is_phantom=phantom, interval=self._settings.amp_interval
        )
        self._move_pvt = MovePvt(binding.module)
        with binding.calling('FeedRateGet'):
            self._feed_target = float(rmp.multi_axis.FeedRateGet())  # a pause outlives its client
        self._stopped_by_us = False
        self._first: tuple[Source, int] | None = None
        self._shown = self._amplifiers.text
        self._log.append(f'amplifiers: {self._shown}')
        return DeviceInfo(sample=rmp.sample, frame_buffer=rmp.frame_buffer, speedup=1.0)

    def close(self) -> None:
        """End RMP, which has one owner at a time. Harmless when not connected.

        With its network gone the drives brake and switch off, so what still moves is brought to
        rest on its path first.
        """
        if self._rmp is None or self._binding is None:
            return
        rmp, binding = self._rmp, self._binding
        self._rmp = None
        for step in (
            lambda: bring_to_rest(binding, rmp.multi_axis, self._sleep),
            lambda: release(rmp.controller),
        ):
            try:
                step()
            except binding.module.RsiError as error:
                self._log.append(f'RMP did not end cleanly: {error.text} (RsiError {error.number})')

    def configure(self, *, estop_time: float, stop_time: float) -> DeviceSnapshot:
        """Set the ramps of the MultiAxis: of the object that starts a motion, they count."""
        rmp, binding = self._connected()
        with binding.calling('EStopTimeSet and StopTimeSet', ErrorNumber.INVALID_ARGUMENT):
            rmp.multi_axis.EStopTimeSet(estop_time)
            rmp.multi_axis.StopTimeSet(stop_time)
        return self.snapshot()

    # Reading

    def snapshot(self) -> DeviceSnapshot:
        """Read the present state; go on with switching the amplifiers."""
        _, binding = self._connected()
        try:
            return self._read()
        except binding.module.RsiError as error:
            raise self._lost(error) from error

    def error_log(self) -> list[str]:
        """What was logged here, by the controller, by the MultiAxis and by the axes."""
        rmp, binding = self._connected()
        lines, self._log = self._log, []
        if self._record.trouble:
            lines.append(self._record.trouble)
            self._record.trouble = ''
        for name, owner in (
            ('controller', rmp.controller),
            ('MultiAxis', rmp.multi_axis),
            *((f'axis {number}', axis) for number, axis in enumerate(rmp.axes)),
        ):
            try:
                errors, warnings = binding.take_log(owner)
            except binding.module.RsiError as error:
                raise self._lost(error) from error
            lines += [f'{name}: {text}' for text in errors]
            lines += [f'{name}: warning: {text}' for text in warnings]
        return lines

    # Motion

    def move_pvt(
        self,
        positions: Floats,
        velocities: Floats,
        times: Floats,
        *,
        empty_count: int,
        final: bool,
    ) -> DeviceSnapshot:
        """Open a move or append to it; only what fits into the firmware's own buffer is sent."""
        rmp, binding = self._connected()
        with binding.calling('AmpEnableGet or FramesToExecuteGet'):
            powered, amplifiers = self._amplifiers.all_on, self._amplifiers.text
            free = self._reader.frames()[1]
        if not powered:
            raise FirmwareError(
                ErrorNumber.AMPS_DISABLED,
                f'MovePVT with amplifiers off ({amplifiers}): switch them on first',
            )
        needed = FRAMES_PER_POINT * len(times)
        if needed > free:
            raise FirmwareError(
                ErrorNumber.BUFFER_FULL,
                f'{len(times)} points need {needed} frames and {free} of {rmp.frame_buffer} are '
                'free: send them when more were executed',
            )
        with binding.calling('MovePVT'):
            self._move_pvt(
                rmp.multi_axis,
                self._map.to_axes(positions),
                self._map.to_axis_velocities(velocities),
                times,
                empty_count=empty_count,
                final=final,
            )
        return self.snapshot()

    def stop(self) -> DeviceSnapshot:
        """Ramp to rest over the stop time."""
        return self._command('Stop', lambda multi_axis: multi_axis.Stop())

    def resume(self) -> DeviceSnapshot:
        """Continue a stopped move."""
        return self._command('Resume', lambda multi_axis: multi_axis.Resume())

    def estop(self) -> DeviceSnapshot:
        """Ramp to rest over the e-stop time, then ERROR."""
        return self._halt('EStop', lambda multi_axis: multi_axis.EStop())

    def abort(self) -> DeviceSnapshot:
        """Amplifiers off at once."""
        snapshot = self._halt('Abort', lambda multi_axis: multi_axis.Abort())
        self._amplifiers.cut()
        return replace(snapshot, amps_enabled=False)

    def set_feed_rate(self, rate: float) -> DeviceSnapshot:
        """Ramp the feed rate."""
        if not 0.0 <= rate <= MAX_FEED_RATE:
            raise FirmwareError(
                ErrorNumber.INVALID_ARGUMENT,
                f'feed rate is {rate:g}: it lies between 0 (pause) and {MAX_FEED_RATE:g}',
            )
        snapshot = self._command('FeedRateSet', lambda multi_axis: multi_axis.FeedRateSet(rate))
        self._feed_target = rate
        return replace(snapshot, feed_target=rate)

    def clear_faults(self) -> DeviceSnapshot:
        """From ERROR to IDLE; a network that went down is started again first (once)."""
        rmp, binding = self._connected()
        if not self._state().at_rest:
            raise FirmwareError(
                ErrorNumber.WRONG_STATE, 'ClearFaults in motion: wait until the arm is at rest'
            )
        with binding.calling('ClearFaults', ErrorNumber.FAULT_PERSISTS):
            if not self._settings.is_phantom:
                rmp.network.start()
            rmp.multi_axis.ClearFaults()
            compose(rmp)
        self._stopped_by_us, self._first = False, None
        return self.snapshot()

    # Amplifiers

    def amp_enable(self) -> DeviceSnapshot:
        """Switch on the even axes now and the odd ones a little later; ``snapshot`` goes on."""
        _, binding = self._connected()
        state = self._state()
        if state is not DeviceState.IDLE:
            raise FirmwareError(
                ErrorNumber.WRONG_STATE, f'AmpEnableSet in {state.name}: clear the fault first'
            )
        with binding.calling('AmpEnableSet'):
            self._amplifiers.enable(self._clock())
        return self.snapshot()

    def amp_disable(self) -> DeviceSnapshot:
        """Switch all amplifiers off, at rest."""
        _, binding = self._connected()
        if not self._state().at_rest:
            raise FirmwareError(
                ErrorNumber.WRONG_STATE, 'AmpEnableSet(false) in motion: stop the arm first'
            )
        with binding.calling('AmpEnableSet'):
            self._amplifiers.disable()
        return self.snapshot()

    def record(self, enable: bool) -> str:
        """Start or end a record of what the host sees, a row each time it looks."""
        return self._record.switch(enable)

    def inject(self, fault: str) -> DeviceSnapshot:
        """Nobody simulates faults on a real controller."""
        raise FirmwareError(
            ErrorNumber.NOT_SUPPORTED, 'faults are injected into the phantom backend only'
        )

    def _connected(self) -> tuple[Rmp, Binding]:
        if self._rmp is None or self._binding is None:
            raise DeviceLost('not connected to RMP')
        return self._rmp, self._binding

    @staticmethod
    def _lost(error: Any) -> DeviceLost:
        """What an RsiError of a mere question means."""
        return DeviceLost(
            f'RMP does not answer: {error.text} (RsiError {error.number}); check that its '
            'firmware runs, then call ~/reset_fault'
        )

    def _command(self, name: str, command: Callable[[Any], object]) -> DeviceSnapshot:
        rmp, binding = self._connected()
        with binding.calling(name):
            command(rmp.multi_axis)
        return self.snapshot()

    def _halt(self, name: str, command: Callable[[Any], object]) -> DeviceSnapshot:
        """A stop of ours that ends in ERROR: unless something else came first, we are its cause."""
        failed_before = self._state().failed
        rmp, binding = self._connected()
        with binding.calling(name):
            command(rmp.multi_axis)
        self._stopped_by_us |= not failed_before
        return self.snapshot()

    def _state(self) -> DeviceState:
        _, binding = self._connected()
        with binding.calling('StateGet'):
            return self._reader.state()

    def _read(self) -> DeviceSnapshot:
        reader = self._reader
        state = reader.state()
        causes = reader.causes(state)
        if Source.NETWORK in causes and state.at_rest:
            state = DeviceState.ERROR
        if self._stopped_by_us and state.failed:
            causes[Source.USER] = WHOLE_ARM
        self._amplifiers.tick(self._clock(), healthy=state is DeviceState.IDLE)
        self._show_amplifiers()
        motion = reader.motion()
        loaded, free = reader.frames()
        motion_id, element_id = reader.ids()
        source, joint = self._first_cause(state, causes)
        snapshot = DeviceSnapshot(
            time=reader.time(),
            state=state,
            source=source,
            source_joint=joint,
            active=frozenset(causes),
            status=status_bits(
                state,
                position=motion.position,
                actual_position=motion.actual_position,
                frames_loaded=loaded,
            ),
            frames_loaded=loaded,
            frames_free=free,
            motion_id=motion_id,
            element_id=element_id,
            feed_rate=reader.feed_rate(state),
            feed_target=self._feed_target,
            amps_enabled=self._amplifiers.all_on,
            position=motion.position,
            velocity=motion.velocity,
            actual_position=motion.actual_position,
            actual_velocity=motion.actual_velocity,
        )
        self._record.observe(snapshot)
        return snapshot

    def _first_cause(self, state: DeviceState, causes: dict[Source, int]) -> tuple[Source, int]:
        """What came first: our own stop if it was that, else the most telling cause; kept."""
        if not state.failed:
            return Source.NONE, WHOLE_ARM
        if self._first is None:
            source = Source.USER if self._stopped_by_us else max(causes, default=Source.NONE)
            self._first = source, causes.get(source, WHOLE_ARM)
            if source is not Source.USER:
                self._log.append(f'{state.name}, source in RMP: {self._reader.source_name()}')
        return self._first

    def _show_amplifiers(self) -> None:
        """Log every change of what is on."""
        text = self._amplifiers.text
        if text != self._shown:
            self._shown = text
            self._log.append(f'amplifiers: {text}')

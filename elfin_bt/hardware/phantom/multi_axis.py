# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The phantom's firmware core: a MultiAxis of the RMP with phantom axes, on a simulated clock.

Pure and deterministic: time passes only in :meth:`MultiAxis.advance`, in whole samples, and
commands take effect between two samples. Rules come from the RMP documentation (motion streaming,
stopping actions, stopping rates, feed rate) and from threads of its community forum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elfin_bt.hardware.device import (
    FRAMES_PER_POINT,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    FirmwareError,
    Source,
)
from elfin_bt.hardware.phantom.frames import Floats, FrameBuffer, Integers
from elfin_bt.hardware.phantom.path_clock import PathClock

JOINTS = 6
ROW = 1 + JOINTS
"""Width of an executed row: device time in s, then the joint positions in rad."""

MAX_FEED_RATE = 2.0
_ID_RANGE = 1 << 16
_IN_MOTION = (DeviceState.MOVING, DeviceState.STOPPING, DeviceState.STOPPING_ERROR)
_LONGEST_BLOCK = 4096  # samples evaluated at once; bounds the memory of a long catch-up


class MultiAxis:
    """Six phantom axes that move together.

    ``sample`` is the firmware's sample in s, ``frame_buffer`` the buffer's size in frames,
    ``position`` (6,) where the arm stands when the firmware starts. ``estop_time`` and
    ``stop_time`` (s) are what a ramp from feed rate 1 to 0 takes.
    """

    def __init__(
        self,
        *,
        sample: float = 0.001,
        frame_buffer: int = 1024,
        estop_time: float = 0.05,
        stop_time: float = 0.5,
        position: Floats | None = None,
    ) -> None:
        self.sample = sample
        self.samples = 0
        self.state = DeviceState.IDLE
        self.source = Source.NONE
        self.configure(estop_time=estop_time, stop_time=stop_time)
        self._position = np.zeros(JOINTS) if position is None else np.array(position, dtype=float)
        self._velocity = np.zeros(JOINTS)
        self._frames = FrameBuffer(capacity=frame_buffer, joints=JOINTS, sample=sample)
        self._frames.open(self._position)
        self._clock = PathClock()
        self._is_open = False
        self._empty_count = 0
        self._calls = 0
        self._feed_rate = 1.0
        self._amps_enabled = True

    # Reading

    def snapshot(self) -> DeviceSnapshot:
        """The state after the last executed sample."""
        call, element = self._frames.executing
        return DeviceSnapshot(
            time=self.samples * self.sample,
            state=self.state,
            source=self.source,
            frames_loaded=self._frames.loaded,
            frames_free=self._frames.free,
            motion_id=call % _ID_RANGE,
            element_id=element % _ID_RANGE,
            feed_rate=self._clock.rate if self.state in _IN_MOTION else 0.0,
            amps_enabled=self._amps_enabled,
            position=self._position.copy(),
            velocity=self._velocity.copy(),
        )

    @property
    def runway(self) -> int | None:
        """Samples that can surely pass before the watchdog trips; None when it can't trip now."""
        if self.state is not DeviceState.MOVING or not self._is_open:
            return None
        if self._clock.top_rate == 0.0:
            return None
        ahead = self._frames.starvation(self._empty_count) - self._clock.place
        return max(0, int(np.ceil(max(ahead, 0.0) / self._clock.top_rate)) - 1)

    # Commands

    def configure(self, *, estop_time: float, stop_time: float) -> None:
        """Set the ramp times in s; a ramp that already runs keeps its own."""
        for name, value in (('EStopTime', estop_time), ('StopTime', stop_time)):
            if not self.sample <= value <= 10.0:
                raise FirmwareError(
                    ErrorNumber.INVALID_ARGUMENT,
                    f'{name} is {value:g} s: it lies between one sample ({self.sample:g} s) '
                    'and 10 s',
                )
        self._estop_ramp = round(estop_time / self.sample)
        self._stop_ramp = round(stop_time / self.sample)

    def move_pvt(
        self,
        positions: Floats,
        velocities: Floats,
        times: Floats,
        *,
        empty_count: int,
        final: bool,
    ) -> None:
        """MovePVT: open a move from the commanded state, or append to the open one.

        Shapes, units and the watchdog: :meth:`elfin_bt.hardware.device.Device.move_pvt`. A stopped
        move that was not resumed is dropped and a new one begins.

        Raises:
            FirmwareError: wrong state or arguments, or no room; nothing was taken.
        """
        appending = self._check_may_move()
        durations = self._check_points(positions, velocities, times, empty_count)
        free = self._frames.free if appending else self._frames.capacity
        if FRAMES_PER_POINT * len(durations) > free:
            raise FirmwareError(
                ErrorNumber.BUFFER_FULL,
                f'{len(durations)} points need {FRAMES_PER_POINT * len(durations)} frames and '
                f'{free} of {self._frames.capacity} are free: send them when more were executed',
            )
        if not appending:
            self._frames.open(self._position)
            self._clock.restart(self._feed_rate)
            self.state = DeviceState.MOVING
        self._calls += 1
        self._frames.append(positions, velocities, durations, self._calls)
        self._empty_count = empty_count
        self._is_open = not final

    def stop(self) -> None:
        """Stop: ramp to rest over StopTime; an open stream's watchdog stays armed meanwhile."""
        if self.state is DeviceState.MOVING:
            self.state = DeviceState.STOPPING
            self._ramp_to_rest(self._stop_ramp)

    def resume(self) -> None:
        """Resume: from STOPPED back to MOVING along the rest of the path."""
        if self.state is not DeviceState.STOPPED:
            raise self._wrong_state('Resume', 'only a stopped move (STOPPED) can be resumed')
        self.state = DeviceState.MOVING
        self._clock.ramp(self._feed_rate, self._stop_ramp)
        if not self._frames.points:
            self._rest(DeviceState.IDLE)

    def estop(self) -> None:
        """EStop: ramp to rest over EStopTime along the buffered frames, then ERROR."""
        self._estop(Source.USER)

    def abort(self) -> None:
        """Abort: amplifiers off at once, ERROR; the arm halts where it is."""
        if not self.state.failed:
            self.source = Source.USER
        self._amps_enabled = False
        self._rest(DeviceState.ERROR)

    def amp_enable(self) -> None:
        """AmpEnable: allowed at rest and without a fault only."""
        if self.state is not DeviceState.IDLE:
            raise self._wrong_state('AmpEnable', 'it needs IDLE: call ClearFaults first')
        self._amps_enabled = True

    def clear_faults(self) -> None:
        """ClearFaults: ERROR or STOPPED become IDLE and what is left in the buffer is dropped."""
        if not self.state.at_rest:
            raise self._wrong_state('ClearFaults', 'wait until the arm is at rest')
        self._rest(DeviceState.IDLE)
        self._frames.open(self._position)
        self.source = Source.NONE

    def set_feed_rate(self, rate: float) -> None:
        """Feed rate override: ramp to ``rate``; kept for the moves that follow.

        RMP goes down to -2, along frames kept by ``retain``; these are not kept here.
        """
        if not 0.0 <= rate <= MAX_FEED_RATE:
            raise FirmwareError(
                ErrorNumber.INVALID_ARGUMENT,
                f'feed rate is {rate:g}: it lies between 0 (pause) and {MAX_FEED_RATE:g}',
            )
        self._feed_rate = rate
        if self.state is DeviceState.MOVING:
            self._clock.ramp(rate, self._stop_ramp)

    # Time

    def advance(self, samples: int) -> Floats:
        """Execute ``samples`` samples; return a row per sample in motion, (m, ROW)."""
        rows: list[Floats] = []
        while samples > 0 and self._is_moving():
            block = self._execute(min(samples, _LONGEST_BLOCK))
            samples -= len(block)
            rows.append(block)
        self.samples += max(0, samples)
        return np.concatenate(rows) if rows else np.empty((0, ROW))

    def _is_moving(self) -> bool:
        paused = self._clock.rate == 0.0 and not self._clock.ramping
        return self.state in _IN_MOTION and not paused

    def _execute(self, samples: int) -> Floats:
        """Execute up to ``samples`` samples, ending early with the first event."""
        places, rates = self._clock.preview(samples)
        frames_end = _first(places >= self._frames.end)
        starved = samples
        if self._is_open and self.state is not DeviceState.STOPPING_ERROR:
            starved = _first(places >= self._frames.starvation(self._empty_count))
        at_rest = samples
        if self.state is not DeviceState.MOVING:
            at_rest = self._clock.remaining - 1
        count = min(frames_end, starved, at_rest, samples - 1) + 1

        places = np.minimum(places[:count], self._frames.end)
        positions, velocities = self._frames.evaluate(places)
        times = self.sample * np.arange(self.samples + 1, self.samples + count + 1)
        self.samples += count
        self._clock.advance(count)
        self._position = positions[-1]
        self._velocity = velocities[-1] * rates[count - 1]
        self._frames.consume(places[-1])

        last = count - 1
        if last == frames_end:
            self._frames_ended()
        elif last == starved:
            self._estop(Source.OUT_OF_FRAMES)
        elif last == at_rest:
            self._ramp_ended()
        return np.column_stack((times, positions))

    def _frames_ended(self) -> None:
        if self._is_open:
            # The ramp was longer than the path that was left, so the arm halts with a jerk.
            self.source = Source.OUT_OF_FRAMES
            self._rest(DeviceState.ERROR)
        elif self.state is DeviceState.MOVING:
            self._rest(DeviceState.IDLE)
        else:
            self._ramp_ended()

    def _ramp_ended(self) -> None:
        stopping = self.state is DeviceState.STOPPING
        self._rest(DeviceState.STOPPED if stopping else DeviceState.ERROR)

    def _estop(self, source: Source) -> None:
        if self.state.failed:
            return
        self.source = source
        if self.state in _IN_MOTION:
            self.state = DeviceState.STOPPING_ERROR
            self._ramp_to_rest(self._estop_ramp)
        else:
            self._rest(DeviceState.ERROR)

    def _ramp_to_rest(self, full_ramp: int) -> None:
        self._clock.ramp(0.0, full_ramp)
        if not self._clock.ramping:
            self._ramp_ended()

    def _rest(self, state: DeviceState) -> None:
        self.state = state
        self._clock.halt()
        self._velocity = np.zeros(JOINTS)
        if state is DeviceState.IDLE:
            self._is_open = False

    # Checks

    def _check_may_move(self) -> bool:
        """Return whether a move call appends; raise FirmwareError when it may not come now."""
        if not self._amps_enabled:
            raise FirmwareError(
                ErrorNumber.AMPS_DISABLED, 'MovePVT with amplifiers off: call AmpEnable first'
            )
        if self.state.failed:
            raise self._wrong_state('MovePVT', 'call ClearFaults once the arm is at rest')
        if self.state is DeviceState.STOPPING:
            raise self._wrong_state('MovePVT', 'wait for STOPPED')
        if self.state is DeviceState.MOVING and not self._is_open:
            raise self._wrong_state('MovePVT', 'the move was closed by a final call: wait for IDLE')
        return self.state is DeviceState.MOVING

    def _check_points(
        self, positions: Floats, velocities: Floats, times: Floats, empty_count: int
    ) -> Integers:
        """Return the durations in samples; raise FirmwareError when an argument is wrong."""
        count = len(times)
        shape = (count, JOINTS)
        if times.ndim != 1 or count == 0 or positions.shape != shape or velocities.shape != shape:
            raise _invalid(
                f'shapes are positions {positions.shape}, velocities {velocities.shape}, times '
                f'{times.shape}: they must be (n, {JOINTS}), (n, {JOINTS}), (n,) with n at least 1'
            )
        if not (
            np.all(np.isfinite(positions))
            and np.all(np.isfinite(velocities))
            and np.all(np.isfinite(times))
        ):
            raise _invalid('a position, velocity or time is not a finite number')
        if empty_count < 1:
            raise _invalid(
                f'emptyCount is {empty_count}: it must be at least 1, because what a starved '
                'stream does otherwise is undefined'
            )
        ratio = times / self.sample
        durations: NDArray[np.int64] = np.rint(ratio).astype(np.int64)
        wrong = (durations < 1) | (np.abs(ratio - durations) > 1e-6 * np.maximum(durations, 1))
        if np.any(wrong):
            index = int(np.argmax(wrong))
            raise _invalid(
                f'time {index} is {times[index]:.9g} s: it must be a whole multiple, at least 1, '
                f'of the sample {self.sample:g} s'
            )
        return durations

    def _wrong_state(self, call: str, remedy: str) -> FirmwareError:
        return FirmwareError(ErrorNumber.WRONG_STATE, f'{call} in {self.state.name}: {remedy}')


def _invalid(text: str) -> FirmwareError:
    return FirmwareError(ErrorNumber.INVALID_ARGUMENT, f'MovePVT: {text}')


def _first(flags: NDArray[np.bool_]) -> int:
    """Index of the first true flag, or their number when there is none."""
    return int(np.argmax(flags)) if flags.any() else len(flags)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The phantom's firmware core: a MultiAxis of the RMP with phantom axes, on a simulated clock.

Pure and deterministic: time passes only in :meth:`MultiAxis.advance`, in whole samples, and
commands take effect between two samples. Rules come from the RMP documentation (motion streaming,
stopping actions, stopping rates, feed rate) and from threads of its community forum.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.chunk import JOINTS
from elfin_bt.hardware.device import (
    FRAMES_PER_POINT,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    FirmwareError,
    Source,
    Status,
)
from elfin_bt.hardware.phantom.drives import COARSE, FINE, WHOLE_ARM, Drives
from elfin_bt.hardware.phantom.frames import Floats, FrameBuffer
from elfin_bt.hardware.phantom.host_queue import HostQueue
from elfin_bt.hardware.phantom.move_arguments import checked_durations
from elfin_bt.hardware.phantom.path_clock import PathClock
from elfin_bt.hardware.phantom.stop_actions import LIMIT_ACTIONS, StopAction
from elfin_bt.kinematics.limits import JOINT_NAMES

ROW = 1 + JOINTS
"""Width of an executed row: device time in s, then the joints' actual positions in rad."""

MAX_FEED_RATE = 2.0
_ID_RANGE = 1 << 16
RELOAD_SHARE = 4
"""The host's queue is loaded when less than this share, 1/4, of the buffer is left to execute."""
_ERROR_LOG = 100  # lines that are kept for a client that does not read them
_IN_MOTION = (DeviceState.MOVING, DeviceState.STOPPING, DeviceState.STOPPING_ERROR)
_LONGEST_BLOCK = 4096  # samples evaluated at once; bounds the memory of a long catch-up


class MultiAxis:
    """Six phantom axes that move together.

    ``sample`` is the firmware's sample in s, ``frame_buffer`` the buffer's size in frames,
    ``position`` (6,) where the arm stands when the firmware starts. ``estop_time`` and
    ``stop_time`` (s) are what a ramp from feed rate 1 to 0 takes. ``lag`` is the time constant in s
    with which the joints follow, 0 for none. ``limit_actions`` says what a fault of the drives
    leads to.
    """

    def __init__(
        self,
        *,
        sample: float = 0.001,
        frame_buffer: int = 1024,
        estop_time: float = 0.05,
        stop_time: float = 0.5,
        position: Floats | None = None,
        lag: float = 0.0,
        limit_actions: Mapping[Source, StopAction] = LIMIT_ACTIONS,
    ) -> None:
        self.sample = sample
        self.samples = 0
        self.state = DeviceState.IDLE
        self.source = Source.NONE
        self._source_joint = WHOLE_ARM
        self._active: set[Source] = set()
        self._errors: deque[str] = deque(maxlen=_ERROR_LOG)
        self._limit_actions = limit_actions
        self._end_of_stop = StopAction.NONE
        self.configure(estop_time=estop_time, stop_time=stop_time)
        self._position = np.zeros(JOINTS) if position is None else np.array(position, dtype=float)
        self._velocity = np.zeros(JOINTS)
        self._drives = Drives(self._position, sample=sample, lag=lag)
        self._queue = HostQueue()
        self._frames = FrameBuffer(capacity=frame_buffer, joints=JOINTS, sample=sample)
        self._frames.open(self._position)
        self._clock = PathClock()
        self._is_open = False
        self._empty_count = 0
        self._calls = 0
        self._feed_rate = 1.0

    # Reading

    def snapshot(self) -> DeviceSnapshot:
        """The state after the last executed sample."""
        call, element = self._frames.executing
        return DeviceSnapshot(
            time=self.samples * self.sample,
            state=self.state,
            source=self.source,
            source_joint=self._source_joint,
            active=frozenset(self._active),
            status=self._status(),
            frames_loaded=self._frames.loaded,
            frames_free=0 if self._queue else self._frames.free,
            motion_id=call % _ID_RANGE,
            element_id=element % _ID_RANGE,
            feed_rate=self._clock.rate if self.state in _IN_MOTION else 0.0,
            feed_target=self._feed_rate,
            amps_enabled=self._drives.powered,
            position=self._position.copy(),
            velocity=self._velocity.copy(),
            actual_position=self._drives.position.copy(),
            actual_velocity=self._drives.velocity.copy(),
        )

    def _status(self) -> Status:
        """Motion bits: DONE says that the arm is at rest and settled, whatever ended the move."""
        status = Status(0)
        error = self._drives.error(self._position)
        if error <= COARSE:
            status |= Status.IN_COARSE
        if self.state in _IN_MOTION:
            status |= Status.MOTION_START
            if self._clock.rate == self._feed_rate != 0.0 and not self._clock.ramping:
                status |= Status.AT_VELOCITY
            return status
        if self._frames.points == 0:
            status |= Status.AT_TARGET
        if error <= FINE:
            status |= Status.SETTLED | Status.DONE
        return status

    @property
    def runway(self) -> int | None:
        """Samples that can surely pass before the watchdog trips; None when it can't trip now."""
        if self.state is not DeviceState.MOVING or not self._is_open:
            return None
        if self._clock.top_rate <= 0.0:
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
        retain: bool = False,
    ) -> None:
        """MovePVT: open a move from the commanded state, or append to the open one.

        Shapes, units and the watchdog: :meth:`elfin_bt.hardware.device.Device.move_pvt`. A stopped
        move that was not resumed is dropped and a new one begins. ``retain``, by the opening call,
        keeps executed points, so that a negative feed rate can retrace them.

        Raises:
            FirmwareError: wrong state or arguments, or no room; nothing was taken.
        """
        appending = self._check_may_move()
        durations = checked_durations(
            positions, velocities, times, empty_count=empty_count, sample=self.sample
        )
        if appending:
            self._queue.check_room(len(durations))
        else:
            self._queue.discard()
            self._frames.open(self._position, retain=retain)
            self._clock.restart(self._feed_rate)
            self.state = DeviceState.MOVING
        self._calls += 1
        self._empty_count = empty_count
        self._is_open = True
        was_empty = not self._queue
        self._queue.put(positions, velocities, durations, call=self._calls, final=final)
        if was_empty:
            self._load()

    def reload(self) -> None:
        """Load from the host's queue when the buffer runs low, as the vendor's library does.

        It does so in its client's process: whenever that makes a call, and never when it hangs.
        """
        if self._queue and self._frames.loaded <= self._frames.capacity // RELOAD_SHARE:
            self._load()

    def client_gone(self) -> None:
        """The client's process is gone and with it what it had queued."""
        self._queue.discard()

    def _load(self) -> None:
        free = self._frames.free // FRAMES_PER_POINT
        for part in self._queue.take(free):
            self._frames.append(
                part.positions, part.velocities, part.durations, part.call, part.first
            )
            if part.final:
                self._is_open = False

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
        self._fail(Source.USER, StopAction.E_STOP)

    def abort(self) -> None:
        """Abort: amplifiers off at once, ERROR; the arm halts where it is."""
        self._fail(Source.USER, StopAction.ABORT)

    def amp_enable(self) -> None:
        """AmpEnable: allowed at rest and without a fault only."""
        if self.state is not DeviceState.IDLE:
            raise self._wrong_state('AmpEnable', 'it needs IDLE: call ClearFaults first')
        if not self._drives.powered:
            # The drives were off: where the arm is now is where they hold it.
            self._position = self._drives.position.copy()
            self._frames.open(self._position)
        self._drives.powered = True

    def amp_disable(self) -> None:
        """AmpEnableSet(false): at rest only; ``abort`` is the way to do it in motion."""
        if not self.state.at_rest:
            raise self._wrong_state('AmpEnableSet(false)', 'wait until the arm is at rest')
        self._drives.powered = False

    def place(self, position: Floats) -> None:
        """PositionSet: the arm stands at ``position`` (6,) rad; in IDLE only."""
        if self.state is not DeviceState.IDLE:
            raise self._wrong_state('PositionSet', 'it needs IDLE')
        self._position = np.array(position, dtype=float)
        self._frames.open(self._position)
        self._drives.position = self._position.copy()

    def clear_faults(self) -> None:
        """ClearFaults: ERROR or STOPPED become IDLE and what is left in the buffer is dropped."""
        if not self.state.at_rest:
            raise self._wrong_state('ClearFaults', 'wait until the arm is at rest')
        causes = self._drives.causes(self._position)
        if causes:
            listed = ', '.join(_name(source, joint) for source, joint in causes.items())
            raise FirmwareError(
                ErrorNumber.FAULT_PERSISTS,
                f'ClearFaults: {listed} is still there: remove the cause first',
            )
        self._rest(DeviceState.IDLE)
        self._frames.open(self._position)
        self._queue.discard()
        self.source, self._source_joint = Source.NONE, WHOLE_ARM
        self._active.clear()

    def inject(self, text: str) -> None:
        """Simulate a fault of the drives; see :meth:`Drives.inject`."""
        self._drives.inject(text)
        self._watch_drives()

    def set_feed_rate(self, rate: float) -> None:
        """Feed rate override: ramp to ``rate``; kept for the moves that follow.

        A negative rate retraces a move that retains its points, and ends as a pause where the
        oldest of them is.
        """
        if not abs(rate) <= MAX_FEED_RATE:
            raise FirmwareError(
                ErrorNumber.INVALID_ARGUMENT,
                f'feed rate is {rate:g}: it lies between -{MAX_FEED_RATE:g} and {MAX_FEED_RATE:g}',
            )
        if rate < 0.0 and not (self.state is DeviceState.MOVING and self._frames.retains):
            raise FirmwareError(
                ErrorNumber.INVALID_ARGUMENT,
                f'feed rate is {rate:g}: only a move that was opened with retain, and is not over, '
                'can be retraced',
            )
        self._feed_rate = rate
        if self.state is DeviceState.MOVING:
            self._clock.ramp(rate, self._stop_ramp)

    def error_log(self) -> list[str]:
        """Take what was logged since the last call, oldest first."""
        lines = list(self._errors)
        self._errors.clear()
        return lines

    def log(self, text: str) -> None:
        """Add a line to the error log, with device time."""
        self._errors.append(f'{self.samples * self.sample:.3f} s: {text}')

    # Time

    def advance(self, samples: int) -> Floats:
        """Execute ``samples`` samples; return a row per sample in motion, (m, ROW)."""
        rows: list[Floats] = []
        while samples > 0:
            block = min(samples, _LONGEST_BLOCK)
            if self._is_moving():
                rows.append(self._execute(block))
            elif not self._drives.rests(self._position):
                rows.append(self._settle(block))
            else:
                break
            samples -= len(rows[-1])
            self._watch_drives()
        if samples > 0:
            self.samples += samples
            self._drives.velocity = np.zeros(JOINTS)
        return np.concatenate(rows) if rows else np.empty((0, ROW))

    def _is_moving(self) -> bool:
        paused = self._clock.rate == 0.0 and not self._clock.ramping
        return self.state in _IN_MOTION and not paused

    def _execute(self, samples: int) -> Floats:
        """Execute up to ``samples`` samples, ending early with the first event."""
        if self._clock.ramping:
            samples = min(samples, self._clock.remaining)  # a ramp may end in a pause
        places, rates = self._clock.preview(samples)
        frames_end = _first(places >= self._frames.end)
        back_at_start = _first((places <= self._frames.start) & (rates < 0.0))
        starved = samples
        if self._is_open and self.state is not DeviceState.STOPPING_ERROR:
            starved = _first(places >= self._frames.starvation(self._empty_count))
        at_rest = samples
        if self.state is not DeviceState.MOVING:
            at_rest = self._clock.remaining - 1
        count = min(frames_end, back_at_start, starved, at_rest, samples - 1) + 1

        places = np.clip(places[:count], self._frames.start, self._frames.end)
        positions, velocities = self._frames.evaluate(places)
        actual = self._drives.trace(positions)
        count = min(count, self._drives.strayed(positions, actual) + 1)
        last = count - 1
        self._clock.advance(count)
        self._position = positions[last].copy()
        self._velocity = velocities[last] * rates[last]
        self._frames.consume(places[last])
        rows = self._pass(actual[:count])

        if last == frames_end:
            self._frames_ended()
        elif last == back_at_start:
            self._back_at_start()
        elif last == starved:
            self._fail(Source.OUT_OF_FRAMES, StopAction.E_STOP)
        elif last == at_rest:
            self._ramp_ended()
        return rows

    def _settle(self, samples: int) -> Floats:
        """Let the joints follow up to ``samples`` samples of a command that stands still."""
        commanded = np.tile(self._position, (samples, 1))
        actual = self._drives.trace(commanded)
        rested = np.abs(actual - commanded).max(axis=1) <= 1e-9
        count = min(_first(rested), self._drives.strayed(commanded, actual), samples - 1) + 1
        return self._pass(actual[:count])

    def _pass(self, actual: Floats) -> Floats:
        """Let samples pass in which the joints are at ``actual`` (n, 6) rad; return their rows."""
        first = self.samples + 1
        self.samples += len(actual)
        self._drives.reach(actual)
        times = self.sample * np.arange(first, self.samples + 1)
        return np.column_stack((times, actual))

    def _frames_ended(self) -> None:
        if self._is_open:
            # The ramp was longer than the path that was left, so the arm halts with a jerk.
            self._note(Source.OUT_OF_FRAMES, WHOLE_ARM)
            self.source = Source.OUT_OF_FRAMES
            self._come_to_error()
        elif self.state is DeviceState.MOVING:
            self._rest(DeviceState.IDLE)
        else:
            self._ramp_ended()

    def _back_at_start(self) -> None:
        """Retraced to the oldest point: paused there, or stopped if it was stopping anyway."""
        self._clock.place = float(self._frames.start)
        self._clock.halt()
        self._velocity = np.zeros(JOINTS)
        if self.state is DeviceState.MOVING:
            self._feed_rate = 0.0
        else:
            self._ramp_ended()

    def _ramp_ended(self) -> None:
        if self.state is DeviceState.STOPPING:
            self._rest(DeviceState.STOPPED)
        else:
            self._come_to_error()

    def _come_to_error(self) -> None:
        """At rest after an error: the amplifiers stay on unless the action says otherwise."""
        self._rest(DeviceState.ERROR)
        if self._end_of_stop.cuts_power:
            self._drives.powered = False
        if self._end_of_stop is StopAction.E_STOP_CMD_EQ_ACT:
            self._position = self._drives.position.copy()

    def _watch_drives(self) -> None:
        """Act on what the drives report and was not known yet."""
        for source, joint in self._drives.causes(self._position).items():
            action = self._limit_actions.get(source, StopAction.NONE)
            if action is not StopAction.NONE and source not in self._active:
                self._fail(source, action, joint)

    def _fail(self, source: Source, action: StopAction, joint: int = WHOLE_ARM) -> None:
        """Note a cause and act; in an error state only a more severe action changes anything."""
        is_first = not self.state.failed
        if is_first or source.is_drive_fault:
            self._note(source, joint)
        if is_first and action is not StopAction.STOP:
            self.source, self._source_joint = source, joint
            self._queue.discard()
        if action.value <= self._end_of_stop.value:
            return
        if action is StopAction.STOP:
            self.stop()
            return
        self._end_of_stop = action
        if action is StopAction.ABORT or self.state not in _IN_MOTION:
            self._come_to_error()
        elif self.state is not DeviceState.STOPPING_ERROR:
            self.state = DeviceState.STOPPING_ERROR
            self._ramp_to_rest(self._estop_ramp)

    def _note(self, source: Source, joint: int) -> None:
        """Set a cause's status bit and log it, once."""
        if source not in self._active:
            self._active.add(source)
            if source is not Source.USER:
                self.log(f'{_name(source, joint)} in {self.state.name}')

    def _ramp_to_rest(self, full_ramp: int) -> None:
        self._clock.ramp(0.0, full_ramp)
        if not self._clock.ramping:
            self._ramp_ended()

    def _rest(self, state: DeviceState) -> None:
        self.state = state
        self._clock.halt()
        self._velocity = np.zeros(JOINTS)
        if state is DeviceState.IDLE:
            self._feed_rate = max(self._feed_rate, 0.0)
            self._is_open = False
            self._end_of_stop = StopAction.NONE

    # Checks

    def _check_may_move(self) -> bool:
        """Return whether a move call appends; raise FirmwareError when it may not come now."""
        if not self._drives.powered:
            raise FirmwareError(
                ErrorNumber.AMPS_DISABLED, 'MovePVT with amplifiers off: call AmpEnable first'
            )
        if self.state.failed:
            raise self._wrong_state('MovePVT', 'call ClearFaults once the arm is at rest')
        if self.state is DeviceState.STOPPING:
            raise self._wrong_state('MovePVT', 'wait for STOPPED')
        if self.state is DeviceState.MOVING and (self._queue.closed or not self._is_open):
            raise self._wrong_state('MovePVT', 'the move was closed by a final call: wait for IDLE')
        return self.state is DeviceState.MOVING

    def _wrong_state(self, call: str, remedy: str) -> FirmwareError:
        return FirmwareError(ErrorNumber.WRONG_STATE, f'{call} in {self.state.name}: {remedy}')


def _name(source: Source, joint: int) -> str:
    return source.name if joint == WHOLE_ARM else f'{source.name} of {JOINT_NAMES[joint]}'


def _first(flags: NDArray[np.bool_]) -> int:
    """Index of the first true flag, or their number when there is none."""
    return int(np.argmax(flags)) if flags.any() else len(flags)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The RobCo-like arm as a device: no firmware buffers for it, so the path is executed here.

A set point acts at once. What motion firmware does on other backends (the frames, the watchdog, the
ramps along the path) is done by the same core that the phantom's firmware has, in this process, in
the thread that looks at the device: each look advances the path by the time that has passed and
sends one set point. A host that is late holds the path up instead of jumping ahead on it.

The arm is enabled with its vendor's tool alone. While it is disabled nothing is sent, and where it
stands is where the next motion begins.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from elfin_bt.hardware.device import (
    DeviceInfo,
    DeviceLost,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    FirmwareError,
    Source,
)
from elfin_bt.hardware.host_record import HostRecord
from elfin_bt.hardware.phantom.multi_axis import MultiAxis
from elfin_bt.hardware.robco import set_point
from elfin_bt.hardware.robco.command import ArmState, Command, CommandSet, Floats, Link
from elfin_bt.hardware.robco.effort import EffortLaw
from elfin_bt.hardware.robco.settings import RobcoSettings
from elfin_bt.hardware.status_bits import status_bits
from elfin_bt.kinematics.limits import JOINT_NAMES

SAMPLE = 0.001  # s, of the path's clock
FRAME_BUFFER = 1024
LONGEST_STEP = 0.02  # s of path between two set points
FIRST_STATE_TIMEOUT = 1.0  # s
RESTING_SPEED = 0.05  # rad/s below which an arm in a hand counts as at rest
WHOLE_ARM = -1
_ENABLE_ELSEWHERE = (
    "this arm is enabled and disabled with its vendor's tool, for safety; ~/enable_amps can't"
)


class RobcoDevice:
    """Implements :class:`elfin_bt.hardware.device.Device` over ``link``.

    Records go to ``record_folder``. ``clock`` (s, monotonic; the one of ``ArmState.received``) and
    ``sleep`` (while connecting only) are there to be replaced in tests.
    """

    def __init__(
        self,
        settings: RobcoSettings,
        link: Link,
        law: EffortLaw,
        *,
        record_folder: Path,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._link = link
        self._law = law
        self._clock = clock
        self._sleep = sleep
        self._record = HostRecord(record_folder)
        self._lock = threading.Lock()  # requests for a command set come from another thread
        self._set = CommandSet(settings.command_set)
        self._axis: MultiAxis | None = None

    # Life

    def connect(self) -> DeviceInfo:
        """Listen for the arm, and begin where it stands."""
        self.close()
        self._link.open(self.select)
        deadline = self._clock() + FIRST_STATE_TIMEOUT
        while self._link.state is None:
            if self._clock() >= deadline:
                self._link.close()
                raise DeviceLost(
                    f'no joint states on {self._settings.joint_states_topic} within '
                    f'{FIRST_STATE_TIMEOUT:g} s: start the arm, or set joint_states_topic to '
                    'where it reports its six joints with positions and velocities'
                )
            self._sleep(0.01)
        self._axis = MultiAxis(
            sample=SAMPLE, frame_buffer=FRAME_BUFFER, position=self._link.state.position
        )
        self._time = self._clock()
        self._reference = self._link.state.position, np.zeros(6), np.zeros(6)
        self._looked, self._heard, self._silence = self._time, self._link.state.received, 0.0
        self._anchored = False
        self._causes: dict[Source, int] = {}
        self._log: list[str] = []
        return DeviceInfo(sample=SAMPLE, frame_buffer=FRAME_BUFFER, speedup=1.0)

    def close(self) -> None:
        """Cease to speak; the arm holds the last set point by itself."""
        self._link.close()
        self._axis = None

    def configure(self, *, estop_time: float, stop_time: float) -> DeviceSnapshot:
        """Set the ramp times in s."""
        return self._do(lambda axis: axis.configure(estop_time=estop_time, stop_time=stop_time))

    # Commands

    def snapshot(self) -> DeviceSnapshot:
        """Execute what is due, send its set point, read the present state."""
        return self._do(lambda axis: None)

    def move_pvt(
        self,
        positions: Floats,
        velocities: Floats,
        times: Floats,
        *,
        empty_count: int,
        final: bool,
    ) -> DeviceSnapshot:
        """Open a move or append to it."""

        def move(axis: MultiAxis) -> None:
            self._check_enabled('MovePVT')
            if self._set is CommandSet.FLOAT:
                raise FirmwareError(
                    ErrorNumber.WRONG_STATE,
                    'MovePVT while the arm floats: set command_set to position or effort first',
                )
            axis.move_pvt(positions, velocities, times, empty_count=empty_count, final=final)

        return self._do(move)

    def stop(self) -> DeviceSnapshot:
        """Ramp to rest over the stop time."""
        return self._do(lambda axis: axis.stop())

    def resume(self) -> DeviceSnapshot:
        """Continue a stopped move."""
        return self._do(lambda axis: axis.resume())

    def estop(self) -> DeviceSnapshot:
        """Ramp to rest over the e-stop time, then ERROR."""

        def estop(axis: MultiAxis) -> None:
            if not axis.state.failed:
                self._causes.setdefault(Source.USER, WHOLE_ARM)
            axis.estop()

        return self._do(estop)

    def abort(self) -> DeviceSnapshot:
        """Halt at the last set point, without a ramp; power is the vendor's tool to cut."""

        def abort(axis: MultiAxis) -> None:
            if not axis.state.failed:
                self._causes.setdefault(Source.USER, WHOLE_ARM)
            axis.abort()

        return self._do(abort)

    def clear_faults(self) -> DeviceSnapshot:
        """From ERROR (or STOPPED) to IDLE, where the last set point was or the arm is."""

        def clear(axis: MultiAxis) -> None:
            lasting = self._lasting_cause(axis)
            if lasting:
                raise FirmwareError(ErrorNumber.FAULT_PERSISTS, f'ClearFaults: {lasting}')
            axis.clear_faults()
            axis.amp_enable()  # of the path's clock: an abort takes its power
            axis.place(self._reference[0])
            self._causes.clear()
            self._follow_arm(axis)

        return self._do(clear)

    def set_feed_rate(self, rate: float) -> DeviceSnapshot:
        """Ramp the feed rate."""
        return self._do(lambda axis: axis.set_feed_rate(rate))

    def amp_enable(self) -> DeviceSnapshot:
        """Not from here."""
        raise FirmwareError(ErrorNumber.NOT_SUPPORTED, _ENABLE_ELSEWHERE)

    def amp_disable(self) -> DeviceSnapshot:
        """Not from here."""
        raise FirmwareError(ErrorNumber.NOT_SUPPORTED, _ENABLE_ELSEWHERE)

    def inject(self, fault: str) -> DeviceSnapshot:
        """Nobody simulates faults on a real arm."""
        raise FirmwareError(
            ErrorNumber.NOT_SUPPORTED, 'faults are injected into the phantom backend only'
        )

    def record(self, enable: bool) -> str:
        """Start or end a record of what the arm reports, a row a set point."""
        with self._lock:
            return self._record.switch(enable)

    def error_log(self) -> list[str]:
        """Take what was logged since the last call."""
        with self._lock:
            axis = self._connected()
            lines, self._log = self._log + axis.error_log(), []
            if self._record.trouble:
                lines.append(self._record.trouble)
                self._record.trouble = ''
            return lines

    def select(self, command_set: CommandSet) -> str:
        """Change the command set for all joints with the next set point; '' or why not."""
        with self._lock:
            axis = self._axis
            if axis is None:
                return 'not connected to the arm'
            if command_set is self._set:
                return ''
            if not self._link.enabled:
                return "the arm is disabled: enable it with its vendor's tool first"
            if axis.state is not DeviceState.IDLE:
                return f'the device is {axis.state.name}: the command set changes in IDLE only'
            state = self._state()
            if self._is_silent:
                return 'the arm has fallen silent: look at its joint states first'
            speed = float(np.abs(state.velocity).max())
            if speed > RESTING_SPEED:
                return (
                    f'the arm moves at {speed:.3f} rad/s: let it rest first '
                    f'(below {RESTING_SPEED:g} rad/s)'
                )
            self._follow_arm(axis)
            self._set = command_set
            return ''

    # One look

    def _do(self, command: Callable[[MultiAxis], None]) -> DeviceSnapshot:
        """Come up to now, carry out ``command``, report."""
        with self._lock:
            axis = self._connected()
            self._come_to(axis, self._clock())
            command(axis)
            return self._report(axis)

    def _come_to(self, axis: MultiAxis, now: float) -> None:
        self._watch_arm(axis, now)
        self._follow_arm(axis)
        gap = now - self._time
        samples = int(min(gap, LONGEST_STEP) / SAMPLE + 1e-6)
        if samples < 1:
            return
        # Time that the host has lost is lost to the path as well.
        self._time = now if gap > LONGEST_STEP else self._time + samples * SAMPLE
        if gap > self._settings.set_point_timeout and not axis.state.at_rest:
            # The arm stands at the last set point by now: going on at speed would jerk.
            self._note(Source.OUT_OF_FRAMES, f'no set point for {gap:.3f} s: the motion is over')
            axis.abort()
        self._execute(axis, samples)

    def _execute(self, axis: MultiAxis, samples: int) -> None:
        """Advance the path and send where it is now."""
        elapsed = samples * SAMPLE
        axis.advance(samples)
        if axis.source is Source.OUT_OF_FRAMES:
            self._causes.setdefault(Source.OUT_OF_FRAMES, WHOLE_ARM)
        now = axis.snapshot()
        # The mean over the step: held for as long, it makes the change of velocity that is wanted.
        acceleration = (now.velocity - self._reference[1]) / elapsed
        reference = now.position, now.velocity, acceleration
        if not (self._link.enabled and self._anchored):
            self._reference = reference
            return
        objection = set_point.objection(now.position, now.velocity, self._reference[0], elapsed)
        if objection is not None:
            if not axis.state.failed:
                self._log.append(f'a set point was not sent: {objection}')
                axis.abort()
            reference = self._reference[0], np.zeros(6), np.zeros(6)
        self._reference = reference
        self._send()

    def _send(self) -> None:
        state = self._state()
        if self._set is CommandSet.POSITION:
            self._link.send(Command.motion(*self._reference))
        elif Source.NETWORK in self._causes:
            return  # torques need to know where the arm is
        elif self._set is CommandSet.FLOAT:
            self._link.send(Command.effort(self._law.floating(state.position, state.velocity)))
        else:
            effort = self._law.following(state.position, state.velocity, reference=self._reference)
            self._link.send(Command.effort(effort))

    def _report(self, axis: MultiAxis) -> DeviceSnapshot:
        state = self._state()
        snapshot = axis.snapshot()
        failed = snapshot.state.failed
        source = next(iter(self._causes), Source.NONE) if failed else Source.NONE
        report = replace(
            snapshot,
            source=source,
            source_joint=self._causes.get(source, WHOLE_ARM),
            active=frozenset(self._causes),
            status=status_bits(
                snapshot.state,
                position=snapshot.position,
                actual_position=state.position,
                frames_loaded=snapshot.frames_loaded,
            ),
            amps_enabled=self._link.enabled,
            actual_position=state.position,
            actual_velocity=state.velocity,
        )
        self._record.observe(report)
        return report

    # The arm

    def _watch_arm(self, axis: MultiAxis, now: float) -> None:
        """Act on what the arm reports, or no longer reports."""
        self._listen(now)
        enabled = self._link.enabled
        if self._is_silent:
            if self._note(Source.NETWORK, f'no joint states for {self._silence:.3f} s'):
                axis.estop() if self._set is CommandSet.POSITION else axis.abort()
        if not enabled:
            if axis.state not in (DeviceState.IDLE, DeviceState.ERROR):
                self._note(Source.AMP_FAULT, 'the arm was disabled in motion')
                axis.abort()
            self._anchored = False
            return
        joint, error = self._position_error(axis)
        if error > self._settings.position_error_limit:
            text = f'{JOINT_NAMES[joint]} is {error:.4f} rad from where it should be'
            if self._note(Source.POSITION_ERROR, text, joint):
                axis.estop()

    def _listen(self, now: float) -> None:
        """Count how long the arm has been silent; a pause of this process is none of the arm's."""
        received = self._state().received
        if received != self._heard:
            self._heard, self._silence = received, 0.0
        else:
            self._silence += min(now - self._looked, LONGEST_STEP)
        self._looked = now

    @property
    def _is_silent(self) -> bool:
        return self._silence > self._settings.state_timeout

    def _follow_arm(self, axis: MultiAxis) -> None:
        """Begin where the arm is: after it was disabled, and while it floats."""
        floats = self._set is CommandSet.FLOAT
        if axis.state is not DeviceState.IDLE or (self._anchored and not floats):
            return
        position = self._state().position
        axis.place(position)
        self._reference = position, np.zeros(6), np.zeros(6)
        self._anchored = self._link.enabled

    def _position_error(self, axis: MultiAxis) -> tuple[int, float]:
        """Joint that is farthest from its command, and how far; no distance while none counts."""
        if not self._anchored or self._set is CommandSet.FLOAT:
            return 0, 0.0
        error = np.abs(axis.snapshot().position - self._state().position)
        joint = int(np.argmax(error))
        return joint, float(error[joint])

    def _lasting_cause(self, axis: MultiAxis) -> str:
        """What is still wrong, or ''."""
        if self._is_silent:
            return f'the arm is silent: look for it on {self._settings.joint_states_topic}'
        joint, error = self._position_error(axis)
        if error > self._settings.position_error_limit:
            return (
                f'{JOINT_NAMES[joint]} is still {error:.4f} rad from where it should be: remove '
                "what holds it, or disable and enable the arm with its vendor's tool"
            )
        return ''

    def _note(self, source: Source, text: str, joint: int = WHOLE_ARM) -> bool:
        """Keep a cause and log it; whether it is new."""
        if source in self._causes:
            return False
        self._causes[source] = joint
        self._log.append(text)
        return True

    def _check_enabled(self, call: str) -> None:
        if not self._link.enabled:
            raise FirmwareError(
                ErrorNumber.AMPS_DISABLED,
                f"{call} while the arm is disabled: enable it with its vendor's tool first",
            )

    def _state(self) -> ArmState:
        state = self._link.state
        assert state is not None, 'connect waits for it'
        return state

    def _connected(self) -> MultiAxis:
        if self._axis is None:
            raise DeviceLost('not connected to the arm')
        return self._axis

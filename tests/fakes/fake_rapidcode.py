# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""RapidCodePython's names over a simulated RMP: what the RapidCode backend calls, and no more.

The firmware behind it is the phantom's core with a simulated clock (`advance`). As real firmware
does, it outlives the objects of a client that dies, and ends with `Shutdown`. Enumerators have
values of their own, so that nobody relies on RMP's numbers. The second half, below the binding's
names, is for tests: faults, a network that fails, a firmware left in motion.
"""

import sys

import numpy as np

from elfin_bt.hardware.device import DeviceState, FirmwareError, Source
from elfin_bt.hardware.phantom.multi_axis import MultiAxis as Core

AXES = 6


class RsiError(Exception):
    def __init__(self, text: str, number: int = 1, functionName: str = '', isWarning: bool = False):
        super().__init__(text)
        self.text = text
        self.shortText = text[:20]
        self.number = number
        self.functionName = functionName
        self.isWarning = isWarning


def _enumerate(enum: str, first: int, *members: str) -> dict[str, int]:
    values = {member: first + 7 * index for index, member in enumerate(members)}
    for member, value in values.items():
        setattr(sys.modules[__name__], f'{enum}_{enum}{member}', value)
    return values


STATES = _enumerate('RSIState', 30, *(state.name for state in DeviceState))
ACTIONS = _enumerate('RSIAction', 50, 'NONE', 'STOP', 'E_STOP', 'ABORT')
MOTORS = _enumerate('RSIMotorType', 70, 'SERVO', 'PHANTOM')
EVENTS = _enumerate(
    *('RSIEventType', 90, 'OUT_OF_FRAMES', 'AMP_FAULT', 'LIMIT_ERROR'),
    *('LIMIT_HW_POS', 'LIMIT_HW_NEG', 'LIMIT_SW_POS', 'LIMIT_SW_NEG'),
)
_enumerate('RSIAxisAddressType', 200, 'CURRENT_FEEDRATE')
NETWORK = _enumerate('RSINetworkState', 246, 'UNINITIALIZED', 'SHUTDOWN', 'OPERATIONAL')  # ... 260
RSINetworkStartError_RSINetworkStartErrorREADY = 0
RSINetworkStartError_RSINetworkStartErrorMASTER_STARTUP = 9

_SOURCE_EVENTS = {
    Source.OUT_OF_FRAMES: EVENTS['OUT_OF_FRAMES'],
    Source.AMP_FAULT: EVENTS['AMP_FAULT'],
    Source.POSITION_ERROR: EVENTS['LIMIT_ERROR'],
    Source.HW_LIMIT_POSITIVE: EVENTS['LIMIT_HW_POS'],
    Source.HW_LIMIT_NEGATIVE: EVENTS['LIMIT_HW_NEG'],
}


class CreationParameters:
    RmpPath = ''
    NicPrimary = ''
    CpuAffinity = -1


class _Logging:
    def __init__(self) -> None:
        self._log: list[RsiError] = []

    def ErrorLogCountGet(self) -> int:
        return len(self._log)

    def ErrorLogGet(self) -> RsiError:
        return self._log.pop(0)


class Axis(_Logging):
    """One axis of the firmware; settings are kept as attributes named like their setters."""

    def __init__(self, firmware: 'Firmware', number: int) -> None:
        super().__init__()
        self._firmware = firmware
        self.number = number
        self.settings: dict[str, object] = {'MotorType': MOTORS['SERVO']}
        self.amp = False

    @property
    def is_phantom(self) -> bool:
        return self.settings['MotorType'] == MOTORS['PHANTOM']

    def __getattr__(self, name: str):
        setters = (
            *('UserUnits', 'MotorType', 'PositionToleranceCoarse', 'PositionToleranceFine'),
            *('ErrorLimitAction', 'ErrorLimitTriggerValue', 'AmpFaultAction', 'HomeAction'),
            *('HardwarePosLimitAction', 'HardwareNegLimitAction'),
            *('SoftwarePosLimitAction', 'SoftwareNegLimitAction'),
            *('SoftwarePosLimitTriggerValue', 'SoftwareNegLimitTriggerValue'),
        )
        if name.endswith('Set') and name.removesuffix('Set') in setters:
            return lambda value: self.settings.__setitem__(name.removesuffix('Set'), value)
        raise AttributeError(name)

    def MotorTypeGet(self) -> object:
        return self.settings['MotorType']

    def PositionSet(self, position: float) -> None:
        self._firmware.place(self.number, position)

    def AmpEnableSet(self, enable: bool) -> None:
        self._firmware.calls.append(f'amp {self.number} {"on" if enable else "off"}')
        self.amp = enable
        firmware = self._firmware
        if all(axis.amp for axis in firmware.axes) and firmware.core.state is DeviceState.IDLE:
            firmware.core.amp_enable()

    def AmpEnableGet(self) -> bool:
        return self.amp

    def CommandPositionGet(self) -> float:
        return float(self._firmware.core.snapshot().position[self.number])

    def CommandVelocityGet(self) -> float:
        return float(self._firmware.core.snapshot().velocity[self.number])

    def ActualPositionGet(self) -> float:
        actual = self._firmware.core.snapshot().actual_position[self.number]
        return 0.0 if self.is_phantom else float(actual)

    def ActualVelocityGet(self) -> float:
        actual = self._firmware.core.snapshot().actual_velocity[self.number]
        return 0.0 if self.is_phantom else float(actual)

    def FramesToExecuteGet(self) -> int:
        return self._firmware.core.snapshot().frames_loaded

    def AddressGet(self, _kind: int) -> int:
        return 0x1000 + self.number

    def StatusBitGet(self, event: int) -> bool:
        return any(
            joint == self.number and _SOURCE_EVENTS.get(source) == event
            for source, joint in self._firmware.faults.items()
        )


class MultiAxis(_Logging):
    def __init__(self, firmware: 'Firmware') -> None:
        super().__init__()
        self._firmware = firmware
        self.order: list[int] = []

    def _do(self, name: str, call, *arguments, **keywords) -> None:
        firmware = self._firmware
        firmware.calls.append(name)
        if name in firmware.failing:
            raise RsiError(f'{name} failed', 4711, name)
        try:
            call(*arguments, **keywords)
        except FirmwareError as error:
            raise RsiError(error.text, int(error.number) + 100, name) from None

    def AxisRemoveAll(self) -> None:
        self.order.clear()

    def AxisAdd(self, axis: Axis) -> None:
        self.order.append(axis.number)

    def EStopTimeSet(self, seconds: float) -> None:
        self._firmware.estop_time = seconds
        self._do('EStopTimeSet', self._firmware.configure)

    def StopTimeSet(self, seconds: float) -> None:
        self._firmware.stop_time = seconds
        self._do('StopTimeSet', self._firmware.configure)

    def MovePVT(self, positions, velocities, times, count, empty_count, retain, final) -> None:
        for values in (positions, velocities, times):
            if not isinstance(values, self._firmware.array_type):
                raise TypeError("in method 'RapidCodeMotion_MovePVT', argument of type 'double *'")
        assert len(times) == count and len(positions) == len(velocities) == count * AXES
        assert retain is False
        if not all(axis.amp or axis.is_phantom for axis in self._firmware.axes):
            raise RsiError('amplifier disabled', 5, 'MovePVT')
        inverse = np.argsort(self.order)
        shape = (count, AXES)
        self._do(
            'MovePVT',
            self._firmware.core.move_pvt,
            np.array(list(positions), dtype=float).reshape(shape)[:, inverse],
            np.array(list(velocities), dtype=float).reshape(shape)[:, inverse],
            np.array(list(times), dtype=float),
            empty_count=empty_count,
            final=final,
        )

    def Stop(self) -> None:
        self._do('Stop', self._firmware.core.stop)

    def Resume(self) -> None:
        self._do('Resume', self._firmware.core.resume)

    def EStop(self) -> None:
        self._do('EStop', self._firmware.core.estop)

    def Abort(self) -> None:
        self._do('Abort', self._firmware.core.abort)
        for axis in self._firmware.axes:
            axis.amp = False

    def ClearFaults(self) -> None:
        self._do('ClearFaults', self._firmware.core.clear_faults)
        if all(axis.is_phantom for axis in self._firmware.axes):
            self._firmware.core.amp_enable()

    def FeedRateSet(self, rate: float) -> None:
        self._do('FeedRateSet', self._firmware.core.set_feed_rate, rate)

    def FeedRateGet(self) -> float:
        return self._firmware.core.snapshot().feed_target

    def StateGet(self) -> int:
        if 'StateGet' in self._firmware.failing:
            raise RsiError('firmware does not respond', 4711, 'StateGet')
        return STATES[self._firmware.core.state.name]

    def SourceGet(self) -> int:
        return int(self._firmware.core.source)

    def SourceNameGet(self, source: int) -> str:
        return f'RMP calls it {Source(source).name}'

    def StatusBitGet(self, event: int) -> bool:
        return any(
            _SOURCE_EVENTS.get(source) == event for source in self._firmware.core.snapshot().active
        )

    def MotionIdExecutingGet(self) -> int:
        return self._firmware.core.snapshot().motion_id

    def MotionElementIdExecutingGet(self) -> int:
        return self._firmware.core.snapshot().element_id


class MotionController(_Logging):
    """Made by `Create` alone."""

    @staticmethod
    def Create(parameters: CreationParameters) -> 'MotionController':
        firmware.parameters = parameters
        controller = MotionController()
        controller._log += [RsiError(text, 2, 'Create') for text in firmware.creation_errors]
        firmware.controllers += 1
        return controller

    def Shutdown(self) -> None:
        firmware.shut_down()

    def Delete(self) -> None:
        firmware.controllers -= 1

    def SampleRateGet(self) -> float:
        return firmware.sample_rate

    def SampleRateSet(self, rate: float) -> None:
        if firmware.network != NETWORK['UNINITIALIZED']:
            raise RsiError('the network is started', 3, 'SampleRateSet')
        firmware.set_sample_rate(rate)

    def SampleCounterGet(self) -> int:
        return (firmware.core.samples + firmware.counter_offset) % (1 << 32)

    def NetworkStateGet(self) -> int:
        return firmware.network

    def NetworkStart(self) -> None:
        firmware.calls.append('NetworkStart')
        if firmware.start_error:
            raise RsiError('network start failed', 12, 'NetworkStart')
        firmware.network = NETWORK['OPERATIONAL']
        firmware.axis_count = firmware.axes_on_the_bus

    def LastNetworkStartErrorGet(self) -> int:
        return firmware.start_error

    def NetworkLogMessageCountGet(self) -> int:
        return len(firmware.network_log)

    def NetworkLogMessageGet(self, index: int) -> str:
        return firmware.network_log[index]

    def AxisCountGet(self) -> int:
        return firmware.axis_count

    def AxisCountSet(self, count: int) -> None:
        firmware.axis_count = count

    def MotionCountGet(self) -> int:
        return firmware.motion_count

    def MotionCountSet(self, count: int) -> None:
        firmware.motion_count = count

    def AxisGet(self, number: int) -> Axis:
        if number >= firmware.axis_count:
            raise RsiError(f'axis {number} does not exist', 6, 'AxisGet')
        return firmware.axes[number]

    def MultiAxisGet(self, number: int) -> MultiAxis:
        if number >= firmware.motion_count:
            raise RsiError(f'motion supervisor {number} does not exist', 7, 'MultiAxisGet')
        return firmware.multi_axis

    def AxisFrameBufferSizeGet(self, _number: int) -> int:
        return firmware.frame_buffer

    def AxisFrameBufferSizeSet(self, _number: int, frames: int) -> None:
        firmware.frame_buffer = frames
        firmware.renew()

    def MemoryDoubleGet(self, address: int) -> float:
        assert address >= 0x1000
        return firmware.core.snapshot().feed_rate


# For tests: not part of the binding.


class Firmware:
    def __init__(self) -> None:
        self.creation_errors: list[str] = []
        self.start_error = 0
        self.network_log: list[str] = []
        self.axes_on_the_bus = AXES
        self.array_type: type = list
        self.counter_offset = 0
        self.controllers = 0
        self.parameters: CreationParameters | None = None
        self.calls: list[str] = []
        self.failing: set[str] = set()
        self.shut_down()

    def shut_down(self) -> None:
        self.sample_rate = 1000.0
        self.frame_buffer = 1024
        self.estop_time, self.stop_time = 0.05, 0.5
        self.network = NETWORK['UNINITIALIZED']
        self.axis_count = self.motion_count = 0
        self.positions = np.zeros(AXES)
        self.faults: dict[Source, int] = {}
        self.axes = [Axis(self, number) for number in range(AXES)]
        self.multi_axis = MultiAxis(self)
        self.renew()

    def renew(self) -> None:
        self.core = Core(
            sample=1.0 / self.sample_rate,
            frame_buffer=self.frame_buffer,
            position=self.positions,
        )
        self.configure()

    def configure(self) -> None:
        self.core.configure(estop_time=self.estop_time, stop_time=self.stop_time)

    def set_sample_rate(self, rate: float) -> None:
        self.sample_rate = rate
        self.renew()

    def place(self, axis: int, position: float) -> None:
        self.positions[axis] = position
        self.renew()

    def advance(self, seconds: float) -> None:
        self.core.advance(round(seconds * self.sample_rate))

    def fault(self, source: Source, axis: int) -> None:
        """A drive fault of one axis, with the action that RMP would take."""
        kinds = {
            Source.AMP_FAULT: 'amp_fault',
            Source.HW_LIMIT_POSITIVE: 'limit_positive',
            Source.HW_LIMIT_NEGATIVE: 'limit_negative',
        }
        self.faults[source] = axis
        if source is Source.AMP_FAULT:
            for other in self.axes:
                other.amp = False
        self.core.inject(f'{kinds[source]} elfin_joint{axis + 1}')

    def repair(self) -> None:
        self.faults.clear()
        self.core.inject('')
        self.core.error_log()

    def lose_network(self) -> None:
        """The cable is pulled: no drive has power or command any more."""
        self.network = NETWORK['SHUTDOWN']
        self.core.abort()
        for axis in self.axes:
            axis.amp = False


firmware = Firmware()

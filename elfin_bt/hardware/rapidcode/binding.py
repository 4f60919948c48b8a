# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""RapidCodePython as this backend uses it: names looked up once, errors made ours.

SWIG flattens enumerators: ``RSIState::RSIStateIDLE`` is ``RSIState_RSIStateIDLE``. Values are never
written down here, because they differ between versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from elfin_bt.hardware.device import DeviceState, ErrorNumber, FirmwareError, Source
from elfin_bt.hardware.settings import SettingsError

CLASSES = ('MotionController', 'RsiError')
ENUMERATORS = {
    'RSIState': tuple(state.name for state in DeviceState),
    'RSIAction': ('NONE', 'E_STOP', 'ABORT'),
    'RSIMotorType': ('PHANTOM',),
    'RSINetworkState': ('UNINITIALIZED', 'SHUTDOWN', 'OPERATIONAL'),
    'RSIAxisAddressType': ('CURRENT_FEEDRATE',),
    'RSIEventType': (
        *('OUT_OF_FRAMES', 'AMP_FAULT', 'LIMIT_ERROR'),
        *('LIMIT_HW_POS', 'LIMIT_HW_NEG', 'LIMIT_SW_POS', 'LIMIT_SW_NEG'),
    ),
}
_SOURCES = {
    'OUT_OF_FRAMES': Source.OUT_OF_FRAMES,
    'AMP_FAULT': Source.AMP_FAULT,
    'LIMIT_ERROR': Source.POSITION_ERROR,
    'LIMIT_HW_POS': Source.HW_LIMIT_POSITIVE,
    'LIMIT_HW_NEG': Source.HW_LIMIT_NEGATIVE,
    'LIMIT_SW_POS': Source.SW_LIMIT_POSITIVE,
    'LIMIT_SW_NEG': Source.SW_LIMIT_NEGATIVE,
}
_LONGEST_LOG = 200  # lines read at once


class Binding:
    """The module ``RapidCodePython`` (or one with its names).

    Attributes:
        module: the module itself.
        states: DeviceState by RSIState.
        status_bits: RSIEventType by the source that it stands for.
    """

    def __init__(self, module: Any) -> None:
        names = [*CLASSES]
        for enum, members in ENUMERATORS.items():
            names += [_flat(enum, member) for member in members]
        missing = [name for name in names if not hasattr(module, name)]
        if missing:
            raise SettingsError(
                f'RapidCodePython lacks {", ".join(missing)}: this version of RMP names things '
                'differently; elfin_bt/hardware/rapidcode/binding.py lists what is needed'
            )
        self.module = module
        self.states = {self.value('RSIState', state.name): state for state in DeviceState}
        self.status_bits = {
            source: self.value('RSIEventType', name) for name, source in _SOURCES.items()
        }

    def value(self, enum: str, member: str) -> Any:
        """Value of an enumerator."""
        return getattr(self.module, _flat(enum, member))

    def name(self, enum: str, value: Any) -> str:
        """Name of an enumerator, without the enumeration's; 'unknown' when there is none."""
        prefix = _flat(enum, '')
        for name in dir(self.module):
            if name.startswith(prefix) and getattr(self.module, name) == value:
                return name.removeprefix(prefix)
        return 'unknown'

    def creation_parameters(self) -> Any:
        """A new CreationParameters.

        SWIG flattens the nested class; whether its name keeps that of the outer one depends on the
        version of the binding, so both are tried.
        """
        for owner, name in (
            (self.module, 'CreationParameters'),
            (self.module, 'MotionController_CreationParameters'),
            (self.module.MotionController, 'CreationParameters'),
        ):
            if hasattr(owner, name):
                return getattr(owner, name)()
        raise SettingsError(
            'RapidCodePython lacks CreationParameters: this version of RMP is too old'
        )

    @contextmanager
    def calling(self, call: str, number: ErrorNumber = ErrorNumber.WRONG_STATE) -> Iterator[None]:
        """Turn an RsiError of ``call`` into a FirmwareError with ``number``."""
        try:
            yield
        except self.module.RsiError as error:
            raise FirmwareError(
                number, f'RMP refused {call}: {error.text} (RsiError {error.number})'
            ) from error

    def take_log(self, owner: Any) -> tuple[list[str], list[str]]:
        """Empty the error log of a controller, axis or MultiAxis: its errors and its warnings."""
        errors: list[str] = []
        warnings: list[str] = []
        for _ in range(_LONGEST_LOG):
            if owner.ErrorLogCountGet() <= 0:
                break
            error = owner.ErrorLogGet()
            (warnings if error.isWarning else errors).append(str(error.text).strip())
        return errors, warnings

    def current_feed_rate(self, controller: Any, axis: Any) -> float:
        """The rate of the path clock right now, from the firmware's memory.

        ``FeedRateGet`` answers what was asked for last; the ramp shows at this address only. Not
        tried on a real controller yet: this function is the one place to correct.
        """
        address = axis.AddressGet(self.value('RSIAxisAddressType', 'CURRENT_FEEDRATE'))
        return float(controller.MemoryDoubleGet(address))


def _flat(enum: str, member: str) -> str:
    return f'{enum}_{enum}{member}'

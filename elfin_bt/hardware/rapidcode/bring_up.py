# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From nothing to a MultiAxis: the order of calls that RMP wants.

Create, sample rate, network or phantom axes, motion count, axes, MultiAxis. What a running firmware
already has is left as it is: it keeps its state when a client dies, and may be in motion.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from elfin_bt.hardware.device import DeviceState
from elfin_bt.hardware.rapidcode.binding import Binding
from elfin_bt.hardware.rapidcode.joint_map import JointMap
from elfin_bt.hardware.rapidcode.network import Network
from elfin_bt.hardware.rapidcode.settings import JOINTS, RapidCodeSettings
from elfin_bt.hardware.settings import SettingsError
from elfin_bt.kinematics.limits import JOINT_NAMES, POSITION

PHANTOM_UNITS = 1000.0  # counts per radian of a phantom axis; any will do
ALWAYS_SETTLED = sys.float_info.max / 10.0  # a phantom's actual position stays 0
LIMIT_MARGIN = 0.01  # rad by which the drives' own position limits lie beyond those of the arm
REST_POLL = 0.01  # s
REST_TIMEOUT = 3.0  # s for each way of coming to rest


@dataclass(frozen=True, kw_only=True)
class Rmp:
    """RMP, set up: ``axes`` by axis number, ``joint_axes`` the same in joint order."""

    controller: Any
    network: Network
    axes: list[Any]
    joint_axes: list[Any]
    multi_axis: Any
    sample: float
    frame_buffer: int


def bring_up(
    binding: Binding,
    settings: RapidCodeSettings,
    joint_map: JointMap,
    sleep: Callable[[float], None],
) -> Rmp:
    """Create and configure everything; the amplifiers stay as they are.

    Raises:
        SettingsError: what failed, with the words of RMP's own error log.
    """
    controller = _create(binding, settings)
    try:
        return _set_up(binding, settings, joint_map, controller, sleep)
    except BaseException:
        release(controller)
        raise


def release(controller: Any) -> None:
    """End RMP. One process owns it: what is left behind makes the next start fail oddly."""
    controller.Shutdown()
    controller.Delete()


def compose(rmp: Rmp) -> None:
    """Let the MultiAxis consist of the axes in joint order; in IDLE only.

    An arm that an earlier client left in ERROR gets there when a person has reset it.
    """
    rmp.multi_axis.AxisRemoveAll()
    for axis in rmp.joint_axes:
        rmp.multi_axis.AxisAdd(axis)


def bring_to_rest(binding: Binding, multi_axis: Any, sleep: Callable[[float], None]) -> bool:
    """E-stop what moves along its path; abort what then still does. Return whether it rests."""

    def rests() -> bool:
        return binding.states[multi_axis.StateGet()].at_rest

    for halt in (multi_axis.EStop, multi_axis.Abort):
        if rests():
            return True
        halt()
        for _ in range(round(REST_TIMEOUT / REST_POLL)):
            if rests():
                break
            sleep(REST_POLL)
    return rests()


def _create(binding: Binding, settings: RapidCodeSettings) -> Any:
    parameters = binding.creation_parameters()
    parameters.RmpPath = settings.rmp_path
    if settings.nic:
        parameters.NicPrimary = settings.nic
    if settings.cpu >= 0:
        parameters.CpuAffinity = settings.cpu
    try:
        controller = binding.module.MotionController.Create(parameters)
    except binding.module.RsiError as error:
        raise SettingsError(f'RMP did not start: {error.text} (RsiError {error.number})') from error
    # Create logs a missing licence, a wrong path or a failed start instead of raising it.
    errors, _ = binding.take_log(controller)
    if errors:
        release(controller)
        raise SettingsError(
            f'RMP did not start: {"; ".join(errors)} (rapidcode.rmp_path {settings.rmp_path})'
        )
    return controller


def _set_up(
    binding: Binding,
    settings: RapidCodeSettings,
    joint_map: JointMap,
    controller: Any,
    sleep: Callable[[float], None],
) -> Rmp:
    network = Network(binding, controller)
    try:
        if settings.is_phantom:
            network.refuse_while_live()
        if controller.SampleRateGet() != settings.sample_rate:
            controller.SampleRateSet(settings.sample_rate)
        if not settings.is_phantom:
            network.start()
        elif controller.AxisCountGet() < JOINTS:
            controller.AxisCountSet(JOINTS)
        count = controller.AxisCountGet()
        if count < JOINTS:
            raise SettingsError(
                f'EtherCAT runs with {count} axes and the arm has {JOINTS}: check that all three '
                'drive modules are in the network configuration'
            )
        # A MultiAxis takes a motion supervisor of its own, behind those of the axes.
        if controller.MotionCountGet() < count + 1:
            controller.MotionCountSet(count + 1)
        axes = [controller.AxisGet(number) for number in range(JOINTS)]
        joint_axes = [axes[number] for number in joint_map.axes]
        multi_axis = controller.MultiAxisGet(count)
        if not bring_to_rest(binding, multi_axis, sleep):
            raise SettingsError(
                f'an earlier client left the arm {binding.states[multi_axis.StateGet()].name} and '
                'neither an e-stop nor an abort ends that: switch the arm off and on'
            )
        _configure_axes(binding, settings, joint_map, controller, axes)
        rmp = Rmp(
            controller=controller,
            network=network,
            axes=axes,
            joint_axes=joint_axes,
            multi_axis=multi_axis,
            sample=1.0 / controller.SampleRateGet(),
            frame_buffer=controller.AxisFrameBufferSizeGet(0),
        )
        if binding.states[multi_axis.StateGet()] is DeviceState.IDLE:
            compose(rmp)
        return rmp
    except binding.module.RsiError as error:
        raise SettingsError(
            f'RMP refused its set-up: {error.text} (RsiError {error.number} of '
            f'{error.functionName})'
        ) from error


def _configure_axes(
    binding: Binding,
    settings: RapidCodeSettings,
    joint_map: JointMap,
    controller: Any,
    axes: list[Any],
) -> None:
    limits = joint_map.axis_limits(POSITION)
    for joint, number in enumerate(joint_map.axes):
        if controller.AxisFrameBufferSizeGet(number) != settings.frame_buffer:
            controller.AxisFrameBufferSizeSet(number, settings.frame_buffer)
        if settings.is_phantom:
            _configure_phantom(binding, axes[number])
        else:
            axes[number].UserUnitsSet(settings.counts_per_radian)
            lower, upper = limits[joint].tolist()
            _configure_limits(binding, axes[number], lower, upper, settings.position_error_limit)
        errors, _ = binding.take_log(axes[number])
        if errors:
            raise SettingsError(
                f'axis {number} ({JOINT_NAMES[joint]}) reports: {"; ".join(errors)}'
            )


def _configure_phantom(binding: Binding, axis: Any) -> None:
    """A simulated axis: no limit can act, and a motion is done when its command is."""
    phantom = binding.value('RSIMotorType', 'PHANTOM')
    none = binding.value('RSIAction', 'NONE')
    is_new = axis.MotorTypeGet() != phantom
    axis.MotorTypeSet(phantom)
    axis.UserUnitsSet(PHANTOM_UNITS)
    for set_action in (
        axis.ErrorLimitActionSet,
        axis.AmpFaultActionSet,
        axis.HardwarePosLimitActionSet,
        axis.HardwareNegLimitActionSet,
        axis.SoftwarePosLimitActionSet,
        axis.SoftwareNegLimitActionSet,
        axis.HomeActionSet,
    ):
        set_action(none)
    axis.PositionToleranceCoarseSet(ALWAYS_SETTLED)
    axis.PositionToleranceFineSet(ALWAYS_SETTLED)
    if is_new:
        axis.PositionSet(0.0)


def _configure_limits(
    binding: Binding, axis: Any, lower: float, upper: float, position_error: float
) -> None:
    """A real axis: what goes wrong e-stops on the path; without an amplifier there is no ramp."""
    estop = binding.value('RSIAction', 'E_STOP')
    axis.ErrorLimitTriggerValueSet(position_error)
    axis.ErrorLimitActionSet(estop)
    axis.HardwarePosLimitActionSet(estop)
    axis.HardwareNegLimitActionSet(estop)
    axis.SoftwarePosLimitTriggerValueSet(upper + LIMIT_MARGIN)
    axis.SoftwareNegLimitTriggerValueSet(lower - LIMIT_MARGIN)
    axis.SoftwarePosLimitActionSet(estop)
    axis.SoftwareNegLimitActionSet(estop)
    axis.AmpFaultActionSet(binding.value('RSIAction', 'ABORT'))
    axis.HomeActionSet(binding.value('RSIAction', 'NONE'))

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What RMP reports, as a DeviceSnapshot.

Where a phantom axis has no answer (its actual position stays 0) the command stands in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.hardware.device import DeviceState, Source
from elfin_bt.hardware.rapidcode.binding import Binding
from elfin_bt.hardware.rapidcode.bring_up import Rmp
from elfin_bt.hardware.rapidcode.joint_map import JointMap

Floats = NDArray[np.float64]

WHOLE_ARM = -1
_MIRRORED = {
    Source.HW_LIMIT_POSITIVE: Source.HW_LIMIT_NEGATIVE,
    Source.HW_LIMIT_NEGATIVE: Source.HW_LIMIT_POSITIVE,
    Source.SW_LIMIT_POSITIVE: Source.SW_LIMIT_NEGATIVE,
    Source.SW_LIMIT_NEGATIVE: Source.SW_LIMIT_POSITIVE,
}
"""A limit is named in the joint's direction; a reversed drive sees it on the other side."""
_ID_RANGE = 1 << 16
_COUNTER_RANGE = 1 << 32  # of the firmware's sample counter


@dataclass(frozen=True, kw_only=True)
class Motion:
    """Commanded and actual joint values, (6,) rad and rad/s."""

    position: Floats
    velocity: Floats
    actual_position: Floats
    actual_velocity: Floats


class Reader:
    """Reads the state of ``rmp``."""

    def __init__(
        self, binding: Binding, rmp: Rmp, joint_map: JointMap, *, is_phantom: bool
    ) -> None:
        self._binding = binding
        self._rmp = rmp
        self._map = joint_map
        self._is_phantom = is_phantom
        self._counter = 0

    def state(self) -> DeviceState:
        """State of the MultiAxis."""
        return self._binding.states[self._rmp.multi_axis.StateGet()]

    def time(self) -> float:
        """Samples since the firmware started, in s; the counter's wrap after 49 days is undone."""
        count = int(self._rmp.controller.SampleCounterGet())
        self._counter += (count - self._counter) % _COUNTER_RANGE
        return self._counter * self._rmp.sample

    def motion(self) -> Motion:
        """Where the joints are commanded to be, and are."""
        axes = self._rmp.joint_axes
        position = self._map.to_joints(np.array([a.CommandPositionGet() for a in axes]))
        velocity = self._map.to_joint_velocities(np.array([a.CommandVelocityGet() for a in axes]))
        if self._is_phantom:
            return Motion(
                position=position,
                velocity=velocity,
                actual_position=position,
                actual_velocity=velocity,
            )
        return Motion(
            position=position,
            velocity=velocity,
            actual_position=self._map.to_joints(np.array([a.ActualPositionGet() for a in axes])),
            actual_velocity=self._map.to_joint_velocities(
                np.array([a.ActualVelocityGet() for a in axes])
            ),
        )

    def frames(self) -> tuple[int, int]:
        """Frames left to execute and free ones, of the axis that has least room."""
        loaded = max(int(axis.FramesToExecuteGet()) for axis in self._rmp.axes)
        return loaded, max(0, self._rmp.frame_buffer - loaded)

    def ids(self) -> tuple[int, int]:
        """Number of the executing call, and index of the point in it."""
        multi_axis = self._rmp.multi_axis
        return (
            int(multi_axis.MotionIdExecutingGet()) % _ID_RANGE,
            int(multi_axis.MotionElementIdExecutingGet()) % _ID_RANGE,
        )

    def feed_rate(self, state: DeviceState) -> float:
        """Rate of the path clock right now."""
        if state.at_rest:
            return 0.0
        axis = self._rmp.joint_axes[0]
        return self._binding.current_feed_rate(self._rmp.controller, axis)

    def causes(self, state: DeviceState) -> dict[Source, int]:
        """Active causes of an error, each with its joint; WHOLE_ARM when it is nobody's own."""
        causes: dict[Source, int] = {}
        if not self._is_phantom and not self._rmp.network.is_operational:
            causes[Source.NETWORK] = WHOLE_ARM
        if not state.failed and not causes:
            return causes
        for source, bit in self._binding.status_bits.items():
            joint = next(
                (j for j, a in enumerate(self._rmp.joint_axes) if a.StatusBitGet(bit)), None
            )
            if joint is not None and source.is_drive_fault:
                mirrored = self._map.is_reversed(joint)
                causes[_MIRRORED.get(source, source) if mirrored else source] = joint
            elif joint is not None or self._rmp.multi_axis.StatusBitGet(bit):
                causes[source] = WHOLE_ARM
        return causes

    def source_name(self) -> str:
        """The first cause in RMP's own words."""
        multi_axis = self._rmp.multi_axis
        return str(multi_axis.SourceNameGet(multi_axis.SourceGet()))

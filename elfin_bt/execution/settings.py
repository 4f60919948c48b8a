# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the executor and the rules that they keep to among each other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from elfin_bt.execution.chunk import MAX_POINTS
from elfin_bt.execution.goal import GoalLimits
from elfin_bt.execution.motion import FRAMES_PER_POINT
from elfin_bt.execution.sample_check import SampleCheck
from elfin_bt.execution.tolerances import JointTolerances
from elfin_bt.kinematics.limits import JOINT_NAMES, JointLimits


@dataclass(frozen=True)
class ExecutorSettings:
    """Every number that the executor decides with; the node declares a parameter for each.

    Times in s, angles in rad, speeds per s. The node's parameter descriptions say what each does.
    """

    joint_names: tuple[str, ...] = JOINT_NAMES
    device_joint_names: tuple[str, ...] = JOINT_NAMES
    limits: JointLimits = field(default_factory=JointLimits.of_the_arm)
    tcp_speed: float = 0.25
    pen_length: float = 0.150
    sample_period: float = 0.001
    chunk_points: int = MAX_POINTS
    committed_depth: float = 0.4
    low_water: float = 0.2
    start_patience: float = 0.1
    successor_patience: float = 0.0
    queue_size: int = 32
    preempt: bool = False
    allow_nonzero_velocity_at_trajectory_end: bool = True
    max_points: int = 20_000
    max_duration: float = 3600.0
    max_start_delay: float = 60.0
    start_tolerance: float = 0.052
    blend_tolerance: float = 0.001
    seam_position_tolerance: float = 1e-6
    seam_velocity_tolerance: float = 1e-4
    path_position_tolerance: float = 0.0
    goal_position_tolerance: float = 0.02
    goal_velocity_tolerance: float = 0.01
    goal_time: float = 1.0
    dwell: float = 0.1
    stream_horizon: float = 0.15
    stream_low_water: float = 0.13
    stream_timeout: float = 0.1
    stream_slack: float = 0.02
    stream_max_duration: float = 60.0
    ack_timeout: float = 0.25
    hardware_timeout: float = 0.5
    lease_timeout: float = 0.5
    firmware_sample: float = 0.001
    firmware_frames: int = 1024
    firmware_watchdog: float = 0.06
    jitter: float = 0.033

    def problems(self) -> list[str]:
        """Rules that the settings break, each with the numbers compared; empty if all is well."""
        samples = self.sample_period / self.firmware_sample
        buffer = self.firmware_frames / FRAMES_PER_POINT * self.sample_period
        chunk = self.chunk_points * self.sample_period
        rules = (
            (
                samples >= 1.0 and abs(samples - round(samples)) < 1e-6,
                f'sample_period {self.sample_period:g} s is a whole multiple of the '
                f"firmware's sample {self.firmware_sample:g} s",
            ),
            (
                self.firmware_watchdog + self.jitter <= self.low_water,
                f'firmware_watchdog {self.firmware_watchdog:g} s + jitter {self.jitter:g} s '
                f'<= low_water {self.low_water:g} s',
            ),
            (
                self.low_water + chunk <= self.committed_depth,
                f'low_water {self.low_water:g} s + one chunk {chunk:g} s '
                f'<= committed_depth {self.committed_depth:g} s',
            ),
            (
                self.committed_depth < buffer,
                f'committed_depth {self.committed_depth:g} s < buffer {buffer:g} s '
                f'({self.firmware_frames} frames, {FRAMES_PER_POINT} a point)',
            ),
            (
                self.firmware_watchdog + self.jitter <= self.stream_low_water,
                f'firmware_watchdog {self.firmware_watchdog:g} s + jitter {self.jitter:g} s '
                f'<= stream_low_water {self.stream_low_water:g} s',
            ),
            (
                self.stream_low_water < self.stream_horizon < buffer,
                f'stream_low_water {self.stream_low_water:g} s < stream_horizon '
                f'{self.stream_horizon:g} s < buffer {buffer:g} s',
            ),
            (
                self.blend_tolerance <= self.start_tolerance,
                f'blend_tolerance {self.blend_tolerance:g} rad <= start_tolerance '
                f'{self.start_tolerance:g} rad',
            ),
            *(
                (
                    len(names) == len(JOINT_NAMES) == len({*names}) and all(names),
                    f'{parameter} is {len(JOINT_NAMES)} different names, not {list(names)}',
                )
                for parameter, names in (
                    ('joint_names', self.joint_names),
                    ('device_joint_names', self.device_joint_names),
                )
            ),
            (
                self.ack_timeout < self.committed_depth,
                f'ack_timeout {self.ack_timeout:g} s < committed_depth {self.committed_depth:g} s',
            ),
        )
        return [f'this must hold: {text}' for holds, text in rules if not holds]

    def goal_limits(self) -> GoalLimits:
        """What goals are held to in themselves."""
        return GoalLimits(
            joint_names=self.joint_names,
            position=self.limits.position,
            velocity=self.limits.velocity,
            acceleration=self.limits.acceleration,
            path_tolerance=JointTolerances.uniform(
                self.path_position_tolerance or math.inf, math.inf, len(self.joint_names)
            ),
            goal_tolerance=JointTolerances.uniform(
                self.goal_position_tolerance, self.goal_velocity_tolerance, len(self.joint_names)
            ),
            goal_time=self.goal_time,
            shortest=self.sample_period,
            longest=self.max_duration,
            most_points=self.max_points,
            longest_delay=self.max_start_delay,
            may_end_moving=self.allow_nonzero_velocity_at_trajectory_end,
        )

    def sample_check(self, tip_share: float = 1.0, period: float | None = None) -> SampleCheck:
        """What every sample is held to, at a share of the pen tip's speed, `period` s apart."""
        return SampleCheck(
            joint_names=self.joint_names,
            position=self.limits.position,
            velocity=self.limits.velocity,
            acceleration=self.limits.acceleration,
            tcp_speed=tip_share * self.tcp_speed,
            pen_length=self.pen_length,
            period=period or self.sample_period,
        )

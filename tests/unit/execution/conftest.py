# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A bench for the executor core: simulated time, and a device that executes chunks to the sample.

The device is not the phantom: it is the shortest one that keeps the chunk contract, so that the
executor is judged by something else than the code it runs with.
"""

from collections import deque

import numpy as np
import pytest

from elfin_bt.execution.actions import DeviceReport, FinishGoal, PublishChunk, StopHardware
from elfin_bt.execution.chunk import NO_SEQUENCE, Ack, decode_chunk, encode_chunk
from elfin_bt.execution.core import ExecutorCore
from elfin_bt.execution.faults import Fault
from elfin_bt.execution.goal import GoalRequest, Point
from elfin_bt.execution.joint_path import JointPath, Waypoints
from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.kinematics.limits import JOINT_NAMES

FRAMES = 1024
WATCHDOG_FRAMES = 120
TICK = 0.004
READY = np.array([0.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0])


class Device:
    """Executes one point a sample; latches like the hardware node."""

    def __init__(self, position):
        self.epoch, self.fault = 1000, Fault.NONE
        self.motion, self.sequence, self.open = 0, NO_SEQUENCE, False
        self.points = deque()
        self.position, self.velocity = np.array(position), np.zeros(6)
        self.executed, self.chunks = [], []
        self.mute = self.paused = False

    def take(self, chunk):
        assert chunk.epoch == self.epoch
        if not self.open:
            assert not self.points, 'a motion begins when the device is idle'
            assert chunk.motion > self.motion
            assert chunk.sequence == 0
        else:
            assert (chunk.motion, chunk.sequence) == (self.motion, self.sequence + 1)
        self.points.extend(zip(chunk.positions, chunk.velocities, strict=True))
        assert 2 * len(self.points) <= FRAMES, 'frames overflow'
        self.motion, self.sequence, self.open = chunk.motion, chunk.sequence, not chunk.final
        self.chunks.append(chunk)

    def execute(self, samples):
        for _ in range(samples):
            if not self.points:
                self.velocity = np.zeros(6)
                return
            self.position, self.velocity = self.points.popleft()
            self.executed.append(self.position)
            if self.open and 2 * len(self.points) < WATCHDOG_FRAMES:
                self.latch(Fault.OUT_OF_FRAMES)

    def latch(self, fault):
        if not self.fault:
            self.epoch += 1
            self.fault = fault
        self.open = False
        self.points.clear()

    def reset(self):
        self.epoch, self.fault = self.epoch + 1, Fault.NONE

    def ack(self):
        free = FRAMES - 2 * len(self.points)
        return Ack(self.epoch, self.motion, self.sequence, free, self.fault)

    def report(self, stamp):
        state = 1 if self.points or self.open else 5 if self.fault else 0
        frames = 2 * len(self.points)
        return DeviceReport(
            stamp, state, frames, self.position, self.velocity, self.sequence, self.paused
        )


class Bench:
    """Core and device on one simulated clock."""

    def __init__(self, position=READY, settings=None):
        self.settings = settings or ExecutorSettings()
        self.core = ExecutorCore(self.settings)
        self.device = Device(position)
        self.now = 10.0
        self.results, self.stops = {}, []
        self.core.activate()
        self.run(2 * TICK)

    def send(self, goal_id, request):
        """Read and accept; GoalError as the core raises it."""
        goal = self.core.form(request, self.stamp_now)
        self.core.admit(goal, self.now, self.stamp_now)
        self.core.accept(goal_id, goal, self.now, self.stamp_now)

    @property
    def stamp_now(self):
        """The clock of header stamps: another one than the core's."""
        return self.now + 1000.0

    def run(self, seconds):
        for _ in range(round(seconds / TICK)):
            self.now += TICK
            self.device.execute(round(TICK / 0.001))
            if not self.device.mute:
                self.core.hear_ack(self.device.ack(), self.now)
                self.core.hear_device(self.device.report(self.now), self.now)
            self.core.tick(self.now, self.stamp_now)
            self.act()

    def act(self):
        for action in self.core.take_actions():
            if isinstance(action, PublishChunk):
                if not self.device.mute:
                    # Through the codec, as on the wire.
                    self.device.take(decode_chunk(encode_chunk(action.chunk)))
            elif isinstance(action, FinishGoal):
                assert action.goal_id not in self.results, 'a goal has one result'
                self.results[action.goal_id] = action
            elif isinstance(action, StopHardware):
                self.stops.append(action.reason)
                if not self.device.mute:
                    self.device.latch(Fault.STOP_REQUESTED)

    def run_until_idle(self, limit=60.0):
        end = self.now + limit
        while self.core.goals and self.now < end:
            self.run(TICK)
        assert not self.core.goals, 'goals are left'

    def outcome(self, goal_id):
        result = self.results[goal_id]
        return result.outcome.value, int(result.code)

    def executed(self, before=READY):
        """Positions at rest before, every executed sample, and at rest after, (n, 6)."""
        rows = np.array(self.device.executed)
        return np.concatenate((np.tile(before, (3, 1)), rows, np.tile(rows[-1], (3, 1))))


def request_of(waypoints, names=JOINT_NAMES, **fields):
    """A goal request of waypoints."""
    points = [
        Point(
            time=float(waypoints.time[i]),
            positions=tuple(waypoints.positions[i]),
            velocities=tuple(waypoints.velocities[i]),
            accelerations=()
            if waypoints.accelerations is None
            else tuple(waypoints.accelerations[i]),
        )
        for i in range(len(waypoints.time))
    ]
    return GoalRequest(joint_names=names, points=points, **fields)


def random_waypoints(rng, duration=2.0, spacing=0.02, share=0.9, start=READY):
    """A smooth random motion from rest at `start` to rest, at `share` of the tightest limit."""
    time = np.linspace(0.0, duration, round(duration / spacing) + 1)
    frequency = rng.uniform(0.2, 1.5, (6, 3))
    phase = rng.uniform(0.0, 2.0 * np.pi, (6, 3))
    size = rng.uniform(0.1, 1.0, (6, 3)) / frequency**2
    angle = 2.0 * np.pi * frequency * time[:, None, None] + phase
    wave = (size * np.sin(angle)).sum(axis=2)
    slope = (size * 2.0 * np.pi * frequency * np.cos(angle)).sum(axis=2)
    window, window_slope = _window(time, 0.4)
    back, back_slope = _window(duration - time, 0.4)
    gate = (window * back)[:, None]
    gate_slope = (window_slope * back - window * back_slope)[:, None]
    offset, velocity = wave * gate, slope * gate + wave * gate_slope
    nodes = JointPath(Waypoints(time, offset, velocity)).nodes(0.0, duration, 0.001)
    scale = share * min(
        3.0 / np.abs(nodes.accelerations).max(),
        1.57 / np.abs(nodes.velocities).max(),
        # The arm's reach is 1.1 m with the pen: this keeps the tip below 0.25 m/s.
        0.25 / (1.1 * np.abs(nodes.velocities).sum(axis=2).max()),
    )
    return Waypoints(time, start + scale * offset, scale * velocity)


def _window(time, length):
    x = np.clip(time / length, 0.0, 1.0)
    return x**3 * (10 - 15 * x + 6 * x * x), 30 * x**2 * (1 - x) ** 2 / length


def slice_of(waypoints, first, last):
    """Knots `first` to `last` inclusive as waypoints that start at 0."""
    part = slice(first, last + 1)
    return Waypoints(
        waypoints.time[part] - waypoints.time[first],
        waypoints.positions[part],
        waypoints.velocities[part],
    )


class Tools:
    """What tests need of this file, without importing it by path."""

    READY = READY
    TICK = TICK
    Bench = Bench
    request_of = staticmethod(request_of)
    random_waypoints = staticmethod(random_waypoints)
    slice_of = staticmethod(slice_of)


@pytest.fixture(scope='session')
def tools():
    return Tools


@pytest.fixture
def bench():
    return Bench()

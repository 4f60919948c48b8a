# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The RobCo-like backend on a simulated arm, on a simulated clock; it looks every 4 ms."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.core import HardwareCore
from elfin_bt.hardware.device import (
    DeviceLost,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    FirmwareError,
    Source,
    Status,
)
from elfin_bt.hardware.robco import set_point
from elfin_bt.hardware.robco.command import ArmState, Command, CommandSet
from elfin_bt.hardware.robco.device import RobcoDevice
from elfin_bt.hardware.robco.dynamics import ArmDynamics
from elfin_bt.hardware.robco.effort import EffortLaw
from elfin_bt.hardware.robco.settings import RobcoSettings
from elfin_bt.hardware.robco.simulated_arm import SimulatedArm
from elfin_bt.hardware.settings import HardwareSettings, SettingsError
from elfin_bt.kinematics.limits import VELOCITY
from elfin_bt.resources import share_path

START = np.array([0.1, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0])
PERIOD = 0.004  # s between two looks
SPEED = 0.1  # rad/s of joint 1
DYNAMICS = ArmDynamics(share_path('config/elfin5.urdf'))


@dataclass
class FakeLink:
    """Carries commands to a simulated arm, which raises at what it must not be told."""

    arm: SimulatedArm
    sent: list[Command] = field(default_factory=list)
    state: ArmState | None = None
    is_open: bool = False
    blocked: bool = False  # the arm takes commands and does not move

    @property
    def enabled(self) -> bool:
        return self.arm.enabled

    def open(self, select) -> None:
        self.is_open = True

    def close(self) -> None:
        self.is_open = False

    def send(self, command: Command) -> None:
        self.sent.append(command)
        if not self.blocked:
            self.arm.take(command)


class Rig:
    def __init__(self, tmp_path: Path, **settings) -> None:
        self.arm = SimulatedArm(DYNAMICS, START, compensates=True)
        self.link = FakeLink(self.arm)
        self.now = 100.0
        self.talks = True
        chosen = RobcoSettings(**settings)
        self.device = RobcoDevice(
            chosen,
            self.link,
            EffortLaw(DYNAMICS, chosen),
            record_folder=tmp_path,
            clock=lambda: self.now,
            sleep=self.wait,
        )

    def up(self, *, enabled: bool = True) -> 'Rig':
        self.device.connect()
        self.device.configure(estop_time=0.05, stop_time=0.5)
        self.arm.enable(enabled)
        self.run(0.02)
        return self

    def wait(self, seconds: float) -> None:
        """Time passes for the arm alone."""
        self.now += seconds
        self.arm.advance(seconds)
        if self.talks:
            self.link.state = ArmState(self.arm.position.copy(), self.arm.velocity.copy(), self.now)

    def run(self, seconds: float) -> DeviceSnapshot:
        for _ in range(round(seconds / PERIOD)):
            self.wait(PERIOD)
            snapshot = self.device.snapshot()
        return snapshot

    def stream(self, points: int, *, first: int = 1, final: bool = False) -> DeviceSnapshot:
        """Points of a line of joint 1 at constant velocity, from START."""
        positions = np.tile(START, (points, 1))
        positions[:, 0] += SPEED * 0.001 * np.arange(first, first + points)
        velocities = np.zeros((points, 6))
        velocities[:, 0] = SPEED
        if final:
            velocities[-1] = 0.0
        return self.device.move_pvt(
            positions, velocities, np.full(points, 0.001), empty_count=120, final=final
        )

    @property
    def positions(self) -> np.ndarray:
        """Positions of the set points sent so far, (n, 6) rad."""
        return np.array([c.values[:, 0] for c in self.link.sent if c.interfaces[0] == 'position'])


@pytest.fixture
def rig(tmp_path) -> Rig:
    return Rig(tmp_path).up()


def travelled(snapshot: DeviceSnapshot) -> float:
    return float(snapshot.position[0] - START[0])


# Connecting


def test_it_waits_for_the_arm_and_begins_where_it_stands(tmp_path) -> None:
    rig = Rig(tmp_path)
    info = rig.device.connect()
    snapshot = rig.device.snapshot()
    assert (info.sample, info.frame_buffer, info.speedup) == (0.001, 1024, 1.0)
    assert snapshot.state is DeviceState.IDLE
    assert snapshot.position == pytest.approx(START, abs=0)
    assert snapshot.actual_position == pytest.approx(START, abs=0)


def test_a_silent_arm_is_no_arm_and_the_topic_is_named(tmp_path) -> None:
    rig = Rig(tmp_path, joint_states_topic='left/joints')
    rig.talks = False
    with pytest.raises(DeviceLost, match='no joint states on left/joints'):
        rig.device.connect()
    assert not rig.link.is_open
    with pytest.raises(DeviceLost):
        rig.device.snapshot()


@pytest.mark.parametrize('wrong', [{'command_set': 'velocity'}, {'compensation': 'both'}])
def test_settings_that_cannot_be_meant_are_refused(wrong) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        RobcoSettings(**wrong)


# Disabled


def test_a_disabled_arm_is_told_nothing_and_motion_is_refused(tmp_path) -> None:
    rig = Rig(tmp_path).up(enabled=False)
    snapshot = rig.run(0.1)
    assert not snapshot.amps_enabled
    with pytest.raises(FirmwareError, match="enable it with its vendor's tool") as refusal:
        rig.stream(100, final=True)
    assert refusal.value.number is ErrorNumber.AMPS_DISABLED
    assert 'disabled' in rig.device.select(CommandSet.EFFORT)
    assert rig.link.sent == []


@pytest.mark.parametrize('call', ['amp_enable', 'amp_disable'])
def test_enabling_is_the_vendors_business(rig, call) -> None:
    with pytest.raises(FirmwareError, match='vendor') as refusal:
        getattr(rig.device, call)()
    assert refusal.value.number is ErrorNumber.NOT_SUPPORTED


def test_an_arm_moved_while_disabled_is_taken_over_where_it_is(rig) -> None:
    rig.arm.enable(False)
    rig.run(0.02)
    rig.link.sent.clear()
    rig.arm.position = START + 0.3
    rig.run(0.02)
    rig.arm.enable(True)
    snapshot = rig.run(0.02)
    assert snapshot.state is DeviceState.IDLE
    assert rig.positions == pytest.approx(np.tile(START + 0.3, (len(rig.positions), 1)), abs=0)
    assert len(rig.positions) == 5


def test_disabled_in_motion_is_a_drive_fault_and_enabling_moves_nothing(rig) -> None:
    rig.stream(400, final=True)
    rig.run(0.1)
    rig.arm.enable(False)
    rig.link.sent.clear()
    snapshot = rig.run(0.1)
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.AMP_FAULT)
    rig.arm.position = START + 0.3
    rig.arm.enable(True)
    rig.run(0.1)
    assert rig.link.sent == []  # not before a person has reset
    assert rig.device.clear_faults().state is DeviceState.IDLE
    rig.run(0.02)
    assert rig.positions[0] == pytest.approx(START + 0.3, abs=0)
    assert any('disabled in motion' in line for line in rig.device.error_log())


# The position set


def test_set_points_are_the_path_at_their_own_time_with_two_derivatives(rig) -> None:
    rig.link.sent.clear()
    begin = rig.now
    n = 400
    t = 0.001 * np.arange(1, n + 1)
    positions = np.tile(START, (n, 1))
    positions[:, 1] += 0.05 * t**2  # 0.1 rad/s2
    velocities = np.zeros((n, 6))
    velocities[:, 1] = 0.1 * t
    rig.device.move_pvt(positions, velocities, np.full(n, 0.001), empty_count=120, final=False)
    rig.run(0.2)
    assert {command.interfaces for command in rig.link.sent} == {
        ('position', 'velocity', 'acceleration')
    }
    for index, command in enumerate(rig.link.sent):
        at = PERIOD * (index + 1)
        position, velocity, acceleration = command.values[1]
        assert position == pytest.approx(0.05 * at**2, abs=1e-9)
        assert velocity == pytest.approx(0.1 * at, abs=1e-9)
        assert acceleration == pytest.approx(0.1, abs=1e-6)
    assert rig.now - begin == pytest.approx(0.2)


def test_a_move_ends_at_its_last_point_and_the_arm_is_held_there(rig) -> None:
    snapshot = rig.stream(400, final=True)
    assert (snapshot.state, snapshot.frames_loaded) == (DeviceState.MOVING, 800)
    snapshot = rig.run(0.5)
    assert snapshot.state is DeviceState.IDLE
    assert travelled(snapshot) == pytest.approx(0.04, abs=1e-9)
    assert snapshot.actual_position[0] - START[0] == pytest.approx(0.04, abs=1e-9)
    assert Status.DONE in snapshot.status
    before = len(rig.link.sent)
    rig.run(0.1)
    assert len(rig.link.sent) == before + 25


def test_a_starved_stream_stops_on_its_path_by_the_nodes_own_watchdog(rig) -> None:
    rig.stream(200)
    snapshot = rig.run(0.4)
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.OUT_OF_FRAMES)
    # 59 points are fewer than 120 frames; the ramp of 50 ms then eats 25 ms of path.
    assert travelled(snapshot) == pytest.approx(SPEED * (0.141 + 0.025), abs=1e-6)
    steps = np.diff(rig.positions[:, 0])
    begun = int(np.argmax(steps > 0.0)) + 1  # the test's own stream begins with a jerk
    assert np.abs(np.diff(steps[begun:])).max() / PERIOD**2 < 1.01 * SPEED / 0.05


def test_an_estop_ramps_along_the_path_and_reset_goes_on_from_there(rig) -> None:
    rig.stream(400)
    rig.run(0.1)
    rig.device.estop()
    snapshot = rig.run(0.06)
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.USER)
    assert snapshot.active == {Source.USER}
    assert travelled(snapshot) == pytest.approx(SPEED * 0.125, abs=1e-6)
    with pytest.raises(FirmwareError):
        rig.stream(100)
    cleared = rig.device.clear_faults()
    assert (cleared.state, cleared.source) == (DeviceState.IDLE, Source.NONE)
    rig.stream(100, first=126, final=True)
    assert travelled(rig.run(0.2)) == pytest.approx(SPEED * 0.225, abs=1e-6)


def test_pause_and_resume_keep_the_path(rig) -> None:
    rig.stream(500, final=True)
    rig.run(0.1)
    assert rig.device.set_feed_rate(0.0).paused
    rig.run(0.6)
    place = travelled(rig.device.snapshot())
    assert travelled(rig.run(0.5)) == place
    rig.device.set_feed_rate(1.0)
    assert travelled(rig.run(1.0)) == pytest.approx(0.05, abs=1e-9)


def test_an_abort_halts_at_the_last_set_point(rig) -> None:
    rig.stream(400)
    rig.run(0.1)
    rig.device.abort()
    before = rig.positions[-1]
    rig.run(0.1)
    assert rig.positions[-1] == pytest.approx(before, abs=1e-4)
    assert rig.device.clear_faults().state is DeviceState.IDLE


# A host that is late


def test_a_late_host_holds_the_path_up_and_never_jumps(rig) -> None:
    rig.stream(400, final=True)
    rig.run(0.1)
    rig.wait(0.045)
    snapshot = rig.run(0.004)
    assert snapshot.state is DeviceState.MOVING
    rig.run(0.02)
    steps = np.diff(rig.positions[-8:, 0])
    # One step of at most 20 ms, and what else was lost is lost to the path as well.
    assert sorted(steps) == pytest.approx([SPEED * PERIOD] * 6 + [SPEED * 0.02], abs=1e-9)
    assert travelled(rig.run(0.5)) == pytest.approx(0.04, abs=1e-9)


def test_a_host_that_was_away_too_long_gives_the_motion_up(rig) -> None:
    rig.stream(400, final=True)
    rig.run(0.1)
    at = travelled(rig.device.snapshot())
    rig.wait(0.06)
    snapshot = rig.run(0.02)
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.OUT_OF_FRAMES)
    assert travelled(snapshot) == pytest.approx(at, abs=1e-9)
    assert any('no set point for 0.0' in line for line in rig.device.error_log())


def test_an_idle_host_may_be_away(rig) -> None:
    rig.wait(0.3)
    assert rig.run(0.02).state is DeviceState.IDLE


# What the arm reports


def test_a_silent_arm_is_brought_to_rest_on_its_path(rig) -> None:
    rig.stream(500)
    rig.run(0.1)
    rig.talks = False
    snapshot = rig.run(0.3)
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.NETWORK)
    # Silence counts from the last report: 0.1 s, up to two looks, then the ramp's half.
    assert travelled(snapshot) == pytest.approx(SPEED * (0.2 + 0.025), abs=SPEED * 2 * PERIOD)
    with pytest.raises(FirmwareError, match='silent') as refusal:
        rig.device.clear_faults()
    assert refusal.value.number is ErrorNumber.FAULT_PERSISTS
    rig.talks = True
    rig.run(0.02)
    assert rig.device.clear_faults().state is DeviceState.IDLE


def test_a_blocked_joint_is_a_position_error_with_its_name(tmp_path) -> None:
    rig = Rig(tmp_path, position_error_limit=0.01).up()
    rig.stream(400)
    rig.link.blocked = True
    snapshot = rig.run(0.3)
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.POSITION_ERROR)
    assert snapshot.source_joint == 0
    assert travelled(snapshot) == pytest.approx(0.01 + SPEED * 0.025, abs=1e-3)
    with pytest.raises(FirmwareError, match='elfin_joint1 is still 0.0') as refusal:
        rig.device.clear_faults()
    assert refusal.value.number is ErrorNumber.FAULT_PERSISTS
    # The way out that it names: disabled and enabled, the command begins at the arm.
    rig.arm.enable(False)
    rig.run(0.02)
    rig.arm.enable(True)
    rig.link.blocked = False
    rig.run(0.02)
    assert rig.device.clear_faults().position == pytest.approx(START, abs=0)


# Command sets


def test_a_change_of_set_is_one_message_for_all_joints(rig) -> None:
    assert rig.device.select(CommandSet.EFFORT) == ''
    rig.run(0.1)
    assert rig.device.select(CommandSet.POSITION) == ''
    snapshot = rig.run(0.1)
    sets = [command.interfaces for command in rig.link.sent]
    changes = [k for k in range(1, len(sets)) if sets[k] != sets[k - 1]]
    assert [sets[k] for k in changes] == [('effort',), ('position', 'velocity', 'acceleration')]
    assert snapshot.actual_position == pytest.approx(START, abs=1e-6)
    assert all(command.values.shape[0] == 6 for command in rig.link.sent)


def test_the_set_changes_at_rest_only(rig) -> None:
    rig.stream(400, final=True)
    assert 'MOVING' in rig.device.select(CommandSet.EFFORT)
    rig.device.estop()
    rig.run(0.1)
    assert 'ERROR' in rig.device.select(CommandSet.EFFORT)
    assert {command.interfaces[0] for command in rig.link.sent} == {'position'}


def test_efforts_follow_a_path(tmp_path) -> None:
    rig = Rig(tmp_path, command_set='effort').up()
    rig.stream(400, final=True)
    worst = 0.0
    for _ in range(150):
        snapshot = rig.run(PERIOD)
        worst = max(worst, float(np.abs(snapshot.actual_position - snapshot.position).max()))
    assert snapshot.state is DeviceState.IDLE
    assert {command.interfaces for command in rig.link.sent} == {('effort',)}
    assert worst < 0.005
    assert snapshot.actual_position[0] - START[0] == pytest.approx(0.04, abs=1e-4)


def test_a_floating_arm_moves_by_hand_and_is_taken_over_where_it_was_left(rig) -> None:
    assert rig.device.select(CommandSet.FLOAT) == ''
    rig.run(0.02)
    assert np.all(rig.link.sent[-1].values == 0.0)
    with pytest.raises(FirmwareError, match='floats'):
        rig.stream(100, final=True)
    rig.arm.velocity = np.full(6, 0.2)  # a hand
    snapshot = rig.run(0.4)
    assert snapshot.state is DeviceState.IDLE
    assert snapshot.position == pytest.approx(START + 0.08, abs=2e-3)
    assert snapshot.position == pytest.approx(snapshot.actual_position, abs=1e-9)
    assert 'moves at 0.200 rad/s' in rig.device.select(CommandSet.POSITION)
    rig.arm.velocity = np.zeros(6)
    rig.run(0.02)
    left = rig.arm.position
    assert rig.device.select(CommandSet.POSITION) == ''
    rig.link.sent.clear()
    rig.run(0.1)
    assert rig.positions == pytest.approx(np.tile(left, (len(rig.positions), 1)), abs=1e-9)


def test_torques_cease_when_the_arm_falls_silent(tmp_path) -> None:
    rig = Rig(tmp_path, command_set='effort').up()
    rig.stream(500)
    rig.run(0.1)
    rig.talks = False
    rig.run(0.2)
    sent = len(rig.link.sent)
    snapshot = rig.run(0.1)
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.NETWORK)
    assert len(rig.link.sent) == sent


# The last check


@pytest.mark.parametrize(
    ('position', 'velocity', 'text'),
    [
        (np.array([0, 2.36, 0, 0, 0, 0]), np.zeros(6), 'elfin_joint2 at 2.3600 rad is outside'),
        (np.full(6, np.nan), np.zeros(6), 'elfin_joint1 at nan'),
        (np.zeros(6), 1.2 * VELOCITY, 'elfin_joint1 at 1.8840 rad/s'),
        (np.array([0, 0, 0, 0.02, 0, 0]), np.zeros(6), 'elfin_joint4 jumps by 0.02000 rad'),
    ],
)
def test_what_would_hurt_is_not_sent(position, velocity, text) -> None:
    assert text in (set_point.objection(position, velocity, np.zeros(6), 0.004) or '')
    assert set_point.objection(np.full(6, 0.006), VELOCITY, np.zeros(6), 0.004) is None


def test_a_set_point_that_is_objected_to_ends_the_motion_where_the_arm_is(rig) -> None:
    positions = np.tile(START, (200, 1))
    positions[100:, 0] += 0.05  # a step that the points alone do not give away
    rig.device.move_pvt(
        positions, np.zeros((200, 6)), np.full(200, 0.001), empty_count=120, final=True
    )
    snapshot = rig.run(0.3)
    assert snapshot.state is DeviceState.ERROR
    assert np.abs(np.diff(rig.positions[:, 0])).max() == 0.0
    assert any('jumps by' in line for line in rig.device.error_log())
    assert rig.device.clear_faults().state is DeviceState.IDLE
    snapshot = rig.run(0.02)
    assert snapshot.state is DeviceState.IDLE
    assert snapshot.position == pytest.approx(START, abs=1e-9)
    assert rig.positions[-1] == pytest.approx(START, abs=1e-9)


# With the hardware core


def test_the_core_names_the_faults_and_resets_them(rig) -> None:
    core = HardwareCore(rig.device, HardwareSettings(), epoch=1)
    core.connect()
    core.active = True
    rig.arm.enable(True)
    rig.run(0.02)
    core.poll(rig.now)
    assert core.fault is Fault.NONE
    rig.talks = False
    for _ in range(40):
        rig.wait(PERIOD)
        core.poll(rig.now)
    assert core.fault is Fault.NETWORK_LOST
    assert not core.reset()[0]
    rig.talks = True
    rig.wait(PERIOD)
    assert core.reset() == (True, 'cleared NETWORK_LOST')


def test_a_record_holds_what_the_arm_reported(rig) -> None:
    path = rig.device.record(True)
    rig.stream(100, final=True)
    rig.run(0.2)
    assert rig.device.record(False) == path
    rows = np.fromfile(path).reshape(-1, 7)
    assert len(rows) == pytest.approx(0.1 / PERIOD + 0.1 / PERIOD, abs=2)
    assert rows[-1, 1:] == pytest.approx(rig.arm.position, abs=1e-9)
    with pytest.raises(FirmwareError, match='faults are injected'):
        rig.device.inject('amp_fault')


def test_a_pause_of_the_host_is_no_silence_of_the_arm(rig) -> None:
    rig.talks = False
    rig.wait(0.3)  # nobody looks, and nothing that arrived was heard
    assert rig.run(0.02).state is DeviceState.IDLE
    assert rig.run(0.1).source is Source.NETWORK

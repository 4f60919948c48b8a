# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The RapidCode backend on a fake RMP: bring-up, wiring, amplifiers, faults, network."""

import math
import sys
from array import array
from pathlib import Path

import fake_rapidcode
import numpy as np
import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.core import HardwareCore
from elfin_bt.hardware.device import (
    DeviceLost,
    DeviceState,
    ErrorNumber,
    FirmwareError,
    Source,
)
from elfin_bt.hardware.rapidcode import library
from elfin_bt.hardware.rapidcode.device import RapidCodeDevice
from elfin_bt.hardware.rapidcode.settings import RapidCodeSettings
from elfin_bt.hardware.settings import HardwareSettings, SettingsError

TURN = 13238272  # counts of one turn of a joint: 131072 of the encoder, gear 101
READY = np.array([0.1, -0.2, -1.5, 0.3, -1.4, 0.5])


@pytest.fixture
def firmware(monkeypatch: pytest.MonkeyPatch) -> fake_rapidcode.Firmware:
    fresh = fake_rapidcode.Firmware()
    monkeypatch.setattr(fake_rapidcode, 'firmware', fresh)
    monkeypatch.setitem(sys.modules, 'RapidCodePython', fake_rapidcode)
    return fresh


class Rig:
    """A device on the fake, with a host clock of its own."""

    def __init__(self, firmware: fake_rapidcode.Firmware, **settings) -> None:
        self.firmware = firmware
        self.now = 0.0
        self.device = RapidCodeDevice(
            RapidCodeSettings(**settings),
            record_folder=Path('/nowhere'),
            clock=lambda: self.now,
            sleep=self.wait,
        )

    def up(self) -> 'Rig':
        self.device.connect()
        self.device.configure(estop_time=0.05, stop_time=0.5)
        return self

    def powered(self) -> 'Rig':
        self.up()
        self.device.amp_enable()
        self.wait(2.0)
        assert self.device.snapshot().amps_enabled
        return self

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.firmware.advance(seconds)

    def move(self, target: np.ndarray, points: int = 100):
        positions = np.linspace(self.device.snapshot().position, target, points + 1)[1:]
        velocities = np.zeros((points, 6))
        return self.device.move_pvt(
            positions, velocities, np.full(points, 0.001), empty_count=120, final=True
        )


def real(firmware: fake_rapidcode.Firmware, **settings) -> Rig:
    return Rig(firmware, axes='ethercat', **settings)


# The library


def test_without_the_library_one_line_says_what_to_do(monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, 'RapidCodePython', None)
    with pytest.raises(SettingsError) as refusal:
        RapidCodeDevice(RapidCodeSettings(rmp_path='/nowhere'), record_folder=tmp_path).connect()
    text = str(refusal.value)
    assert 'RapidCodePython' in text
    assert '\n' not in text


def test_an_absent_library_is_told_from_one_that_does_not_load(tmp_path, monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, 'RapidCodePython', raising=False)
    monkeypatch.setattr(sys, 'path', [*sys.path])
    with pytest.raises(library.LibraryMissing, match='not installed.*rapidcode.rmp_path'):
        library.load(str(tmp_path))
    (tmp_path / 'RapidCodePython.py').write_text('import a_library_of_rmp')
    with pytest.raises(library.LibraryMissing, match="does not load.*No module named 'a_library"):
        library.load(str(tmp_path))
    (tmp_path / 'RapidCodePython.py').write_text('x = 1')
    sys.path_importer_cache.clear()
    assert library.load(str(tmp_path)).x == 1
    sys.modules.pop('RapidCodePython')


def test_a_binding_with_other_names_is_refused_with_the_names(firmware, monkeypatch) -> None:
    monkeypatch.delattr(fake_rapidcode, 'RSIState_RSIStateSTOPPING_ERROR')
    monkeypatch.delattr(fake_rapidcode, 'RSIAction_RSIActionE_STOP')
    with pytest.raises(SettingsError) as refusal:
        Rig(firmware).up()
    assert 'RSIState_RSIStateSTOPPING_ERROR, RSIAction_RSIActionE_STOP' in str(refusal.value)


# Bring-up


def test_creation_takes_the_parameters(firmware) -> None:
    Rig(firmware, rmp_path='/opt/rmp', nic='enp3s0', cpu=3).up()
    parameters = firmware.parameters
    assert (parameters.RmpPath, parameters.NicPrimary, parameters.CpuAffinity) == (
        '/opt/rmp',
        'enp3s0',
        3,
    )


def test_what_creation_only_logs_is_raised_and_nothing_is_left_behind(firmware) -> None:
    firmware.creation_errors = ['no valid licence found']
    with pytest.raises(SettingsError, match='RMP did not start: no valid licence found'):
        Rig(firmware).up()
    assert firmware.controllers == 0


def test_sample_rate_and_frame_buffer_are_set(firmware) -> None:
    info = Rig(firmware, sample_rate=2000.0, frame_buffer=2048).device.connect()
    assert (info.sample, info.frame_buffer) == (0.0005, 2048)


def test_phantom_axes_have_no_limits_and_the_multi_axis_is_in_joint_order(firmware) -> None:
    Rig(firmware).up()
    none = fake_rapidcode.ACTIONS['NONE']
    for axis in firmware.axes:
        actions = [value for name, value in axis.settings.items() if name.endswith('Action')]
        assert actions == [none] * 7
        assert axis.settings['PositionToleranceFine'] > 1e300
    assert firmware.multi_axis.order == [1, 0, 2, 3, 4, 5]
    assert firmware.motion_count == 7
    assert 'NetworkStart' not in firmware.calls


def test_phantom_axes_are_refused_beside_a_live_network(firmware) -> None:
    firmware.network = fake_rapidcode.NETWORK['OPERATIONAL']
    with pytest.raises(SettingsError, match='OPERATIONAL, 260.*rapidcode.axes is phantom'):
        Rig(firmware).up()


def test_real_axes_get_units_and_limits_in_their_own_direction(firmware) -> None:
    zeros = (0.5, 0.0, 0.0, 0.0, 0.0, 0.0)
    real(firmware, zero_positions=zeros).up()
    assert firmware.axes[0].settings['UserUnits'] * 2 * math.pi == pytest.approx(TURN, abs=0.001)
    estop, abort = fake_rapidcode.ACTIONS['E_STOP'], fake_rapidcode.ACTIONS['ABORT']
    joint1, joint2 = firmware.axes[1].settings, firmware.axes[0].settings
    # Joint 1 lies within +-3.14 rad and its drive counts backwards from 0.5; joint 2 within +-2.35.
    assert joint1['SoftwarePosLimitTriggerValue'] == pytest.approx(3.64, abs=0.011)
    assert joint1['SoftwareNegLimitTriggerValue'] == pytest.approx(-2.64, abs=0.011)
    assert joint2['SoftwarePosLimitTriggerValue'] == pytest.approx(2.35, abs=0.011)
    assert joint1['ErrorLimitTriggerValue'] == 0.1
    assert joint1['ErrorLimitAction'] == joint1['SoftwarePosLimitAction'] == estop
    assert joint1['AmpFaultAction'] == abort


def test_a_network_that_does_not_start_is_explained_and_not_asked_again(firmware) -> None:
    firmware.start_error = 9
    firmware.network_log = ['scanning', 'link down', 'giving up', 'master stopped']
    with pytest.raises(SettingsError) as refusal:
        real(firmware).up()
    text = str(refusal.value)
    assert 'error 9 MASTER_STARTUP: the EtherCAT master found nothing to talk to' in text
    assert 'check the cable' in text
    assert text.endswith('its log ends: link down | giving up | master stopped')
    assert firmware.calls.count('NetworkStart') == 1
    assert firmware.controllers == 0


def test_an_unknown_start_error_keeps_its_number(firmware) -> None:
    firmware.start_error = 77
    with pytest.raises(SettingsError, match='error 77 unknown: look it up'):
        real(firmware).up()


def test_missing_drives_are_named(firmware) -> None:
    firmware.axes_on_the_bus = 4
    with pytest.raises(SettingsError, match='4 axes and the arm has 6'):
        real(firmware).up()


@pytest.mark.parametrize(
    ('wrong', 'text'),
    [
        ({'axes': 'sercos'}, "axes is 'sercos'"),
        ({'drive_order': (0, 1, 2, 3, 4, 4)}, 'drive_order'),
        ({'signs': (1, 1, 1, 1, 1, 0)}, 'signs'),
        ({'zero_positions': (0.0, 0.0, 0.0, 0.0, 0.0, math.nan)}, 'zero_positions'),
        ({'frame_buffer': 1000}, 'power of 2'),
        ({'counts_per_radian': 0.0}, 'counts_per_radian'),
        ({'amp_interval': -1.0}, 'amp_interval'),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(wrong, text) -> None:
    with pytest.raises(SettingsError, match=text):
        RapidCodeSettings(**wrong)


# Wiring


def test_joints_reach_their_drives_with_sign_and_zero(firmware) -> None:
    signs, zeros = (1, -1, -1, 1, -1, -1), (0.0, 0.2, 0.0, 0.0, 0.0, -0.1)
    rig = real(firmware, signs=signs, zero_positions=zeros).powered()
    assert rig.device.snapshot().position == pytest.approx([0, 0.2, 0, 0, 0, -0.1])
    rig.move(READY)
    rig.wait(0.2)
    by_axis = [axis.CommandPositionGet() for axis in firmware.axes]
    # Axis 0 is joint 2: -(-0.2) + 0.2; axis 1 is joint 1; axis 5 is joint 6: -0.5 - 0.1.
    assert by_axis == pytest.approx([0.4, 0.1, 1.5, 0.3, 1.4, -0.6], abs=1e-9)
    snapshot = rig.device.snapshot()
    assert snapshot.position == pytest.approx(READY, abs=1e-9)
    assert snapshot.actual_position == pytest.approx(READY, abs=1e-9)


def test_velocities_change_sign_with_the_drive(firmware) -> None:
    rig = real(firmware).powered()
    positions = np.zeros((200, 6))
    positions[:, 2] = 1e-4 * np.arange(1, 201)
    velocities = np.zeros((200, 6))
    velocities[:, 2] = 0.1
    rig.device.move_pvt(positions, velocities, np.full(200, 0.001), empty_count=120, final=False)
    rig.wait(0.05)
    assert firmware.axes[2].CommandVelocityGet() == pytest.approx(-0.1)
    assert rig.device.snapshot().velocity[2] == pytest.approx(0.1)


@pytest.mark.parametrize('form', [list, array])
def test_move_pvt_finds_the_form_that_the_binding_takes(firmware, form) -> None:
    firmware.array_type = form
    rig = Rig(firmware).up()
    for target in (READY, np.zeros(6)):
        rig.move(target)
        rig.wait(0.2)
        assert rig.device.snapshot().position == pytest.approx(target, abs=1e-9)


def test_move_pvt_knows_swigs_own_arrays(firmware, monkeypatch) -> None:
    class CArray(list):
        def __init__(self, length: int) -> None:
            super().__init__([0.0] * length)

    monkeypatch.setattr(fake_rapidcode, 'doubleArray', CArray, raising=False)
    firmware.array_type = CArray
    rig = Rig(firmware).up()
    rig.move(READY)
    rig.wait(0.2)
    assert rig.device.snapshot().position == pytest.approx(READY, abs=1e-9)


def test_a_binding_that_takes_no_form_is_said_to_be_unknown(firmware) -> None:
    firmware.array_type = dict
    with pytest.raises(FirmwareError, match='neither a list nor an array') as refusal:
        Rig(firmware).up().move(READY)
    assert refusal.value.number is ErrorNumber.NOT_SUPPORTED


# Amplifiers


def test_nothing_but_the_request_switches_amplifiers_on(firmware) -> None:
    rig = real(firmware).up()
    rig.wait(5.0)
    rig.device.snapshot()
    with pytest.raises(FirmwareError) as refusal:
        rig.move(READY)
    assert refusal.value.number is ErrorNumber.AMPS_DISABLED
    assert '0 of 6 on (none)' in refusal.value.text
    rig.device.estop()
    rig.device.clear_faults()
    assert [call for call in firmware.calls if call.startswith('amp')] == []


def test_even_axes_come_first_and_the_odd_ones_two_seconds_later(firmware) -> None:
    rig = real(firmware).up()
    rig.device.error_log()
    assert not rig.device.amp_enable().amps_enabled
    even = ['amp 0 on', 'amp 2 on', 'amp 4 on']
    assert firmware.calls[-3:] == even
    assert rig.device.error_log() == ['amplifiers: 3 of 6 on (0, 2, 4), the odd axes follow']
    rig.wait(1.9)
    assert not rig.device.snapshot().amps_enabled
    rig.wait(0.1)
    rig.device.snapshot()
    assert rig.device.snapshot().amps_enabled
    assert firmware.calls[-3:] == ['amp 1 on', 'amp 3 on', 'amp 5 on']
    assert rig.device.error_log() == ['amplifiers: 6 of 6 on (0, 1, 2, 3, 4, 5)']


def test_a_fault_in_between_ends_the_switching(firmware) -> None:
    rig = real(firmware).up()
    rig.device.amp_enable()
    firmware.fault(Source.AMP_FAULT, 3)
    rig.wait(3.0)
    rig.device.snapshot()
    rig.device.snapshot()
    assert 'amp 1 on' not in firmware.calls
    with pytest.raises(FirmwareError):
        rig.device.amp_enable()


def test_disabling_goes_at_once(firmware) -> None:
    rig = real(firmware).powered()
    assert not rig.device.amp_disable().amps_enabled
    assert not any(axis.amp for axis in firmware.axes)


# Faults


def test_a_drive_fault_is_told_with_its_joint_and_in_its_direction(firmware) -> None:
    rig = real(firmware).powered()
    rig.device.error_log()
    firmware.fault(Source.HW_LIMIT_POSITIVE, 0)
    rig.wait(0.1)
    snapshot = rig.device.snapshot()
    # Axis 0 is joint 2, and its drive counts backwards: its positive end is the joint's negative.
    assert snapshot.state is DeviceState.ERROR
    assert (snapshot.source, snapshot.source_joint) == (Source.HW_LIMIT_NEGATIVE, 1)
    assert snapshot.drive_faults == [Source.HW_LIMIT_NEGATIVE]
    assert any('RMP calls it HW_LIMIT_POSITIVE' in line for line in rig.device.error_log())
    with pytest.raises(FirmwareError, match='still there') as refusal:
        rig.device.clear_faults()
    assert refusal.value.number is ErrorNumber.FAULT_PERSISTS
    firmware.repair()
    assert rig.device.clear_faults().state is DeviceState.IDLE


def test_a_drive_fault_behind_our_own_estop_is_not_hidden(firmware) -> None:
    rig = real(firmware).powered()
    rig.move(READY, points=400)
    rig.wait(0.1)
    rig.device.estop()
    firmware.fault(Source.AMP_FAULT, 3)
    rig.wait(0.1)
    snapshot = rig.device.snapshot()
    assert snapshot.source is Source.USER
    assert snapshot.drive_faults == [Source.AMP_FAULT]


def test_an_estop_after_a_fault_does_not_take_its_place(firmware) -> None:
    rig = real(firmware).powered()
    firmware.fault(Source.AMP_FAULT, 3)
    rig.device.estop()
    snapshot = rig.device.snapshot()
    assert (snapshot.source, snapshot.source_joint) == (Source.AMP_FAULT, 3)
    assert Source.USER not in snapshot.active


def test_a_pulled_cable_is_the_networks_fault_and_a_reset_starts_it_once(firmware) -> None:
    rig = real(firmware).powered()
    firmware.lose_network()
    snapshot = rig.device.snapshot()
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.NETWORK)
    assert not snapshot.amps_enabled
    firmware.start_error = 9
    with pytest.raises(SettingsError, match='check the cable'):
        rig.device.clear_faults()
    firmware.start_error = 0
    assert rig.device.clear_faults().state is DeviceState.IDLE
    assert firmware.calls.count('NetworkStart') == 3
    with pytest.raises(FirmwareError, match='switch them on first'):
        rig.move(READY)


def test_a_network_that_is_down_is_an_error_whatever_the_axes_say(firmware) -> None:
    rig = real(firmware).powered()
    firmware.network = fake_rapidcode.NETWORK['SHUTDOWN']
    snapshot = rig.device.snapshot()
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.NETWORK)


def test_a_network_that_runs_is_left_alone(firmware) -> None:
    rig = real(firmware).powered()
    rig.device.estop()
    rig.device.clear_faults()
    assert firmware.calls.count('NetworkStart') == 1
    Rig(firmware, axes='ethercat').up()  # the heir of a client that died
    assert firmware.calls.count('NetworkStart') == 1


def test_a_cleared_estop_is_no_cause_of_what_comes_later(firmware) -> None:
    rig = Rig(firmware).up()
    rig.device.estop()
    rig.device.clear_faults()
    points = np.zeros((200, 6))
    rig.device.move_pvt(points, points, np.full(200, 0.001), empty_count=120, final=False)
    rig.wait(0.3)
    snapshot = rig.device.snapshot()
    assert (snapshot.source, snapshot.active) == (Source.OUT_OF_FRAMES, {Source.OUT_OF_FRAMES})


def test_a_firmware_that_does_not_answer_is_lost_and_let_go(firmware) -> None:
    rig = Rig(firmware).up()
    firmware.failing.add('StateGet')
    with pytest.raises(DeviceLost, match='firmware does not respond .RsiError 4711'):
        rig.device.snapshot()
    rig.device.close()
    assert firmware.controllers == 0
    with pytest.raises(DeviceLost):
        rig.device.snapshot()


def test_the_error_logs_of_all_objects_are_read_with_their_names(firmware) -> None:
    rig = Rig(firmware).up()
    rig.device.error_log()
    firmware.axes[3]._log.append(fake_rapidcode.RsiError('encoder noise', isWarning=True))
    firmware.multi_axis._log.append(fake_rapidcode.RsiError('late command'))
    assert rig.device.error_log() == ['MultiAxis: late command', 'axis 3: warning: encoder noise']
    assert rig.device.error_log() == []


# A client that died


def left_behind(firmware: fake_rapidcode.Firmware) -> Rig:
    """A move that a killed client left open, 0.4 s long."""
    rig = Rig(firmware).up()
    rig.move(READY, points=400)
    rig.wait(0.1)
    return rig


def test_what_an_earlier_client_left_moving_comes_to_rest_on_its_path(firmware) -> None:
    left_behind(firmware)
    heir = Rig(firmware).up()
    snapshot = heir.device.snapshot()
    assert snapshot.state is DeviceState.ERROR
    assert 'Abort' not in firmware.calls
    progress = snapshot.position / READY  # the same for all joints: on the line to READY
    assert progress == pytest.approx(np.full(6, progress[0]))
    assert 0.2 < progress[0] < 0.5
    firmware.multi_axis.order = [0, 1, 2, 3, 4, 5]  # as another program would have it
    heir.device.clear_faults()
    assert firmware.multi_axis.order == [1, 0, 2, 3, 4, 5]
    heir.move(READY)
    heir.wait(0.2)
    assert heir.device.snapshot().position == pytest.approx(READY, abs=1e-9)


def test_a_pause_outlives_its_client(firmware) -> None:
    Rig(firmware).up().device.set_feed_rate(0.0)
    heir = Rig(firmware).up()
    assert heir.device.snapshot().paused
    assert not heir.device.set_feed_rate(1.0).paused


def test_an_estop_that_does_not_work_is_followed_by_an_abort(firmware, monkeypatch) -> None:
    left_behind(firmware)
    monkeypatch.setattr(fake_rapidcode.MultiAxis, 'EStop', lambda self: None)
    firmware.core.set_feed_rate(0.001)
    firmware.advance(0.6)
    rig = Rig(firmware).up()
    assert 'Abort' in firmware.calls
    assert rig.device.snapshot().state is DeviceState.ERROR


def test_the_hardware_core_latches_what_was_left_and_resets_it(firmware) -> None:
    left_behind(firmware)
    rig = Rig(firmware)
    core = HardwareCore(rig.device, HardwareSettings(), epoch=1)
    core.connect()
    core.active = True
    assert core.fault is Fault.FIRMWARE_ERROR
    assert 'as an earlier client left it' in core.fault_text
    assert core.reset() == (True, 'cleared FIRMWARE_ERROR')
    assert core.snapshot.state is DeviceState.IDLE


def test_closing_in_motion_comes_to_rest_on_the_path_and_shuts_down(firmware) -> None:
    rig = left_behind(firmware)
    core = firmware.core
    rig.device.close()
    assert core.state is DeviceState.ERROR
    position = core.snapshot().position
    assert 0.2 < position[1] / READY[0] < 0.5 or 0.2 < position[1] / -READY[0] < 0.5
    assert firmware.controllers == 0
    assert firmware.network == fake_rapidcode.NETWORK['UNINITIALIZED']


def test_the_sample_counter_wraps(firmware) -> None:
    firmware.counter_offset = (1 << 32) - 50
    rig = Rig(firmware).up()
    before = rig.device.snapshot().time
    rig.wait(0.1)
    assert rig.device.snapshot().time - before == pytest.approx(0.1)

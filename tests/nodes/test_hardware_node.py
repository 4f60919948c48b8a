# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node and the phantom firmware as processes, fed by a real publisher.

Streams move joint 1 at 0.1 rad/s in chunks of 64 points of 1 ms.
"""

import csv
import os
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import rclpy
from control_msgs.msg import DynamicJointState
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue, SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from elfin_bt.execution.chunk import Ack, Chunk, decode_ack, encode_chunk
from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.device import DeviceState
from elfin_bt.hardware.phantom.client import PhantomClient
from elfin_bt.kinematics.limits import JOINT_NAMES
from elfin_bt.ros import qos
from elfin_bt.ros.conversions import seconds_from_time

TIMEOUT = 20.0
STEP = 1e-4  # rad per sample

# The cell that tests share and a test's own cell must not hear each other.
DOMAIN = int(os.environ['ROS_DOMAIN_ID'])
OTHER_DOMAIN = DOMAIN % 101 + 1


class Cell:
    """Firmware and hardware node, and a node beside them that feeds and watches."""

    def __init__(self, folder: Path, domain: int) -> None:
        self.folder = folder
        self._domain = domain
        self.socket = folder / 'firmware.sock'
        self.processes: list[subprocess.Popen] = []
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = rclpy.create_node('bench', context=self._context)
        self._clients: dict[str, Client] = {}
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._chunks = self._node.create_publisher(
            Float64MultiArray, 'pvt_hardware/chunk', qos.CHUNK
        )
        self.acks: list[Ack] = []
        self.joints: list[JointState] = []
        self.devices: list[dict[str, float]] = []
        self.diagnostics: list[DiagnosticArray] = []
        self.clock: list[float] = []
        node = self._node
        node.create_subscription(Float64MultiArray, 'pvt_hardware/ack', self._on_ack, qos.ACK)
        node.create_subscription(JointState, 'joint_states', self.joints.append, 10)
        node.create_subscription(DynamicJointState, 'dynamic_joint_states', self._on_dynamic, 10)
        node.create_subscription(
            DiagnosticArray, '/diagnostics', self.diagnostics.append, qos.DIAGNOSTICS
        )
        node.create_subscription(
            Clock, '/clock', lambda now: self.clock.append(seconds_from_time(now.clock)), qos.CLOCK
        )

    def _on_ack(self, message: Float64MultiArray) -> None:
        self.acks.append(decode_ack(message.data))

    def _on_dynamic(self, message: DynamicJointState) -> None:
        values = message.interface_values[message.joint_names.index('rmp')]
        self.devices.append(dict(zip(values.interface_names, values.values, strict=True)))

    @property
    def fault(self) -> Fault:
        return Fault(self.acks[-1].fault)

    @property
    def state(self) -> DeviceState:
        return DeviceState(int(self.devices[-1]['state']))

    def start_firmware(self, *arguments: str) -> subprocess.Popen:
        return self._run(
            'elfin_bt.hardware.phantom.process', '--socket', str(self.socket), *arguments
        )

    def start_node(self, *arguments: str) -> subprocess.Popen:
        parameters = ['-p', f'socket:={self.socket}', *arguments]
        return self._run('elfin_bt.hardware.node', '--ros-args', *parameters)

    def _run(self, module: str, *arguments: str) -> subprocess.Popen:
        with (self.folder / f'{module}-{len(self.processes)}.log').open('wb') as log:
            process = subprocess.Popen(
                [sys.executable, '-m', module, *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={
                    **os.environ,
                    'ROS_DOMAIN_ID': str(self._domain),
                    'ROS_LOG_DIR': str(self.folder),
                },
            )
        self.processes.append(process)
        return process

    def log(self, process: subprocess.Popen) -> str:
        (path,) = self.folder.glob(f'*-{self.processes.index(process)}.log')
        return path.read_text()

    def spin_until(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < end, f'{what}: not within {TIMEOUT} s'
            self._executor.spin_once(timeout_sec=0.01)

    def wait_ready(self) -> None:
        self.spin_until(
            lambda: (
                self.acks
                and self.joints
                and self.devices
                and self._chunks.get_subscription_count() > 0
            ),
            'the hardware node',
        )

    def send_raw(self, data: Sequence[float]) -> None:
        self._chunks.publish(Float64MultiArray(data=data))

    def send_motion(self, chunks: int, *, close: bool) -> float:
        """Send a whole motion from where the arm rests; return where that is."""
        start = float(self.joints[-1].position[0])
        motion = self.acks[-1].motion + 1
        for sequence in range(chunks):
            final = close and sequence == chunks - 1
            self.send_raw(chunk_of(self.acks[-1].epoch, motion, sequence, final, start))
        return start

    def wait_executed(self, chunks: int) -> None:
        """Wait until a motion of that many chunks has been taken and executed."""
        self.spin_until(lambda: self.acks[-1].sequence == chunks - 1, 'the last acknowledgement')
        self.spin_until(
            lambda: (
                self.devices[-1]['chunk_accepted'] == chunks - 1
                and self.devices[-1]['frames_loaded'] == 0
                and self.state is DeviceState.IDLE
            ),
            'the end of the motion',
        )

    def make_ready(self) -> None:
        """Clear what the test before has left, and hear of the state after that."""
        if self.fault is not Fault.NONE:
            self.spin_until(lambda: self.trigger('reset_fault').success, 'a reset')
        self.joints.clear()
        self.devices.clear()
        self.spin_until(
            # More joint states than a queue holds: the last one is not from before the reset.
            lambda: len(self.joints) > 12 and self.devices and self.fault is Fault.NONE,
            'the state after a reset',
        )

    def call(self, kind: type, name: str, request: object) -> object:
        # One client a service for the whole test: rclpy has crashed on nodes that had made many.
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self._node.create_client(kind, name)
        self.spin_until(client.service_is_ready, name)
        future = client.call_async(request)
        self.spin_until(future.done, name)
        return future.result()

    def trigger(self, name: str) -> Trigger.Response:
        return self.call(Trigger, f'pvt_hardware/{name}', Trigger.Request())

    def set_bool(self, name: str, value: bool) -> SetBool.Response:
        return self.call(SetBool, f'pvt_hardware/{name}', SetBool.Request(data=value))

    def inject(self, fault: str) -> SetParametersResult:
        parameter = ParameterMessage(
            name='inject_fault',
            value=ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=fault),
        )
        request = SetParameters.Request(parameters=[parameter])
        return self.call(SetParameters, 'pvt_hardware/set_parameters', request).results[0]

    def wait_diagnostics(self, condition: Callable[[dict[str, str]], bool]) -> dict[str, str]:
        """Values of the next status that fulfils a condition."""
        self.diagnostics.clear()

        def values() -> dict[str, str]:
            (status,) = self.diagnostics[-1].status
            return {each.key: each.value for each in status.values}

        self.spin_until(lambda: bool(self.diagnostics) and condition(values()), 'such diagnostics')
        return values()

    def record(self, enable: bool) -> Path:
        response = self.call(SetBool, 'pvt_hardware/record', SetBool.Request(data=enable))
        assert response.success
        return Path(response.message)

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        self._executor.remove_node(self._node)
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)


def chunk_of(epoch: int, motion: int, sequence: int, final: bool, start: float) -> array:
    positions, velocities = np.zeros((2, 64, 6))
    positions[:, 0] = start + STEP * np.arange(64 * sequence + 1, 64 * sequence + 65)
    velocities[:, 0] = 0.1
    if final:
        velocities[-1] = 0.0
    times = np.full(64, 0.001)
    return encode_chunk(Chunk(epoch, motion, sequence, final, times, positions, velocities))


def rows_of(path: Path) -> np.ndarray:
    return np.fromfile(path).reshape(-1, 7)


def assert_on_path_with_e_stop(rows: np.ndarray, start: float) -> None:
    """Whole samples of path, then a ramp of 50 samples that eats 25 of them."""
    moved = len(rows) - 50
    ramp = np.arange(1, 51)
    steps = np.concatenate((np.arange(1, moved + 1), moved + ramp - ramp**2 / 100))
    assert moved > 0
    assert rows[:, 1] - start == pytest.approx(STEP * steps, abs=1e-9)


@pytest.fixture
def cell(tmp_path) -> Iterator[Cell]:
    """A cell with nothing started."""
    cell = Cell(tmp_path, OTHER_DOMAIN)
    yield cell
    cell.close()


@pytest.fixture
def mortal(cell) -> Cell:
    """A running cell whose processes the test may kill."""
    cell.start_firmware()
    cell.start_node()
    cell.wait_ready()
    return cell


@pytest.fixture(scope='module')
def shared_cell(tmp_path_factory) -> Iterator[Cell]:
    cell = Cell(tmp_path_factory.mktemp('cell'), DOMAIN)
    cell.start_firmware()
    cell.start_node()
    cell.wait_ready()
    yield cell
    cell.close()


@pytest.fixture
def running(shared_cell) -> Cell:
    """A running cell with nothing latched, which all these tests share."""
    shared_cell.make_ready()
    return shared_cell


def test_a_motion_is_executed_recorded_and_reported(running):
    path = running.record(True)
    start = running.send_motion(5, close=True)
    running.wait_executed(5)
    assert running.fault is Fault.NONE
    assert running.record(False) == path
    rows = rows_of(path)
    assert len(rows) == 320
    assert np.diff(rows[:, 0]) == pytest.approx(0.001, abs=1e-9)
    assert rows[:, 1] - start == pytest.approx(STEP * np.arange(1, 321), abs=1e-9)
    running.joints.clear()
    running.spin_until(lambda: running.joints, 'a joint state')
    assert list(running.joints[-1].name) == list(JOINT_NAMES)
    assert running.joints[-1].position[0] - start == pytest.approx(0.032)
    assert running.joints[-1].velocity[0] == 0.0


def test_states_and_acknowledgements_come_a_hundred_times_a_second(running):
    for seen in (running.acks, running.joints, running.devices):
        seen.clear()
    end = time.monotonic() + 1.0
    running.spin_until(lambda: time.monotonic() > end, 'a second')
    # 125 a second are sent; a busy machine delivers some of them later.
    for seen in (running.acks, running.joints, running.devices):
        assert len(seen) > 60


def test_a_stop_comes_to_rest_on_the_path_and_holds_until_it_is_reset(running):
    path = running.record(True)
    start = running.send_motion(7, close=False)
    running.spin_until(lambda: running.state is DeviceState.MOVING, 'motion')
    assert running.trigger('stop').success
    running.spin_until(lambda: running.state is DeviceState.ERROR, 'rest')
    assert running.fault is Fault.STOP_REQUESTED
    assert running.devices[-1]['fault_code'] == Fault.STOP_REQUESTED
    rows = rows_of(path)
    assert_on_path_with_e_stop(rows, start)

    running.send_motion(3, close=True)
    end = time.monotonic() + 0.2
    running.spin_until(lambda: time.monotonic() > end, 'a moment')
    assert running.state is DeviceState.ERROR
    assert len(rows_of(path)) == len(rows)

    assert running.trigger('reset_fault').success
    again = running.trigger('reset_fault')
    assert (again.success, again.message) == (False, 'nothing latched')
    running.make_ready()
    assert running.send_motion(3, close=True) == pytest.approx(rows[-1, 1])
    running.wait_executed(3)
    assert rows_of(path)[-1, 1] == pytest.approx(rows[-1, 1] + 192 * STEP)


def test_a_pause_keeps_everything_and_a_resume_ends_the_motion_where_it_was_to_end(running):
    start = running.send_motion(7, close=True)
    running.spin_until(lambda: running.state is DeviceState.MOVING, 'motion')
    assert running.trigger('pause').success
    running.spin_until(
        lambda: running.devices[-1]['feed_rate'] == 0.0 and running.devices[-1]['frames_loaded'],
        'rest on the path',
    )
    assert running.devices[-1]['feed_target'] == 0.0
    assert running.wait_diagnostics(lambda values: values['paused'] == 'True')
    loaded = running.devices[-1]['frames_loaded']
    assert running.state is DeviceState.MOVING
    assert running.fault is Fault.NONE
    assert running.trigger('pause').message.startswith('paused already')
    assert running.devices[-1]['frames_loaded'] == loaded
    assert running.trigger('resume').success
    running.wait_executed(7)
    running.joints.clear()
    running.spin_until(lambda: running.joints, 'a joint state')
    assert running.joints[-1].position[0] - start == pytest.approx(448 * STEP)


def test_a_stop_while_paused_discards_the_motion_and_a_reset_ends_the_pause(running):
    running.send_motion(7, close=True)
    running.spin_until(lambda: running.state is DeviceState.MOVING, 'motion')
    running.trigger('pause')
    assert running.trigger('stop').success
    refused = running.trigger('resume')
    assert not refused.success and 'STOP_REQUESTED is latched' in refused.message
    running.make_ready()
    assert running.devices[-1]['feed_target'] == 1.0
    assert running.devices[-1]['frames_loaded'] == 0


def test_an_injected_drive_fault_is_named_and_outlasts_resets_until_its_cause_is_gone(running):
    refused = running.inject('fire')
    assert not refused.successful and "'fire' can not be injected" in refused.reason
    running.send_motion(7, close=True)
    running.spin_until(lambda: running.state is DeviceState.MOVING, 'motion')
    assert running.inject('amp_fault elfin_joint3').successful
    running.spin_until(lambda: running.fault is Fault.AMP_FAULT, 'the fault')
    assert running.state is DeviceState.ERROR
    assert 'is still there' in running.trigger('reset_fault').message
    log = running.wait_diagnostics(lambda values: 'AMP_FAULT' in values['error_log'])
    assert log['amplifiers'] == 'off'
    assert running.inject('').successful
    running.spin_until(lambda: running.trigger('reset_fault').success, 'a reset')
    assert running.devices[-1]['amps_enabled'] == 0.0
    assert running.set_bool('enable_amps', True).success
    running.spin_until(lambda: running.devices[-1]['amps_enabled'] == 1.0, 'power')


def test_amplifiers_that_are_off_refuse_a_motion_by_name(running):
    assert running.set_bool('enable_amps', False).success
    running.spin_until(lambda: running.devices[-1]['amps_enabled'] == 0.0, 'no power')
    running.send_motion(1, close=True)
    running.spin_until(lambda: running.fault is Fault.AMPS_DISABLED, 'the fault')
    assert running.trigger('reset_fault').success
    assert running.set_bool('enable_amps', True).success


def test_the_executors_own_stop_has_a_name_of_its_own(running):
    assert running.trigger('stop_unacknowledged').success
    running.spin_until(lambda: running.fault is Fault.CHUNK_UNACKNOWLEDGED, 'the fault')


def test_planned_and_actual_motion_are_recorded_while_that_is_switched_on(running):
    path = running.set_bool('record_csv', True).message
    start = running.send_motion(4, close=True)
    running.wait_executed(4)
    answer = running.set_bool('record_csv', False)
    assert (answer.success, answer.message) == (True, path)
    with Path(path).open() as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    moving = [row for row in rows if row['state'] == DeviceState.MOVING]
    assert len(moving) > 20
    first = moving[0]
    for row in moving:
        way = STEP * 1000 * (row['device_time'] - first['device_time'])
        # At the end of the motion a row may come after the last point.
        assert row['elfin_joint1_planned'] == pytest.approx(
            first['elfin_joint1_planned'] + way, abs=1e-6
        )
        assert row['elfin_joint1_error'] == 0.0
    assert rows[-1]['elfin_joint1_actual'] - start == pytest.approx(256 * STEP, abs=1e-8)
    assert np.all(np.diff([row['stamp'] for row in rows]) > 0.0)


def test_diagnostics_count_how_late_the_feeder_was_and_what_was_executed(running):
    before = running.wait_diagnostics(lambda values: True)
    running.send_motion(4, close=True)
    running.wait_executed(4)
    after = running.wait_diagnostics(
        lambda values: int(values['points_executed']) >= int(before['points_executed']) + 256
    )

    def cycles(values: dict[str, str]) -> int:
        return sum(int(count) for name, count in values.items() if name.startswith('late_'))

    assert int(after['points_executed']) == int(before['points_executed']) + 256
    assert cycles(after) - cycles(before) > 100
    assert after['status'] == 'IN_COARSE|AT_TARGET|SETTLED|DONE'
    assert float(after['worst_lateness_ms']) >= 0.0


def test_a_feeder_that_falls_silent_starves_the_motion(running):
    path = running.record(True)
    start = running.send_motion(3, close=False)
    running.spin_until(lambda: running.fault is Fault.OUT_OF_FRAMES, 'the fault')
    running.spin_until(lambda: running.state is DeviceState.ERROR, 'rest')
    rows = rows_of(path)
    # Starved when 59 of the 192 points are left, then the ramp.
    assert len(rows) == 192 - 59 + 50
    assert_on_path_with_e_stop(rows, start)


def test_garbage_on_the_chunk_topic_is_latched_and_moves_nothing(running):
    before = running.joints[-1].position
    running.send_raw([float('nan')] * 17)
    running.spin_until(lambda: running.fault is Fault.CHUNK_INVALID, 'the fault')
    running.joints.clear()
    running.diagnostics.clear()
    running.spin_until(
        lambda: (
            running.diagnostics
            and running.diagnostics[-1].status[0].message.startswith('CHUNK_INVALID')
        ),
        'diagnostics of the fault',
    )
    assert running.joints[-1].position == before


def test_deactivation_stops_and_its_latch_outlasts_it(running):
    def change(transition: int) -> bool:
        request = ChangeState.Request(transition=Transition(id=transition))
        return running.call(ChangeState, 'pvt_hardware/change_state', request).success

    assert change(Transition.TRANSITION_DEACTIVATE)
    running.spin_until(lambda: running.fault is Fault.NODE_DEACTIVATED, 'the fault')
    assert 'activate' in running.trigger('reset_fault').message
    assert change(Transition.TRANSITION_ACTIVATE)
    assert running.fault is Fault.NODE_DEACTIVATED
    assert running.trigger('reset_fault').success
    assert change(Transition.TRANSITION_DEACTIVATE)
    assert change(Transition.TRANSITION_CLEANUP)
    assert change(Transition.TRANSITION_CONFIGURE)
    assert change(Transition.TRANSITION_ACTIVATE)
    running.wait_ready()


def test_a_dead_firmware_is_reported_and_a_new_one_is_found_by_a_reset(mortal):
    mortal.processes[0].kill()
    mortal.spin_until(lambda: mortal.fault is Fault.FIRMWARE_LOST, 'the fault')
    assert not mortal.trigger('reset_fault').success
    mortal.start_firmware()
    mortal.spin_until(lambda: mortal.trigger('reset_fault').success, 'the new firmware')
    mortal.spin_until(lambda: mortal.fault is Fault.NONE, 'no fault')
    mortal.spin_until(lambda: mortal.state is DeviceState.IDLE, 'IDLE')


def test_killed_in_motion_and_started_again_the_node_shows_what_happened(mortal):
    path = mortal.record(True)
    start = mortal.send_motion(7, close=False)
    mortal.spin_until(lambda: mortal.state is DeviceState.MOVING, 'motion')
    mortal.processes[1].kill()
    mortal.processes[1].wait()
    # A node that comes while the arm still moves stops it: another cause, and not this test's.
    mortal.spin_until(lambda: time.time() - path.stat().st_mtime > 0.2, 'the end of the record')
    mortal.start_node()
    mortal.spin_until(lambda: mortal.fault is Fault.OUT_OF_FRAMES, 'the fault')
    assert_on_path_with_e_stop(rows_of(path), start)
    assert mortal.trigger('reset_fault').success


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_in_motion_the_node_brings_the_arm_to_rest_first(mortal, number):
    path = mortal.record(True)
    start = mortal.send_motion(7, close=True)
    mortal.spin_until(lambda: mortal.state is DeviceState.MOVING, 'motion')
    node = mortal.processes[1]
    node.send_signal(number)
    assert node.wait(TIMEOUT) == 0
    assert 'Traceback' not in mortal.log(node)
    client = PhantomClient(mortal.socket)
    client.connect()
    assert client.snapshot().state is DeviceState.ERROR
    assert_on_path_with_e_stop(rows_of(path), start)


def test_the_node_waits_for_its_firmware(cell):
    node = cell.start_node()
    cell.spin_until(lambda: 'no phantom firmware' in cell.log(node), 'the warning')
    cell.start_firmware()
    cell.wait_ready()
    assert cell.log(node).count('no phantom firmware') == 1


@pytest.mark.parametrize(
    ('parameter', 'text'),
    [
        ('backend:=crane', "parameter 'backend' is 'crane', which is not one of: phantom, "),
        ('empty_count:=40', 'raise empty_count or lower estop_time'),
    ],
)
def test_parameters_that_can_not_work_end_the_node_with_one_clear_line(cell, parameter, text):
    cell.start_firmware()
    cell.spin_until(cell.socket.exists, 'the firmware')
    node = cell.start_node('-p', parameter)
    assert node.wait(TIMEOUT) == 1
    assert text in cell.log(node)
    assert 'Traceback' not in cell.log(node)


def test_sped_up_the_node_serves_device_time_as_the_clock(cell):
    cell.start_firmware('--speedup', '20')
    cell.start_node()
    cell.wait_ready()
    cell.clock.clear()
    begin = time.monotonic()
    cell.spin_until(lambda: len(cell.clock) > 100, 'a hundred ticks of the clock')
    elapsed = time.monotonic() - begin
    assert np.all(np.diff(cell.clock) >= 0.0)
    assert cell.clock[-1] - cell.clock[0] == pytest.approx(20 * elapsed, rel=0.25)
    stamp = seconds_from_time(cell.joints[-1].header.stamp)
    assert stamp == pytest.approx(cell.clock[-1], abs=1.0)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The hardware node with the RobCo-like backend and a simulated arm, and RapidCode's absence."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import rclpy
from control_msgs.msg import DynamicJointState
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from elfin_bt.execution.chunk import Ack, Chunk, decode_ack, encode_chunk
from elfin_bt.execution.faults import Fault
from elfin_bt.ros import qos

TIMEOUT = 20.0
DOMAIN = int(os.environ['ROS_DOMAIN_ID']) % 101 + 1
TOPICS = ['-p', 'joint_commands_topic:=cell/commands', '-p', 'joint_states_topic:=cell/states']


def start(folder: Path, module: str, *arguments: str) -> subprocess.Popen:
    with (folder / f'{module}.log').open('wb') as log:
        return subprocess.Popen(
            [sys.executable, '-m', f'elfin_bt.hardware.{module}', '--ros-args', *arguments],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, 'ROS_DOMAIN_ID': str(DOMAIN), 'ROS_LOG_DIR': str(folder)},
        )


class Bench:
    """Processes under test, and a node that feeds and watches them."""

    def __init__(self, folder: Path, processes: list[subprocess.Popen]) -> None:
        self.folder = folder
        self.processes = processes
        self._context = Context()
        rclpy.init(context=self._context, domain_id=DOMAIN)
        self._node = node = rclpy.create_node('bench', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self.chunks = node.create_publisher(Float64MultiArray, 'pvt_hardware/chunk', qos.CHUNK)
        self.acks: list[Ack] = []
        self.joints: list[JointState] = []
        self.commands: list[DynamicJointState] = []
        node.create_subscription(
            Float64MultiArray,
            'pvt_hardware/ack',
            lambda message: self.acks.append(decode_ack(message.data)),
            qos.ACK,
        )
        node.create_subscription(JointState, 'joint_states', self.joints.append, 10)
        node.create_subscription(DynamicJointState, 'cell/commands', self.commands.append, 100)

    def until(self, reached: Callable[[], object], what: str) -> None:
        end = time.monotonic() + TIMEOUT
        while not reached():
            assert time.monotonic() < end, f'{what}: not within {TIMEOUT} s; {self.log()}'
            self._executor.spin_once(timeout_sec=0.05)

    def call(self, kind: type, name: str, **fields) -> object:
        client = self._node.create_client(kind, name)
        self.until(client.service_is_ready, f'service {name}')
        future = client.call_async(kind.Request(**fields))
        self.until(future.done, f'answer of {name}')
        return future.result()

    def select(self, command_set: str):
        value = Parameter('command_set', value=command_set).to_parameter_msg()
        answer = self.call(SetParameters, 'pvt_hardware/set_parameters', parameters=[value])
        return answer.results[0]

    def move(self, motion: int) -> None:
        """0.02 rad of joint 1 in 0.256 s, eased at both ends."""
        n = 256
        u = np.arange(1, n + 1) / n
        start = np.array(self.joints[-1].position)
        positions = np.tile(start, (n, 1))
        positions[:, 0] += 0.02 * u * u * (3 - 2 * u)
        velocities = np.zeros((n, 6))
        velocities[:, 0] = 0.02 * 6 * u * (1 - u) / (n * 0.001)
        for index in range(4):
            part = slice(64 * index, 64 * (index + 1))
            chunk = Chunk(
                *(self.acks[-1].epoch, motion, index, index == 3),
                *(np.full(64, 0.001), positions[part], velocities[part]),
            )
            self.chunks.publish(Float64MultiArray(data=encode_chunk(chunk)))

    def log(self) -> str:
        return '\n'.join(path.read_text() for path in self.folder.glob('*.log'))

    def end(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        codes = [process.wait(TIMEOUT) for process in self.processes]
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)
        assert not any(codes), self.log()


@pytest.fixture
def make_bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def make(*processes: subprocess.Popen) -> Bench:
        made.append(Bench(tmp_path, list(processes)))
        return made[0]

    yield make
    for bench in made:
        bench.end()


def test_a_robco_like_arm_is_driven_over_its_topics(make_bench, tmp_path: Path) -> None:
    bench = make_bench(
        start(tmp_path, 'robco.ros_simulated_arm', *TOPICS),
        start(tmp_path, 'node', '-p', 'backend:=robco', *TOPICS),
    )
    bench.until(lambda: bench.acks and bench.joints, 'states of the hardware node')

    # Disabled: motion and another command set are refused, and nothing is sent.
    bench.until(bench.chunks.get_subscription_count, 'chunk subscription')
    bench.move(1)
    bench.until(lambda: bench.acks[-1].fault == Fault.AMPS_DISABLED, 'AMPS_DISABLED')
    refusal = bench.select('effort')
    assert not refusal.successful
    assert 'disabled' in refusal.reason
    assert bench.commands == []

    # Enabled with the arm's own tool, and reset: position, velocity and acceleration, all joints.
    assert bench.call(SetBool, 'simulated_robco/enable', data=True).success
    assert bench.call(Trigger, 'pvt_hardware/reset_fault').success
    bench.until(lambda: bench.acks[-1].fault == Fault.NONE, 'reset')
    bench.until(lambda: bench.commands, 'set points')
    before = bench.joints[-1].position[0]
    bench.move(2)
    bench.until(lambda: bench.joints[-1].position[0] > before + 0.0199, 'the motion')
    assert bench.acks[-1].fault == Fault.NONE
    for values in bench.commands[-1].interface_values:
        assert list(values.interface_names) == ['position', 'velocity', 'acceleration']

    # Floating: one message changes all joints to zero efforts.
    # The motion is over a moment after its last set point.
    bench.until(lambda: bench.select('float').successful, 'IDLE')
    bench.until(
        lambda: all(list(v.values) == [0.0] for v in bench.commands[-1].interface_values),
        'zero efforts',
    )
    names = {tuple(v.interface_names) for v in bench.commands[-1].interface_values}
    assert names == {('effort',)}
    assert not bench.select('torque').successful
    assert bench.select('position').successful
    assert 'refused' not in bench.log()


RAPIDCODE = """
import sys, time
sys.path.append({fakes!r})
import fake_rapidcode

class MultiAxis(fake_rapidcode.MultiAxis):
    last = time.monotonic()

    def StateGet(self):  # each look at the arm starts with it
        samples = int(1000 * (time.monotonic() - MultiAxis.last))
        MultiAxis.last += samples / 1000
        fake_rapidcode.firmware.core.advance(samples)
        return super().StateGet()

fake_rapidcode.MultiAxis = MultiAxis
fake_rapidcode.firmware.shut_down()
sys.modules[__name__] = fake_rapidcode
"""


def test_an_rmp_is_driven_and_its_amplifiers_by_request_alone(
    make_bench, tmp_path: Path, repository: Path
) -> None:
    binding = tmp_path / 'RapidCodePython.py'
    binding.write_text(RAPIDCODE.format(fakes=str(repository / 'tests' / 'fakes')))
    parameters = {
        'backend': 'rapidcode',
        'rapidcode.rmp_path': tmp_path,
        'rapidcode.axes': 'ethercat',
        'rapidcode.amp_interval': 0.2,
        'rapidcode.signs': '[1, 1, -1, 1, 1, 1]',
    }
    arguments = [f'{name}:={value}' for name, value in parameters.items()]
    bench = make_bench(start(tmp_path, 'node', *(x for a in arguments for x in ('-p', a))))
    bench.until(lambda: bench.acks and bench.joints, 'states of the hardware node')
    bench.until(bench.chunks.get_subscription_count, 'chunk subscription')
    bench.move(1)
    bench.until(lambda: bench.acks[-1].fault == Fault.AMPS_DISABLED, 'AMPS_DISABLED')
    assert bench.call(Trigger, 'pvt_hardware/reset_fault').success
    assert bench.call(SetBool, 'pvt_hardware/enable_amps', data=True).success
    bench.until(lambda: '6 of 6 on' in bench.log(), 'the amplifiers in the log')
    assert '3 of 6 on (0, 2, 4), the odd axes follow' in bench.log()
    bench.until(lambda: bench.acks[-1].fault == Fault.NONE, 'reset')
    bench.move(2)
    bench.until(lambda: bench.joints[-1].position[0] > 0.0199, 'the motion')
    assert bench.acks[-1].fault == Fault.NONE


def test_without_rapidcode_the_node_says_so_in_one_line_and_ends(tmp_path: Path) -> None:
    process = start(
        tmp_path, 'node', '-p', 'backend:=rapidcode', '-p', f'rapidcode.rmp_path:={tmp_path}'
    )
    assert process.wait(TIMEOUT) == 1
    lines = [line for line in (tmp_path / 'node.log').read_text().splitlines() if line.strip()]
    (line,) = [line for line in lines if 'RapidCodePython' in line]
    assert 'is not installed: install RMP' in line
    assert 'rapidcode.rmp_path' in line


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        (['backend:=robco', 'compensation:=both'], "'compensation' is 'both'"),
        (['backend:=robco', 'state_timeout:=30.0'], 'state_timeout'),
        (['backend:=rapidcode', 'rapidcode.signs:=[1, 1]'], 'rapidcode.signs is [1, 1]: give 6'),
        (['backend:=rapidcode', 'rapidcode.zero_positions:=[0, 1]'], 'rapidcode.zero_positions'),
    ],
)
def test_a_parameter_that_cannot_be_meant_is_refused_in_one_line(
    tmp_path: Path, arguments: list[str], text: str
) -> None:
    process = start(tmp_path, 'node', *(x for argument in arguments for x in ('-p', argument)))
    assert process.wait(TIMEOUT) == 1
    log = (tmp_path / 'node.log').read_text()
    assert 'Traceback' not in log
    (line,) = [line for line in log.splitlines() if text in line]
    assert 'refused to configure' in line

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which committed depth survives which pause: `python benchmarks/feeder.py [--seconds 5]`.

The phantom firmware, the hardware node and the executor run as processes, with the priorities that
a session gives them, beside processes that keep the cores busy. While a stroke is executed, one of
the two nodes is held (SIGSTOP) again and again, at random moments, for the length of the pause. A
cell of the table holds the least that was loaded in the firmware in the middle of the stroke, in
ms, or how the stroke ended.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')

import numpy as np
import rclpy
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import DynamicJointState
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectoryPoint

from elfin_bt.kinematics.limits import JOINT_NAMES
from elfin_bt.ros.conversions import duration_from_seconds
from elfin_bt.session.node_table import PRIORITIES

DEPTHS = (0.12, 0.16, 0.2, 0.3, 0.4)  # s; the last one is the default
PAUSES = (0.0, 0.02, 0.04, 0.08)  # s
VICTIMS = ('hardware', 'executor')
BETWEEN = (0.15, 0.4)  # s of undisturbed running between two pauses
WATCHDOG = 0.06  # s; below that the firmware stops
MARGIN = 0.6  # s at the start and at the end of a stroke that say nothing about its middle


class Cell:
    """The processes, and a node that sends strokes and watches the firmware's buffer."""

    def __init__(self, folder: Path, domain: int, *, realtime: bool) -> None:
        self._folder = folder
        self._realtime = realtime
        self._domain = domain
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._node = rclpy.create_node('feeder_benchmark', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._loaded: list[tuple[float, float]] = []
        self._positions = np.zeros(len(JOINT_NAMES))
        self._node.create_subscription(
            DynamicJointState, 'dynamic_joint_states', self._on_state, 10
        )
        self._client = ActionClient(
            self._node, FollowJointTrajectory, 'passthrough_executor/follow_joint_trajectory'
        )
        self._reset = self._node.create_client(Trigger, 'pvt_hardware/reset_fault')

    def _on_state(self, message: DynamicJointState) -> None:
        groups = dict(zip(message.joint_names, message.interface_values, strict=True))
        self._positions = np.array([groups[name].values[0] for name in JOINT_NAMES])
        device = dict(zip(groups['rmp'].interface_names, groups['rmp'].values, strict=True))
        self._loaded.append((time.monotonic(), device['frames_loaded'] / 2.0))

    def start(self, name: str, module: str, *arguments: str) -> None:
        """Start a process."""
        with (self._folder / f'{name}.log').open('ab') as log:
            self._processes[name] = subprocess.Popen(
                [sys.executable, '-m', module, *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={
                    **os.environ,
                    'ROS_DOMAIN_ID': str(self._domain),
                    'ROS_LOG_DIR': str(self._folder),
                },
                preexec_fn=lambda: _raise_priority(self._realtime * PRIORITIES[name]),
            )

    def close(self) -> None:
        """End everything."""
        for process in self._processes.values():
            process.kill()
            process.wait()
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def spin_until(self, condition: Callable[[], bool], timeout: float = 20.0) -> None:
        """Let callbacks run until `condition` holds."""
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f'see the logs in {self._folder}')
            self._executor.spin_once(timeout_sec=0.01)

    def wait_ready(self) -> None:
        """Wait until a stroke can be sent, and clear what is latched."""
        self.spin_until(lambda: bool(self._client.server_is_ready()))
        self._loaded.clear()
        self.spin_until(lambda: len(self._loaded) > 20)
        for _ in range(3):
            answer = self._reset.call_async(Trigger.Request())
            self.spin_until(answer.done)
            if not answer.result().success and answer.result().message == 'nothing latched':
                break
            time.sleep(0.2)

    def stroke(self, seconds: float, victim: str, pause: float) -> str:
        """Execute a stroke with pauses; return the cell of the table."""
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = list(JOINT_NAMES)
        goal.trajectory.points = self._points(seconds)
        for _ in range(5):
            accepted = self._client.send_goal_async(goal)
            self.spin_until(accepted.done)
            if accepted.result().accepted:
                break
            self._let_run(0.3)  # the executor has not heard of the reset yet
        else:
            return 'refused'
        begin = time.monotonic()
        self._loaded.clear()
        result = accepted.result().get_result_async()
        process = self._processes[victim]
        # The last part is left alone: the executor waits there for the arm to come to rest.
        while pause and not result.done() and time.monotonic() < begin + seconds - MARGIN:
            self._let_run(random.uniform(*BETWEEN))
            process.send_signal(signal.SIGSTOP)
            time.sleep(pause)
            process.send_signal(signal.SIGCONT)
        self.spin_until(result.done, seconds + 10.0)
        answer = result.result().result
        if answer.error_code != FollowJointTrajectory.Result.SUCCESSFUL:
            print(f'  {answer.error_string}', file=sys.stderr)
            return 'starved' if 'OUT_OF_FRAMES' in answer.error_string else 'failed'
        end = begin + seconds - MARGIN
        middle = [points for at, points in self._loaded if begin + MARGIN < at < end]
        return f'{min(middle):.0f}'

    def _let_run(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def _points(self, seconds: float) -> list[JointTrajectoryPoint]:
        """Joint 1 goes 0.2 rad towards zero and back, in cubics of 50 ms."""
        points = []
        amplitude = -0.1 if self._positions[0] > 0.0 else 0.1
        for at in np.linspace(0.05, seconds, round(seconds / 0.05)):
            angle = 2.0 * np.pi * at / seconds
            position, velocity = self._positions.copy(), np.zeros(len(JOINT_NAMES))
            position[0] += amplitude * (1.0 - np.cos(angle))
            velocity[0] = amplitude * np.sin(angle) * 2.0 * np.pi / seconds
            points.append(
                JointTrajectoryPoint(
                    positions=position.tolist(),
                    velocities=velocity.tolist(),
                    time_from_start=duration_from_seconds(float(at)),
                )
            )
        return points


def executor_parameters(depth: float) -> list[str]:
    """An executor that commits `depth` s; small depths need its other numbers small too."""
    values: dict[str, float] = {'committed_depth': depth}
    if depth < 0.4:
        values |= {
            'chunk_points': 16,
            'low_water': WATCHDOG + 0.033,
            'ack_timeout': depth - 0.005,
        }
    return [part for name, value in values.items() for part in ('-p', f'{name}:={value}')]


def keep_busy(count: int) -> list[subprocess.Popen[bytes]]:
    """Processes that do nothing but take time."""
    return [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(count)]


def main() -> None:
    """Run all strokes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=5.0, help='length of a stroke')
    parser.add_argument('--busy', type=int, default=2, help='processes beside it')
    parser.add_argument('--normal-priority', action='store_true', help='without SCHED_FIFO')
    options = parser.parse_args()
    realtime = not options.normal_priority
    busy = keep_busy(options.busy)
    print(f'least path loaded, ms (watchdog {1000 * WATCHDOG:.0f}); {options.busy} busy processes')
    heads = [f'{victim} {1000 * pause:.0f} ms' for victim in VICTIMS for pause in PAUSES]
    print('| depth, ms |', ' | '.join(heads), '|')
    print('|' + '---|' * (1 + len(heads)), flush=True)
    try:
        for depth in DEPTHS:
            print(
                f'| {1000 * depth:.0f} |',
                ' | '.join(row(depth, options.seconds, realtime=realtime)),
                '|',
                flush=True,
            )
    finally:
        for process in busy:
            process.kill()
            process.wait()


def _raise_priority(priority: int) -> None:
    """Give this process the real-time priority that the session gives it, where it may."""
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO if priority else 0, os.sched_param(priority))


def row(depth: float, seconds: float, *, realtime: bool) -> list[str]:
    """The table's cells of one depth."""
    folder = Path(tempfile.mkdtemp(prefix='feeder-'))
    cell = Cell(folder, random.randrange(1, 101), realtime=realtime)
    try:
        socket = str(folder / 'firmware.sock')
        cell.start('firmware', 'elfin_bt.hardware.phantom.process', '--socket', socket)
        hardware = ['--ros-args', '-p', f'socket:={socket}']
        if not realtime:
            hardware += ['-p', 'realtime_priority:=0']
        cell.start('hardware', 'elfin_bt.hardware.node', *hardware)
        arguments = ['--ros-args', *executor_parameters(depth)]
        cell.start('executor', 'elfin_bt.execution.node', *arguments)
        cells = []
        for victim in VICTIMS:
            for pause in PAUSES:
                cell.wait_ready()
                cells.append(cell.stroke(seconds, victim, pause))
        return cells
    finally:
        cell.close()


if __name__ == '__main__':
    main()

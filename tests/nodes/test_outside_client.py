# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What any client of FollowJointTrajectory gets: firmware, hardware node and executor as processes.

The table of goals is that of docs/execution.md.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('control_msgs', reason='needs control_msgs (make setup)')

from action_msgs.msg import GoalStatus  # noqa: E402
from control_msgs.action import FollowJointTrajectory  # noqa: E402
from control_msgs.msg import (  # noqa: E402
    JointComponentTolerance,
    JointTolerance,
    JointTrajectoryControllerState,
    SpeedScalingFactor,
)
from control_msgs.srv import QueryTrajectoryState  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.qos import QoSProfile  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402
from trajectory_msgs.msg import (  # noqa: E402
    JointTrajectory,
    JointTrajectoryPoint,
    MultiDOFJointTrajectoryPoint,
)

from elfin_bt.execution.chunk import decode_ack  # noqa: E402
from elfin_bt.execution.faults import Fault  # noqa: E402
from elfin_bt.kinematics.limits import JOINT_NAMES  # noqa: E402
from elfin_bt.ros import qos  # noqa: E402
from elfin_bt.ros.conversions import (  # noqa: E402
    duration_from_seconds,
    seconds_from_duration,
    time_from_seconds,
)
from elfin_bt.session.node_table import PRIORITIES  # noqa: E402

DOMAIN = int(os.environ['ROS_DOMAIN_ID']) % 101 + 1
TIMEOUT = 20.0
MANY = QoSProfile(depth=300)
OUTCOMES = {
    GoalStatus.STATUS_SUCCEEDED: 'succeeded',
    GoalStatus.STATUS_ABORTED: 'aborted',
    GoalStatus.STATUS_CANCELED: 'canceled',
}


def prioritize(priority: int) -> None:
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))


class Cell:
    """Three processes and a client of another team."""

    def __init__(self, folder: Path, *parameters: str) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen] = {}
        socket = folder / 'firmware.sock'
        self._commands = {
            'firmware': ('elfin_bt.hardware.phantom.process', '--socket', str(socket)),
            'hardware': ('elfin_bt.hardware.node', '--ros-args', '-p', f'socket:={socket}'),
            'executor': ('elfin_bt.execution.node', '--ros-args', *parameters),
        }
        self._context = Context()
        rclpy.init(context=self._context, domain_id=DOMAIN)
        node = rclpy.create_node('another_team', context=self._context)
        self.node = node
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self.clients = {
            name: ActionClient(
                node,
                FollowJointTrajectory,
                f'{name}/follow_joint_trajectory',
                goal_service_qos_profile=MANY,
                result_service_qos_profile=MANY,
            )
            for name in ('passthrough_executor', 'elfin_arm_controller')
        }
        self.triggers = {
            name: node.create_client(Trigger, f'passthrough_executor/{name}', qos_profile=MANY)
            for name in ('stop', 'reset_fault', 'pause', 'resume')
        }
        self.query = node.create_client(QueryTrajectoryState, 'passthrough_executor/query_state')
        self.speed = node.create_publisher(
            SpeedScalingFactor, 'passthrough_executor/speed_scaling_input', qos.LATCHED
        )
        self.stream = node.create_publisher(
            JointTrajectory, 'elfin_arm_controller/joint_trajectory', 10
        )
        self.joints: np.ndarray | None = None
        self.fault, self.states, self.feedback, self.path = Fault.NONE, [], [], []
        node.create_subscription(JointState, 'joint_states', self._on_joints, 10)
        node.create_subscription(Float64MultiArray, 'pvt_hardware/ack', self._on_ack, qos.ACK)
        node.create_subscription(
            JointTrajectoryControllerState,
            'passthrough_executor/controller_state',
            self.states.append,
            10,
        )

    def _on_joints(self, message: JointState) -> None:
        self.joints = np.array(message.position)
        self.path.append(self.joints)

    def _on_ack(self, message: Float64MultiArray) -> None:
        self.fault = Fault(decode_ack(message.data).fault)

    def start(self, name: str) -> None:
        with self.log(name).open('ab') as log:
            module, *arguments = self._commands[name]
            self.processes[name] = subprocess.Popen(
                [sys.executable, '-m', module, *arguments],
                stdout=log,
                stderr=log,
                env={**os.environ, 'ROS_DOMAIN_ID': str(DOMAIN)},
                # As the supervisor starts them: tests run on busy machines.
                preexec_fn=lambda: prioritize(PRIORITIES[name]),
            )

    def log(self, name: str) -> Path:
        return self.folder / f'{name}.log'

    def wait_until_ready(self) -> None:
        self.states.clear()
        self.until(lambda: self.states and self.joints is not None)
        self.until(lambda: all(client.server_is_ready() for client in self.clients.values()))
        self.until(lambda: all(client.service_is_ready() for client in self.triggers.values()))
        self.until(self.query.service_is_ready)

    def until(self, condition, limit=TIMEOUT):
        end = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < end, 'timed out'
            self._executor.spin_once(timeout_sec=0.01)

    def spin(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.005)

    def wait(self, future):
        self.until(future.done)
        return future.result()

    def call(self, name: str) -> Trigger.Response:
        return self.wait(self.triggers[name].call_async(Trigger.Request()))

    def send(self, goal, name='passthrough_executor'):
        return self.wait(
            self.clients[name].send_goal_async(goal, feedback_callback=self.feedback.append)
        )

    def result(self, handle):
        response = self.wait(handle.get_result_async())
        return OUTCOMES[response.status], response.result.error_code, response.result.error_string

    def execute(self, goal, name='passthrough_executor'):
        handle = self.send(goal, name)
        return self.result(handle) if handle.accepted else ('rejected', None, self.last_refusal())

    def last_refusal(self) -> str:
        lines = [line for line in self.log('executor').read_text().splitlines() if 'goal' in line]
        return lines[-1] if lines else ''

    def end(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)
        for name in reversed(self.processes):
            self.processes[name].send_signal(signal.SIGTERM)
            try:
                self.processes[name].wait(5.0)
            except subprocess.TimeoutExpired:
                self.processes[name].kill()
                self.processes[name].wait(5.0)


@pytest.fixture(scope='module')
def shared_cell(tmp_path_factory):
    cell = Cell(tmp_path_factory.mktemp('cell'))
    for name in ('firmware', 'hardware', 'executor'):
        cell.start(name)
    cell.wait_until_ready()
    yield cell
    cell.end()


@pytest.fixture
def cell(shared_cell):
    """The cell, and nothing latched in it afterwards."""
    yield shared_cell
    if shared_cell.fault:
        shared_cell.spin(0.3)
        shared_cell.call('reset_fault')


def sweep(cell, duration=0.6, size=0.04, knots=9, part=(0.0, 1.0), joint=0, start=None):
    """From where the arm is, to and fro on a joint from rest to rest, or a part of it."""
    start = cell.joints if start is None else start
    size = -size if start[joint] > 0.0 else size
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names = list(JOINT_NAMES)
    for t in np.linspace(*(share * duration for share in part), knots):
        x = t / duration
        q, v = start.copy(), np.zeros(6)
        q[joint] += size * x**3 * (10 - 15 * x + 6 * x * x)
        v[joint] = size * 30 * x**2 * (1 - x) ** 2 / duration
        goal.trajectory.points.append(
            JointTrajectoryPoint(
                positions=q.tolist(),
                velocities=v.tolist(),
                time_from_start=duration_from_seconds(t - part[0] * duration),
            )
        )
    return goal


# --- the table


@dataclass
class Case:
    """A change of a good goal, what comes of it, and words of the reason."""

    change: object
    outcome: str
    code: int | None = None
    words: str = ''


def points(goal):
    return goal.trajectory.points


def set_field(index, name, values):
    def change(goal, _cell):
        setattr(points(goal)[index], name, values)

    return change


def set_number(index, name, joint, value):
    def change(goal, _cell):
        getattr(points(goal)[index], name)[joint] = value

    return change


def tolerance(field, name=JOINT_NAMES[1], **values):
    def change(goal, _cell):
        getattr(goal, field).append(JointTolerance(name=name, **values))

    return change


def stamp(ahead):
    def change(goal, cell):
        now = cell.node.get_clock().now().nanoseconds * 1e-9
        goal.trajectory.header.stamp = time_from_seconds(now + ahead)

    return change


def times(function):
    def change(goal, _cell):
        for index, point in enumerate(points(goal)):
            seconds = function(index, seconds_from_duration(point.time_from_start))
            point.time_from_start = duration_from_seconds(seconds)

    return change


def names(*given):
    def change(goal, _cell):
        goal.trajectory.joint_names = list(given)

    return change


def shuffle(goal, _cell):
    order = [4, 2, 0, 5, 1, 3]
    goal.trajectory.joint_names = [JOINT_NAMES[joint] for joint in order]
    for point in points(goal):
        point.positions = [point.positions[joint] for joint in order]
        point.velocities = [point.velocities[joint] for joint in order]


def only_positions(goal, _cell):
    del points(goal)[1:-1]
    for point in points(goal):
        point.velocities = []


def single_point(goal, cell):
    del points(goal)[:-1]
    points(goal)[0].velocities = []


def single_point_now(goal, cell):
    del points(goal)[1:]


def no_point_now(goal, _cell):
    del points(goal)[0]


def with_accelerations(goal, _cell):
    velocities = np.array([point.velocities for point in points(goal)])
    at = [seconds_from_duration(point.time_from_start) for point in points(goal)]
    slopes = np.gradient(velocities, at, axis=0)
    slopes[[0, -1]] = 0.0
    for point, slope in zip(points(goal), slopes, strict=True):
        point.accelerations = slope.tolist()


def accelerations_alone(goal, _cell):
    for point in points(goal):
        point.velocities, point.accelerations = [], [0.0] * 6


def shift(joint, by):
    def change(goal, _cell):
        for point in points(goal):
            point.positions[joint] += by

    return change


def faster(factor):
    def change(goal, _cell):
        for point in points(goal):
            seconds = seconds_from_duration(point.time_from_start) / factor
            point.time_from_start = duration_from_seconds(seconds)
            point.velocities = [factor * v for v in point.velocities]

    return change


def starts_moving(goal, _cell):
    points(goal)[0].velocities[0] = 0.05


def ends_moving(goal, _cell):
    del points(goal)[6:]


def many_points(goal, _cell):
    point = points(goal)[0]
    goal.trajectory.points = [
        JointTrajectoryPoint(
            positions=point.positions,
            velocities=point.velocities,
            time_from_start=duration_from_seconds(0.001 * index),
        )
        for index in range(20_001)
    ]


def multi_dof(goal, _cell):
    goal.multi_dof_trajectory.points.append(MultiDOFJointTrajectoryPoint())


def component_tolerance(field):
    def change(goal, _cell):
        getattr(goal, field).append(JointComponentTolerance(joint_name=JOINT_NAMES[0]))

    return change


def goal_time(seconds):
    def change(goal, _cell):
        goal.goal_time_tolerance = duration_from_seconds(seconds)

    return change


def nothing(goal, _cell):
    pass


GOOD, BAD, LATER = 'succeeded', 'rejected', 'aborted'
ZERO = [0.0] * 6
TABLE = {
    # what is executed
    'as it should be': Case(nothing, GOOD, 0),
    'joints in another order': Case(shuffle, GOOD, 0),
    'positions alone': Case(only_positions, GOOD, 0),
    'with accelerations': Case(with_accelerations, GOOD, 0),
    'a single point': Case(single_point, GOOD, 0),
    'no point at time 0': Case(no_point_now, GOOD, 0),
    'stamp 0.4 s ago': Case(stamp(-0.4), GOOD, 0),
    'stamp in 0.4 s': Case(stamp(0.4), GOOD, 0),
    'starts 0.0005 rad off': Case(shift(2, 0.0005), GOOD, 0),
    'starts 2.9 degrees off': Case(shift(3, 0.0506), GOOD, 0),
    'path tolerance': Case(tolerance('path_tolerance', position=0.05), GOOD, 0),
    'path tolerance lifted': Case(tolerance('path_tolerance', position=-1.0), GOOD, 0),
    'goal tolerance': Case(tolerance('goal_tolerance', position=1e-3), GOOD, 0),
    'goal tolerance lifted': Case(tolerance('goal_tolerance', velocity=-1.0), GOOD, 0),
    'goal time': Case(goal_time(2.0), GOOD, 0),
    # what is rejected: its form is wrong
    'no points': Case(lambda goal, _: points(goal).clear(), BAD, None, 'no points'),
    'no positions': Case(
        lambda goal, _: [setattr(p, 'positions', []) for p in points(goal)], BAD, None, 'positions'
    ),
    'too few positions': Case(set_field(3, 'positions', ZERO[1:]), BAD, None, '5 positions'),
    'too many positions': Case(set_field(3, 'positions', [*ZERO, 0.0]), BAD, None, '7 positions'),
    'too few velocities': Case(set_field(3, 'velocities', ZERO[1:]), BAD, None, '5 velocities'),
    'velocities left out once': Case(set_field(3, 'velocities', []), BAD, None, '0 velocities'),
    'accelerations once': Case(set_field(3, 'accelerations', ZERO), BAD, None, 'accelerations'),
    'accelerations alone': Case(accelerations_alone, BAD, None, 'without velocities'),
    'effort': Case(set_field(3, 'effort', ZERO), BAD, None, 'effort'),
    'NaN position': Case(set_number(2, 'positions', 3, np.nan), BAD, None, 'elfin_joint4'),
    'infinite position': Case(set_number(2, 'positions', 3, np.inf), BAD, None, 'inf'),
    'NaN velocity': Case(set_number(2, 'velocities', 5, np.nan), BAD, None, 'elfin_joint6'),
    'infinite velocity': Case(set_number(2, 'velocities', 5, -np.inf), BAD, None, '-inf'),
    'time stands': Case(times(lambda i, t: min(t, 0.3)), BAD, None, 'must rise'),
    'time falls': Case(times(lambda i, t: 0.6 - t), BAD, None, 'must rise'),
    'time before 0': Case(times(lambda i, t: t - 0.1), BAD, None, '-0.1 s'),
    'a single point at time 0': Case(single_point_now, BAD, None, 'lasts 0 s'),
    'too short': Case(times(lambda i, t: 1e-4 * t), BAD, None, 'at least 0.001 s'),
    '2e9 s': Case(
        times(lambda i, t: 2e9 if i == 8 else t), BAD, None, 'lasts 2e+09 s, limit 3600 s'
    ),
    'too many points': Case(many_points, BAD, None, '20001 points, limit 20000'),
    'beyond a position limit': Case(
        set_number(4, 'positions', 1, 2.4), BAD, None, 'elfin_joint2 at point 4 is 2.4 rad'
    ),
    'below a position limit': Case(
        set_number(4, 'positions', 4, -2.6), BAD, None, 'elfin_joint5 at point 4 is -2.6 rad'
    ),
    'over a velocity limit': Case(
        set_number(4, 'velocities', 1, 1.6), BAD, None, 'elfin_joint2 at point 4 is 1.6'
    ),
    'velocities of another motion': Case(
        set_number(4, 'velocities', 2, 0.8), BAD, None, 'do not belong together'
    ),
    'positions of another motion': Case(
        set_number(4, 'positions', 2, -1.5), BAD, None, 'do not belong together'
    ),
    'NaN path tolerance': Case(
        tolerance('path_tolerance', position=np.nan), BAD, None, 'position is nan'
    ),
    'negative path tolerance': Case(
        tolerance('path_tolerance', velocity=-0.5), BAD, None, 'velocity is -0.5'
    ),
    'path tolerance of no joint': Case(
        tolerance('path_tolerance', 'elbow'), BAD, None, "path_tolerance names 'elbow'"
    ),
    'acceleration in a path tolerance': Case(
        tolerance('path_tolerance', acceleration=1.0), BAD, None, 'not measured'
    ),
    'NaN goal tolerance': Case(
        tolerance('goal_tolerance', velocity=np.nan), BAD, None, 'velocity is nan'
    ),
    'infinite goal tolerance': Case(
        tolerance('goal_tolerance', position=np.inf), BAD, None, 'position is inf'
    ),
    'goal tolerance of no joint': Case(
        tolerance('goal_tolerance', ''), BAD, None, "goal_tolerance names ''"
    ),
    'negative goal time': Case(goal_time(-1.0), BAD, None, 'goal_time_tolerance is -1 s'),
    'multi DOF': Case(multi_dof, BAD, None, 'multi_dof_trajectory'),
    'component path tolerance': Case(
        component_tolerance('component_path_tolerance'), BAD, None, 'component_path_tolerance'
    ),
    'component goal tolerance': Case(
        component_tolerance('component_goal_tolerance'), BAD, None, 'component_goal_tolerance'
    ),
    # what is accepted and aborted with a code: right at another time, or on another arm
    'a joint missing': Case(names(*JOINT_NAMES[:5]), LATER, -2, 'missing: elfin_joint6'),
    'a joint too many': Case(names(*JOINT_NAMES, 'elbow'), LATER, -2, 'unknown: elbow'),
    'a joint twice': Case(names(*JOINT_NAMES[:5], JOINT_NAMES[0]), LATER, -2, 'twice'),
    'unknown joints': Case(names(*'abcdef'), LATER, -2, 'unknown: a, b, c, d, e, f'),
    'no joints': Case(names(), LATER, -2, 'missing'),
    'over before it came': Case(stamp(-2.0), LATER, -3, 'before it arrived'),
    'stamp in 90 s': Case(stamp(90.0), LATER, -1, 'in the future, limit 60 s'),
    'starts 3.1 degrees off': Case(shift(3, 0.0541), LATER, -1, 'elfin_joint4'),
    'starts in motion': Case(starts_moving, LATER, -1, 'velocity 0.050000 rad/s'),
    'over an acceleration limit': Case(faster(2.4), LATER, -1, 'acceleration of elfin_joint1'),
    'ends in motion': Case(ends_moving, LATER, -5, 'no goal that continues it came in time'),
}


@pytest.mark.parametrize('case', TABLE.values(), ids=TABLE.keys())
def test_every_row_of_the_table(cell, case):
    goal = sweep(cell)
    case.change(goal, cell)
    outcome, code, text = cell.execute(goal)
    assert (outcome, code) == (case.outcome, case.code), text
    assert case.words in text
    if case.outcome == GOOD:
        expected = dict(zip(goal.trajectory.joint_names, points(goal)[-1].positions, strict=True))
        cell.spin(0.05)
        np.testing.assert_allclose(cell.joints, [expected[name] for name in JOINT_NAMES], atol=1e-6)
    assert cell.fault is Fault.NONE


# --- beyond single goals


def test_moveit_and_servo_find_the_controller_under_its_usual_name(cell):
    assert cell.execute(sweep(cell), 'elfin_arm_controller')[:2] == ('succeeded', 0)


def test_a_second_goal_from_elsewhere_is_rejected_while_busy(cell):
    handle = cell.send(sweep(cell, duration=1.0))
    cell.spin(0.3)
    outcome, _, text = cell.execute(sweep(cell, start=cell.joints + 0.01))
    assert outcome == 'rejected'
    assert 'busy' in text
    assert cell.result(handle)[0] == 'succeeded'


def test_a_canceled_goal_holds_for_a_second(cell):
    handle = cell.send(sweep(cell, duration=2.0, size=0.2))
    cell.spin(0.7)
    cell.wait(handle.cancel_goal_async())
    assert cell.result(handle)[:2] == ('canceled', 0)
    rest = cell.joints
    cell.spin(1.0)
    np.testing.assert_array_equal(cell.joints, rest)


def test_50_stops_get_50_answers_and_the_latch_outlives_the_executor(cell):
    handle = cell.send(sweep(cell, duration=2.0, size=0.2))
    cell.spin(0.5)
    calls = [cell.triggers['stop'].call_async(Trigger.Request()) for _ in range(50)]
    assert all(cell.wait(call).success for call in calls)
    outcome, code, text = cell.result(handle)
    assert (outcome, code) == ('aborted', -1)
    assert text.startswith('FAULT: STOP_REQUESTED')
    cell.processes['executor'].kill()
    cell.processes['executor'].wait()
    cell.start('executor')
    # What the killed one has said last, and its server, must not be taken for the new one's.
    cell.spin(2.0)
    cell.wait_until_ready()
    outcome, _, text = cell.execute(sweep(cell))
    assert outcome == 'rejected'
    assert 'STOP_REQUESTED' in text
    assert cell.call('reset_fault').success
    ended = cell.execute(sweep(cell))
    assert ended[:2] == ('succeeded', 0), ended
    answer = cell.call('reset_fault')
    assert not answer.success
    assert 'nothing latched' in answer.message


@pytest.mark.parametrize('flood', ['one of 40,000 points', '120 bad ones'])
def test_other_goals_do_not_starve_a_motion(cell, flood):
    handle = cell.send(sweep(cell, duration=4.0, size=0.3, knots=81))
    cell.spin(0.5)
    bad = sweep(cell, knots=40_000 if flood.startswith('one') else 300)
    points(bad)[-1].velocities = []
    count = 1 if flood.startswith('one') else 120
    sent = [cell.clients['passthrough_executor'].send_goal_async(bad) for _ in range(count)]
    assert not any(cell.wait(each).accepted for each in sent)
    assert cell.result(handle) == ('succeeded', 0, '')
    assert cell.fault is Fault.NONE


def test_the_speed_limit_and_the_future_can_be_asked(cell):
    cell.speed.publish(SpeedScalingFactor(factor=0.5))
    cell.spin(0.2)
    begin = time.monotonic()
    handle = cell.send(sweep(cell, duration=1.0))
    cell.spin(0.8)
    assert cell.states[-1].speed_scaling_factor == 0.5
    now = cell.node.get_clock().now().nanoseconds * 1e-9
    request = QueryTrajectoryState.Request(time=time_from_seconds(now + 0.3))
    answer = cell.wait(cell.query.call_async(request))
    assert answer.success
    assert list(answer.name) == list(JOINT_NAMES)
    assert answer.velocity[0] != 0.0
    request = QueryTrajectoryState.Request(time=time_from_seconds(now + 30.0))
    assert not cell.wait(cell.query.call_async(request)).success
    assert cell.result(handle)[:2] == ('succeeded', 0)
    assert 2.0 < time.monotonic() - begin < 3.5
    cell.speed.publish(SpeedScalingFactor(factor=1.5))
    ignored = 'speed_scaling_input is 1.5: it is a factor from 0 to 1; ignored'
    cell.until(lambda: ignored in cell.log('executor').read_text())
    cell.speed.publish(SpeedScalingFactor(factor=1.0))
    cell.until(lambda: cell.states[-1].speed_scaling_factor == 1.0)


def test_pause_and_resume_on_the_path(cell):
    handle = cell.send(sweep(cell, duration=1.5, size=0.1))
    cell.spin(0.5)
    assert cell.call('pause').success
    cell.spin(0.9)
    rest = cell.joints
    cell.spin(0.5)
    np.testing.assert_array_equal(cell.joints, rest)
    assert cell.call('resume').success
    assert cell.result(handle)[:2] == ('succeeded', 0)


def test_a_servo_stream_moves_the_arm_and_ends_in_a_tail(cell):
    start, begin = cell.joints.copy(), time.monotonic()
    direction = -1.0 if start[0] > 0.0 else 1.0
    cell.path.clear()
    while (now := time.monotonic() - begin) < 1.5:
        message = JointTrajectory(joint_names=list(JOINT_NAMES))
        stamp_now = cell.node.get_clock().now().nanoseconds * 1e-9
        # A clock that is 10 s off, as on another machine.
        message.header.stamp = time_from_seconds(stamp_now - 0.1 - 10.0)
        for t in np.arange(-0.1, 0.1, 0.01):
            q, v = start.copy(), np.zeros(6)
            ahead = max(0.0, now + t)
            q[0] += direction * 0.05 * ahead**2
            v[0] = direction * 0.1 * ahead
            message.points.append(
                JointTrajectoryPoint(
                    positions=q.tolist(),
                    velocities=v.tolist(),
                    time_from_start=duration_from_seconds(t + 0.1),
                )
            )
        cell.stream.publish(message)
        cell.spin(0.01)
    assert cell.execute(sweep(cell))[0] == 'rejected', 'the stream owns the arm'
    cell.spin(1.5)
    assert cell.fault is Fault.NONE
    assert abs(cell.joints[0] - start[0]) > 0.1
    rest = cell.joints
    cell.spin(0.3)
    np.testing.assert_array_equal(cell.joints, rest)
    assert cell.execute(sweep(cell))[:2] == ('succeeded', 0)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The executor node through its ROS interfaces, against a small hardware node in this process."""

import threading
import time
from collections import deque

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('control_msgs', reason='needs control_msgs (make setup)')

from action_msgs.msg import GoalStatus  # noqa: E402
from control_msgs.action import FollowJointTrajectory  # noqa: E402
from control_msgs.msg import DynamicJointState, InterfaceValue, JointTolerance  # noqa: E402
from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.node import Node  # noqa: E402
from std_msgs.msg import Float64MultiArray, UInt32  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402
from trajectory_msgs.msg import JointTrajectoryPoint  # noqa: E402

from elfin_bt.execution.chunk import NO_SEQUENCE, Ack, decode_chunk, encode_ack  # noqa: E402
from elfin_bt.execution.faults import Fault  # noqa: E402
from elfin_bt.execution.node import ExecutorNode  # noqa: E402
from elfin_bt.kinematics.limits import JOINT_NAMES  # noqa: E402
from elfin_bt.ros import qos  # noqa: E402
from elfin_bt.ros.conversions import duration_from_seconds, seconds_from_duration, time_from_seconds  # noqa: E402

READY = np.array([0.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0])
SUCCEEDED = GoalStatus.STATUS_SUCCEEDED
ABORTED = GoalStatus.STATUS_ABORTED
CANCELED = GoalStatus.STATUS_CANCELED


class Hardware(Node):
    """Takes chunks, executes a point a millisecond, acknowledges, latches."""

    def __init__(self):
        super().__init__('pvt_hardware')
        self.epoch, self.fault, self.motion, self.sequence = 50, Fault.NONE, 0, NO_SEQUENCE
        self.points, self.executed, self.motions = deque(), [], set()
        self.position, self.velocity = READY.copy(), np.zeros(6)
        self.begin = self.last = time.monotonic()
        self.create_subscription(Float64MultiArray, '~/chunk', self.take, qos.CHUNK)
        self.acks = self.create_publisher(Float64MultiArray, '~/ack', qos.ACK)
        self.states = self.create_publisher(
            DynamicJointState, 'dynamic_joint_states', qos.JOINT_STATES_PUBLISHED
        )
        self.create_service(Trigger, '~/stop', self.stop)
        self.create_service(Trigger, '~/reset_fault', self.reset)
        self.create_timer(0.01, self.cycle)

    def take(self, message):
        chunk = decode_chunk(message.data)
        if chunk.epoch == self.epoch and not self.fault:
            self.execute()
            assert message.layout.data_offset == 4
            assert [dim.size for dim in message.layout.dim] == [len(chunk), 13]
            self.motion, self.sequence = chunk.motion, chunk.sequence
            self.motions.add(chunk.motion)
            self.points.extend(zip(chunk.positions, chunk.velocities, strict=True))
        self.acknowledge()

    def execute(self):
        now = time.monotonic()
        for _ in range(min(int((now - self.last) / 0.001), len(self.points))):
            self.position, self.velocity = self.points.popleft()
            self.executed.append(self.position)
            self.last += 0.001
        if not self.points:
            self.last, self.velocity = now, np.zeros(6)

    def cycle(self):
        self.execute()
        self.acknowledge()
        state = 1 if self.points else 5 if self.fault else 0
        message = DynamicJointState(joint_names=[*JOINT_NAMES, 'rmp'])
        message.header.stamp = time_from_seconds(time.monotonic() - self.begin)
        message.interface_values = [
            InterfaceValue(interface_names=['position', 'velocity'], values=[q, v])
            for q, v in zip(self.position, self.velocity, strict=True)
        ] + [
            InterfaceValue(
                interface_names=['state', 'frames_loaded'],
                values=[float(state), 2.0 * len(self.points)],
            )
        ]
        self.states.publish(message)

    def acknowledge(self):
        free = 1024 - 2 * len(self.points)
        ack = Ack(self.epoch, self.motion, self.sequence, free, self.fault)
        self.acks.publish(Float64MultiArray(data=encode_ack(ack)))

    def stop(self, _request, response):
        if not self.fault:
            self.epoch, self.fault = self.epoch + 1, Fault.STOP_REQUESTED
        self.points.clear()
        response.success = True
        return response

    def reset(self, _request, response):
        response.success = bool(self.fault)
        response.message = 'reset' if self.fault else 'nothing latched'
        if self.fault:
            self.epoch, self.fault = self.epoch + 1, Fault.NONE
        return response


class Bench:
    """Executor node and hardware node, a thread each, and a client that the test spins."""

    def __init__(self, context):
        self.node, self.hardware, self.user = ExecutorNode(), Hardware(), Node('user')
        self.executors = [SingleThreadedExecutor(context=context) for _ in range(3)]
        for executor, node in zip(self.executors, self.nodes, strict=True):
            executor.add_node(node)
        self.executor = self.executors[2]
        self.threads = [
            threading.Thread(target=each.spin, daemon=True) for each in self.executors[:2]
        ]
        for thread in self.threads:
            thread.start()
        name = 'passthrough_executor/'
        self.client = ActionClient(
            self.user, FollowJointTrajectory, name + 'follow_joint_trajectory'
        )
        self.stop = self.user.create_client(Trigger, name + 'stop')
        self.reset = self.user.create_client(Trigger, name + 'reset_fault')
        self.change = self.user.create_client(ChangeState, name + 'change_state')
        self.lease = self.user.create_publisher(UInt32, name + 'lease', qos.COMMAND)
        self.feedback = []
        self.until(
            lambda: (
                self.client.server_is_ready()
                and self.stop.service_is_ready()
                and self.reset.service_is_ready()
                and self.node.core.progress() is not None
            )
        )
        self.spin(0.1)

    @property
    def nodes(self):
        return self.node, self.hardware, self.user

    def spin(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.01)

    def until(self, condition, limit=10.0):
        end = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < end, 'timed out'
            self.executor.spin_once(timeout_sec=0.01)

    def wait(self, future):
        self.until(future.done)
        return future.result()

    def call(self, client):
        return self.wait(client.call_async(Trigger.Request()))

    def send(self, goal):
        """Handle of the goal, accepted or not."""
        return self.wait(self.client.send_goal_async(goal, feedback_callback=self.feedback.append))

    def result(self, handle):
        response = self.wait(handle.get_result_async())
        return response.status, response.result.error_code, response.result.error_string

    def close(self):
        for executor in self.executors:
            executor.shutdown()
        for thread in self.threads:
            thread.join()
        self.client.destroy()
        for node in self.nodes:
            node.destroy_node()


@pytest.fixture(scope='module')
def context():
    # One thread less beside those of this test; the processes of other tests run with it.
    rclpy.init(args=['--ros-args', '-p', 'is_async:=false'])
    yield rclpy.get_default_context()
    rclpy.shutdown()


@pytest.fixture
def bench(context):
    bench = Bench(context)
    yield bench
    bench.close()


def sweep(duration, begin=0.0, end=None, size=0.1, knots=20):
    """A goal on joint 1 that swings from rest to rest within `duration`, or the part of it."""
    end = duration if end is None else end
    times = np.linspace(begin, end, knots)
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names = list(JOINT_NAMES)
    for t in times:
        x = t / duration
        q, v = READY.copy(), np.zeros(6)
        q[0] = size * x**3 * (10 - 15 * x + 6 * x * x)
        v[0] = size * 30 * x**2 * (1 - x) ** 2 / duration
        goal.trajectory.points.append(
            JointTrajectoryPoint(
                positions=q.tolist(),
                velocities=v.tolist(),
                time_from_start=duration_from_seconds(t - begin),
            )
        )
    return goal


def send_32(bench):
    """Futures of 32 goals in a row: one of 1 s, so that the others come in time, and 0.1 s each."""
    edges = [0.0, *np.linspace(1.0, 4.1, 32)]
    return [
        bench.client.send_goal_async(sweep(4.1, a, b, size=0.3, knots=9))
        for a, b in zip(edges[:-1], edges[1:], strict=True)
    ]


def test_a_goal_runs_with_feedback_and_succeeds(bench):
    handle = bench.send(sweep(1.0))
    assert handle.accepted
    assert bench.result(handle) == (SUCCEEDED, 0, '')
    assert len(bench.hardware.executed) == 1000
    np.testing.assert_allclose(bench.hardware.executed[-1], READY + [0.1, 0, 0, 0, 0, 0])
    assert 10 <= len(bench.feedback) <= 23
    middle = bench.feedback[len(bench.feedback) // 2].feedback
    assert list(middle.joint_names) == list(JOINT_NAMES)
    assert 0.0 < middle.desired.positions[0] < 0.1
    assert 0 < middle.desired.time_from_start.nanosec < 1_000_000_000


def test_32_queued_goals_run_as_one_motion(bench):
    handles = [bench.wait(future) for future in send_32(bench)]
    assert all(handle.accepted for handle in handles)
    results = [handle.get_result_async() for handle in handles]
    for future in results:
        response = bench.wait(future)
        assert (response.status, response.result.error_code) == (SUCCEEDED, 0)
    assert len(bench.hardware.motions) == 1
    assert len(bench.hardware.executed) in (4100, 4101)


def test_cancel_comes_to_rest_and_then_answers(bench):
    handle = bench.send(sweep(3.0, size=0.4))
    bench.spin(0.8)
    assert bench.wait(handle.cancel_goal_async()).goals_canceling
    status, code, _ = bench.result(handle)
    assert (status, code) == (CANCELED, 0)
    assert not bench.hardware.points
    assert len(bench.hardware.executed) < 2000
    acceleration = np.diff(bench.hardware.executed, 2, axis=0) / 1e-6
    assert np.abs(acceleration).max() < 3.0


def test_stop_reset_and_again(bench):
    answer = bench.call(bench.reset)
    assert not answer.success
    assert answer.message == 'nothing latched'

    handle = bench.send(sweep(3.0, size=0.3))
    bench.spin(0.5)
    assert bench.call(bench.stop).success
    status, code, text = bench.result(handle)
    assert (status, code) == (ABORTED, -1)
    assert text.startswith('FAULT: STOP_REQUESTED')
    assert bench.call(bench.stop).success
    assert not bench.send(sweep(1.0)).accepted

    assert bench.call(bench.reset).success
    executed = len(bench.hardware.executed)
    bench.spin(0.2)
    assert len(bench.hardware.executed) == executed
    goal = sweep(1.0)
    for point in goal.trajectory.points:
        point.positions[0] += bench.hardware.position[0]
    handle = bench.send(goal)
    assert handle.accepted
    assert bench.result(handle)[0] == SUCCEEDED


def test_every_goal_of_a_long_queue_hears_of_its_end(bench):
    results = [bench.wait(future).get_result_async() for future in send_32(bench)]
    bench.spin(0.3)
    assert bench.call(bench.stop).success
    for future in results[20:]:
        assert bench.wait(future).result.error_string.startswith('FAULT: STOP_REQUESTED')


def test_a_silent_lease_ends_the_motion(bench):
    handle = bench.send(sweep(4.0, size=0.3))
    for _ in range(5):
        bench.lease.publish(UInt32(data=1))
        bench.spin(0.05)
    status, code, text = bench.result(handle)
    assert (status, code) == (ABORTED, -1)
    assert 'lease' in text
    assert bench.hardware.fault is Fault.NONE
    assert len(bench.hardware.executed) < 2000


def test_refusals(bench):
    def changed(change):
        goal = sweep(1.0)
        change(goal)
        return goal

    def joints(goal):
        goal.trajectory.joint_names[2] = 'elbow'

    def start(goal):
        for point in goal.trajectory.points:
            point.positions[3] += 0.06

    def future(goal):
        now = bench.node.get_clock().now().nanoseconds * 1e-9
        goal.trajectory.header.stamp = time_from_seconds(now + 90.0)

    def hasty(goal):
        for point in goal.trajectory.points:
            point.time_from_start = duration_from_seconds(
                0.4 * seconds_from_duration(point.time_from_start)
            )
            point.velocities = [2.5 * v for v in point.velocities]

    for change, code, words in (
        (joints, -2, 'missing: elfin_joint3; unknown: elbow'),
        (start, -1, 'elfin_joint4'),
        (future, -1, 'in the future'),
        (hasty, -1, 'elfin_joint1'),
    ):
        handle = bench.send(changed(change))
        assert handle.accepted, change
        status, given, text = bench.result(handle)
        assert (status, given) == (ABORTED, code)
        assert words in text

    def empty(goal):
        goal.trajectory.points.clear()

    def short(goal):
        goal.trajectory.points[3].velocities.pop()

    def beyond(goal):
        goal.trajectory.points[5].positions[4] = -2.7

    def no_tolerance(goal):
        goal.path_tolerance.append(JointTolerance(name=JOINT_NAMES[0], position=np.nan))

    for change in (empty, short, beyond, no_tolerance):
        assert not bench.send(changed(change)).accepted, change
    assert not bench.hardware.executed


def test_deactivation_stops_the_arm(bench):
    handle = bench.send(sweep(3.0, size=0.3))
    bench.spin(0.5)
    transition = Transition(id=Transition.TRANSITION_DEACTIVATE)
    bench.wait(bench.change.call_async(ChangeState.Request(transition=transition)))
    status, _, text = bench.result(handle)
    assert status == ABORTED
    assert 'deactivated' in text
    assert bench.hardware.fault is Fault.STOP_REQUESTED
    assert not bench.send(sweep(1.0)).accepted

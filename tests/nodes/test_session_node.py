# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session node, with its real planner, on a cell whose executor and arm are a test's."""

import json
import math
import threading
import time
from collections import deque

import numpy as np
import pytest
import rclpy
from action_msgs.srv import CancelGoal
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.action import ActionServer, CancelResponse
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String, UInt32
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from elfin_bt.drawing.load import load_drawing
from elfin_bt.execution.chunk import NO_SEQUENCE, Ack, encode_ack
from elfin_bt.execution.faults import Fault
from elfin_bt.kinematics import JOINT_NAMES
from elfin_bt.ros import qos
from elfin_bt.ros.conversions import seconds_from_duration
from elfin_bt.session.node import SessionNode

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="20mm" viewBox="0 0 40 20">
<path d="M 2 2 H 38 V 18 M 5 15 L 20 5" fill="none" stroke="black"/></svg>"""


class FakeCell(Node):
    """Stands in for executor and hardware: an arm that is where the last goal has ended."""

    def __init__(self) -> None:
        super().__init__('fake_cell')
        self.joints = np.zeros(6)
        self.fault = Fault.NONE
        self.goals = []
        self.open = deque()
        self.hold = False
        self.cancelled = 0
        self.abort_with = ''
        self.leases = []
        self.job_status = []
        self.states = []
        self.tf = {}
        self.markers = {'plan': 0, 'ink': 0}
        self._joint_states = self.create_publisher(JointState, 'joint_states', 10)
        self.bad_joints = self.create_publisher(JointState, 'joint_states', 10)
        self._ack = self.create_publisher(Float64MultiArray, 'pvt_hardware/ack', qos.ACK)
        self._state = self.create_publisher(
            JointTrajectoryControllerState, 'passthrough_executor/controller_state', 10
        )
        self.create_timer(0.01, self._report)
        self.create_service(Trigger, 'passthrough_executor/reset_fault', self._on_reset)
        self._server = ActionServer(
            self,
            FollowJointTrajectory,
            'passthrough_executor/follow_joint_trajectory',
            execute_callback=self._execute,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        self.create_timer(0.005, self._work)
        for kind, topic, callback, profile in (
            (UInt32, 'passthrough_executor/lease', self.leases.append, qos.COMMAND),
            (String, 'session/job_status', self._on_status, qos.LATCHED),
            (DiagnosticArray, 'session/state', self.states.append, qos.LATCHED),
            (TFMessage, '/tf', self._on_tf, qos.TF),
            (TFMessage, '/tf_static', self._on_tf, qos.TF_STATIC),
            (MarkerArray, 'session/plan', lambda m: self._on_markers('plan', m), qos.MARKERS),
            (MarkerArray, 'session/ink', lambda m: self._on_markers('ink', m), qos.MARKERS),
        ):
            self.create_subscription(kind, topic, callback, profile)
        self.job = self.create_publisher(String, 'session/job', qos.COMMAND)
        self.cancel_all = self.create_client(
            CancelGoal, 'passthrough_executor/follow_joint_trajectory/_action/cancel_goal'
        )
        # Made before the node is spun: what is added from another thread can stop its timers.
        self.triggers = {
            name: self.create_client(Trigger, name)
            for name in ('session/home', 'session/cancel', 'session/reset_fault')
        }

    def _report(self) -> None:
        message = JointState(name=list(JOINT_NAMES[::-1]))
        message.header.stamp = self.get_clock().now().to_msg()
        message.position = self.joints[::-1].tolist()
        message.velocity = [0.0] * 6
        self._joint_states.publish(message)
        self._state.publish(JointTrajectoryControllerState())
        self._ack.publish(
            Float64MultiArray(data=encode_ack(Ack(1, 0, NO_SEQUENCE, 1024, self.fault)))
        )

    def _on_accepted(self, handle):
        self.goals.append(handle.request.trajectory)
        self.open.append(handle)

    def _work(self) -> None:
        """End the next goal unless the motion is held; one a time, rclpy turns more around."""
        if self.open and (self.open[0].is_cancel_requested or not self.hold):
            self.open.popleft().execute()

    def _execute(self, handle):
        result = FollowJointTrajectory.Result()
        if handle.is_cancel_requested:
            self.cancelled += 1
            handle.canceled()  # its error code is 0, as the executor's is
        elif self.abort_with:
            handle.abort()
            result.error_code = FollowJointTrajectory.Result.INVALID_GOAL
            result.error_string = self.abort_with
        else:
            self.joints = np.array(handle.request.trajectory.points[-1].positions)
            handle.succeed()
        return result

    def _on_reset(self, request, response):
        self.fault = Fault.NONE
        response.success = True
        return response

    def _on_status(self, message):
        self.job_status.append(json.loads(message.data))

    def _on_tf(self, message):
        for transform in message.transforms:
            self.tf[transform.child_frame_id] = transform.header.frame_id

    def _on_markers(self, name, message):
        self.markers[name] += sum(marker.action == Marker.ADD for marker in message.markers)

    def phase(self, job_id):
        found = [status for status in self.job_status if status['id'] == job_id]
        return found[-1]['phase'] if found else None


def spin(node, over):
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    while not over.is_set():
        executor.spin_once(timeout_sec=0.05)
    executor.shutdown()


@pytest.fixture
def cell():
    rclpy.init()
    session, fake = SessionNode(), FakeCell()
    over = threading.Event()
    threads = [
        threading.Thread(target=spin, args=(node, over), daemon=True) for node in (session, fake)
    ]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: session.core.robot.executor_available, 'the action server')
        wait_until(lambda: session.core.robot.positions is not None, 'joint states')
        wait_until(lambda: fake.job.get_subscription_count() == 1, 'the job topic')
        yield fake
    finally:
        fake.hold = False
        over.set()
        for thread in threads:
            thread.join()
        session.core.close()
        # What is latched must not reach the next test.
        session.destroy_node()
        fake.destroy_node()
        rclpy.try_shutdown()


def wait_until(condition, what, timeout=15.0):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f'{what}: not within {timeout} s'
        time.sleep(0.01)


def submit(cell, **job):
    cell.job.publish(String(data=json.dumps({'kind': 'draw', **job})))


def call(cell, service):
    client = cell.triggers[service]
    assert client.wait_for_service(timeout_sec=5.0)
    future = client.call_async(Trigger.Request())
    wait_until(future.done, service)
    return future.result()


@pytest.fixture
def recipe(tmp_path):
    svg = tmp_path / 'two.svg'
    svg.write_text(SVG, encoding='utf-8')
    path = tmp_path / 'recipe.json'
    path.write_text(load_drawing(svg).to_json(), encoding='utf-8')
    return str(path)


def test_a_drawing_is_planned_and_sent_as_one_unbroken_motion(cell, recipe):
    submit(cell, id='a', recipe_file=recipe)
    wait_until(lambda: cell.phase('a') in ('done', 'failed', 'refused'), 'the end')
    end = cell.job_status[-1]
    assert (end['phase'], end['reason']) == ('done', '')
    assert (end['strokes'], end['strokes_done']) == (2, 2)
    assert end['ink_m'] == pytest.approx(0.070, abs=0.001)
    durations = [seconds_from_duration(goal.points[-1].time_from_start) for goal in cell.goals]
    assert max(durations) <= 0.5 + 1e-9
    for before, after in zip(cell.goals, cell.goals[1:], strict=False):
        assert before.joint_names == list(JOINT_NAMES)
        assert list(before.points[-1].positions) == list(after.points[0].positions)
        assert list(before.points[-1].velocities) == list(after.points[0].velocities)
    assert list(cell.goals[-1].points[-1].velocities) == [0.0] * 6
    assert end['planned_duration_s'] < sum(durations)
    assert cell.leases, 'the executor is told that somebody looks after the motion'


def test_a_viewer_sees_the_arm_the_paper_and_the_plan(cell, recipe):
    submit(cell, id='a', recipe_file=recipe)
    wait_until(lambda: cell.phase('a') == 'done', 'the end')
    wait_until(lambda: cell.markers['plan'] >= 3, 'two strokes and the way between them')
    assert cell.tf['paper'] == 'world'
    assert cell.tf['elfin_link1'] == 'elfin_base'
    assert cell.tf['pen_tip'] == 'elfin_end_link'


@pytest.mark.parametrize(
    ('job', 'reason'),
    [
        ({'kind': 'dance'}, '"kind" is \'dance\''),
        ({'recipe_file': '/no/such/recipe.json'}, '/no/such/recipe.json'),
        ({'recipe': {}}, 'recipe'),
    ],
)
def test_a_bad_job_is_refused_and_nothing_moves(cell, job, reason):
    submit(cell, id='bad', **job)
    wait_until(lambda: cell.phase('bad') == 'refused', 'the refusal')
    assert reason in cell.job_status[-1]['reason']
    assert cell.goals == []


def test_home_is_a_motion_to_the_ready_pose(cell):
    answer = call(cell, 'session/home')
    assert (answer.success, answer.message) == (True, '')
    wait_until(lambda: cell.phase('home') == 'done', 'the end')
    np.testing.assert_allclose(cell.joints, [0, 0, -np.pi / 2, 0, -np.pi / 2, 0], atol=1e-9)


def test_a_fault_is_explained_and_a_reset_makes_the_session_usable_again(cell, recipe):
    cell.hold = True
    submit(cell, id='a', recipe_file=recipe)
    wait_until(lambda: cell.phase('a') == 'homing' and cell.goals, 'motion')
    cell.fault = Fault.OUT_OF_FRAMES
    wait_until(lambda: cell.phase('a') == 'failed', 'the end')
    assert cell.job_status[-1]['reason'].startswith('hardware: OUT_OF_FRAMES')
    assert cell.job_status[-1]['figures']['out_of_frames'] == 1
    assert cell.cancelled == len(cell.goals)
    wait_until(
        lambda: cell.states[-1].status[0].level == DiagnosticStatus.ERROR, 'the latched state'
    )
    assert 'OUT_OF_FRAMES' in cell.states[-1].status[0].message
    refused = call(cell, 'session/home')
    assert not refused.success
    assert 'reset_fault' in refused.message

    cell.hold = False
    assert call(cell, 'session/reset_fault').success
    goals = len(cell.goals)
    time.sleep(0.3)
    assert len(cell.goals) == goals, 'nothing resumes by itself'
    wait_until(lambda: cell.states[-1].status[0].level == DiagnosticStatus.OK, 'a clear state')
    assert call(cell, 'session/home').success
    assert not call(cell, 'session/reset_fault').success, 'nothing is latched any more'


def test_a_goal_that_the_executor_aborts_ends_the_job_with_its_words(cell, recipe):
    cell.abort_with = 'ran dry at 0.3 rad/s and stopped on the path'
    submit(cell, id='a', recipe_file=recipe)
    wait_until(lambda: cell.phase('a') == 'failed', 'the end')
    assert cell.job_status[-1]['reason'] == f'executor: {cell.abort_with}'


def test_a_goal_that_another_client_cancels_fails_the_job(cell, recipe):
    submit(cell, id='a', recipe_file=recipe)
    wait_until(lambda: cell.phase('a') == 'drawing', 'drawing')
    cell.hold = True
    wait_until(lambda: cell.open, 'goals that wait')
    cell.cancel_all.call_async(CancelGoal.Request())
    wait_until(lambda: cell.phase('a') in ('failed', 'done'), 'the end')
    assert cell.phase('a') == 'failed'
    assert 'cancelled' in cell.job_status[-1]['reason']


def test_joint_states_that_lack_something_are_not_heard(cell):
    for values in ({'position': [0.0] * 6}, {'position': [0.0] * 6, 'velocity': [math.nan] * 6}):
        cell.bad_joints.publish(JointState(name=list(JOINT_NAMES), **values))
    cell.bad_joints.publish(JointState(name=list(JOINT_NAMES[::-1])))
    assert call(cell, 'session/home').success


def test_a_cancelled_job_goes_home(cell, recipe):
    cell.hold = True
    submit(cell, id='a', recipe_file=recipe)
    wait_until(lambda: cell.phase('a') == 'homing' and cell.goals, 'motion')
    assert call(cell, 'session/cancel').success
    wait_until(lambda: cell.cancelled == len(cell.goals), 'all goals cancelled')
    cell.hold = False
    wait_until(lambda: cell.phase('a') == 'failed', 'the end')
    assert cell.job_status[-1]['reason'] == 'cancelled on request'
    np.testing.assert_allclose(cell.joints, [0, 0, -np.pi / 2, 0, -np.pi / 2, 0], atol=1e-9)

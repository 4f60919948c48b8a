# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session node: a thin shell of ROS around :class:`elfin_bt.session.core.SessionCore`.

Topics in: ``~/job`` (JSON, see job.py), ``joint_states``, ``pvt_hardware/ack``.
Topics out: ``~/job_status`` (JSON, latched), ``~/state`` (DiagnosticArray, latched), ``~/plan`` and
``~/ink`` (MarkerArray), ``/tf``, ``/tf_static``, ``robot_description``,
``passthrough_executor/lease``.
Services: ``~/home``, ``~/cancel``, ``~/reset_fault`` (Trigger).
Motion goes to the action ``passthrough_executor/follow_joint_trajectory``.

Timers run on the steady clock; stamps are ROS time, which is device time with a sped-up phantom.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger

from elfin_bt.execution.chunk import ChunkError, decode_ack
from elfin_bt.kinematics import JOINT_NAMES
from elfin_bt.planning.worker_client import PlannerClient
from elfin_bt.resources import share_path
from elfin_bt.ros import qos
from elfin_bt.ros.parameters import declare
from elfin_bt.ros.run_node import run_node
from elfin_bt.session.core import SessionCore, SessionPorts
from elfin_bt.session.ink_trail import InkTrail
from elfin_bt.session.job import JobStatus
from elfin_bt.session.node_table import PLANNERS
from elfin_bt.session.recipe_loader import RecipeLoading
from elfin_bt.session.ros_executor import ExecutorLink
from elfin_bt.session.ros_markers import DrawingMarkers
from elfin_bt.session.ros_planner_config import declare_planner_config
from elfin_bt.session.ros_state import state_message
from elfin_bt.session.ros_transforms import TransformPublisher
from elfin_bt.session.tick_stats import TickStats

LEASE_PERIOD = 0.1
STATUS_PERIOD = 0.2
MARKER_PERIOD = 0.2
STATE_PERIOD = 1.0
REST_TIMEOUT = 0.8
SWITCH_INTERVAL = 0.0005


class SessionNode(Node):
    """Owns the core, feeds it, ticks it, and publishes what it reports."""

    def __init__(self) -> None:
        super().__init__('session')
        tick_rate = declare(self, 'tick_rate', 50.0, 'ticks a second', minimum=10.0, maximum=200.0)
        declare(self, 'planner', PLANNERS[0], 'who plans', choices=PLANNERS, read_only=True)
        config = declare_planner_config(self)
        self._reports: list[JobStatus] = []
        self._link = ExecutorLink(self)
        self._job_status = self.create_publisher(String, '~/job_status', qos.LATCHED)
        self._state = self.create_publisher(DiagnosticArray, '~/state', qos.LATCHED)
        self._trail = InkTrail(config.paper, config.pen_length)
        self._markers = DrawingMarkers(self, self._trail)
        self._transforms = TransformPublisher(
            self, share_path('config/elfin5.urdf').read_text(encoding='utf-8'), config.paper
        )
        self.core = SessionCore(
            share_path('trees/session.xml'),
            SessionPorts(
                clock=time.monotonic,
                start_planner=lambda: PlannerClient(config),
                transport=self._link,
                executor=self._link,
                load_recipe=RecipeLoading,
                report_job=self._reports.append,
                max_goals=declare(
                    self, 'queue_goals', 16, 'goals sent ahead', minimum=2, maximum=32
                ),
                max_seconds=declare(
                    self, 'queue_seconds', 3.0, 'motion sent ahead, s', minimum=0.5, maximum=30.0
                ),
            ),
        )
        self._link.listen(self.core.motion, self.core.robot)
        self._stats = TickStats(1.0 / tick_rate)
        self._shown_recipe: object = None
        self._state_summary: tuple[object, ...] = ()
        self._connect(tick_rate)

    def _connect(self, tick_rate: float) -> None:
        self.create_subscription(String, '~/job', self._on_job, qos.COMMAND)
        self.create_subscription(
            JointState, 'joint_states', self._on_joint_states, qos.JOINT_STATES_READ
        )
        self.create_subscription(Float64MultiArray, 'pvt_hardware/ack', self._on_ack, qos.ACK)
        self.create_service(Trigger, '~/home', self._on_home)
        self.create_service(Trigger, '~/cancel', self._on_cancel)
        # It waits for ticks to happen, so it can't be in the group that keeps them off meanwhile.
        waits = ReentrantCallbackGroup()
        self.create_service(Trigger, '~/reset_fault', self._on_reset, callback_group=waits)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        for period, callback in (
            (1.0 / tick_rate, self._on_tick),
            (LEASE_PERIOD, self._on_lease),
            (STATUS_PERIOD, self._on_status),
            (MARKER_PERIOD, self._markers.publish),
            (STATE_PERIOD, self._publish_state),
        ):
            self.create_timer(period, callback, clock=steady)

    # What arrives.

    def _on_job(self, message: String) -> None:
        self.core.jobs.submit(message.data, self.core.faults.cause)

    def _on_joint_states(self, message: JointState) -> None:
        count = len(message.name)
        if len(message.position) != count or len(message.velocity) != count:
            return  # not of our hardware node, which always gives both
        if list(message.name) == list(JOINT_NAMES):
            positions, velocities = np.array(message.position), np.array(message.velocity)
        else:
            order = {name: index for index, name in enumerate(message.name)}
            if not set(JOINT_NAMES) <= set(order):
                return  # the states of some other device
            indices = [order[name] for name in JOINT_NAMES]
            positions = np.array(message.position)[indices]
            velocities = np.array(message.velocity)[indices]
        if not (np.isfinite(positions).all() and np.isfinite(velocities).all()):
            return
        self.core.robot.on_joints(positions, velocities)
        self._trail.add(positions)
        self._transforms.publish(
            message.header.stamp, dict(zip(JOINT_NAMES, positions.tolist(), strict=True))
        )

    def _on_ack(self, message: Float64MultiArray) -> None:
        try:
            self.core.robot.on_fault_code(decode_ack(message.data).fault)
        except ChunkError as error:
            self.get_logger().error(str(error), throttle_duration_sec=5.0)

    def _on_home(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return _answered(response, self.core.jobs.request_home(self.core.faults.cause))

    def _on_cancel(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return _answered(response, self.core.jobs.request_cancel())

    async def _on_reset(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        answer = Future()
        self.core.jobs.request_reset(self.core.faults.cause, answer.set_result)
        return _answered(response, await answer)

    # What happens by itself.

    def _on_tick(self) -> None:
        began = time.perf_counter()
        self.core.tick()
        self._stats.add(time.perf_counter() - began)
        self._publish_reports()
        self._show_recipe()
        summary = (self.core.activity, self.core.faults.cause, self.core.jobs.active)
        if summary != self._state_summary:
            self._state_summary = summary
            self._publish_state()

    def _show_recipe(self) -> None:
        recipe = self.core.jobs.recipe
        if recipe is not None and recipe is not self._shown_recipe:
            self._markers.show(recipe)
            self._shown_recipe = recipe
            # It is large and stays as long as its job; collections should not walk through it.
            gc.freeze()

    def _on_lease(self) -> None:
        if self.core.owns_motion:
            self._link.renew_lease()

    def _on_status(self) -> None:
        if self.core.jobs.active and self.core.jobs.status is not None:
            self._reports.append(self.core.jobs.status)

    def _publish_reports(self) -> None:
        for status in self._reports:
            self._job_status.publish(String(data=status.to_json()))
        self._reports.clear()

    def _publish_state(self) -> None:
        self._state.publish(state_message(self, self.core, self._stats))


def _answered(response: Trigger.Response, refusal: str) -> Trigger.Response:
    response.success, response.message = not refusal, refusal
    return response


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; motion comes to rest before it ends."""
    # While a thread reads a large recipe, a tick waits this long for its turn (5 ms by default).
    sys.setswitchinterval(SWITCH_INTERVAL)
    run_node(_announced, args, end=_come_to_rest)
    return 0


def _announced() -> SessionNode:
    """Make the node and let the supervisor know that it is up."""
    node = SessionNode()
    ready_file = declare(node, 'ready_file', '', 'created once the node is up', read_only=True)
    if ready_file:
        Path(ready_file).touch()
    return node


def _come_to_rest(node: SessionNode, executor: SingleThreadedExecutor) -> None:
    """Give the job up and wait until its motion has ended."""
    node.core.end()
    give_up_at = time.monotonic() + REST_TIMEOUT
    while not node.core.motion.idle and time.monotonic() < give_up_at:
        executor.spin_once(timeout_sec=0.05)
    node.core.close()


if __name__ == '__main__':
    sys.exit(main())

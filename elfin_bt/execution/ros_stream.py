# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The streaming topic and the speed limit: what other nodes publish to the executor."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from control_msgs.msg import SpeedScalingFactor
from rclpy.lifecycle import LifecycleNode
from std_msgs.msg import UInt32
from trajectory_msgs.msg import JointTrajectory

from elfin_bt.execution.core import ExecutorCore
from elfin_bt.execution.ros_feed import NANOSECOND, FeedLoop
from elfin_bt.execution.ros_messages import window_request
from elfin_bt.ros import qos


class StreamTopics:
    """Subscribes `topics` of JointTrajectory, `~/speed_scaling_input` and `~/lease`.

    Attributes:
        last_refusal: why a message on one of the topics was not followed.
        refused: how many were not.
    """

    def __init__(
        self, node: LifecycleNode, core: ExecutorCore, feed: FeedLoop, topics: Sequence[str]
    ) -> None:
        self._node = node
        self._core = core
        self._feed = feed
        self.last_refusal = ''
        self.refused = 0
        self._subscriptions = [
            *(
                node.create_subscription(JointTrajectory, topic, self._on_window, qos.COMMAND)
                for topic in topics
            ),
            node.create_subscription(
                SpeedScalingFactor, '~/speed_scaling_input', self._on_speed, qos.LATCHED
            ),
            node.create_subscription(UInt32, '~/lease', self._on_lease, qos.COMMAND),
        ]

    def destroy(self) -> None:
        """Take the subscriptions down."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _on_window(self, message: JointTrajectory) -> None:
        request = window_request(message)
        stamp_now = self._node.get_clock().now().nanoseconds * NANOSECOND
        with self._feed.lock:
            refusal = self._core.hear_window(request, time.monotonic(), stamp_now)
            self._feed.act()
        if refusal:
            self.last_refusal = refusal
            self.refused += 1
            self._node.get_logger().warning(
                f'stream not followed: {refusal}', throttle_duration_sec=1.0
            )

    def _on_speed(self, message: SpeedScalingFactor) -> None:
        factor = message.factor
        if not (math.isfinite(factor) and 0.0 <= factor <= 1.0):
            self._node.get_logger().error(
                f'speed_scaling_input is {factor:g}: it is a factor from 0 to 1; ignored'
            )
            return
        with self._feed.lock:
            self._core.limit_speed(factor)
            self._feed.act()

    def _on_lease(self, _message: UInt32) -> None:
        with self._feed.lock:
            self._core.hear_lease(time.monotonic())

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A client of the public ROS interfaces of the session, the executor and the hardware node."""

from __future__ import annotations

import json
from typing import Any

from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from elfin_bt.ros import qos


class SessionClient:
    """Sends jobs to a session and hears of them; stops the arm; switches the record.

    It only holds publishers, subscriptions and clients: whoever owns `node` spins it.
    """

    def __init__(self, node: Node) -> None:
        self._job_publisher = node.create_publisher(String, 'session/job', qos.COMMAND)
        node.create_subscription(String, 'session/job_status', self._on_status, qos.LATCHED)
        self._record = node.create_client(SetBool, 'pvt_hardware/record')
        self._stops = [
            node.create_client(Trigger, 'passthrough_executor/stop'),
            # The latch lives here, so this one also works when the executor has died.
            node.create_client(Trigger, 'pvt_hardware/stop'),
        ]
        self._statuses: dict[str, dict[str, Any]] = {}

    @property
    def ready(self) -> bool:
        """Whether the session hears jobs and the executor and hardware offer their services."""
        return (
            self._job_publisher.get_subscription_count() > 0
            and self._record.service_is_ready()
            and all(stop.service_is_ready() for stop in self._stops)
        )

    @property
    def missing(self) -> list[str]:
        """The interfaces that have not been found yet."""
        found = {
            'session/job': self._job_publisher.get_subscription_count() > 0,
            self._record.srv_name: self._record.service_is_ready(),
            **{stop.srv_name: stop.service_is_ready() for stop in self._stops},
        }
        return [name for name, is_there in found.items() if not is_there]

    def submit(self, job: dict[str, Any]) -> None:
        """Publish a job; its `id` is what `status` is asked by afterwards."""
        self._job_publisher.publish(String(data=json.dumps(job, allow_nan=False)))

    def status(self, job_id: str) -> dict[str, Any] | None:
        """The newest status of that job, or None before the first."""
        return self._statuses.get(job_id)

    def stop(self) -> list[Future]:
        """Stop the arm on its path through every stop service that is there."""
        return [
            stop.call_async(Trigger.Request()) for stop in self._stops if stop.service_is_ready()
        ]

    def record(self, enable: bool) -> Future:
        """Start or end the record of executed samples; the answer's message is its path."""
        return self._record.call_async(SetBool.Request(data=enable))

    def _on_status(self, message: String) -> None:
        try:
            status = json.loads(message.data)
            self._statuses[status['id']] = status
        except (ValueError, KeyError, TypeError):
            # Another publisher's noise on the topic is not ours to judge.
            return

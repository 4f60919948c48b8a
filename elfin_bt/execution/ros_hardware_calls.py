# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Services that the executor passes on to the hardware node: reset, pause, resume.

Latch and feed rate live there, so they outlive this node. An answer comes once the executor itself
has heard of the change: who has it may send a goal at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.lifecycle import LifecycleNode
from rclpy.task import Future
from std_srvs.srv import Trigger

from elfin_bt.execution.core import ExecutorCore

ANSWER_TIMEOUT = 2.0  # s that the hardware node may take for a service


class HardwareCalls:
    """`~/reset_fault`, `~/pause` and `~/resume`; `watch` is called many times a second."""

    def __init__(self, node: LifecycleNode, core: ExecutorCore) -> None:
        self._node = node
        self._waiting: list[_Wait] = []
        calls: tuple[tuple[str, Callable[[], bool]], ...] = (
            ('reset_fault', lambda: not core.fault),
            ('pause', lambda: core.paused),
            ('resume', lambda: not core.paused),
        )
        # They wait for answers, and a group that excludes would hold everything up meanwhile.
        group = ReentrantCallbackGroup()
        self._clients = []
        self._services = []
        for name, is_done in calls:
            client = node.create_client(Trigger, f'pvt_hardware/{name}', callback_group=group)
            self._clients.append(client)
            self._services.append(
                node.create_service(
                    Trigger, f'~/{name}', self._forwards(name, client, is_done),
                    callback_group=group,
                )
            )  # fmt: skip

    def destroy(self) -> None:
        """Take the services down."""
        for service in self._services:
            self._node.destroy_service(service)
        for client in self._clients:
            self._node.destroy_client(client)

    def watch(self) -> None:
        """Look whether what the coroutines wait for has happened."""
        now = time.monotonic()
        self._waiting = [wait for wait in self._waiting if not wait.is_over(now)]

    def _forwards(
        self, name: str, client: Client, is_done: Callable[[], bool]
    ) -> Callable[..., object]:
        async def forward(
            _request: Trigger.Request, response: Trigger.Response
        ) -> Trigger.Response:
            if not client.service_is_ready():
                response.message = f'pvt_hardware/{name} is not there: start the hardware node'
                return response
            call = client.call_async(Trigger.Request())
            if not await self._until(call.done):
                client.remove_pending_request(call)
                response.message = f'pvt_hardware did not answer within {ANSWER_TIMEOUT:g} s'
                return response
            answer = call.result()
            if answer.success:
                await self._until(is_done)
            response.success, response.message = answer.success, answer.message
            return response

        return forward

    def _until(self, condition: Callable[[], bool]) -> Future:
        """True once `condition` holds, False after ANSWER_TIMEOUT."""
        wait = _Wait(condition, time.monotonic() + ANSWER_TIMEOUT)
        self._waiting.append(wait)
        return wait.future


class _Wait:
    """A coroutine's wait for a condition, looked at again and again."""

    def __init__(self, condition: Callable[[], bool], deadline: float) -> None:
        self.future: Future = Future()
        self._condition = condition
        self._deadline = deadline

    def is_over(self, now: float) -> bool:
        """Whether the condition holds or time is up; the future then says which."""
        holds = self._condition()
        if holds or now > self._deadline:
            self.future.set_result(holds)
            return True
        return False

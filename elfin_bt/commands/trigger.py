# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Calling one of the session's Trigger services from a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import rclpy
from std_srvs.srv import Trigger

FIND_TIMEOUT = 5.0
ANSWER_TIMEOUT = 10.0


def trigger(services: Sequence[str]) -> int:
    """Call the first of the services that is there and print its answer.

    Exit code 0: it did what it is for, 1: it did not, or no session was found.
    """
    rclpy.init()
    node = rclpy.create_node('elfin_bt_command')
    try:
        clients = [node.create_client(Trigger, service) for service in services]
        found = [client for client in clients if client.wait_for_service(FIND_TIMEOUT)][:1]
        if not found:
            print('no session was found; start one with: elfin-bt session', file=sys.stderr)
            return 1
        future = found[0].call_async(Trigger.Request())
        rclpy.spin_until_future_complete(node, future, timeout_sec=ANSWER_TIMEOUT)
        answer = future.result()
        if answer is None:
            print(f'{found[0].srv_name} has not answered in {ANSWER_TIMEOUT:g} s', file=sys.stderr)
            return 1
        print(answer.message or 'done', file=sys.stdout if answer.success else sys.stderr)
        return 0 if answer.success else 1
    finally:
        node.destroy_node()
        rclpy.try_shutdown()

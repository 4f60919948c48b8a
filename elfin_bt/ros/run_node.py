# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Running a node as a process: signals, garbage collection, and rest before the end."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

NodeT = TypeVar('NodeT', bound=Node)


def run_node(
    make_node: Callable[[], NodeT],
    args: list[str] | None,
    *,
    end: Callable[[NodeT, SingleThreadedExecutor], None],
    is_over: Callable[[NodeT], bool] = lambda node: False,
) -> NodeT:
    """Spin a node until SIGINT, SIGTERM or `is_over`, then let `end` bring motion to rest.

    Returns the node, destroyed, so that its last words can be looked at.
    """
    # The arm has to come to rest before the context goes, so the signals are ours.
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    ending = False

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        nonlocal ending
        ending = True

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    node = make_node()
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    # A collection over everything that was imported takes as long as the firmware's runway.
    gc.collect()
    gc.freeze()
    while not ending and not is_over(node):
        executor.spin_once(timeout_sec=0.1)
    end(node, executor)
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()
    return node

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-bt stop`: bring the arm to rest on its path, and keep it there until a reset."""

from __future__ import annotations

import argparse

from elfin_bt.commands.trigger import trigger

# The latch lives in the hardware node, so a stop needs no executor.
SERVICES = ('passthrough_executor/stop', 'pvt_hardware/stop')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace) -> int:
    """Stop. Exit code 0: done, 1: not, and why."""
    return trigger(SERVICES)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-bt reset`: clear what is latched. Nothing moves by that."""

from __future__ import annotations

import argparse

from elfin_bt.commands.trigger import trigger

SERVICES = ('session/reset_fault',)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace) -> int:
    """Reset. Exit code 0: done, 1: not, and why."""
    return trigger(SERVICES)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a machine must have before the set-up can start, and how to get it on Debian or Ubuntu."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import sysconfig
from pathlib import Path

NEWEST_PYTHON = (3, 14)  # The last one that the ROS 2 wheels are built for.


def missing() -> list[str]:
    """Return a line for each thing that this machine lacks."""
    lines = []
    if (platform.system(), platform.machine()) != ('Linux', 'x86_64'):
        lines.append(
            f'this is {platform.system()} on {platform.machine()}: '
            'the ROS 2 wheels exist for Linux on x86_64 only'
        )
    python = 'python{}.{}'.format(*sys.version_info[:2])
    if sys.version_info[:2] > NEWEST_PYTHON:
        newest = 'python{}.{}'.format(*NEWEST_PYTHON)
        lines.append(
            f'the ROS 2 wheels end at {newest}, this is {python}: use `make PYTHON={newest}`'
        )
    if not all(importlib.util.find_spec(module) for module in ('venv', 'ensurepip')):
        lines.append(_lacks(f'the venv module of {python}', f'{python}-venv'))
    if not Path(sysconfig.get_path('include'), 'Python.h').exists():
        lines.append(_lacks(f'Python.h of {python}', f'{python}-dev'))
    if not _any_program(os.environ.get('CC'), 'cc', 'gcc', 'clang'):
        lines.append(_lacks('a C compiler', 'gcc'))
    if not _any_program(os.environ.get('CXX'), 'c++', 'g++', 'clang++'):
        lines.append(_lacks('a C++ compiler', 'g++'))
    if not shutil.which('make'):
        lines.append(_lacks('make', 'make'))
    return lines


def _any_program(*names: str | None) -> bool:
    return any(shutil.which(name) for name in names if name)


def _lacks(what: str, package: str) -> str:
    return f'{what} is missing: install it with `sudo apt install {package}`'

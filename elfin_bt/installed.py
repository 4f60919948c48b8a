# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What this Python can reach: which ROS, which packages, real or stand-in.

Looks at files and metadata and imports nothing, so that it can tell of what is broken or missing.
"""

import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path

from elfin_bt import environment

WHEEL_DISTROS = ('jazzy', 'kilted')
STAND_IN_MARKER = 'elfin_bt_stand_in'

# Where ROS comes from.
WHEELS = 'wheels'
SOURCED = 'installed'


def version(distribution: str) -> str | None:
    """Return the version of an installed distribution, None when it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def importable(module: str) -> bool:
    """Whether `import module` finds something; it may still fail to load."""
    return importlib.util.find_spec(module) is not None


def ros_distro() -> str | None:
    """Return the name of the ROS distro: of the wheels, else of a sourced ROS."""
    if environment.runs_on_wheels():
        return next((name for name in WHEEL_DISTROS if version(f'ros-{name}-rclpy')), None)
    return os.environ.get('ROS_DISTRO')


def ros_source() -> str | None:
    """Return WHEELS, SOURCED, or None where there is no ROS."""
    if environment.runs_on_wheels():
        return WHEELS
    return SOURCED if os.environ.get('AMENT_PREFIX_PATH') else None


def prefixes() -> list[Path]:
    """Return the folders that ROS packages may be installed below, in search order."""
    sourced = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    if environment.runs_on_wheels():
        sourced.insert(0, sys.prefix)
    return [Path(entry) for entry in sourced if entry]


def package_share(package: str) -> Path | None:
    """Return the share folder of a ROS package, None when it is not installed."""
    candidates = [prefix / 'share' / package for prefix in prefixes()]
    return next((path for path in candidates if (path / 'package.xml').is_file()), None)


def is_stand_in(package: str) -> bool:
    """Whether a ROS package is one that elfin_bt built from its own definitions."""
    share = package_share(package)
    return share is not None and (share / STAND_IN_MARKER).is_file()

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The environment variables that our processes run with.

On a machine without ROS the wheels from PyPI carry it: their bootstrapper starts Python again
with an LD_LIBRARY_PATH into the virtual environment, once for a whole process tree. A sourced ROS
or another virtual environment would be found first, or instead. `prepare` clears such leaks, so
that `.venv/bin/elfin-bt` means the same from any shell, an empty environment included.
"""

import os
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

BOOTSTRAP_GUARD = '_ROS_WHEELS_BOOTSTRAP_COMPLETE'
WHEELS_RMW = 'rmw_fastrtps_cpp'


def prepare() -> None:
    """Set defaults for ROS; within the wheels, first start again if another ROS had leaked in."""
    if runs_on_wheels():
        clean = without_foreign_ros(os.environ, Path(sys.prefix))
        if clean != dict(os.environ):
            # The dynamic linker reads LD_LIBRARY_PATH only when a program starts.
            os.execve(sys.executable, sys.orig_argv, clean)
    for name, value in defaults(os.environ).items():
        os.environ.setdefault(name, value)


def runs_on_wheels() -> bool:
    """Whether ROS comes from PyPI's wheels in this Python's own environment."""
    return Path(sysconfig.get_path('purelib'), 'ros_wheels_bootstrapper').is_dir()


def defaults(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the ROS settings that this machine needs and `environ` lacks."""
    settings = {
        # A motion stack stays on its own machine unless it is told otherwise.
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        # A process that is killed leaves Fast DDS's shared memory behind, which others then wait
        # for; messages as small as ours lose nothing over the loopback.
        'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4',
    }
    if not environ.get('HOME'):
        # rclpy.init() fails where it can't tell a folder for logs.
        settings['ROS_LOG_DIR'] = str(Path(tempfile.gettempdir(), f'elfin_bt-{os.getuid()}'))
    return {name: value for name, value in settings.items() if name not in environ}


def without_foreign_ros(environ: Mapping[str, str], prefix: Path) -> dict[str, str]:
    """Return `environ` without paths into a ROS other than the wheels under `prefix`."""
    clean = dict(environ)
    sourced = [Path(entry) for entry in _entries(environ, 'AMENT_PREFIX_PATH')]
    foreign = [path for path in sourced if path != prefix]

    def is_foreign(entry: str) -> bool:
        path = Path(entry)
        if path.is_relative_to(prefix):
            return False
        return any(path.is_relative_to(root) for root in foreign) or _holds_ros(path)

    _filter(clean, 'PYTHONPATH', is_foreign)
    _filter(clean, 'LD_LIBRARY_PATH', is_foreign)
    _filter(clean, 'AMENT_PREFIX_PATH', lambda entry: Path(entry) in foreign)

    if str(prefix / 'lib') not in _entries(clean, 'LD_LIBRARY_PATH'):
        # Another environment's bootstrapper ran before: let ours run as well.
        clean.pop(BOOTSTRAP_GUARD, None)
    rmw = clean.get('RMW_IMPLEMENTATION')
    if rmw and not (prefix / 'lib' / f'lib{rmw}.so').exists():
        clean['RMW_IMPLEMENTATION'] = WHEELS_RMW
    return clean


def _holds_ros(path: Path) -> bool:
    """Whether a library or module folder is part of a ROS, by what lies in it."""
    if path.name.startswith('ros_') and path.name.endswith('.libs'):
        return True
    return (path / 'librcl.so').exists() or (path / 'rclpy').is_dir()


def _entries(environ: Mapping[str, str], name: str) -> list[str]:
    return [entry for entry in environ.get(name, '').split(os.pathsep) if entry]


def _filter(environ: dict[str, str], name: str, unwanted: Callable[[str], bool]) -> None:
    """Take the unwanted entries out of a path variable, and the variable when nothing is left."""
    before = _entries(environ, name)
    after = [entry for entry in before if not unwanted(entry)]
    if after == before:
        return
    if after:
        environ[name] = os.pathsep.join(after)
    else:
        del environ[name]

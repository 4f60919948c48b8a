# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a drawing session needs, what of it this machine has, and how to get the rest.

Nothing that may be missing or broken is imported here. Compiled packages are tried in a process of
their own: a library that can't be loaded may take the interpreter down with it.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from elfin_bt import installed
from elfin_bt.session.node_table import PLANNERS

OLDEST_PYTHON = '3.11'
OLDER_DISTROS = ('foxy', 'galactic', 'humble', 'iron')  # Distros before Jazzy.
PROBE_TIMEOUT = 30.0

# distribution: (module, oldest version, first version that is too new), as requirements/runtime.txt
LIBRARIES = {
    'cssselect2': ('cssselect2', '0.7', '1'),
    'defusedxml': ('defusedxml', '0.7.1', '1'),
    'hershey_fonts': ('HersheyFonts', '2.1', '3'),
    'numpy': ('numpy', '1.26', '3'),
    'pillow': ('PIL', '10.1', None),
    'py_trees': ('py_trees', '2.6', '2.7'),
    'pyyaml': ('yaml', '6', '7'),
    'ruckig': ('ruckig', '0.15', '1'),
    'scipy': ('scipy', '1.10', '2'),
    'tinycss2': ('tinycss2', '1.2', '2'),
}
OLDEST_PINOCCHIO = '4.0'

INTERFACES = (
    *('builtin_interfaces', 'control_msgs', 'diagnostic_msgs', 'geometry_msgs'),
    *('rcl_interfaces', 'rosgraph_msgs', 'sensor_msgs', 'std_msgs', 'std_srvs', 'tf2_msgs'),
    *('trajectory_msgs', 'visualization_msgs'),
)
_MAKE_SETUP = 'run `make setup` in the checkout and use its .venv/bin/elfin-bt'
NOT_IN_THIS_VERSION = 'not part of this version of elfin_bt'


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing looked at: what was found, what is wrong with it ('' if nothing), and the cure."""

    name: str
    found: str
    problem: str = ''
    remedy: str = ''

    @property
    def ok(self) -> bool:
        """Whether a session can run with it."""
        return not self.problem


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A planner or a hardware backend: usable, or why not."""

    name: str
    usable: bool
    why: str


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """All that `elfin-bt doctor` knows about this machine."""

    checks: list[Check]
    planners: list[Choice]
    hardware: list[Choice]
    ros: dict[str, str | None]
    notes: list[str] = field(default_factory=list)

    @property
    def can_run(self) -> bool:
        """Whether a session with a phantom robot can run."""
        usable = any(choice.usable for choice in self.planners)
        return usable and all(check.ok for check in self.checks)


def diagnose() -> Diagnosis:
    """Look at this machine. Takes a second or two."""
    ros = {
        'distro': installed.ros_distro(),
        'source': installed.ros_source(),
        'prefix': str(next(iter(installed.prefixes()), '')) or None,
    }
    pinocchio = check_pinocchio()
    checks = [
        check_python(),
        check_distro(ros['distro']),
        check_rclpy(),
        *check_libraries(),
        pinocchio,
        check_interfaces(),
    ]
    return Diagnosis(
        checks=checks,
        planners=list(planners(pinocchio)),
        hardware=list(hardware()),
        ros=ros,
        notes=[real_time_note(), *stand_in_notes()],
    )


def check_python() -> Check:
    """Check the version of Python."""
    version = platform.python_version()
    found = f'{version} in {sys.prefix}'
    if is_older(version, OLDEST_PYTHON):
        return Check(
            name='python',
            found=found,
            problem=f'too old: {OLDEST_PYTHON} or newer is needed',
            remedy='install a newer Python and run `make setup PYTHON=python3.11`',
        )
    return Check(name='python', found=found)


def check_distro(distro: str | None) -> Check:
    """Check that there is a ROS 2, of a distro that is new enough."""
    source = installed.ros_source()
    if distro is None or source is None:
        return Check(
            name='ros', found='none', problem='no ROS 2 in this environment', remedy=_get_ros()
        )
    found = f'{distro}, ' + ('wheels from PyPI' if source == installed.WHEELS else source)
    if distro in OLDER_DISTROS:
        problem = f'{distro} is too old: Jazzy or newer is needed'
        return Check(name='ros', found=found, problem=problem, remedy=_get_ros())
    return Check(name='ros', found=found)


def check_rclpy() -> Check:
    """Check that rclpy loads with its middleware."""
    ok, text = probe('import rclpy; print(rclpy.get_rmw_implementation_identifier())')
    if ok:
        return Check(name='rmw', found=text)
    wanted = os.environ.get('RMW_IMPLEMENTATION')
    remedy = _get_ros()
    if wanted and installed.importable('rclpy'):
        remedy = f'unset RMW_IMPLEMENTATION (it is {wanted}), or install that middleware'
    return Check(name='rmw', found='none', problem=f'rclpy does not load: {text}', remedy=remedy)


def check_libraries() -> Iterator[Check]:
    """Check the plain Python libraries and their versions."""
    for distribution, (module, oldest, too_new) in LIBRARIES.items():
        needed = f'{distribution}>={oldest}' + (f',<{too_new}' if too_new else '')
        version = installed.version(distribution)
        problem = ''
        if not installed.importable(module):
            problem = 'missing'
        elif version and is_older(version, oldest):
            problem = f'too old: {oldest} or newer is needed'
        elif version and too_new and not is_older(version, too_new):
            problem = f'too new: a version before {too_new} is needed'
        yield Check(
            name=distribution,
            found=version or ('of unknown version' if not problem else 'none'),
            problem=problem,
            remedy=_get_library(needed) if problem else '',
        )


def check_pinocchio() -> Check:
    """Check Pinocchio and its collision library coal."""
    ok, text = probe('import coal, pinocchio; print(pinocchio.__version__)')
    needed = f'pin>={OLDEST_PINOCCHIO},<5'
    if not ok:
        return Check(
            name='pinocchio',
            found='none',
            problem=f'pinocchio and coal do not load: {text}',
            remedy=_get_library(needed),
        )
    if is_older(text, OLDEST_PINOCCHIO):
        problem = f'too old: {OLDEST_PINOCCHIO} or newer is needed'
        return Check(name='pinocchio', found=text, problem=problem, remedy=_get_library(needed))
    return Check(name='pinocchio', found=text)


def check_interfaces() -> Check:
    """Check that the interface packages are there and load."""
    missing = [package for package in INTERFACES if not installed.importable(package)]
    if missing:
        return Check(
            name='interfaces',
            found=f'{len(INTERFACES) - len(missing)} of {len(INTERFACES)}',
            problem=f'missing: {", ".join(missing)}',
            remedy=_get_ros_packages(missing),
        )
    # ROS's own packages come with rclpy; what is built or installed apart may not load.
    ok, text = probe(
        'from control_msgs.action import FollowJointTrajectory as F; from tf2_msgs.msg import '
        'TFMessage as T; from rclpy.type_support import check_for_type_support as c; c(F); c(T);'
        'print("loaded")'
    )
    if ok:
        return Check(name='interfaces', found=f'{len(INTERFACES)} packages')
    return Check(
        name='interfaces',
        found='broken',
        problem=f'control_msgs or tf2_msgs does not load: {text}',
        remedy=_get_ros_packages(['control_msgs', 'tf2_msgs']),
    )


def planners(pinocchio: Check) -> Iterator[Choice]:
    """Yield the planners, also those that this version lacks."""
    for name in ('local', 'moveit'):
        if name not in PLANNERS:
            yield Choice(name=name, usable=False, why=NOT_IN_THIS_VERSION)
        else:
            yield Choice(name=name, usable=pinocchio.ok, why=pinocchio.problem)


def hardware() -> Iterator[Choice]:
    """Yield the hardware backends; RMP's library is asked for in a process of its own."""
    yield Choice(name='phantom', usable=True, why='')
    ok, text = probe(
        'from elfin_bt.hardware.rapidcode.library import LibraryMissing, load\n'
        'try:\n    load()\nexcept LibraryMissing as error:\n    raise SystemExit(str(error))'
    )
    yield Choice(name='rapidcode', usable=ok, why='' if ok else text)
    yield Choice(name='robco', usable=True, why='')


def stand_in_notes() -> Iterator[str]:
    """Say which packages are stand-ins."""
    names = [package for package in INTERFACES if installed.is_stand_in(package)]
    if names:
        yield f'stand-ins, built from definitions of elfin_bt: {", ".join(names)}'


def real_time_note() -> str:
    """Say whether this user may run threads at real-time priority."""
    policy, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError as error:
        return (
            f'real-time priority (SCHED_FIFO) is refused ({error.strerror}): the phantom works '
            'without while the cores are not busy; to allow it: ulimit -r 40'
        )
    os.sched_setscheduler(0, policy, parameters)
    return 'real-time priority (SCHED_FIFO) is allowed'


def probe(code: str) -> tuple[bool, str]:
    """Run `code` in a Python of its own: whether it worked, and its last line of output."""
    try:
        result = subprocess.run(
            [sys.executable, '-c', code], capture_output=True, text=True, timeout=PROBE_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return False, f'no answer within {PROBE_TIMEOUT:g} s'
    ok = result.returncode == 0
    lines = (result.stdout if ok else result.stderr).strip().splitlines()
    if lines:
        return ok, lines[-1].strip()
    return ok, f'exit code {result.returncode}'


def is_older(version: str, limit: str) -> bool:
    """Whether `version` comes before `limit`; only their leading numbers count."""
    return _numbers(version) < _numbers(limit)


def _numbers(version: str) -> tuple[int, ...]:
    leading = re.match(r'\d+(\.\d+)*', version)
    numbers = [int(part) for part in leading.group().split('.')] if leading else []
    while numbers and numbers[-1] == 0:  # 2.0 is 2
        numbers.pop()
    return tuple(numbers)


def _get_ros() -> str:
    lying = sorted(Path('/opt/ros').glob('*/setup.bash'), reverse=True)
    if lying and not os.environ.get('AMENT_PREFIX_PATH'):
        return f'`source {lying[0]}`, or without it {_MAKE_SETUP}'
    return _MAKE_SETUP


def _get_ros_packages(packages: list[str]) -> str:
    distro = os.environ.get('ROS_DISTRO')
    if installed.ros_source() == installed.SOURCED and distro:
        names = (f'ros-{distro}-{package.replace("_", "-")}' for package in packages)
        return f'`sudo apt install {" ".join(names)}`'
    return _MAKE_SETUP


def _get_library(requirement: str) -> str:
    if installed.ros_source() == installed.SOURCED:
        return f"`python3 -m pip install '{requirement}'`"
    return _MAKE_SETUP

#!/usr/bin/env python3
# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Sets up a virtual environment that runs elfin_bt on a machine without ROS.

It holds the ROS 2 wheels from PyPI, the stand-in interfaces of interfaces/ and elfin_bt itself.
Each step leaves a stamp, a hash of what went into it: a step whose stamp still fits is skipped, so
the next run costs a moment, an edited requirement redoes what depends on it, and a set-up that was
interrupted is taken up again.

Standard library only, and heavy modules are imported late: this runs before every `make` target.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / 'requirements'
INTERFACES = ROOT / 'interfaces'
STAND_INS = ('control_msgs', 'tf2_msgs', 'py_trees_ros_interfaces')
STAND_IN_MARKER = 'elfin_bt_stand_in'
DISTROS = ('jazzy', 'kilted')
OLDEST_PYTHON = (3, 11)
BUILD_JOBS = 2
LOG_LINES_SHOWN = 15

# Variables of a sourced ROS, of another environment, and of the `make` that called this.
LEAKS = (
    'AMENT_', 'CMAKE_', 'COLCON_', 'LD_LIBRARY_PATH', 'MAKE', 'MFLAGS', 'PYTHON', 'RMW_', 'ROS_',
    'VIRTUAL_ENV', '_ROS_WHEELS_',
)  # fmt: skip

USAGE = 'usage: setup_venv.py [--test]   (ROS_DISTRO=jazzy|kilted, VENV=FOLDER in the environment)'


class CommandError(Exception):
    """A command of the set-up failed; the message shows the end of its log."""


class Step:
    """One part of the set-up: what goes into it, and how it is done."""

    def __init__(self, name: str, text: str, inputs: list[Path], run: Callable[[], None]) -> None:
        self.name, self.text, self.inputs, self.run = name, text, inputs, run


class Setup:
    """A virtual environment for one ROS distro, and the steps that build it."""

    def __init__(self, distro: str, venv: Path, with_tests: bool) -> None:
        self.distro = distro
        self.venv = venv
        self.python = venv / 'bin' / 'python'
        self.state = venv / 'setup'
        self.interrupted = self.state / 'in-progress'
        # Order matters: a step is redone when one before it was.
        self.steps = [
            Step('venv', 'virtual environment', [], self.create_venv),
            Step(
                'ros',
                f'ROS 2 {distro} from PyPI (a minute or more the first time)',
                [REQUIREMENTS / 'ros.txt', REQUIREMENTS / f'ros-{distro}.txt'],
                lambda: self.install('ros', f'ros-{distro}.txt'),
            ),
            Step('interfaces', 'stand-in interfaces', [INTERFACES], self.build_interfaces),
            Step(
                'libraries',
                'libraries from PyPI',
                [REQUIREMENTS / 'runtime.txt'],
                lambda: self.install('libraries', 'runtime.txt'),
            ),
            Step(
                'elfin_bt',
                'elfin_bt, from this checkout',
                [ROOT / 'setup.py', ROOT / 'setup.cfg', ROOT / 'elfin_bt' / '__init__.py'],
                self.install_elfin_bt,
            ),
        ]
        if with_tests:
            self.steps.append(
                Step(
                    'test',
                    'test tools',
                    [REQUIREMENTS / 'test.txt'],
                    lambda: self.install('test', 'test.txt'),
                )
            )

    def bring_up_to_date(self) -> None:
        """Do the steps whose stamps don't fit."""
        with open(__file__) as lock:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)  # Another `make` may be doing the same.
            if self.interrupted.exists():
                say('the last set-up was interrupted: starting again')
                self.remove()
            outdated = self.outdated()
            for number, (step, stamp) in enumerate(outdated, start=1):
                self.do(step, stamp, f'[{number}/{len(outdated)}]')

    def outdated(self) -> list[tuple[Step, str]]:
        """Return the steps to do, with their new stamps: the first that is not current and on."""
        stamp = digest(self.distro, self.venv, sys.version_info[:2], sys.base_prefix)
        pairs: list[tuple[Step, str]] = []
        for step in self.steps:
            stamp = digest(stamp, *(content for path in step.inputs for content in contents(path)))
            if pairs or read(self.stamp_file(step)) != stamp or self.interrupted.exists():
                pairs.append((step, stamp))
        return pairs

    def stamp_file(self, step: Step) -> Path:
        """Return where a step leaves the hash of what it was done with."""
        return self.state / f'{step.name}.stamp'

    def do(self, step: Step, stamp: str, progress: str) -> None:
        """Do one step and stamp it; from here on, what was built on its last result is outdated."""
        import time

        say(f'{progress} {step.text}')
        start = time.monotonic()
        for later in self.steps[self.steps.index(step) :]:
            self.stamp_file(later).unlink(missing_ok=True)
        step.run()
        self.stamp_file(step).write_text(stamp)
        say(f'{progress} done in {time.monotonic() - start:.0f} s')

    def create_venv(self) -> None:
        """Create the environment anew, unless there is one that works where it lies."""
        if self.usable():
            self.state.mkdir(exist_ok=True)
        else:
            self.remove()
            self.state.mkdir(parents=True)
            python = getattr(sys, '_base_executable', sys.executable)
            self.run_guarded('venv', [python, '-m', 'venv', str(self.venv)])

    def remove(self) -> None:
        """Delete the environment."""
        import shutil

        if self.venv.exists():
            shutil.rmtree(self.venv)

    def usable(self) -> bool:
        """Whether the environment has pip, was made here, and by the Python that runs this."""
        import subprocess

        if str(self.venv) not in read(self.venv / 'bin' / 'activate'):
            return False
        probe = 'import sys, pip; print(sys.version_info[:2], sys.base_prefix)'
        answer = subprocess.run(
            [str(self.python), '-c', probe],
            env=self.environment(),
            capture_output=True,
            text=True,
        )
        return answer.stdout.strip() == f'{sys.version_info[:2]} {sys.base_prefix}'

    def install(self, name: str, *files: str) -> None:
        """Install what files of requirements/ list."""
        arguments = [word for file in files for word in ('--requirement', str(REQUIREMENTS / file))]
        self.pip(name, *arguments)

    def install_elfin_bt(self) -> None:
        """Install this checkout as it lies: edits take effect at once."""
        # The build tools are in place: an isolated build would fetch them again.
        self.pip('elfin_bt', '--no-deps', '--no-build-isolation', '--editable', str(ROOT))

    def pip(self, name: str, *arguments: str) -> None:
        """Run `pip install` in the environment."""
        options = ['--disable-pip-version-check', '--no-input', '--progress-bar', 'off']
        self.run_guarded(name, [str(self.python), '-m', 'pip', 'install', *options, *arguments])

    def run_guarded(self, name: str, command: list[str]) -> None:
        """Run what leaves an untrustworthy environment behind when it is killed half-way."""
        self.interrupted.touch()
        try:
            self.run_logged(name, command)
        except CommandError:
            self.interrupted.unlink()  # It ended by itself, and cleaned up.
            raise
        self.interrupted.unlink()

    def build_interfaces(self) -> None:
        """Generate, build and install the stand-ins into the environment itself.

        Libraries are found from an empty environment only in the environment's own lib folder.
        """
        import shutil

        site = f'lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages'
        build_root = self.state / 'build'
        for package in STAND_INS:
            marker = self.venv / 'share' / package / STAND_IN_MARKER
            if (self.venv / site / package).is_dir() and not marker.exists():
                say(f'      {package}: the real package is installed, no stand-in needed')
                continue
            build = build_root / package
            shutil.rmtree(build, ignore_errors=True)
            cmake = [str(self.python), '-m', 'cmake']
            configure = [
                *cmake,
                '-S', str(INTERFACES / package),
                '-B', str(build),
                '-G', 'Unix Makefiles',
                f'-DCMAKE_PREFIX_PATH={self.venv}',
                f'-DCMAKE_INSTALL_PREFIX={self.venv}',
                f'-DPython3_EXECUTABLE={self.python}',
                f'-DPYTHON_INSTALL_DIR={site}',
                '-DBUILD_TESTING=OFF',
            ]  # fmt: skip
            self.run_logged(f'interfaces-{package}', configure)
            install = ['--build', str(build), '--target', 'install', '--parallel', str(BUILD_JOBS)]
            self.run_logged(f'interfaces-{package}', [*cmake, *install], append=True)
        shutil.rmtree(build_root, ignore_errors=True)

    def run_logged(self, name: str, command: list[str], append: bool = False) -> None:
        """Run a command with its output in a log; on failure show the log's end."""
        import subprocess

        log_path = self.state / f'{name}.log'
        with open(log_path, 'a' if append else 'w') as log:
            log.write(f'$ {" ".join(command)}\n')
            log.flush()
            result = subprocess.run(
                command,
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        if result.returncode != 0:
            tail = read(log_path).splitlines()[-LOG_LINES_SHOWN:]
            raise CommandError(
                '\n'.join(
                    [
                        f'{name} failed (exit code {result.returncode}); the end of its log:',
                        *(f'    {line}' for line in tail),
                        f'the whole log: {log_path}',
                    ]
                )
            )

    def environment(self) -> dict[str, str]:
        """Return the environment for children: nothing of a sourced ROS or of another venv."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(LEAKS)}
        clean['PATH'] = os.pathsep.join(
            [str(self.venv / 'bin'), os.environ.get('PATH', os.defpath)]
        )
        clean['AMENT_PREFIX_PATH'] = str(self.venv)
        clean['ROS_DISTRO'] = self.distro
        clean['PIP_USER'] = '0'  # A person's `pip --user` default can't work in an environment.
        return clean


def contents(path: Path) -> Iterator[str | bytes]:
    """Yield the name and content of a file, or of all files below a folder."""
    files = sorted(path.rglob('*')) if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            yield str(file.relative_to(ROOT))
            yield file.read_bytes()


def digest(*parts: object) -> str:
    """Return a hash of the parts, their borders included."""
    state = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        state.update(f'{len(data)}:'.encode() + data)
    return state.hexdigest()


def read(path: Path) -> str:
    """Return a text file's content, empty when there is no such file."""
    try:
        return path.read_text(errors='replace')
    except OSError:
        return ''


def say(text: str) -> None:
    """Tell the person at the terminal."""
    print(f'setup: {text}', flush=True)


def main(arguments: list[str]) -> int:
    """Set up; exit code 0: all is in place, 1: it can't be done, 2: usage."""
    if sys.version_info[:2] < OLDEST_PYTHON:
        say(
            'this is Python {}.{}: elfin_bt needs {}.{} or newer; '.format(
                *sys.version_info[:2], *OLDEST_PYTHON
            )
            + 'with another one installed, name it: `make PYTHON=python3.11`'
        )
        return 1
    if any(argument != '--test' for argument in arguments):
        say(USAGE)
        return 2
    distro = os.environ.get('ROS_DISTRO') or 'jazzy'
    if distro not in DISTROS:
        say(f"ROS_DISTRO is '{distro}': wheels exist for {' and '.join(DISTROS)}")
        return 2
    default = ROOT / ('.venv' if distro == 'jazzy' else f'.venv-{distro}')
    venv = Path(os.environ.get('VENV') or default).absolute()
    try:
        setup = Setup(distro, venv, with_tests='--test' in arguments)
        if setup.outdated():
            import prerequisites

            missing = prerequisites.missing()
            for line in missing:
                say(line)
            if missing:
                return 1
            setup.bring_up_to_date()
    except CommandError as error:
        for line in str(error).splitlines():
            say(line)
        return 1
    except KeyboardInterrupt:
        say('interrupted; the next run takes it up again')
        return 130
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

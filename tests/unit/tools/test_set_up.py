# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The set-up does what has to be done, once, and takes up again what was cut off.

Nothing is installed here: the commands that the set-up would run are recorded.
"""

import importlib.util
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[3] / 'tools'


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f'tools_{name}', TOOLS / f'{name}.py')
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


setup_venv = load('setup_venv')
prerequisites = load('prerequisites')


class Machine:
    """A machine whose commands are recorded, each by the name of its log."""

    def __init__(self, venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.venv = venv
        self.ran: list[str] = []
        self.usable = False
        self.on_run: Callable[[str], None] = lambda name: None
        monkeypatch.setattr(setup_venv.Setup, 'run_logged', self.run_logged)
        monkeypatch.setattr(setup_venv.Setup, 'usable', lambda setup: self.usable)

    def run_logged(self, name: str, command: list[str], append: bool = False) -> None:
        self.ran.append(name)
        self.on_run(name)

    def set_up(self, with_tests: bool = False, distro: str = 'jazzy') -> list[str]:
        """Return what a set-up ran."""
        self.ran = []
        setup_venv.Setup(distro, self.venv, with_tests).bring_up_to_date()
        return list(dict.fromkeys(self.ran))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with a checkout of its own, of which inputs can be edited."""
    checkout = tmp_path / 'checkout'
    for folder in ('requirements', 'interfaces'):
        shutil.copytree(TOOLS.parent / folder, checkout / folder)
    for file in ('setup.py', 'setup.cfg', 'elfin_bt/__init__.py'):
        (checkout / file).parent.mkdir(exist_ok=True)
        shutil.copy(TOOLS.parent / file, checkout / file)
    monkeypatch.setattr(setup_venv, 'ROOT', checkout)
    monkeypatch.setattr(setup_venv, 'REQUIREMENTS', checkout / 'requirements')
    monkeypatch.setattr(setup_venv, 'INTERFACES', checkout / 'interfaces')
    return Machine(checkout / '.venv', monkeypatch)


INTERFACES = [f'interfaces-{package}' for package in setup_venv.STAND_INS]
EVERYTHING = ['venv', 'ros', *INTERFACES, 'libraries', 'elfin_bt']


def test_the_first_run_does_everything_and_the_second_nothing(machine: Machine) -> None:
    assert machine.set_up() == EVERYTHING
    assert machine.set_up() == []


def test_the_test_tools_are_added_when_asked_for(machine: Machine) -> None:
    machine.set_up()
    assert machine.set_up(with_tests=True) == ['test']
    assert machine.set_up(with_tests=False) == []


@pytest.mark.parametrize(
    ('edited', 'redone'),
    [
        ('requirements/ros.txt', EVERYTHING[1:]),
        ('requirements/runtime.txt', ['libraries', 'elfin_bt']),
        ('interfaces/tf2_msgs/msg/TFMessage.msg', [*INTERFACES, 'libraries', 'elfin_bt']),
        ('setup.py', ['elfin_bt']),
    ],
)
def test_an_edited_input_redoes_its_step_and_those_after_it(
    machine: Machine, edited: str, redone: list[str]
) -> None:
    machine.set_up()
    machine.usable = True
    with open(machine.venv.parent / edited, 'a') as file:
        file.write('# edited\n')
    assert machine.set_up() == redone
    assert machine.set_up() == []


def test_a_failed_step_is_tried_again_and_keeps_what_was_done(machine: Machine) -> None:
    def fail(name: str) -> None:
        if name == INTERFACES[1]:
            raise setup_venv.CommandError('no space left')

    machine.on_run = fail
    with pytest.raises(setup_venv.CommandError):
        machine.set_up()
    machine.on_run = lambda name: None
    assert machine.set_up() == [*INTERFACES, 'libraries', 'elfin_bt']


def test_an_environment_whose_installation_was_cut_off_is_built_anew(machine: Machine) -> None:
    half_written = machine.venv / 'lib' / 'half'

    def interrupt(name: str) -> None:
        if name == 'ros':
            half_written.mkdir(parents=True)
            raise KeyboardInterrupt

    machine.on_run = interrupt
    with pytest.raises(KeyboardInterrupt):
        machine.set_up()
    machine.on_run = lambda name: None
    assert machine.set_up() == EVERYTHING
    assert not half_written.exists()


def test_a_usable_environment_without_stamps_is_kept(machine: Machine) -> None:
    machine.usable = True
    kept = machine.venv / 'mine'
    kept.mkdir(parents=True)
    assert machine.set_up() == EVERYTHING[1:]
    assert kept.exists()


def test_no_stand_in_is_built_over_a_real_package(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    version = '{}.{}'.format(*sys.version_info[:2])
    machine.usable = True
    (machine.venv / f'lib/python{version}/site-packages/control_msgs').mkdir(parents=True)
    ran = machine.set_up()
    assert 'interfaces-control_msgs' not in ran
    assert 'interfaces-tf2_msgs' in ran
    assert 'control_msgs: the real package is installed' in capsys.readouterr().out


def test_children_see_neither_a_sourced_ros_nor_another_environment(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaks = {
        'AMENT_PREFIX_PATH': '/opt/ros/humble',
        'CMAKE_PREFIX_PATH': '/opt/ros/humble',
        'PYTHONPATH': '/opt/ros/humble/lib',
        'LD_LIBRARY_PATH': '/opt/ros/humble/lib',
        'VIRTUAL_ENV': '/home/a/other',
        '_ROS_WHEELS_BOOTSTRAP_COMPLETE': '1',
        'MAKEFLAGS': 'n',
    }
    for name, value in leaks.items():
        monkeypatch.setenv(name, value)
    environment = setup_venv.Setup('jazzy', machine.venv, False).environment()
    assert environment['AMENT_PREFIX_PATH'] == str(machine.venv)
    assert environment['ROS_DISTRO'] == 'jazzy'
    assert set(leaks) & set(environment) == {'AMENT_PREFIX_PATH'}


def test_a_failing_command_shows_the_end_of_its_log_and_where_it_is(tmp_path: Path) -> None:
    setup = setup_venv.Setup('jazzy', tmp_path, False)
    setup.state.mkdir()
    program = 'import sys; print("\\n".join(map(str, range(100)))); sys.exit(3)'
    with pytest.raises(setup_venv.CommandError) as caught:
        setup.run_logged('ros', [sys.executable, '-c', program])
    lines = str(caught.value).splitlines()
    assert lines[0] == 'ros failed (exit code 3); the end of its log:'
    assert lines[-2].strip() == '99'
    assert len(lines) == setup_venv.LOG_LINES_SHOWN + 2
    assert '0\n1\n2\n' in Path(lines[-1].removeprefix('the whole log: ')).read_text()


def test_an_unknown_distro_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv('ROS_DISTRO', 'humble')
    assert setup_venv.main([]) == 2
    assert "ROS_DISTRO is 'humble'" in capsys.readouterr().out


def test_an_old_python_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, 'version_info', (3, 10, 12))
    assert setup_venv.main([]) == 1
    assert 'this is Python 3.10: elfin_bt needs 3.11 or newer' in capsys.readouterr().out


def test_this_machine_has_all_that_is_needed() -> None:
    assert prerequisites.missing() == []


@pytest.mark.parametrize(
    ('programs', 'packages'),
    [(('cc', 'make'), ['g++']), (('clang++', 'make'), ['gcc']), (('gcc', 'g++'), ['make'])],
)
def test_each_missing_program_names_its_package(
    monkeypatch: pytest.MonkeyPatch, programs: tuple[str, ...], packages: list[str]
) -> None:
    monkeypatch.delenv('CC', raising=False)
    monkeypatch.delenv('CXX', raising=False)
    monkeypatch.setattr(shutil, 'which', lambda name: name if name in programs else None)
    lines = prerequisites.missing()
    assert [line.split('`')[1] for line in lines] == [
        f'sudo apt install {name}' for name in packages
    ]


def test_missing_headers_and_venv_name_the_packages_of_this_python(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = 'python{}.{}'.format(*sys.version_info[:2])
    monkeypatch.setattr(sysconfig, 'get_path', lambda name: str(tmp_path))
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    lines = prerequisites.missing()
    assert len(lines) == 2
    assert f'`sudo apt install {python}-venv`' in lines[0]
    assert f'`sudo apt install {python}-dev`' in lines[1]


def test_a_python_that_the_wheels_do_not_know_yet_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, 'version_info', (3, 99, 0))
    assert 'the ROS 2 wheels end at python3.14' in prerequisites.missing()[0]

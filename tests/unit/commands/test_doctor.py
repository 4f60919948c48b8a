# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-bt doctor`: what it says of a machine that has all, little or nothing."""

import argparse
import json
import os
import subprocess
import venv
from pathlib import Path

import pytest

from elfin_bt import installed
from elfin_bt.commands import diagnosis, doctor
from elfin_bt.commands.diagnosis import Check, Choice, Diagnosis
from elfin_bt.session.node_table import MODES

FINE = Check(name='numpy', found='2.0')
BAD = Check(name='py_trees', found='2.4.0', problem='too old: 2.6 or newer', remedy='`get it`')
LOCAL = Choice(name='local', usable=True, why='')
NO_ROS = {'distro': None, 'source': None, 'prefix': None}


def healthy() -> Diagnosis:
    return Diagnosis(checks=[FINE], planners=[LOCAL], hardware=[], ros=NO_ROS)


def test_this_environment_can_run_a_session(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.run(argparse.Namespace(json=True)) == 0
    report = json.loads(capsys.readouterr().out)
    assert report['can_run'] is True
    assert report['missing'] == []
    assert report['ros']['distro'] in ('jazzy', 'kilted')
    assert report['checks']['rmw']['found'].startswith('rmw_')
    assert report['planners']['local'] == {'usable': True, 'why': ''}
    assert report['hardware']['phantom']['usable'] is True


def test_rapidcode_is_usable_where_its_library_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = {choice.name: choice for choice in diagnosis.hardware()}
    assert [choices[name].usable for name in MODES] == [True, False, True]
    assert 'RapidCodePython is not installed: install RMP' in choices['rapidcode'].why
    assert '\n' not in choices['rapidcode'].why
    (tmp_path / 'RapidCodePython.py').touch()
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    assert [choice.usable for choice in diagnosis.hardware()] == [True, True, True]


def test_a_failed_check_is_explained_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sick = Diagnosis(checks=[FINE, BAD], planners=[LOCAL], hardware=[], ros=NO_ROS)
    monkeypatch.setattr(doctor, 'diagnose', lambda: sick)
    assert doctor.run(argparse.Namespace(json=False)) == 1
    text = capsys.readouterr().out
    assert 'too old: 2.6 or newer' in text
    assert 'for py_trees: `get it`' in text
    assert text.endswith('A session can not run here yet.\n')


def test_without_a_usable_planner_nothing_can_run() -> None:
    assert healthy().can_run
    no_planner = Choice(name='local', usable=False, why='no pinocchio')
    assert not Diagnosis(checks=[FINE], planners=[no_planner], hardware=[], ros=NO_ROS).can_run


@pytest.mark.parametrize(
    ('version', 'problem'),
    [
        ('2.5.9', 'too old: 2.6 or newer is needed'),
        ('2.6.0', ''),
        ('2.6.3rc1', ''),
        ('2.7', 'too new: a version before 2.7 is needed'),
        ('3.0.0', 'too new: a version before 2.7 is needed'),
    ],
)
def test_py_trees_is_held_to_the_versions_whose_parser_is_known(
    monkeypatch: pytest.MonkeyPatch, version: str, problem: str
) -> None:
    monkeypatch.setattr(installed, 'version', lambda distribution: version)
    checks = {check.name: check for check in diagnosis.check_libraries()}
    assert checks['py_trees'].problem == problem
    assert bool(checks['py_trees'].remedy) == bool(problem)


@pytest.mark.parametrize(
    ('version', 'limit', 'older'),
    [('3.9', '3.11', True), ('3.11', '3.11.0', False), ('2', '2.0.1', True), ('', '1', True)],
)
def test_versions_compare_as_numbers(version: str, limit: str, older: bool) -> None:
    assert diagnosis.is_older(version, limit) is older


def test_a_package_that_crashes_the_interpreter_is_reported() -> None:
    ok, text = diagnosis.probe('import os; os.abort()')
    assert not ok
    assert text


def test_an_old_distro_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'humble is too old' in diagnosis.check_distro('humble').problem
    assert diagnosis.check_distro('lyrical').ok


def test_it_runs_on_a_python_that_has_nothing(repository: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=False, symlinks=True)
    result = subprocess.run(
        [tmp_path / 'bin' / 'python', '-m', 'elfin_bt.cli', 'doctor', '--json'],
        cwd=repository,
        env={'PATH': os.defpath},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 1, result.stderr
    report = json.loads(result.stdout)
    assert {'ros', 'rmw', 'numpy', 'py_trees', 'pinocchio', 'interfaces'} <= set(report['missing'])
    for name in report['missing']:
        assert report['checks'][name]['remedy'], name

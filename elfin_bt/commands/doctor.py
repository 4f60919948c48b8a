# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-bt doctor`: what this machine can run, what is missing and how to get it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from elfin_bt import __version__
from elfin_bt.commands.diagnosis import Check, Choice, Diagnosis, diagnose


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('--json', action='store_true', help='print JSON')


def run(args: argparse.Namespace) -> int:
    """Print the diagnosis. Exit code 0: a session can run here, 1: something is missing."""
    diagnosis = diagnose()
    if args.json:
        print(json.dumps(to_json(diagnosis), indent=2))
    else:
        print('\n'.join(to_lines(diagnosis)))
    return 0 if diagnosis.can_run else 1


def to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the diagnosis as JSON: `missing` lists the checks that failed."""
    return {
        'version': __version__,
        'can_run': diagnosis.can_run,
        'ros': diagnosis.ros,
        'checks': {check.name: _check_json(check) for check in diagnosis.checks},
        'missing': [check.name for check in diagnosis.checks if not check.ok],
        'planners': {choice.name: _choice_json(choice) for choice in diagnosis.planners},
        'hardware': {choice.name: _choice_json(choice) for choice in diagnosis.hardware},
        'notes': diagnosis.notes,
    }


def to_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield the diagnosis line by line for a person."""
    yield f'elfin_bt {__version__}'
    for check in diagnosis.checks:
        yield _line(check.name, check.ok, check.found if check.ok else check.problem)
    yield 'planners'
    yield from _choice_lines(diagnosis.planners)
    yield 'hardware'
    yield from _choice_lines(diagnosis.hardware)
    for note in diagnosis.notes:
        yield f'note: {note}'
    for remedy, names in _remedies(diagnosis.checks).items():
        yield f'for {", ".join(names)}: {remedy}'
    yield 'A session can run here.' if diagnosis.can_run else 'A session can not run here yet.'


def _remedies(checks: list[Check]) -> dict[str, list[str]]:
    """Return the names of what each remedy cures: one remedy often cures many."""
    names: dict[str, list[str]] = {}
    for check in checks:
        if check.remedy:
            names.setdefault(check.remedy, []).append(check.name)
    return names


def _check_json(check: Check) -> dict[str, Any]:
    values = asdict(check)
    del values['name']
    return {'ok': check.ok, **values}


def _choice_json(choice: Choice) -> dict[str, Any]:
    return {'usable': choice.usable, 'why': choice.why}


def _choice_lines(choices: list[Choice]) -> Iterator[str]:
    for choice in choices:
        yield _line(choice.name, choice.usable, 'usable' if choice.usable else choice.why)


def _line(name: str, ok: bool, text: str) -> str:
    return f'  {"ok" if ok else "--"}  {name:16}{text}'

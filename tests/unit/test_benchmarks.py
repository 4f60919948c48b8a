# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's benchmark still runs, on drawings that take no time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


def test_the_planners_benchmark_measures_and_writes_every_table(
    repository: Path, tmp_path: Path
) -> None:
    pytest.importorskip('pinocchio', reason='the planner needs Pinocchio')
    file = tmp_path / 'figures.json'
    run = subprocess.run(
        [sys.executable, 'benchmarks/planner.py', '--json', str(file)]
        + ['--points', '30', '--sizes', '30', '--runs', '1'],
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    tables = json.loads(file.read_text())
    assert tables.pop('machine')['cores'] >= 1
    for title, table in tables.items():
        assert title in run.stdout
        for column in table.values():
            assert column
    stages = tables['CPU time by stage']['spiral']
    assert stages['rows of the path'] > 30
    assert stages['timing, us a row']['us'] > 0.0
    assert tables['look-ahead against the whole drawing at once']['teeth']['whole, s'] > 1.0
    assert tables['inverse kinematics']['spiral']['closed form, worst error, um'] < 1e-3

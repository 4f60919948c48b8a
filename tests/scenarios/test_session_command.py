# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-bt session` with real processes: it ends on request, or when one of them dies."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import children


@pytest.fixture
def session(tmp_path):
    """Start the command with more arguments; whatever it leaves behind is a failure."""
    started = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, '-m', 'elfin_bt.cli', 'session', *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, 'TMPDIR': str(tmp_path)},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_until_running(process: subprocess.Popen[str]) -> str:
    line = process.stdout.readline()
    assert line.startswith('running: '), process.stderr.read()
    return line


def ended(process: subprocess.Popen[str], timeout: float) -> tuple[int, str]:
    """Wait for the end; return exit code and what was said on stderr."""
    _, errors = process.communicate(timeout=timeout)
    return process.returncode, errors


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_on_request_and_leaves_nothing_behind(session, tmp_path, number):
    process = session('--only', 'firmware,hardware,executor')
    assert wait_until_running(process).startswith('running: firmware, hardware, executor;')
    pids = children(process.pid).values()
    assert len(pids) == 3
    process.send_signal(number)
    assert ended(process, 5.0) == (0, '')
    assert not any(Path(f'/proc/{pid}').exists() for pid in pids)
    assert list(tmp_path.iterdir()) == []


def test_the_death_of_one_ends_all_and_is_named(session, tmp_path):
    process = session()
    wait_until_running(process)
    pids = children(process.pid)
    planner = children(pids['elfin_bt.session.node'])['elfin_bt.planning.worker']
    killed_at = time.monotonic()
    os.kill(pids['elfin_bt.execution.node'], signal.SIGKILL)
    code, errors = ended(process, 5.0)
    assert time.monotonic() - killed_at < 3.0
    assert (code, errors) == (1, 'elfin-bt session: executor died: killed by SIGKILL\n')
    assert not any(Path(f'/proc/{pid}').exists() for pid in [*pids.values(), planner])
    assert list(tmp_path.iterdir()) == []


def test_logs_are_kept_where_they_are_asked_for(session, tmp_path):
    process = session('--only', 'firmware', '--log-dir', str(tmp_path / 'logs'))
    wait_until_running(process)
    process.terminate()
    assert ended(process, 5.0)[0] == 0
    assert [path.name for path in (tmp_path / 'logs').iterdir()] == ['firmware.log']


@pytest.mark.parametrize(
    ('arguments', 'reason'),
    [
        (['--only', 'planner'], "--only 'planner': name one or more of"),
        (['--speedup', '0.1'], 'speedup is 0.1'),
        (['--speedup', 'fast'], 'invalid float value'),
    ],
)
def test_a_wrong_argument_is_a_usage_error(session, arguments, reason):
    code, errors = ended(session(*arguments), 5.0)
    assert code == 2
    assert reason in errors

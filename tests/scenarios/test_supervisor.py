# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The supervisor over tiny processes that die, hang and leave children behind."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from elfin_bt.session.node_table import NodeSpec
from elfin_bt.session.supervisor import StartError, Supervisor

CHILD = """
import os, pathlib, signal, subprocess, sys, time
behaviour, folder = sys.argv[1], pathlib.Path(sys.argv[2])
name = sys.argv[3]
def end(number, frame):
    with open(folder / 'ends', 'a') as ends:
        ends.write(name + '\\n')
    sys.exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN if behaviour == 'deaf' else end)
print('hello from', name, flush=True)
if behaviour == 'exits':
    print('the cause', file=sys.stderr)
    sys.exit(3)
if behaviour == 'parent':
    orphan = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
    (folder / 'orphan').write_text(str(orphan.pid))
if behaviour != 'mute':
    (folder / (name + '.ready')).touch()
while True:
    time.sleep(0.01)
"""


@pytest.fixture
def spec(tmp_path, monkeypatch):
    (tmp_path / 'tiny_child.py').write_text(textwrap.dedent(CHILD), encoding='utf-8')
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))

    def make(name: str, behaviour: str = 'good') -> NodeSpec:
        return NodeSpec(
            name=name,
            executable=name,
            module='tiny_child',
            is_ros=False,
            arguments=(behaviour, str(tmp_path), name),
            ready_file=tmp_path / f'{name}.ready',
        )

    return make


def is_alive(pid: int) -> bool:
    """Whether a process runs (a zombie that nobody has waited for does not)."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def wait_until(condition, timeout: float = 5.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f'not within {timeout} s'
        time.sleep(0.01)


def test_all_run_when_start_returns_and_end_in_reverse_order(tmp_path, spec):
    with Supervisor([spec('first'), spec('second'), spec('third')], log_dir=tmp_path) as running:
        pids = running.pids()
        assert list(pids) == ['first', 'second', 'third']
        assert all((tmp_path / f'{name}.ready').exists() for name in pids)
        assert running.poll() is None
    assert (tmp_path / 'ends').read_text().split() == ['third', 'second', 'first']
    assert not any(is_alive(pid) for pid in pids.values())
    assert (tmp_path / 'second.log').read_text() == 'hello from second\n'


def test_a_child_leads_a_session_of_its_own_so_that_a_terminals_ctrl_c_misses_it(tmp_path, spec):
    with Supervisor([spec('node')], log_dir=tmp_path) as running:
        pid = running.pids()['node']
        assert os.getsid(pid) == pid != os.getsid(0)


def test_a_killed_child_is_named_with_its_signal(tmp_path, spec):
    with Supervisor([spec('first'), spec('second')], log_dir=tmp_path) as running:
        os.kill(running.pids()['second'], signal.SIGKILL)
        wait_until(lambda: running.poll() is not None)
        assert running.poll().text == 'second died: killed by SIGKILL'
        assert is_alive(running.pids()['first'])


def test_a_child_that_exits_during_the_start_is_named_with_its_last_words(tmp_path, spec):
    supervisor = Supervisor([spec('first'), spec('second', 'exits')], log_dir=tmp_path)
    with pytest.raises(StartError) as caught:
        supervisor.start()
    assert str(caught.value) == 'second died: exit code 3, its last words: the cause'
    assert supervisor.pids() == {}
    assert (tmp_path / 'ends').read_text().split() == ['first']


def test_a_child_that_never_gets_ready_is_named(tmp_path, spec):
    supervisor = Supervisor([spec('node', 'mute')], log_dir=tmp_path)
    with pytest.raises(StartError, match='node was not ready in time; its log: .*node.log'):
        supervisor.start(timeout=0.5)
    assert supervisor.pids() == {}


def test_a_start_can_be_cancelled(tmp_path, spec):
    supervisor = Supervisor([spec('node', 'mute')], log_dir=tmp_path)
    with pytest.raises(StartError, match='ended before node was ready'):
        supervisor.start(cancelled=lambda: True)
    assert supervisor.pids() == {}


def test_a_child_that_ignores_sigterm_is_killed_within_the_bound(tmp_path, spec):
    supervisor = Supervisor([spec('deaf', 'deaf'), spec('good')], log_dir=tmp_path)
    supervisor.start()
    pids = supervisor.pids()
    began = time.monotonic()
    supervisor.shutdown(timeout=1.0)
    assert time.monotonic() - began < 1.3
    assert (tmp_path / 'ends').read_text().split() == ['good']
    assert not any(is_alive(pid) for pid in pids.values())


def test_what_a_killed_child_leaves_behind_is_ended_too(tmp_path, spec):
    with Supervisor([spec('session', 'parent')], log_dir=tmp_path) as running:
        orphan = int((tmp_path / 'orphan').read_text())
        os.kill(running.pids()['session'], signal.SIGKILL)
        wait_until(lambda: running.poll() is not None)
        assert is_alive(orphan)
    wait_until(lambda: not is_alive(orphan))


def test_shutting_down_twice_is_harmless(tmp_path, spec):
    supervisor = Supervisor([spec('node')], log_dir=tmp_path)
    supervisor.start()
    supervisor.shutdown()
    supervisor.shutdown()
    assert (tmp_path / 'ends').read_text().split() == ['node']


def test_children_end_when_their_supervisor_is_killed(tmp_path, spec):
    script = textwrap.dedent(
        f"""
        import pathlib, time
        from elfin_bt.session.node_table import NodeSpec
        from elfin_bt.session.supervisor import Supervisor
        folder = pathlib.Path({str(tmp_path)!r})
        supervisor = Supervisor([NodeSpec(
            name='node', executable='node', module='tiny_child', is_ros=False,
            arguments=('good', str(folder), 'node'), ready_file=folder / 'node.ready',
        )], log_dir=folder)
        supervisor.start()
        print(supervisor.pids()['node'], flush=True)
        time.sleep(60)
        """
    )
    repository = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, '-c', script],
        stdout=subprocess.PIPE,
        env={**os.environ, 'PYTHONPATH': f'{tmp_path}:{repository}'},
    ) as process:
        pid = int(process.stdout.readline())
        assert is_alive(pid)
        process.kill()
    wait_until(lambda: not is_alive(pid))
    assert (tmp_path / 'ends').read_text().split() == ['node'], 'it had the time to end cleanly'

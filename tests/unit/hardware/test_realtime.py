# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked of the machine, and what is said where it refuses."""

import ctypes
import gc
import os
import resource
import sys

import pytest

from elfin_bt.hardware import realtime


def test_a_refused_priority_is_one_line_that_says_what_to_do(monkeypatch):
    def refuse(*_):
        raise PermissionError(1, 'Operation not permitted')

    monkeypatch.setattr(os, 'sched_setscheduler', refuse)
    warning = realtime.raise_priority(35)
    assert 'real-time priority 35 is refused (Operation not permitted)' in warning
    assert 'rtprio' in warning and 'realtime_priority to 0' in warning


def test_a_granted_priority_is_the_calling_threads_own(monkeypatch):
    asked = []
    monkeypatch.setattr(
        os, 'sched_setscheduler', lambda pid, policy, param: asked.append((pid, policy, param))
    )
    assert realtime.raise_priority(35) is None
    ((pid, policy, param),) = asked
    assert (pid, policy, param.sched_priority) == (0, os.SCHED_FIFO, 35)


def test_under_a_memory_limit_nothing_is_locked(monkeypatch):
    """Later allocations would fail, in the middle of a motion."""
    monkeypatch.setattr(os, 'geteuid', lambda: 1000)
    monkeypatch.setattr(resource, 'getrlimit', lambda _: (8192 * 1024, 8192 * 1024))
    monkeypatch.setattr(ctypes, 'CDLL', lambda *_, **__: pytest.fail('mlockall was called'))
    assert 'the limit is 8192 kB' in realtime.lock_memory()


@pytest.mark.parametrize('answer', [0, -1])
def test_where_it_may_all_memory_is_locked_as_it_comes_into_use(monkeypatch, answer):
    asked = []

    class Libc:
        def mlockall(self, flags: int) -> int:
            asked.append(flags)
            return answer

    monkeypatch.setattr(os, 'geteuid', lambda: 0)
    monkeypatch.setattr(ctypes, 'CDLL', lambda *_, **__: Libc())
    warning = realtime.lock_memory()
    assert asked == [1 | 2 | 4]  # MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT
    assert (warning is None) == (answer == 0)
    if warning:
        assert 'memory is not locked' in warning


def test_the_collector_is_quiet_and_works_when_it_is_told_to(monkeypatch):
    interval = sys.getswitchinterval()
    collected = []
    try:
        realtime.quiet_interpreter()
        assert not gc.isenabled()
        assert gc.get_freeze_count() > 10_000
        assert sys.getswitchinterval() == pytest.approx(realtime.SWITCH_INTERVAL)
        monkeypatch.setattr(gc, 'collect', collected.append)
        realtime.collect_garbage(at_rest=True)
        realtime.collect_garbage(at_rest=False)
    finally:
        gc.unfreeze()
        gc.enable()
        sys.setswitchinterval(interval)
    assert collected == [2, 0]
    realtime.collect_garbage(at_rest=True)
    assert collected == [2, 0]  # it happens by itself

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the processes of a cell, notices a death, and ends them all in the safe order.

No ROS in here: a supervisor that shares nothing with what it watches can't die of the same cause.

* Every child leads a session of its own, so that Ctrl-C in a terminal reaches the supervisor alone
  and the supervisor decides the order in which things end.
* Every child dies with its supervisor, even when that is killed: ``PR_SET_PDEATHSIG`` (prctl(2)).
* Start order is table order; the end comes in reverse: session, executor, hardware, firmware. What
  commands motion goes first and the firmware, which brings the arm to rest by itself, last.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from elfin_bt.session.node_table import NodeSpec

READY_TIMEOUT = 30.0
END_TIMEOUT = 2.5
POLL_PERIOD = 0.01
LOG_LINES_KEPT = 5

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Death:
    """A child that ended by itself: who, how, and its last words."""

    name: str
    returncode: int
    log_tail: tuple[str, ...]

    @property
    def text(self) -> str:
        """One line for a person, for instance ``executor died: killed by SIGKILL``."""
        if self.returncode < 0:
            return f'{self.name} died: killed by {signal.Signals(-self.returncode).name}'
        last = f', its last words: {self.log_tail[-1]}' if self.log_tail else ''
        return f'{self.name} died: exit code {self.returncode}{last}'


class StartError(Exception):
    """A process did not come up; the message is one line for a person."""


class Supervisor:
    """Runs the processes of ``specs`` as children, from ``start()`` until ``shutdown()``.

    The log of each child is ``log_dir/NAME.log``. ``start()`` must be called from the main thread:
    a death signal is tied to the thread that forked.
    """

    def __init__(
        self, specs: Sequence[NodeSpec], *, log_dir: Path, python: str = sys.executable
    ) -> None:
        self._specs = list(specs)
        self._log_dir = log_dir
        self._python = python
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        """Start everything."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End everything, however the block was left."""
        self.shutdown()

    def start(
        self, timeout: float = READY_TIMEOUT, cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        """Start all processes and return when each is ready.

        Raises StartError, with everything ended, when a child dies or isn't ready in ``timeout`` s
        or when ``cancelled()`` turns true.
        """
        deadline = time.monotonic() + timeout
        try:
            for spec in self._specs:
                self._children[spec.name] = self._spawn(spec)
                if not spec.is_ros:
                    # Firmware is up before its clients, as on a real cell.
                    self._wait_ready(spec, deadline, cancelled)
            for spec in self._specs:
                self._wait_ready(spec, deadline, cancelled)
        except BaseException:
            self.shutdown()
            raise

    def poll(self) -> Death | None:
        """Return the first process (in start order) that has died, or None. Never blocks."""
        for name, child in self._children.items():
            returncode = child.poll()
            if returncode is not None:
                return Death(name, returncode, self._log_tail(name))
        return None

    def pids(self) -> dict[str, int]:
        """Return the process ids of the children that have not been ended, by name."""
        return {name: child.pid for name, child in self._children.items()}

    def shutdown(self, timeout: float = END_TIMEOUT) -> None:
        """End the children one after the other; one that ignores SIGTERM is killed. Idempotent.

        All are gone when this returns, at the latest ``timeout`` s after the call.
        """
        deadline = time.monotonic() + timeout
        names = [spec.name for spec in reversed(self._specs) if spec.name in self._children]
        for position, name in enumerate(names):
            child = self._children[name]
            share = (deadline - time.monotonic()) / (len(names) - position)
            _terminate(child, max(share, 0.0))
        self._children.clear()

    def _spawn(self, spec: NodeSpec) -> subprocess.Popen[bytes]:
        self._log_dir.mkdir(parents=True, exist_ok=True)
        with self._log_path(spec.name).open('wb') as log:
            return subprocess.Popen(
                spec.command(self._python),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_child_hook(os.getpid(), spec.priority),
            )

    def _wait_ready(self, spec: NodeSpec, deadline: float, cancelled: Callable[[], bool]) -> None:
        while spec.ready_file is not None and not spec.ready_file.exists():
            death = self.poll()
            if death is not None:
                raise StartError(death.text)
            if cancelled():
                raise StartError(f'ended before {spec.name} was ready')
            if time.monotonic() > deadline:
                raise StartError(
                    f'{spec.name} was not ready in time; its log: {self._log_path(spec.name)}'
                )
            time.sleep(POLL_PERIOD)

    def _log_path(self, name: str) -> Path:
        return self._log_dir / f'{name}.log'

    def _log_tail(self, name: str) -> tuple[str, ...]:
        """Return the last lines of a log, so that a death can be explained after clean-up."""
        text = self._log_path(name).read_bytes()[-4096:].decode(errors='replace')
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return tuple(lines[-LOG_LINES_KEPT:])


def _child_hook(parent: int, priority: int) -> Callable[[], None]:
    """Return a hook for the forked child: SIGTERM when ``parent`` is gone, and its priority."""

    def hook() -> None:
        if priority:
            # Where it is refused, `elfin-bt doctor` says so; the runway bridges usual delays.
            with suppress(PermissionError):
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # the parent was killed between fork and prctl
            os._exit(1)

    return hook


def _terminate(child: subprocess.Popen[bytes], timeout: float) -> None:
    """SIGTERM, then after ``timeout`` s SIGKILL, to the child and what is left of its group."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    try:
        # A child that was killed can't end its own children (the session has the planner).
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""One drawing through a session: start the processes (or attach), hand in the job, follow it."""

from __future__ import annotations

import contextlib
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from elfin_bt.commands.domain_lock import DomainTaken, domain_lock
from elfin_bt.commands.drawing_options import RunOptions, RunResult
from elfin_bt.commands.end_request import EndRequest
from elfin_bt.commands.progress import Progress, ProgressLine
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.session.node_table import SessionOptions, node_table
from elfin_bt.session.report import Result
from elfin_bt.session.ros_client import SessionClient
from elfin_bt.session.supervisor import StartError, Supervisor

READY_TIMEOUT_S = 20.0
ANSWER_TIMEOUT_S = 5.0
# The session publishes at 5 Hz while a job is active, so this much silence is a death.
SILENCE_TIMEOUT_S = 2.5
STOP_TIMEOUT_S = 1.0
SPIN_PERIOD_S = 0.05


class _Failure(Exception):
    """The drawing has ended before it was done; the message is the reason."""


def run_drawing(recipe: Recipe, options: RunOptions, progress: ProgressLine) -> RunResult:
    """Draw `recipe` and return how it ended. Whatever was started has been ended by then."""
    with tempfile.TemporaryDirectory(prefix='elfin_bt-') as folder:
        return _DrawingRun(recipe, options, progress, Path(folder)).run()


class _DrawingRun:
    def __init__(
        self, recipe: Recipe, options: RunOptions, progress: ProgressLine, run_dir: Path
    ) -> None:
        self._recipe = recipe
        self._options = options
        self._progress = progress
        self._run_dir = run_dir
        self._end = EndRequest()
        self._supervisor: Supervisor | None = None
        self._job_id = uuid.uuid4().hex
        self._record_path: Path | None = None
        self._status: dict[str, Any] = {}

    def run(self) -> RunResult:
        result: Result = 'drawn'
        reason = ''
        try:
            with self._stack(), self._client() as client:
                try:
                    self._draw(client)
                except _Failure:
                    # Whatever went wrong, the arm comes to rest before anything is ended.
                    self._await(client.stop(), STOP_TIMEOUT_S)
                    raise
        except (_Failure, StartError, DomainTaken) as failure:
            result, reason = 'failed', str(failure)
            if self._status.get('phase') == 'refused':
                result = 'refused'
        finally:
            self._progress.close()
        # Read after the firmware has ended: a stop is part of what was executed.
        return RunResult(
            result=result,
            reason=reason,
            status=self._status,
            record=self._read_record(),
            logs={path.name: path.read_bytes() for path in sorted(self._run_dir.glob('*.log'))},
        )

    @contextlib.contextmanager
    def _stack(self) -> Iterator[None]:
        if self._options.attach:
            yield
            return
        specs = node_table(
            SessionOptions(run_dir=self._run_dir, speedup=self._options.speedup or 1.0)
        )
        supervisor = Supervisor(specs, log_dir=self._run_dir)
        with domain_lock():
            try:
                supervisor.start(cancelled=lambda: self._end.requested)
                self._supervisor = supervisor
                yield
            finally:
                supervisor.shutdown()

    @contextlib.contextmanager
    def _client(self) -> Iterator[SessionClient]:
        context = rclpy.Context()
        rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
        try:
            node = rclpy.create_node(f'draw_{self._job_id[:8]}', context=context)
            self._executor = SingleThreadedExecutor(context=context)
            self._executor.add_node(node)
            yield SessionClient(node)
            node.destroy_node()
        finally:
            context.try_shutdown()

    def _draw(self, client: SessionClient) -> None:
        if not self._spin_until(lambda: client.ready, READY_TIMEOUT_S):
            missing = ', '.join(client.missing)
            hint = (
                'start one with: elfin-bt session'
                if self._options.attach
                else 'see: elfin-bt doctor'
            )
            raise _Failure(f'no session answered within {READY_TIMEOUT_S:g} s ({missing}); {hint}')
        self._record_path = self._switch_record(client, True)

        recipe_file = self._run_dir / 'recipe.json'
        recipe_file.write_text(self._recipe.to_json(), encoding='utf-8')
        client.submit(
            {
                'id': self._job_id,
                'kind': 'draw',
                'recipe_file': str(recipe_file),
                'dry_run': self._options.dry_run,
                'pen_speed_m_s': self._options.pen_speed_m_s,
            }
        )
        self._follow(client)
        self._switch_record(client, False)

    def _follow(self, client: SessionClient) -> None:
        """Show the progress until the job is done; raise for every other end."""
        last_heard, last_status = time.monotonic(), None
        while True:
            self._spin_once()
            now = time.monotonic()
            status = client.status(self._job_id)
            if status is not last_status:
                last_heard, last_status = now, status
            if status is not None:
                self._status = status
                self._show(status, now)
                if status['phase'] == 'done':
                    return
                if status['phase'] in ('refused', 'failed'):
                    raise _Failure(status['reason'])
            if now - last_heard > (ANSWER_TIMEOUT_S if status is None else SILENCE_TIMEOUT_S):
                raise _Failure(f'the session has not answered for {now - last_heard:.1f} s')

    def _show(self, status: dict[str, Any], now: float) -> None:
        self._progress.update(
            Progress(
                phase=status['phase'],
                strokes_done=status['strokes_done'],
                strokes=status['strokes'],
                ink_m=status['ink_m'],
                ink_total_m=self._recipe.pen_down_m,
                time_left_s=status['time_left_s'],
            ),
            now,
        )

    def _switch_record(self, client: SessionClient, enable: bool) -> Path:
        future = client.record(enable)
        if not self._await([future], ANSWER_TIMEOUT_S):
            raise _Failure('the hardware node did not answer when asked for a record of the motion')
        answer = future.result()
        if not answer.success:
            raise _Failure(f'no record of the motion: {answer.message}')
        return Path(answer.message)

    def _spin_once(self) -> None:
        """Let messages arrive, then raise if anything has died or a person wants to end."""
        self._executor.spin_once(timeout_sec=SPIN_PERIOD_S)
        if self._end.requested:
            raise _Failure('stopped by the user')
        death = self._supervisor.poll() if self._supervisor else None
        if death is not None:
            raise _Failure(death.text)

    def _spin_until(self, condition: Any, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > deadline:
                return False
            self._spin_once()
        return True

    def _await(self, futures: list[Future], timeout_s: float) -> bool:
        """Spin until one of the futures is done; False after `timeout_s` or without futures."""
        deadline = time.monotonic() + timeout_s
        while futures and time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=SPIN_PERIOD_S)
            if any(future.done() for future in futures):
                return True
        return False

    def _read_record(self) -> bytes:
        try:
            return self._record_path.read_bytes() if self._record_path else b''
        except OSError:
            return b''

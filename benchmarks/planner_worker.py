# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How soon the planner's process answers, and how much memory it takes. Linux only."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planner_measuring import Seconds, of_runs
from planner_stages import READY

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.planning.messages import (
    Checked,
    Event,
    Piece,
    PlanDrawing,
    PlanHome,
    Planned,
    PlannerFailed,
    Refused,
    Timed,
)
from elfin_bt.planning.worker_client import PlannerClient

PATIENCE = 600.0  # s
TAKEN = 10.0  # pieces a second, as motion takes them


def answers(recipe: Recipe, runs: int) -> dict[str, Seconds]:
    """Wall seconds from a request to its answers.

    The request names a file, as a session's does; reading it is part of the time.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'recipe.json'
        file.write_text(recipe.to_json(), encoding='utf-8')
        times: dict[str, list[float]] = {'checked': [], 'first piece': [], 'timed': []}
        client = _warm_client()
        try:
            for number in range(runs):
                took = _answers(client, number + 1, file, client.poll)
                for name, seconds in took.items():
                    times[name].append(seconds)
                client.cancel(number + 1)
        finally:
            client.close()
    return {name: of_runs(seconds) for name, seconds in times.items()}


def peak_memory(recipe: Recipe) -> dict[str, Any]:
    """Largest resident memory of the process until all is timed, with pieces taken slowly.

    What is planned waits in the process until the motion takes it, so nearly all of it is there.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'recipe.json'
        file.write_text(recipe.to_json(), encoding='utf-8')
        client = _warm_client()
        try:
            before = _peak_rss(client.pid)

            def poll_slowly() -> list[Event]:
                time.sleep(1.0 / TAKEN)
                return client.poll(1)

            took = _answers(client, 1, file, poll_slowly)
            return {
                'file, MB': file.stat().st_size / 1e6,
                'idle, MB': before,
                'peak, MB': _peak_rss(client.pid),
                **{f'{name}, s': seconds for name, seconds in took.items()},
            }
        finally:
            client.close()


def _warm_client() -> PlannerClient:
    client = PlannerClient()
    client.submit(PlanHome(0, READY))
    _wait(client.poll, Planned)
    return client


def _answers(
    client: PlannerClient, number: int, file: Path, poll: Callable[[], list[Event]]
) -> dict[str, float]:
    kinds = {Checked: 'checked', Piece: 'first piece', Timed: 'timed'}
    times: dict[str, float] = {}
    began = time.monotonic()
    client.submit(PlanDrawing(number, file, READY))
    while len(times) < len(kinds):
        for event in _wait(poll, *kinds):
            name = kinds.get(type(event))
            if name and name not in times:
                times[name] = time.monotonic() - began
    return times


def _wait(poll: Callable[[], list[Event]], *kinds: type) -> list[Event]:
    """Events up to one of these kinds. Raises RuntimeError where there is none."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        events = poll()
        for event in events:
            if isinstance(event, Refused | PlannerFailed):
                raise RuntimeError(f'the planner refused: {event.reason}')
        if any(isinstance(event, kinds) for event in events):
            return events
        time.sleep(0.0005)
    raise RuntimeError('the planner does not answer')


def _peak_rss(pid: int) -> float:
    """MB."""
    for line in Path(f'/proc/{pid}/status').read_text(encoding='ascii').splitlines():
        if line.startswith('VmHWM'):
            return float(line.split()[1]) / 1024.0
    raise RuntimeError(f'process {pid} has ended')

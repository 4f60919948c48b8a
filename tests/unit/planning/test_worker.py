# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's process, started for real. No test waits longer than DEADLINE."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe

import numpy as np
import pytest

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
from elfin_bt.planning.outbox import FIRST_PIECES
from elfin_bt.planning.settings import READY_POSE, PlannerConfig
from elfin_bt.planning.worker_client import MODULE, PlannerClient

from .drawings import polyline, recipe, spiral, square

READY = np.array(READY_POSE)
DEADLINE = 20.0
LONG = recipe(spiral(25, 2.0, 0.1))


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, 'nothing happened'
        time.sleep(0.001)


def answer(client: PlannerClient) -> list[Event]:
    """All events up to the one that ends a request."""
    events: list[Event] = []

    def ended() -> bool:
        events.extend(client.poll())
        return bool(events) and isinstance(events[-1], Planned | Refused | PlannerFailed)

    wait_until(ended)
    return events


@pytest.fixture(scope='module')
def client() -> Iterator[PlannerClient]:
    client = PlannerClient(max_events=8)
    yield client
    client.close()


def test_home_comes_in_pieces_from_start_to_ready(client):
    client.submit(PlanHome(1, np.zeros(6)))
    *pieces, end = answer(client)
    assert isinstance(end, Planned)
    assert [piece.index for piece in pieces] == list(range(len(pieces)))
    np.testing.assert_allclose(pieces[0].trajectory.positions[0], np.zeros(6), atol=1e-9)
    np.testing.assert_allclose(pieces[-1].trajectory.positions[-1], READY, atol=1e-9)


def test_a_drawing_is_checked_sent_and_concluded(client):
    client.submit(PlanDrawing(2, recipe(square(20.0)), READY))
    checked, *others, planned = answer(client)
    assert isinstance(checked, Checked)
    assert isinstance(planned, Planned)
    (timed,) = (event for event in others if isinstance(event, Timed))
    assert timed.figures == planned.figures
    pieces = [event for event in others if event is not timed]
    assert all(isinstance(piece, Piece) and piece.request_id == 2 for piece in pieces)
    assert [piece.index for piece in pieces] == list(range(len(pieces)))
    sent = sum(p.trajectory.duration for p in pieces if p.phase != 'retract')
    assert planned.figures['planned_duration_s'] == pytest.approx(sent)


def test_a_recipe_may_be_given_as_a_file(client, tmp_path):
    path = tmp_path / 'recipe.json'
    path.write_text(recipe(square(20.0)).to_json())
    client.submit(PlanDrawing(3, path, READY))
    assert isinstance(answer(client)[-1], Planned)


@pytest.mark.parametrize('content', [None, '', '{"version": 999}'])
def test_a_file_that_is_no_recipe_is_refused_in_one_line(client, tmp_path, content):
    path = tmp_path / 'recipe.json'
    if content is not None:
        path.write_text(content)
    client.submit(PlanDrawing(4, path, READY))
    (event,) = answer(client)
    assert isinstance(event, Refused)
    assert 'recipe.json' in event.reason
    assert '\n' not in event.reason


def test_a_stroke_out_of_reach_is_refused_before_any_piece(client):
    client.submit(PlanDrawing(5, recipe(polyline([[0, 0], [-300, 0]])), READY))
    (event,) = answer(client)
    assert isinstance(event, Refused)
    assert 'stroke 1' in event.reason


def test_a_fault_of_the_planner_is_one_line_and_not_its_end(client):
    client.submit(PlanDrawing(6, 'not a recipe', READY))  # type: ignore[arg-type]
    (event,) = answer(client)
    assert isinstance(event, PlannerFailed)
    assert '\n' not in event.reason
    client.submit(PlanHome(7, READY))
    assert isinstance(answer(client)[-1], Planned)


def test_nothing_is_heard_of_a_cancelled_request_and_the_next_is_served(client):
    client.submit(PlanDrawing(8, LONG, READY))
    # Eight events are held, then the pipe fills: the planner is in the middle of sending.
    wait_until(lambda: len(client.poll(limit=1)) == 1)
    client.cancel(8)
    client.submit(PlanHome(9, READY))
    events = answer(client)
    assert {event.request_id for event in events} == {9}


def test_a_poll_takes_no_more_than_asked(client):
    client.submit(PlanDrawing(10, recipe(square(20.0)), READY))
    got: list[Event] = []

    def ended() -> bool:
        events = client.poll(limit=2)
        assert len(events) <= 2
        got.extend(events)
        return bool(got) and isinstance(got[-1], Planned)

    wait_until(ended)
    assert [e.index for e in got if isinstance(e, Piece)] == list(range(len(got) - 3))


def test_the_time_of_a_drawing_is_known_before_its_pieces_are_wanted(client):
    client.submit(PlanDrawing(11, LONG, READY))
    got: list[Event] = []

    def timed() -> bool:
        got.extend(client.poll(limit=1) if len(got) < FIRST_PIECES + 2 else [])
        return bool(got) and isinstance(got[-1], Timed)

    wait_until(timed)
    client.cancel(11)


def test_a_killed_planner_is_noticed_within_a_tenth_of_a_second():
    client = PlannerClient()
    client.submit(PlanHome(1, READY))
    answer(client)
    assert client.alive
    assert client.exit_text == ''
    os.kill(client.pid, signal.SIGKILL)
    killed = time.monotonic()
    wait_until(lambda: not client.alive)
    assert time.monotonic() - killed < 0.1
    assert 'SIGKILL' in client.exit_text
    client.close()


@pytest.mark.parametrize('busy', [False, True])
def test_closing_ends_the_process_at_once_even_while_it_waits_for_room(busy):
    client = PlannerClient(max_events=1)
    if busy:
        client.submit(PlanDrawing(1, LONG, READY))
        wait_until(lambda: len(client.poll(limit=1)) == 1)
    began = time.monotonic()
    client.close()
    assert time.monotonic() - began < 1.0
    assert not client.alive


def start_worker() -> tuple[subprocess.Popen[bytes], 'object']:
    ours, theirs = Pipe()
    command = [sys.executable, '-m', MODULE, '--fd', str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE)
    theirs.close()
    return process, ours


@pytest.mark.parametrize('waiting', ['for its configuration', 'for work', 'for room in the pipe'])
def test_the_process_ends_silently_with_its_pipe(waiting):
    process, connection = start_worker()
    if waiting != 'for its configuration':
        connection.send(PlannerConfig())
        connection.send(PlanHome(1, READY))
        assert isinstance(connection.recv(), Planned)
    if waiting == 'for room in the pipe':
        connection.send(PlanDrawing(2, LONG, READY))
        assert isinstance(connection.recv(), Checked)
    connection.close()
    assert process.wait(timeout=DEADLINE) == 0
    assert process.stderr.read() == b''
    process.stderr.close()


def test_ctrl_c_in_the_terminal_is_left_to_the_session():
    process, connection = start_worker()
    connection.send(PlannerConfig())
    connection.send(PlanHome(1, READY))
    assert isinstance(connection.recv(), Planned)
    process.send_signal(signal.SIGINT)
    connection.send(PlanHome(2, READY))
    assert connection.recv().request_id == 2
    process.terminate()
    assert process.wait(timeout=DEADLINE) == -signal.SIGTERM
    connection.close()
    process.stderr.close()

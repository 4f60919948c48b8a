# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.behaviours.plan import DrawingOrder
from elfin_bt.planning.messages import Checked, PlanDrawing, PlanHome, Planned, PlannerFailed
from elfin_bt.planning.settings import Speeds
from elfin_bt.session.planner_desk import PIECES_AHEAD, PlannerDesk


@pytest.fixture
def desk(bench):
    """The desk of a bench: its planner is a fake."""
    return bench.core.planner


@pytest.fixture
def client(bench):
    return bench.client


ORDER = DrawingOrder('/r.json', dry_run=True, speeds=Speeds(pen=0.04))


def test_requests_say_what_is_wanted(desk, client):
    desk.plan_home(np.zeros(6))
    desk.plan_drawing(np.ones(6), ORDER)
    home, drawing = client.requests
    assert isinstance(home, PlanHome)
    assert isinstance(drawing, PlanDrawing)
    assert home.request_id != drawing.request_id
    assert (drawing.recipe, drawing.dry_run, drawing.speeds.pen) == ('/r.json', True, 0.04)
    np.testing.assert_array_equal(drawing.start, np.ones(6))


def test_answers_go_to_the_plan_that_was_asked_for(desk, client, make_piece):
    desk.plan_home(np.zeros(6))
    desk.plan_drawing(np.zeros(6), ORDER)
    home, drawing = (request.request_id for request in client.requests)
    client.events.extend(
        [
            make_piece(home, 0, 'ptp'),
            Planned(home, {}),
            Checked(drawing, {'clearance_m': 0.1}),
            make_piece(drawing, 0, 'approach'),
            PlannerFailed(drawing, 'out of memory'),
        ]
    )
    desk.collect()
    assert ([piece.phase for piece in desk.home.pieces], desk.home.complete) == (['ptp'], True)
    assert [piece.phase for piece in desk.drawing.pieces] == ['approach']
    assert (desk.drawing.checked, desk.drawing.complete) == (True, False)
    assert desk.drawing.figures == {'clearance_m': 0.1}
    assert desk.drawing.failure == 'out of memory'


def test_a_long_drawing_waits_in_the_planners_process(desk, client, make_piece):
    desk.plan_drawing(np.zeros(6), ORDER)
    request = client.requests[-1].request_id
    client.events.extend(make_piece(request, index, 'draw', 0) for index in range(100))
    for _ in range(5):
        desk.collect()
    assert len(desk.drawing.pieces) == PIECES_AHEAD
    for _ in range(10):
        desk.drawing.pieces.popleft()
    desk.collect()
    assert len(desk.drawing.pieces) == PIECES_AHEAD
    assert [piece.index for piece in desk.drawing.pieces] == list(range(10, 10 + PIECES_AHEAD))


def test_after_a_cancel_nothing_of_the_old_plans_is_left(desk, client, make_piece):
    desk.plan_drawing(np.zeros(6), ORDER)
    request = client.requests[-1].request_id
    client.events.append(make_piece(request, 0, 'draw', 0))
    desk.collect()
    desk.cancel()
    client.events.append(make_piece(request, 1, 'draw', 0))
    desk.collect()
    assert client.cancelled == [request]
    assert not desk.drawing.pieces


def test_a_dead_planner_is_replaced_on_request_only(desk, bench):
    bench.client.alive, bench.client.exit_text = False, 'the planner was killed by SIGKILL'
    assert desk.death == 'the planner was killed by SIGKILL'
    assert len(bench.clients) == 1
    desk.restart()
    assert desk.death == ''
    assert [client.closed for client in bench.clients] == [True, False]


def test_its_planner_ends_with_it(bench):
    desk = PlannerDesk(bench._start_planner)
    desk.close()
    assert bench.client.closed

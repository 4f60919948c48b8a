# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from py_trees.common import Status

from elfin_bt.behaviours.plan_home import PATIENCE, PlanHome


@pytest.fixture
def plan_home(make):
    return make(PlanHome)


def test_it_asks_once_and_succeeds_when_the_whole_way_is_planned(cell, plan_home, tick, piece):
    assert tick(plan_home) == Status.RUNNING
    cell.planner.home.pieces.append(piece())
    assert tick(plan_home) == Status.RUNNING
    cell.planner.home.complete = True
    assert tick(plan_home) == Status.SUCCESS
    assert cell.planner.calls == [('home', [0.0] * 6)]
    assert len(cell.planner.home.pieces) == 1, 'planning must not take pieces out'


@pytest.mark.parametrize('field', ['refusal', 'failure'])
def test_a_refusal_ends_the_job_with_its_reason(cell, plan_home, tick, field):
    tick(plan_home)
    setattr(cell.planner.home, field, 'the board is in the way')
    assert tick(plan_home) == Status.FAILURE
    assert cell.jobs.end == ('given up', 'the board is in the way')


@pytest.mark.parametrize(
    ('lacking', 'reason'),
    [
        ({'positions': None}, 'no joint states'),
        ({'executor_available': False}, 'the executor does not take goals'),
        ({'at_rest': False}, 'the arm does not come to rest'),
    ],
)
def test_it_waits_for_the_cell_to_come_up_but_not_for_ever(cell, plan_home, tick, lacking, reason):
    for name, value in lacking.items():
        setattr(cell.robot, name, value)
    assert tick(plan_home) == Status.RUNNING
    cell.clock.now += PATIENCE - 0.01
    assert tick(plan_home) == Status.RUNNING
    cell.clock.now += 0.02
    assert tick(plan_home) == Status.FAILURE
    assert cell.jobs.end[1].startswith(reason)
    assert cell.planner.calls == []


def test_interrupted_it_takes_its_request_back(cell, plan_home, tick):
    tick(plan_home)
    plan_home.stop(Status.INVALID)
    assert cell.planner.calls[-1] == 'cancel'

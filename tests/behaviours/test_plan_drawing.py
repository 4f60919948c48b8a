# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from py_trees.common import Status

from elfin_bt.behaviours.plan_drawing import PlanDrawing


@pytest.fixture
def plan_drawing(make):
    return make(PlanDrawing)


def test_it_starts_where_the_way_home_ends(cell, plan_drawing, tick, piece):
    cell.planner.home.pieces.extend([piece(0, 'ptp', end=0.4), piece(1, 'ptp', end=0.7)])
    tick(plan_drawing)
    assert cell.planner.calls == [('drawing', [0.7] * 6)]


def test_with_the_arm_at_home_already_it_starts_where_the_arm_is(cell, plan_drawing, tick):
    cell.robot.positions = cell.robot.positions + 0.3
    tick(plan_drawing)
    assert cell.planner.calls == [('drawing', [0.3] * 6)]


def test_it_succeeds_once_checked_though_planning_goes_on(cell, plan_drawing, tick):
    assert tick(plan_drawing) == Status.RUNNING
    cell.planner.drawing.checked = True
    assert tick(plan_drawing) == Status.SUCCESS
    assert cell.planner.calls[-1] != 'cancel', 'the rest of the plan is still wanted'


def test_a_stroke_that_can_not_be_drawn_refuses_the_job(cell, plan_drawing, tick):
    tick(plan_drawing)
    cell.planner.drawing.refusal = 'stroke 3: out of reach'
    assert tick(plan_drawing) == Status.FAILURE
    assert cell.jobs.end == ('given up', 'stroke 3: out of reach')


def test_interrupted_it_takes_its_request_back(cell, plan_drawing, tick):
    tick(plan_drawing)
    plan_drawing.stop(Status.INVALID)
    assert cell.planner.calls[-1] == 'cancel'

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from py_trees.common import Status

from elfin_bt.behaviours.collect_plan import CollectPlan
from elfin_bt.behaviours.execute_plan import KNOTS_PER_TICK, STALL, ExecutePlan
from elfin_bt.behaviours.phase import Phase


@pytest.fixture
def execute(make):
    return make(ExecutePlan, plan='drawing', phase='drawing')


def test_it_sends_in_order_and_waits_for_the_last_to_end(cell, execute, tick, piece):
    pieces = [piece(index) for index in range(3)]
    cell.planner.drawing.pieces.extend(pieces)
    cell.planner.drawing.complete = True
    assert tick(execute) == Status.RUNNING
    assert cell.motion.sent == pieces
    assert tick(execute) == Status.RUNNING, 'sent is not executed'
    cell.motion.idle = True
    assert tick(execute) == Status.SUCCESS
    assert cell.jobs.phases == [Phase.DRAWING]


@pytest.mark.parametrize(
    ('knots', 'sent_in_first_tick'),
    [
        (2, KNOTS_PER_TICK // 2),
        (KNOTS_PER_TICK // 2, 2),
        (KNOTS_PER_TICK // 2 + 1, 1),
        (KNOTS_PER_TICK + 1, 1),
    ],
)
def test_what_it_sends_in_a_tick_is_bounded(cell, execute, tick, piece, knots, sent_in_first_tick):
    cell.motion.room = 1000
    cell.planner.drawing.pieces.extend(piece(knots=knots) for _ in range(150))
    tick(execute)
    assert len(cell.motion.sent) == sent_in_first_tick


def test_it_sends_nothing_into_a_full_queue(cell, execute, tick, piece):
    cell.planner.drawing.pieces.extend([piece(0), piece(1)])
    cell.motion.room = 1
    tick(execute)
    tick(execute)
    assert len(cell.motion.sent) == 1
    assert len(cell.planner.drawing.pieces) == 1


def test_an_idle_executor_is_no_success_while_planning_goes_on(cell, execute, tick):
    assert tick(execute) == Status.RUNNING


def test_an_empty_plan_that_is_complete_is_done_at_once(cell, execute, tick):
    cell.planner.drawing.complete = True
    assert tick(execute) == Status.SUCCESS
    assert cell.motion.sent == []


def test_a_goal_that_was_not_carried_out_is_latched_and_nothing_more_is_sent(
    cell, execute, tick, piece
):
    cell.planner.drawing.pieces.append(piece(0))
    tick(execute)
    cell.planner.drawing.pieces.append(piece(1))
    cell.motion.failure = 'ran dry'
    assert tick(execute) == Status.FAILURE
    assert cell.faults.cause == 'executor: ran dry'
    assert len(cell.motion.sent) == 1


def test_an_arm_that_stands_still_with_goals_open_is_a_fault_after_a_while(
    cell, execute, tick, piece
):
    cell.planner.drawing.pieces.append(piece(0))
    tick(execute)
    cell.clock.now += STALL - 0.01
    assert tick(execute) == Status.RUNNING
    cell.robot.at_rest = False
    assert tick(execute) == Status.RUNNING
    cell.robot.at_rest = True
    cell.clock.now += STALL - 0.01
    assert tick(execute) == Status.RUNNING
    cell.clock.now += 0.02
    assert tick(execute) == Status.FAILURE
    assert cell.faults.cause.startswith('executor: it left the arm standing for 5 s')


def test_waiting_for_the_planner_is_no_stall(cell, execute, tick):
    tick(execute)
    cell.clock.now += 100.0 * STALL
    assert tick(execute) == Status.RUNNING


def test_interrupted_it_brings_the_arm_to_rest(cell, execute, tick, piece):
    cell.planner.drawing.pieces.append(piece(0))
    tick(execute)
    execute.stop(Status.INVALID)
    assert cell.motion.cancels == 1


def test_an_interruption_before_the_first_tick_or_after_the_end_cancels_nothing(
    cell, execute, tick
):
    execute.stop(Status.INVALID)
    cell.planner.drawing.complete = True
    tick(execute)
    execute.stop(Status.INVALID)
    assert cell.motion.cancels == 0


def test_collecting_ends_with_the_plan(cell, make, tick):
    collect = make(CollectPlan)
    assert tick(collect) == Status.RUNNING
    cell.planner.arriving.append(lambda: setattr(cell.planner.drawing, 'complete', True))
    assert tick(collect) == Status.SUCCESS


def test_a_planner_that_fails_half_way_is_latched(cell, make, tick):
    collect = make(CollectPlan)
    tick(collect)
    cell.planner.drawing.failure = 'out of memory'
    assert tick(collect) == Status.FAILURE
    assert cell.faults.cause == 'planner: out of memory'

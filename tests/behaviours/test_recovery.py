# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from py_trees.common import Status

from elfin_bt.behaviours.give_up_job import GiveUpJob
from elfin_bt.behaviours.stop_motion import PATIENCE, StopMotion
from elfin_bt.behaviours.wait_for_reset import WaitForReset


@pytest.fixture
def stop_motion(make):
    return make(StopMotion)


@pytest.fixture
def wait_for_reset(make):
    return make(WaitForReset)


def test_a_stop_is_over_when_the_arm_is_seen_at_rest_and_no_goal_is_open(cell, stop_motion, tick):
    cell.robot.at_rest, cell.motion.idle = False, False
    assert tick(stop_motion) == Status.RUNNING
    assert cell.planner.calls == ['cancel']
    cell.robot.at_rest = True
    assert tick(stop_motion) == Status.RUNNING
    cell.motion.idle = True
    assert tick(stop_motion) == Status.SUCCESS


def test_goals_sent_in_the_tick_of_the_interruption_are_cancelled_too(cell, stop_motion, tick):
    cell.robot.at_rest = False
    tick(stop_motion)
    before = cell.motion.cancels
    tick(stop_motion)
    assert cell.motion.cancels > before


def test_a_dead_executor_does_not_hold_up_a_stop_of_an_arm_at_rest(cell, stop_motion, tick):
    cell.motion.idle = False
    assert tick(stop_motion) == Status.RUNNING
    cell.clock.now += PATIENCE
    assert tick(stop_motion) == Status.SUCCESS


def test_an_arm_that_moves_is_never_taken_for_stopped(cell, stop_motion, tick):
    cell.robot.at_rest = False
    tick(stop_motion)
    cell.clock.now += 100.0 * PATIENCE
    assert tick(stop_motion) == Status.RUNNING


def test_a_stop_is_over_when_the_arm_can_not_be_seen(cell, stop_motion, tick):
    cell.robot.at_rest, cell.robot.silent = False, True
    assert tick(stop_motion) == Status.SUCCESS


@pytest.mark.parametrize(
    ('fault', 'reason'), [('', 'cancelled on request'), ('starved', 'hardware: starved')]
)
def test_a_job_is_given_up_for_the_fault_if_there_is_one(cell, make, tick, fault, reason):
    if fault:
        cell.faults.latch('hardware', fault)
    assert tick(make(GiveUpJob, reason='cancelled on request')) == Status.SUCCESS
    assert cell.jobs.end == ('given up', reason)


def test_nothing_is_reset_until_a_person_asks(cell, wait_for_reset, tick):
    cell.faults.latch('hardware', 'starved')
    for _ in range(100):
        assert tick(wait_for_reset) == Status.RUNNING
    assert cell.robot.resets == 0


def test_a_reset_clears_the_latch_when_the_robot_is_clear(cell, wait_for_reset, tick):
    cell.faults.latch('hardware', 'starved')
    cell.jobs.reset_requested = True
    assert tick(wait_for_reset) == Status.RUNNING
    assert cell.robot.resets == 1
    assert cell.faults.cause, 'nothing is clear before the answer'
    cell.robot.reset_outcome = ''
    assert tick(wait_for_reset) == Status.SUCCESS
    assert (cell.faults.cause, cell.jobs.reset_answers) == ('', [''])
    assert 'restart' not in cell.planner.calls


def test_a_reset_that_fails_leaves_the_latch_and_can_be_tried_again(cell, wait_for_reset, tick):
    cell.faults.latch('hardware', 'starved')
    cell.jobs.reset_requested = True
    cell.robot.reset_outcome = 'the drive is off'
    assert tick(wait_for_reset) == Status.RUNNING
    assert cell.faults.cause == 'hardware: starved'
    assert cell.jobs.reset_answers == ['the drive is off']
    cell.jobs.reset_requested, cell.robot.reset_outcome = True, ''
    assert tick(wait_for_reset) == Status.SUCCESS
    assert cell.robot.resets == 2


def test_a_reset_starts_a_new_planner_for_a_dead_one(cell, wait_for_reset, tick):
    cell.planner.death = 'killed by SIGKILL'
    cell.jobs.reset_requested, cell.robot.reset_outcome = True, ''
    tick(wait_for_reset)
    assert cell.planner.calls == ['restart']

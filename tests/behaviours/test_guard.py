# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from py_trees.behaviours import Failure, Running, Success
from py_trees.blackboard import Blackboard
from py_trees.common import Status

from elfin_bt.behaviours.guard import Guard


def guard_over(child):
    guard = Guard(name='guard', child=child)
    guard.setup_ports({'when': '/flag'})
    return guard


@pytest.mark.parametrize(
    ('child', 'status'),
    [(Success, Status.SUCCESS), (Failure, Status.FAILURE), (Running, Status.RUNNING)],
)
def test_an_open_guard_has_the_status_of_its_child(child, status, tick):
    Blackboard.set('/flag', True)
    assert tick(guard_over(child(name='child'))) == status


def test_a_closed_guard_fails_and_does_not_tick_its_child(tick):
    Blackboard.set('/flag', False)
    child = Success(name='child')
    assert tick(guard_over(child)) == Status.FAILURE
    assert child.status == Status.INVALID


def test_a_guard_that_closes_interrupts_its_running_child_in_the_same_tick(tick):
    Blackboard.set('/flag', True)
    child = Running(name='child')
    guard = guard_over(child)
    tick(guard)
    Blackboard.set('/flag', False)
    assert tick(guard) == Status.FAILURE
    assert child.status == Status.INVALID

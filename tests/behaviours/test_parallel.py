# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from py_trees.behaviours import Failure, Running, Success
from py_trees.common import Status

from elfin_bt.behaviours.parallel import Parallel


def parallel(policy, selected='', children=()):
    return Parallel(name='parallel', policy=policy, selected=selected, children=list(children))


@pytest.mark.parametrize(
    ('policy', 'selected', 'status'),
    [
        ('success_on_all', '', Status.RUNNING),
        ('success_on_one', '', Status.SUCCESS),
        ('success_on_selected', 'ends', Status.SUCCESS),
        ('success_on_selected', 'goes on', Status.RUNNING),
        ('success_on_selected', 'ends; goes on', Status.RUNNING),
    ],
)
def test_the_policy_decides_what_success_is(policy, selected, status, tick):
    children = [Success(name='tree.ends'), Running(name='tree.goes on')]
    assert tick(parallel(policy, selected, children)) == status


def test_one_failure_fails_it_and_interrupts_the_others(tick):
    running = Running(name='running')
    node = parallel('success_on_selected', 'running', [running, Failure(name='fails')])
    assert tick(node) == Status.FAILURE
    assert running.status == Status.INVALID


@pytest.mark.parametrize(
    ('policy', 'selected'), [('success_on_any', ''), ('success_on_selected', 'nobody')]
)
def test_an_unknown_policy_or_child_is_refused(policy, selected):
    with pytest.raises(ValueError, match=r'success_on_any|nobody'):
        parallel(policy, selected, [Success(name='ends')])

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from py_trees.blackboard import Blackboard
from py_trees.common import Status

from elfin_bt.behaviours.sense import Sense


@pytest.fixture
def sense(cell):
    behaviour = Sense(name='sense')
    behaviour.setup_ports({key: f'/{key}' for key in ('fault', 'cancel', 'draw', 'home')})
    behaviour.setup(cell=cell)
    return behaviour


def flags():
    return {key: Blackboard.get(f'/{key}') for key in ('fault', 'cancel', 'draw', 'home')}


def test_nothing_to_do_raises_no_flag(sense, tick):
    assert tick(sense) == Status.SUCCESS
    assert flags() == {'fault': False, 'cancel': False, 'draw': False, 'home': False}


def test_each_request_raises_its_flag(cell, sense, tick):
    cell.jobs.draw_active = cell.jobs.cancel_requested = True
    tick(sense)
    assert flags() == {'fault': False, 'cancel': True, 'draw': True, 'home': False}
    cell.jobs.draw_active = cell.jobs.cancel_requested = False
    cell.jobs.home_active = True
    tick(sense)
    assert flags() == {'fault': False, 'cancel': False, 'draw': False, 'home': True}


@pytest.mark.parametrize(
    ('what', 'change', 'cause'),
    [
        ('robot', {'fault': 'OUT_OF_FRAMES: starved'}, 'hardware: OUT_OF_FRAMES: starved'),
        ('robot', {'silent': True}, 'hardware: the hardware node has stopped reporting'),
        ('planner', {'death': 'killed by SIGKILL'}, 'planner: killed by SIGKILL'),
    ],
)
def test_a_fault_is_latched_and_stays_when_its_sign_is_gone(cell, sense, tick, what, change, cause):
    part = getattr(cell, what)
    before = {name: getattr(part, name) for name in change}
    for name, value in change.items():
        setattr(part, name, value)
    tick(sense)
    for name, value in before.items():
        setattr(part, name, value)
    tick(sense)
    assert flags()['fault'] is True
    assert cell.faults.cause.startswith(cause)

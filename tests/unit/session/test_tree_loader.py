# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
from py_trees.blackboard import Blackboard
from py_trees.composites import Selector
from py_trees.trees import BehaviourTree

from elfin_bt.behaviours.parallel import Parallel
from elfin_bt.behaviours.registry import REGISTRY
from elfin_bt.resources import share_path
from elfin_bt.session.tree_loader import load_tree


def load():
    Blackboard.clear()
    return load_tree(share_path('trees/session.xml'), REGISTRY)


def test_nodes_have_the_names_of_the_file():
    names = [node.name for node in load().iterate()]
    assert 'draw and retract' in names
    assert not [name for name in names if '.' in name]


def test_what_is_more_important_stands_higher():
    (priorities,) = (node for node in load().iterate() if isinstance(node, Selector))
    assert not priorities.memory
    assert [child.name for child in priorities.children] == [
        'while a fault is latched',
        'while the job is to be given up',
        'while there is a drawing job',
        'while asked to go home',
        'idle',
    ]


def test_execution_alone_decides_when_a_drawing_is_done():
    (parallel,) = (node for node in load().iterate() if isinstance(node, Parallel))
    assert [child.name for child in parallel.policy.children] == ['draw and retract']


def test_a_tree_sets_up_without_a_cell_only_when_it_has_no_need_of_one():
    tree = BehaviourTree(load())
    try:
        tree.setup()
    except KeyError as error:
        assert 'cell' in str(error)
    else:
        raise AssertionError('the leaves have taken no cell')

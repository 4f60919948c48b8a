# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From a tree file to a tree."""

from __future__ import annotations

from pathlib import Path

from py_trees.behaviour import Behaviour
from py_trees.parsers.behaviour_tree_xml import parse_behaviour_tree_xml

from elfin_bt.session.tree_check import Registry, check_tree_file


def load_tree(path: Path, registry: Registry) -> Behaviour:
    """Return the root of the tree that ``path`` declares as its main tree.

    Raises TreeError, naming file and line, for a file that the strict check refuses.
    """
    check_tree_file(path, registry)
    root: Behaviour = parse_behaviour_tree_xml(str(path), node_registry=dict(registry))
    for node in root.iterate():
        # The parser puts the names of all ancestors in front; people want 'draw and retract'.
        node.name = node.name.rsplit('.', 1)[-1]
    return root

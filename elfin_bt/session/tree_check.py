# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The strict check of a tree file, done before py_trees' own parser sees it.

That parser (py_trees 2.6) takes much for granted: an unknown policy becomes SuccessOnOne, a missing
``memory`` becomes true, an attribute that nobody knows is passed over. A drawing arm should not be
run by a typo, so here everything is explicit and known, and each error names file and line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from py_trees.composites import Composite
from py_trees.decorators import Decorator
from py_trees.ports import PortsMixin

from elfin_bt.behaviours.parallel import POLICIES, split_names
from elfin_bt.session.tree_keys import check_keys
from elfin_bt.session.tree_values import check_ports
from elfin_bt.session.tree_xml import Element, read_elements

Registry = Mapping[str, type[PortsMixin]]

FORMAT = '4'
SEQUENCES = ('Sequence', 'Selector')
# The parser joins the names of a node's ancestors with '.', and 'selected' separates by ';'.
_NAME = re.compile(r'[^./;{}]+')


@dataclass
class TreeSet:
    """The trees of a file and of all that it includes."""

    trees: dict[str, Element] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)


def check_tree_file(path: Path, registry: Registry) -> None:
    """Check the file and all that it includes. Raises TreeError with file and line."""
    root = read_elements(path)
    tree_set = TreeSet()
    _collect(root, tree_set, including=())
    main = root.attributes.get('main_tree_to_execute')
    if main is None:
        root.fail('main_tree_to_execute is missing: which tree is to run?')
    if main not in tree_set.trees:
        root.fail(f"main_tree_to_execute: there is no tree '{main}'")
    for tree in tree_set.trees.values():
        _check_tree(tree, tree_set.trees, registry)
    for tree in tree_set.trees.values():
        _check_recursion(tree, tree_set.trees, ())
    check_keys(main, tree_set.trees, registry)


def _collect(root: Element, tree_set: TreeSet, including: tuple[Path, ...]) -> None:
    """Add the trees of ``root`` and of its includes, depth first, to ``tree_set``."""
    if root.tag != 'root':
        root.fail(f"the outermost tag is <{root.tag}>: it must be <root BTCPP_format='{FORMAT}'>")
    _check_attributes(root, required={'BTCPP_format'}, optional={'main_tree_to_execute'})
    if root.attributes['BTCPP_format'] != FORMAT:
        root.fail(f"BTCPP_format is '{root.attributes['BTCPP_format']}': it must be '{FORMAT}'")
    tree_set.files.append(root.path.resolve())
    for element in root.children:
        if element.tag == 'Include':
            _include(element, tree_set, (*including, root.path.resolve()))
        elif element.tag == 'BehaviorTree':
            _add_tree(element, tree_set)
        else:
            element.fail(f'<{element.tag}> is not known here: Include and BehaviorTree are')


def _include(element: Element, tree_set: TreeSet, including: tuple[Path, ...]) -> None:
    _check_attributes(element, required={'file'})
    path = (element.path.parent / element.attributes['file']).resolve()
    if not path.is_file():
        element.fail(f"there is no file '{element.attributes['file']}' beside this one")
    if path in including:
        element.fail(f"'{element.attributes['file']}' includes itself")
    if path not in tree_set.files:
        _collect(
            read_elements(element.path.parent / element.attributes['file']), tree_set, including
        )


def _add_tree(tree: Element, tree_set: TreeSet) -> None:
    _check_attributes(tree, required={'ID'})
    tree_id = tree.attributes['ID']
    if tree_id in tree_set.trees:
        other = tree_set.trees[tree_id]
        tree.fail(f"there is a tree '{tree_id}' already, at {other.path}:{other.line}")
    if len(tree.children) != 1:
        tree.fail(f"the tree '{tree_id}' has {len(tree.children)} roots: it must have one")
    tree_set.trees[tree_id] = tree


def _check_tree(tree: Element, trees: Mapping[str, Element], registry: Registry) -> None:
    """Check each node of one tree, and that their names are unique in it."""
    names: dict[str, Element] = {}
    to_check = list(tree.children)
    while to_check:
        element = to_check.pop(0)
        _check_node(element, trees, registry)
        if element.name in names:
            element.fail(f"the name '{element.name}' is taken at line {names[element.name].line}")
        names[element.name] = element
        to_check = element.children + to_check


def _check_node(element: Element, trees: Mapping[str, Element], registry: Registry) -> None:
    known = (*SEQUENCES, 'SubTree', *registry)
    if element.tag not in known:
        element.fail(f'<{element.tag}> is not known: known are {", ".join(known)}')
    if not _NAME.fullmatch(element.name):
        element.fail(f'<{element.tag}> needs a name, without any of . / ; {{ }}')
    if element.tag in SEQUENCES:
        _check_attributes(element, required={'name', 'memory'})
        if element.attributes['memory'] not in ('true', 'false'):
            element.fail(f"memory is '{element.attributes['memory']}': say true or false")
        _check_children(element, minimum=1)
    elif element.tag == 'SubTree':
        _check_subtree(element, trees)
    elif element.tag == 'Parallel':
        _check_parallel(element)
    else:
        check_ports(element, registry[element.tag])
        _check_children(element, **_child_counts(registry[element.tag]))


def _check_parallel(element: Element) -> None:
    _check_attributes(element, required={'name', 'policy'}, optional={'selected'})
    _check_children(element, minimum=1)
    policy = element.attributes['policy']
    if policy not in POLICIES:
        element.fail(f"policy is '{policy}': it must be one of {', '.join(POLICIES)}")
    selected = split_names(element.attributes.get('selected', ''))
    if bool(selected) != (policy == 'success_on_selected'):
        element.fail("'selected' names the children that decide, for success_on_selected only")
    children = {child.name: child for child in element.children}
    for name in selected:
        if name not in children:
            element.fail(f"'{name}' is selected and is not a child: children are {list(children)}")
        if children[name].tag == 'SubTree':
            element.fail(f"'{name}' is selected and is a SubTree: only a node can be selected")


def _check_subtree(element: Element, trees: Mapping[str, Element]) -> None:
    if 'ID' not in element.attributes:
        element.fail('<SubTree> needs the ID of a tree')
    if element.attributes['ID'] not in trees:
        element.fail(f"there is no tree '{element.attributes['ID']}': known are {list(trees)}")
    _check_children(element, maximum=0)


def _check_recursion(
    tree: Element, trees: Mapping[str, Element], above: tuple[Element, ...]
) -> None:
    for element in _subtrees(tree):
        target = trees[element.attributes['ID']]
        if target is tree or target in above:
            element.fail(f"the tree '{element.attributes['ID']}' contains itself")
        _check_recursion(target, trees, (*above, tree))


def _subtrees(element: Element) -> list[Element]:
    found = [element] if element.tag == 'SubTree' else []
    return found + [each for child in element.children for each in _subtrees(child)]


def _check_attributes(
    element: Element, required: set[str], optional: frozenset[str] | set[str] = frozenset()
) -> None:
    for name in sorted(required - set(element.attributes)):
        element.fail(f"<{element.tag}> needs the attribute '{name}'")
    for name in element.attributes:
        if name not in required | optional:
            element.fail(f"<{element.tag}> knows no attribute '{name}'")


def _child_counts(cls: type[PortsMixin]) -> dict[str, int]:
    if issubclass(cls, Decorator):
        return {'minimum': 1, 'maximum': 1}
    return {'minimum': 1} if issubclass(cls, Composite) else {'maximum': 0}


def _check_children(element: Element, minimum: int = 0, maximum: int | None = None) -> None:
    count = len(element.children)
    if count < minimum:
        element.fail(f'<{element.tag}> has no child')
    if maximum is not None and count > maximum:
        element.fail(f'<{element.tag}> has {count} children: at most {maximum}')

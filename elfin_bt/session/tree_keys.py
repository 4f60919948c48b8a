# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The flow of blackboard keys through a tree and its subtrees.

A key belongs to the tree in which it is written down, unless the SubTree tag passes one in:
``<SubTree ID="draw" name="draw" draw="{draw}"/>``. Each key has one writer, and no key is read that
nobody writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from py_trees.ports import PortsMixin

from elfin_bt.session.tree_values import check_constant, key_of
from elfin_bt.session.tree_xml import Element


@dataclass(frozen=True)
class _Constant:
    """What a SubTree tag passes in as a plain value."""

    text: str


@dataclass(frozen=True)
class _Use:
    """A node reads or writes, through ``port``, what ``target`` stands for."""

    element: Element
    port: str
    is_output: bool
    data_type: Any
    target: str | _Constant


def check_keys(
    main: str, trees: Mapping[str, Element], registry: Mapping[str, type[PortsMixin]]
) -> None:
    """Check the keys of the tree ``main``, subtrees expanded. Raises TreeError."""
    uses = list(_uses(trees[main].children[0], '/', {}, trees, registry))
    writers: dict[str, _Use] = {}
    for use in uses:
        if not use.is_output:
            continue
        if isinstance(use.target, _Constant):
            use.element.fail(f"port '{use.port}' writes to the constant '{use.target.text}'")
        if use.target in writers:
            other = writers[use.target].element
            use.element.fail(
                f"'{use.target}' is written here and at {other.path}:{other.line}: "
                'a key has one writer'
            )
        writers[use.target] = use
    for use in uses:
        if not use.is_output:
            _check_read(use, writers)


def _check_read(use: _Use, writers: Mapping[str, _Use]) -> None:
    if isinstance(use.target, _Constant):
        check_constant(use.element, use.port, use.target.text, use.data_type)
        return
    if use.target not in writers:
        use.element.fail(
            f"port '{use.port}' reads '{use.target}', which nothing writes: "
            'write it in this tree, or pass it in with the SubTree tag'
        )
    written = writers[use.target].data_type
    if written is not use.data_type:
        use.element.fail(
            f"port '{use.port}' reads '{use.target}' as {use.data_type.__name__}, "
            f'and it is written as {written.__name__}'
        )


def _uses(
    element: Element,
    namespace: str,
    passed_in: Mapping[str, str | _Constant],
    trees: Mapping[str, Element],
    registry: Mapping[str, type[PortsMixin]],
) -> Iterator[_Use]:
    """Yield what ``element`` and everything below it reads and writes, in file order."""

    def resolve(attribute: str) -> str | _Constant:
        key = key_of(element, attribute)
        if key is None:
            return _Constant(element.attributes[attribute])
        return passed_in.get(key, f'{namespace}{key}')

    if element.tag == 'SubTree':
        inner = {name: resolve(name) for name in element.attributes if name not in ('ID', 'name')}
        target = trees[element.attributes['ID']]
        known = _keys_of(target)
        for name in inner:
            if name not in known:
                element.fail(f"the tree '{element.attributes['ID']}' has no key '{name}'")
        yield from _uses(target.children[0], f'{namespace}{element.name}/', inner, trees, registry)
        return
    if element.tag in registry:
        cls = registry[element.tag]
        for port, information in {**cls.input_ports(), **cls.output_ports()}.items():
            is_output = port in cls.output_ports()
            if port in element.attributes and (is_output or key_of(element, port) is not None):
                yield _Use(element, port, is_output, information.data_type, resolve(port))
    for child in element.children:
        yield from _uses(child, namespace, passed_in, trees, registry)


def _keys_of(element: Element) -> set[str]:
    """Return the keys that the attributes of ``element`` and everything below it mention."""
    keys = {key_of(element, attribute) for attribute in element.attributes}
    for child in element.children:
        keys |= _keys_of(child)
    return {key for key in keys if key is not None}

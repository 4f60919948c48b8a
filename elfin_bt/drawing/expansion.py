# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How many elements a document has once every `use` stands for what it uses.

A few lines of `use` in `use` stand for thousands of millions of elements. They are counted before
any is followed, in one pass over the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from elfin_bt.drawing.document import Document
from elfin_bt.drawing.errors import SvgError

MAX_ELEMENTS = 100_000
MAX_DEPTH = 200

# Never rendered where they stand; they matter only to what refers to them.
DEFINITIONS = frozenset(
    'defs title desc metadata style linearGradient radialGradient pattern clipPath mask marker '
    'filter symbol script view cursor color-profile font font-face hatch solidcolor solidColor '
    'mesh meshgradient'.split()
)


def check_expansion(document: Document) -> None:
    """SvgError if drawing the document would go through too many elements, or too deep."""
    count, depth = _expanded(document)
    if count > MAX_ELEMENTS:
        raise SvgError(
            f'the file stands for {count:,} elements once every use is expanded, '
            f'limit {MAX_ELEMENTS:,}; simplify or split the drawing'
        )
    if depth > MAX_DEPTH:
        raise SvgError(
            f'elements are nested {depth} deep once every use is expanded, limit {MAX_DEPTH}; '
            'ungroup the drawing'
        )


def _expanded(document: Document) -> tuple[int, int]:
    """Count of rendered elements and depth of the root, by one visit to each element."""
    done: dict[Element, tuple[int, int]] = {}
    open_: set[Element] = set()
    stack: list[tuple[Element, Iterator[Element]]] = []

    def enter(element: Element) -> None:
        open_.add(element)
        stack.append((element, iter(_parts(document, element))))

    enter(document.root)
    while stack:
        element, parts = stack[-1]
        # A part that is open refers to itself, and is not drawn again.
        part = next((p for p in parts if p not in done and p not in open_), None)
        if part is not None:
            enter(part)
            continue
        stack.pop()
        open_.discard(element)
        inner = [done[p] for p in _parts(document, element) if p in done]
        done[element] = (
            1 + sum(count for count, _ in inner),
            1 + max((depth for _, depth in inner), default=0),
        )
    return done[document.root]


def _parts(document: Document, element: Element) -> list[Element]:
    """What is rendered with an element: its children, or what it uses."""
    if document.tag(element) == 'use':
        target = document.target(element)
        return [target] if isinstance(target, Element) else []
    return [child for child in element if document.tag(child) not in DEFINITIONS]

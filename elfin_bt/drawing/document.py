# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""An SVG file as a tree whose elements have names, ids, parents and style rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from xml.etree.ElementTree import Element

from elfin_bt.drawing.artwork import Report
from elfin_bt.drawing.declarations import properties
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.stylesheet import StyleRules

SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
_XLINK_HREF = '{http://www.w3.org/1999/xlink}href'


class Document:
    """The tree below the root of an SVG file."""

    def __init__(self, root: Element, report: Report) -> None:
        self.root = root
        self._namespaces = _namespaces(root, report)
        self.by_id: dict[str, Element] = {}
        sheets = []
        for element in root.iter():
            identifier = element.get('id')
            if identifier:
                # Where an id is given twice, the first one counts.
                self.by_id.setdefault(identifier, element)
            if element.text and self.tag(element) == 'style':
                # Rules apply from wherever in the file they stand.
                sheets.append(element)
        self._rules = StyleRules(root, sheets, report) if sheets else None

    def tag(self, element: Element) -> str | None:
        """The element's name if it is SVG, None for foreign elements."""
        namespace, _, name = element.tag.rpartition('}')
        return name if namespace.removeprefix('{') in self._namespaces else None

    def properties(self, element: Element) -> dict[str, str]:
        """The element's own properties: attributes, style rules and `style`."""
        rules = self._rules.of(element) if self._rules else ()
        return properties(element.attrib, rules)

    def target(self, element: Element) -> Element | str | None:
        """The element that `href` refers to; its text if it is outside of the file or missing."""
        text = element.get('href', element.get(_XLINK_HREF, '')).strip()
        if not text:
            return None
        if not text.startswith('#'):
            return text
        return self.by_id.get(text[1:], text)

    @cached_property
    def parents(self) -> dict[Element, Element]:
        """The parent of each element but the root."""
        return {child: parent for parent in self.root.iter() for child in parent}


def _namespaces(root: Element, report: Report) -> frozenset[str]:
    """The namespaces whose elements are SVG in this file."""
    namespace, _, name = root.tag.rpartition('}')
    namespace = namespace.removeprefix('{')
    if name != 'svg':
        raise SvgError(f'the root element is <{name}>, not <svg>; this is not an SVG file')
    if namespace != SVG_NAMESPACE:
        what = f'the unknown namespace {namespace!r}' if namespace else 'no namespace'
        report.warn(f'the root element has {what}; it is read as SVG')
    return frozenset((namespace, SVG_NAMESPACE))


def name_of(element: Element) -> str:
    """How messages call an element: its tag, and its id if it has one."""
    name = f'<{element.tag.rpartition("}")[2]}>'
    return f'{name} (id {element.get("id")})' if element.get('id') else name


@contextmanager
def naming(element: Element) -> Iterator[None]:
    """Put the element's name before what is wrong with it."""
    try:
        yield
    except SvgError as error:
        raise SvgError(f'{name_of(element)}: {error}') from None

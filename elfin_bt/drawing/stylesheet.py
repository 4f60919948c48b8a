# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of <style> elements, and the elements that they match.

Selectors can be written to take ages: a chain of descendants tries every way to go up the tree.
So every step is counted, and a file that needs too many is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

import tinycss2
from cssselect2 import ElementWrapper, Matcher, SelectorError, compile_selector_list

from elfin_bt.drawing.artwork import Report
from elfin_bt.drawing.declarations import Declaration, expand
from elfin_bt.drawing.errors import SvgError

MAX_CHARACTERS = 1_000_000
MAX_RULES = 10_000
MAX_STEPS = 4_000_000
# A step to an ancestor or a sibling takes as long as trying this many selectors.
_WALK = 5
# A compound selector of more parts than any person writes would only exercise the compiler.
_MAX_SELECTOR = 1000

# Media that a drawing is made for.
_MEDIA = frozenset(('', 'all', 'screen', 'only screen'))
# These look at all siblings, or at a whole subtree, of each element that they are tried on.
_WIDE = re.compile(r'-of-type|:has\(|:nth-last-child|\bof\b')


class StyleRules:
    """What the rules of all style sheets of a file declare for each of its elements."""

    def __init__(self, root: Element, sheets: Sequence[Element], report: Report) -> None:
        self._root = root
        self._report = report
        self._steps = 0
        self._rules = 0
        self._matched: dict[Element, list[Declaration]] = {}
        text = [sheet.text or '' for sheet in sheets]
        for limit, count, what in (
            (MAX_CHARACTERS, sum(map(len, text)), 'characters'),
            # Before any is compiled, which takes a while.
            (MAX_RULES, sum(sheet.count('{') for sheet in text), 'rules'),
        ):
            if count > limit:
                raise SvgError(
                    f'the style sheets have {count:,} {what}, limit {limit:,}; '
                    'convert styles to attributes'
                )
        matcher = _CountingMatcher(self)
        for sheet in sheets:
            self._add_sheet(matcher, sheet)
        if self._rules:
            for node in _node_class(self).from_xml_root(root).iter_subtree():
                found = [d for *_, pseudo, own in matcher.match(node) if not pseudo for d in own]
                if found:
                    self._matched[node.etree_element] = found

    def of(self, element: Element) -> Sequence[Declaration]:
        """The declarations of all rules that match, the strongest selector last."""
        return self._matched.get(element, ())

    def charge(self, steps: int) -> None:
        """Count steps of matching; SvgError when they are too many."""
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise SvgError(
                f'the style rules take more than {MAX_STEPS:,} steps to apply; '
                'convert styles to attributes'
            )

    def _add_sheet(self, matcher: Matcher, sheet: Element) -> None:
        if sheet.get('type', 'text/css').strip().lower() not in ('text/css', ''):
            self._report.ignore('style sheet that is not CSS', sheet.get('id'))
            return
        if not self._applies(sheet.get('media', '')):
            return
        namespaces: dict[str | None, str] = {}
        rules = tinycss2.parse_stylesheet(
            sheet.text or '', skip_comments=True, skip_whitespace=True
        )
        for selector_tokens, content in self._style_rules(rules, namespaces):
            self._add_rule(matcher, selector_tokens, content, namespaces)

    def _style_rules(
        self, rules: Sequence[Any], namespaces: dict[str | None, str]
    ) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
        """Prelude and content of all rules that apply, those in @media included."""
        for rule in rules:
            if rule.type == 'qualified-rule':
                yield rule.prelude, rule.content
            elif rule.type == 'error':
                self._report.warn(f'a style sheet has an error: {rule.message}')
            elif rule.lower_at_keyword == 'media' and rule.content is not None:
                if self._applies(tinycss2.serialize(rule.prelude)):
                    inner = tinycss2.parse_rule_list(
                        rule.content, skip_comments=True, skip_whitespace=True
                    )
                    yield from self._style_rules(inner, namespaces)
            elif rule.lower_at_keyword == 'namespace':
                _declare_namespace(rule.prelude, namespaces)
            elif rule.lower_at_keyword == 'import':
                self._report.ignore('@import', None)
            elif rule.lower_at_keyword in ('supports', 'layer', 'container', 'scope'):
                self._report.ignore(f'@{rule.lower_at_keyword}', None)

    def _applies(self, media: str) -> bool:
        """Whether a medium is a drawing's; queries for features are named and not applied."""
        queries = [query.strip().lower() for query in media.split(',')]
        if any(query in _MEDIA for query in queries):
            return True
        for query in queries:
            if '(' in query:
                self._report.ignore(f'@media {query[:40]}', None)
        return False

    def _add_rule(
        self,
        matcher: Matcher,
        prelude: Sequence[Any],
        content: Sequence[Any],
        namespaces: dict[str | None, str],
    ) -> None:
        text = tinycss2.serialize(prelude).strip()
        try:
            if len(text) > _MAX_SELECTOR and ',' not in text:
                raise SelectorError('too long')
            selectors = compile_selector_list(prelude, namespaces)
        except (SelectorError, NotImplementedError, SyntaxError, RecursionError, MemoryError):
            self._report.warn(f'style rule {text[:60]!r} is not understood and not applied')
            return
        declared = tinycss2.parse_declaration_list(
            content, skip_comments=True, skip_whitespace=True
        )
        own = [
            expanded
            for item in declared
            if item.type == 'declaration'
            for expanded in expand(
                Declaration(item.lower_name, tinycss2.serialize(item.value).strip(), item.important)
            )
        ]
        if _WIDE.search(text):
            elements = sum(1 for _ in self._root.iter())
            self.charge(elements * (len(_WIDE.findall(text)) + elements // 100))
        for selector in selectors:
            matcher.add_selector(selector, own)
            self._rules += 1


class _CountingMatcher(Matcher):
    """A matcher that counts the selectors it tries."""

    def __init__(self, rules: StyleRules) -> None:
        super().__init__()
        self._counter = rules

    def add_relevant_selectors(self, element: Any, selectors: Any, relevant: Any) -> None:
        """Try the selectors on an element."""
        self._counter.charge(len(selectors))
        Matcher.add_relevant_selectors(element, selectors, relevant)


def _node_class(rules: StyleRules) -> type[Any]:
    """A class of element wrappers that count how far selectors look up and back."""

    class Node(ElementWrapper):
        @property
        def ancestors(self) -> Iterator[Any]:
            node = self.parent
            while node is not None:
                rules.charge(_WALK)
                yield node
                node = node.parent

        @property
        def previous_siblings(self) -> Iterator[Any]:
            node = self.previous
            while node is not None:
                rules.charge(_WALK)
                yield node
                node = node.previous

        # What they were called before version 0.8.
        def iter_ancestors(self) -> Iterator[Any]:
            return self.ancestors

        def iter_previous_siblings(self) -> Iterator[Any]:
            return self.previous_siblings

    return Node


def _declare_namespace(prelude: Sequence[Any], namespaces: dict[str | None, str]) -> None:
    """Take in `@namespace [prefix] url`."""
    tokens = [token for token in prelude if token.type not in ('whitespace', 'comment')]
    prefix = tokens.pop(0).value if tokens and tokens[0].type == 'ident' else None
    if len(tokens) == 1 and tokens[0].type in ('string', 'url'):
        namespaces[prefix] = tokens[0].value

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The properties that an element has itself, from attributes, style rules and `style`.

Precedence as in CSS: presentation attributes, then rules, then the `style` attribute; what is
marked `!important` over what is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

# A few thousand `style` attributes are read faster by this than by a full CSS parser.
_DECLARATION = re.compile(
    r'\s*([-\w]+)\s*:((?:[^;"\'(]|"[^"]*"|\'[^\']*\'|\((?:"[^"]*"|\'[^\']*\'|[^)])*\)?)*)(?:;|$)'
)
_COMMENT = re.compile(r'/\*.*?(?:\*/|$)', re.DOTALL)
_IMPORTANT = re.compile(r'\s*!\s*important\s*$', re.IGNORECASE)

PRESENTATION_ATTRIBUTES = frozenset(
    'baseline-shift clip-path clip-rule color display dominant-baseline fill fill-opacity '
    'fill-rule filter font-family font-size font-style font-weight letter-spacing marker-end '
    'marker-mid marker-start mask opacity overflow stroke stroke-dasharray stroke-dashoffset '
    'stroke-linecap stroke-opacity stroke-width text-anchor transform-origin visibility '
    'word-spacing writing-mode'.split()
)
_SIZES = 'xx-small x-small small medium large x-large xx-large smaller larger'.split()


class Declaration(NamedTuple):
    """One property of a rule or of a `style` attribute."""

    name: str
    value: str
    important: bool = False


@lru_cache(maxsize=4096)
def parse_declarations(style: str) -> tuple[Declaration, ...]:
    """The declarations of a `style` attribute, in order."""
    found = []
    for name, value in _DECLARATION.findall(_COMMENT.sub('', style)):
        important = _IMPORTANT.search(value)
        value = value[: important.start()] if important else value
        found += expand(Declaration(name.lower(), value.strip(), important is not None))
    return tuple(found)


def properties(attributes: Mapping[str, str], rules: Iterable[Declaration] = ()) -> dict[str, str]:
    """The own properties of an element.

    Args:
        attributes: of the element.
        rules: declarations of all style rules that match it, the strongest selector last.
    """
    own = {
        name: value.strip() for name, value in attributes.items() if name in PRESENTATION_ATTRIBUTES
    }
    important: set[str] = set()
    style = attributes.get('style')
    for declaration in (*rules, *(parse_declarations(style) if style else ())):
        name = declaration.name
        if declaration.important:
            important.add(name)
        elif name in important:
            continue
        own[name] = declaration.value
    return own


def expand(declaration: Declaration) -> list[Declaration]:
    """The declaration itself, or those that a shorthand stands for."""
    name, value, important = declaration
    if name == 'marker':
        names = ('marker-start', 'marker-mid', 'marker-end')
        return [Declaration(longhand, value, important) for longhand in names]
    if name == 'font':
        return [Declaration(*longhand, important) for longhand in _font(value)]
    return [declaration]


def _font(value: str) -> list[tuple[str, str]]:
    """The parts of a `font` shorthand: style and weight, the size, /line height, the family."""
    words = value.split()
    for index, word in enumerate(words):
        size = word.split('/')[0]
        if size[:1].isdigit() or size[:1] == '.' or size.lower() in _SIZES:
            before = [part.lower() for part in words[:index]]
            slanted = [part for part in before if part in ('italic', 'oblique')]
            return [
                ('font-style', slanted[0] if slanted else 'normal'),
                ('font-size', size),
                ('font-family', ' '.join(words[index + 1 :])),
            ]
    return []

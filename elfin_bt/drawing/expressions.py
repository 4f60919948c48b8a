# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Formulas in t, as recipes hold them: read by a small grammar, never run as Python.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/" | "//" | "%") signed)*
    signed  = ("+" | "-") signed | power
    power   = atom ("**" signed)?
    atom    = number | name | name "(" sum ("," sum)* ")" | "(" sum ")"

Operators bind and round as Python's do. Names are t, the constants and the functions below.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.geometry import Array

MAX_LENGTH = 1000
MAX_DEPTH = 50

Formula = Callable[[Array], Array]

CONSTANTS = {'pi': math.pi, 'e': math.e, 'tau': math.tau}

_ONE: Mapping[str, Callable[..., Array]] = {
    'sin': np.sin,
    'cos': np.cos,
    'tan': np.tan,
    'asin': np.arcsin,
    'acos': np.arccos,
    'atan': np.arctan,
    'sinh': np.sinh,
    'cosh': np.cosh,
    'tanh': np.tanh,
    'sqrt': np.sqrt,
    'exp': np.exp,
    'log': np.log,
    'log10': np.log10,
    'fabs': np.abs,
    'abs': np.abs,
    'floor': np.floor,
    'ceil': np.ceil,
    'degrees': np.degrees,
    'radians': np.radians,
}
_TWO: Mapping[str, Callable[..., Array]] = {
    'atan2': np.arctan2,
    'pow': np.power,
    'hypot': np.hypot,
    'log': lambda x, base: np.log(x) / np.log(base),
}
_OPERATORS: Mapping[str, Callable[..., Array]] = {
    '+': np.add,
    '-': np.subtract,
    '*': np.multiply,
    '/': np.divide,
    '//': np.floor_divide,
    '%': np.remainder,
    '**': np.power,
}

_TOKEN = re.compile(
    r'\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)'
    r'|(?P<sign>\*\*|//|[-+*/%(),]))',
    re.ASCII,
)


def parse_formula(text: str) -> Formula:
    """The function of t (N,) that a formula stands for; RecipeError says what is wrong with it."""
    if len(text) > MAX_LENGTH:
        raise RecipeError(
            f'the formula {text[:30]!r}... has {len(text)} characters, limit {MAX_LENGTH}'
        )
    return _Parser(text).formula()


class _Parser:
    """Reads tokens from left to right; each method reads one rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._next = 0
        self._depth = 0

    def formula(self) -> Formula:
        """The whole text."""
        result = self._sum()
        if self._next < len(self._tokens):
            raise self._wrong(f'{self._tokens[self._next][1]!r} is not expected')
        return result

    def _split(self) -> list[tuple[str, str]]:
        tokens: list[tuple[str, str]] = []
        position, end = 0, len(self._text.rstrip())
        while position < end:
            found = _TOKEN.match(self._text, position)
            if found is None:
                raise self._wrong(f'{self._text[position:].strip()[:10]!r} is not known')
            tokens.append((found.lastgroup or '', found[found.lastgroup or 0]))
            position = found.end()
        return tokens

    def _sum(self) -> Formula:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._wrong(f'it is nested deeper than {MAX_DEPTH}')
        left = self._product()
        while (sign := self._sign()) in ('+', '-'):
            self._next += 1
            left = _applied(_OPERATORS[sign], left, self._product())
        self._depth -= 1
        return left

    def _product(self) -> Formula:
        left = self._signed()
        while (sign := self._sign()) in ('*', '/', '//', '%'):
            self._next += 1
            left = _applied(_OPERATORS[sign], left, self._signed())
        return left

    def _signed(self) -> Formula:
        negative = False
        while (sign := self._sign()) in ('+', '-'):
            self._next += 1
            negative ^= sign == '-'
        value = self._power()
        return _applied(np.negative, value) if negative else value

    def _power(self) -> Formula:
        base = self._atom()
        if self._sign() != '**':
            return base
        self._next += 1
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._wrong(f'it is nested deeper than {MAX_DEPTH}')
        exponent = self._signed()
        self._depth -= 1
        return _applied(np.power, base, exponent)

    def _atom(self) -> Formula:
        if self._next == len(self._tokens):
            raise self._wrong('it ends too early')
        kind, token = self._tokens[self._next]
        self._next += 1
        if kind == 'number':
            return _constant(float(token))
        if token == '(':
            value = self._sum()
            self._expect(')')
            return value
        if kind == 'name':
            return self._call(token) if self._sign() == '(' else self._named(token)
        raise self._wrong(f'{token!r} is not expected')

    def _named(self, name: str) -> Formula:
        if name == 't':
            return lambda t: t
        if name in CONSTANTS:
            return _constant(CONSTANTS[name])
        raise self._wrong(f'{name!r} is not known; there are t, {", ".join(CONSTANTS)}')

    def _call(self, name: str) -> Formula:
        if name not in _ONE and name not in _TWO:
            known = ', '.join(dict.fromkeys([*_ONE, *_TWO]))
            raise self._wrong(f'the function {name!r} is not known; there are {known}')
        self._next += 1
        arguments = [self._sum()]
        while self._sign() == ',':
            self._next += 1
            arguments.append(self._sum())
        self._expect(')')
        function = {1: _ONE, 2: _TWO}.get(len(arguments), {}).get(name)
        if function is None:
            raise self._wrong(f'{name} does not take {len(arguments)} values')
        return _applied(function, *arguments)

    def _sign(self) -> str:
        """The operator, bracket or comma that comes next; '' if it is something else."""
        if self._next < len(self._tokens) and self._tokens[self._next][0] == 'sign':
            return self._tokens[self._next][1]
        return ''

    def _expect(self, sign: str) -> None:
        if self._sign() != sign:
            raise self._wrong(f'{sign!r} is missing')
        self._next += 1

    def _wrong(self, what: str) -> RecipeError:
        return RecipeError(f'the formula {self._text[:60]!r} can not be read: {what}')


def _constant(value: float) -> Formula:
    return lambda t: np.full(len(t), value)


def _applied(function: Callable[..., Array], *arguments: Formula) -> Formula:
    return lambda t: function(*(argument(t) for argument in arguments))

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Formulas mean what Python means by them, and nothing else can be said."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.expressions import parse_formula

T = np.array([-1.3, 0.0, 0.7, 2.0])
NAMES = {
    name: getattr(math, name)
    for name in (
        *('sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'sqrt'),
        *('exp', 'log', 'log10', 'pow', 'fabs', 'floor', 'ceil', 'hypot', 'degrees', 'radians'),
        *('pi', 'e', 'tau'),
    )
} | {'abs': abs}


def by_python(text, t):
    return eval(text, {'__builtins__': {}}, {**NAMES, 't': t})


@pytest.mark.parametrize(
    'text',
    [
        '1',
        '.5',
        '1.e-3',
        't',
        ' 0.05 * cos( t ) ',
        '-t**2',
        '2**-t',
        '2**3**2',
        '-2**2 + --3',
        '7 // 2 - -7 // 2 + 7 % 3 - -7 % 3',
        '1 - 2 - 3 / 4 / 5',
        '(1 + t) * (2 - t)',
        'sin(t)*cos(2*t) + tan(t/9) - sinh(t) + cosh(t) * tanh(t)',
        'asin(t/4) + acos(t/4) + atan(t) + atan2(t, 3)',
        'sqrt(t*t) + exp(t) + log(9, 3) + log10(5) + log(2)',
        'pow(abs(t), 1.5) + fabs(t) + floor(t) + ceil(t)',
        'hypot(t, 2) + degrees(t) + radians(90) + pi + e + tau',
    ],
)
def test_formulas_mean_what_python_means(text):
    expected = [by_python(text.strip(), float(t)) for t in T]
    np.testing.assert_allclose(parse_formula(text)(T), expected, rtol=1e-12)


ATOMS = st.sampled_from(['t', '2', '0.5', 'pi', '1e-1'])
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds('{} {} {}'.format, inner, st.sampled_from(['+', '-', '*']), inner),
        st.builds('({})'.format, inner),
        st.builds('-{}'.format, inner),
        st.builds('{}({})'.format, st.sampled_from(['sin', 'cos', 'abs']), inner),
        st.builds('({}) ** 2'.format, inner),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(FORMULAS)
def test_any_formula_means_what_python_means(text):
    try:
        expected = [by_python(text, float(t)) for t in T]
    except OverflowError:
        return
    np.testing.assert_allclose(parse_formula(text)(T), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'ends too early'),
        ('1 +', 'ends too early'),
        ('(1', r"'\)' is missing"),
        ('1)', r"'\)' is not expected"),
        ('1 2', "'2' is not expected"),
        ('* 3', r"'\*' is not expected"),
        ('x', "'x' is not known"),
        ('sin', "'sin' is not known"),
        ('open("/etc/passwd")', 'not known'),
        ('__import__("os")', 'not known'),
        ('__import__(t)', "function '__import__' is not known"),
        ('t.__class__', "'.__class__' is not known"),
        ('[t]', 'not known'),
        ('t if t else t', "'if' is not expected"),
        ('lambda: 1', 'not known'),
        ('1 << 3', 'not known'),
        ('t == t', 'not known'),
        ('sin()', r"'\)' is not expected"),
        ('sin(1, 2)', 'sin does not take 2 values'),
        ('atan2(1)', 'atan2 does not take 1 values'),
        ('1e', "'e' is not expected"),
        ('(' * 100 + 't' + ')' * 100, 'nested deeper than 50'),
        ('2' + '**2' * 200, 'nested deeper than 50'),
        ('t+' * 600 + 't', '1201 characters, limit 1000'),
        ('sin(' * 60 + 't' + ')' * 60, 'nested deeper'),
    ],
)
def test_anything_else_is_refused(text, reason):
    with pytest.raises(RecipeError, match=reason):
        parse_formula(text)


@settings(max_examples=200, deadline=None)
@given(st.text('t0123456789.+-*/%(),e sincoq', max_size=40))
def test_no_text_does_anything_but_be_refused(text):
    try:
        formula = parse_formula(text)
    except RecipeError:
        return
    with np.errstate(all='ignore'):
        assert formula(T).shape == T.shape

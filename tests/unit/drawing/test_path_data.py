# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The grammar of path data, by hand and against a path library."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.drawing.path_data import parse_path


def vertices(d):
    """Corner points of each subpath of lines."""
    subpaths, complaint = parse_path(d)
    assert complaint is None
    return [
        [tuple(s.segments[0].start), *(tuple(line.end) for line in s.segments)] for s in subpaths
    ]


@pytest.mark.parametrize(
    ('d', 'expected'),
    [
        ('M1 2L3 4', [[(1, 2), (3, 4)]]),
        ('M1,2 3,4 5,6', [[(1, 2), (3, 4), (5, 6)]]),
        ('m1 2 3 4', [[(1, 2), (4, 6)]]),
        ('M1 1H5V7h-2v-3', [[(1, 1), (5, 1), (5, 7), (3, 7), (3, 4)]]),
        ('M0 0H1 2 3', [[(0, 0), (1, 0), (2, 0), (3, 0)]]),
        ('M0 0L10 0 10 10z', [[(0, 0), (10, 0), (10, 10), (0, 0)]]),
        # After z the current point is the start of the subpath that it closed.
        ('M1 1h4v4z l2 2', [[(1, 1), (5, 1), (5, 5), (1, 1)], [(1, 1), (3, 3)]]),
        ('M1 1h4v4z m1 1h1', [[(1, 1), (5, 1), (5, 5), (1, 1)], [(2, 2), (3, 2)]]),
        # Numbers may touch: the sign, a second dot or an exponent ends them.
        ('M1e1.5L.5-.5+2e0-3E-0', [[(10, 0.5), (0.5, -0.5), (2, -3)]]),
        ('M1.5.5L2.25.75', [[(1.5, 0.5), (2.25, 0.75)]]),
        ('M0 0 M5 5h1', [[(5, 5), (6, 5)]]),
        ('M 0 0\n\tL\r1,\n2', [[(0, 0), (1, 2)]]),
        ('', []),
        ('none', []),
        ('M5 5', []),
    ],
)
def test_lines(d, expected):
    assert vertices(d) == expected


def test_closed_only_where_the_path_says_so():
    subpaths, _ = parse_path('M0 0h1v1L0 0M0 0h1v1z')
    assert [s.closed for s in subpaths] == [False, True]


def test_closing_adds_no_line_where_relative_steps_come_back_but_for_rounding():
    (subpath,), _ = parse_path('m0.1 0.7l.1.2l.2-.3l-.3.1z')
    assert len(subpath.segments) == 3 and subpath.closed


def test_curves_and_their_shorthands_by_hand():
    (subpath,), _ = parse_path('M0 0C1 2 3 4 5 6S9 9 10 10')
    assert subpath.segments == (
        CubicBezier((0, 0), (1, 2), (3, 4), (5, 6)),
        CubicBezier((5, 6), (7, 8), (9, 9), (10, 10)),
    )
    (subpath,), _ = parse_path('m10 10s1 2 3 4')
    assert subpath.segments == (CubicBezier((10, 10), (10, 10), (11, 12), (13, 14)),)
    (subpath,), _ = parse_path('M0 0q3 6 6 0t6 0 6 0')
    assert subpath.segments == tuple(
        CubicBezier.from_quadratic((x, 0), (x + 3, y), (x + 6, 0))
        for x, y in ((0, 6), (6, -6), (12, 6))
    )


def test_shorthands_reflect_only_after_a_curve_of_their_kind():
    (subpath,), _ = parse_path('M0 0Q3 6 6 0S9 9 10 10')
    assert subpath.segments[1] == CubicBezier((6, 0), (6, 0), (9, 9), (10, 10))
    (subpath,), _ = parse_path('M0 0C1 2 3 4 5 6T9 9')
    assert subpath.segments[1] == CubicBezier.from_quadratic((5, 6), (5, 6), (9, 9))


def test_packed_arc_flags():
    (packed,), complaint = parse_path('M10 20a10 10 0 0120 0')
    (spaced,), _ = parse_path('M10 20A10 10 0 0 1 30 20')
    assert complaint is None and packed.segments == spaced.segments
    assert isinstance(packed.segments[0], EllipseArc)


def test_an_arc_flag_is_a_single_digit():
    subpaths, complaint = parse_path('M0 0h5a10 10 0 2 1 20 0')
    assert len(subpaths[0].segments) == 1 and complaint is not None


def test_segments_of_no_length_are_dropped_and_alone_they_are_a_dot():
    (subpath,), _ = parse_path('M1 1h0h5l0 0v5c0 0 0 0 0 0')
    assert subpath.segments == (Line((1, 1), (6, 1)), Line((6, 1), (6, 6)))
    for d in ('M5 5h0', 'M5 5z', 'M5 5l0 0z', 'M5 5c0 0 0 0 0 0'):
        (subpath,), _ = parse_path(d)
        assert subpath.segments == (Line((5, 5), (5, 5)),)


def test_a_curve_that_returns_to_its_start_is_no_dot():
    (subpath,), _ = parse_path('M5 5c9 0 0 9 0 0')
    assert isinstance(subpath.segments[0], CubicBezier)


@pytest.mark.parametrize(
    ('d', 'segments', 'complaint'),
    [
        ('M0 0L10 10 20', 1, 'ends in the middle'),
        ('M0 0h5 x', 1, "character 7 (' x')"),
        ('M0 0h5,,3', 1, 'character 7'),
        ('M0 0h5z 7', 2, "character 8 (' 7')"),
        ('L5 5', 0, 'character 1'),
        ('M0 0 h5 L', 1, 'ends in the middle'),
        ('M0 0h5 #', 1, "'#'"),
    ],
)
def test_an_error_keeps_what_came_before_it(d, segments, complaint):
    subpaths, text = parse_path(d)
    assert sum(len(s.segments) for s in subpaths) == segments
    assert text is not None and complaint.strip("'") in text


@pytest.mark.parametrize('d', ['M0 0L NaN 5', 'M nan nan', 'M0 0h5 -inf', 'M0 0 Linfinity 3'])
def test_a_number_that_is_none_is_refused(d):
    with pytest.raises(SvgError, match='not a finite number'):
        parse_path(d)


@pytest.mark.parametrize('d', ['M0 0L1e999 5', 'M0 0A1 1 1e999 0 1 5 5'])
def test_a_number_that_overflows_is_refused(d):
    with pytest.raises(SvgError, match='too large'):
        parse_path(d)


@pytest.mark.parametrize(
    'd',
    [
        'M1e308 1e308h5zl9 9z',
        'M1e308 0h1e308zA1 1 0 0 1 5 5',
        'M0 0A1e300 1e300 0 0 1 1e-300 0',
        'M0 0A1e-300 1e-300 0 0 1 1e300 0',
        'M0 0A1e300 1e-300 7 1 1 5 5',
    ],
)
def test_extreme_numbers_do_not_raise(d):
    with np.errstate(all='ignore'):
        assert parse_path(d)[1] is None


@given(st.text(alphabet='MmLlHhVvCcSsQqTtAaZz0123456789.-+eE, \n', max_size=60))
def test_any_text_gives_joined_subpaths(d):
    subpaths, _ = parse_path(d)
    for subpath in subpaths:
        for before, after in zip(subpath.segments, subpath.segments[1:], strict=False):
            scale = 1.0 + np.abs(before.vectors).max() + np.abs(after.vectors).max()
            if np.isfinite(scale):
                np.testing.assert_allclose(before.end, after.start, atol=1e-9 * scale)


COMMANDS = {'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2}


@pytest.mark.parametrize('seed', range(20))
def test_random_paths_match_a_path_library(seed):
    svgpathtools = pytest.importorskip('svgpathtools')
    draw = np.random.default_rng(seed)
    d = 'M10 10'
    for _ in range(30):
        letter = draw.choice([*COMMANDS, 'A'])
        if letter == 'A':
            radii = draw.uniform(1, 30, 2)
            flags = draw.integers(0, 2, 2)
            arguments = [*radii, draw.uniform(-180, 180), *flags, *draw.uniform(-50, 50, 2)]
        else:
            arguments = draw.uniform(-50, 50, COMMANDS[letter])
        d += (letter.lower() if draw.random() < 0.5 else letter) + ' '.join(map(str, arguments))
    (subpath,), complaint = parse_path(d)
    theirs = svgpathtools.parse_path(d)
    assert complaint is None and len(subpath.segments) == len(theirs)
    for ours, other in zip(subpath.segments, theirs, strict=True):
        for u in (0.0, 0.2, 0.7, 1.0):
            assert complex(*ours.point(u)[0]) == pytest.approx(other.point(u), abs=1e-6)

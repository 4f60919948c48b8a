# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""One pen after the other, and pauses in between."""

import numpy as np

from elfin_bt.drawing.pen_states import Pause
from elfin_bt.drawing.pens import by_pen, ink_pauses, near_lifts, pen_pauses

from .pen_drawings import polyline

RED, BLUE = '#ff0000', '#0000ff'
A = polyline((0, 0), (1, 0), layer='1 红色', colour=RED)
B = polyline((2, 0), (3, 0), layer='2 blau', colour=BLUE)
C = polyline((4, 0), (5, 0), layer='1 红色', colour=BLUE)
D = polyline((6, 0), (7, 0), colour=RED)
E = polyline((8, 0), (9, 0))


def test_a_pen_for_each_layer_and_for_each_colour_without_one():
    assert by_pen([A, B, C, D, E], 'label') == [[A, C], [B], [D], [E]]


def test_a_pen_for_each_colour():
    assert by_pen([A, B, C, D, E], 'colour') == [[A, D], [B, C], [E]]


def test_one_pen():
    assert by_pen([A, B, C], 'off') == [[A, B, C]]
    assert pen_pauses([[A, B, C]], 'off') == []


def test_a_person_is_told_which_pen_to_put_in():
    assert pen_pauses([[A, C], [B], [D], [E]], 'label') == [
        Pause(2, 'pen', 'pen for layer "2 blau" (#0000ff)'),
        Pause(3, 'pen', 'pen for #ff0000'),
        Pause(4, 'pen', 'pen for no plain colour'),
    ]


def test_a_pause_before_the_ink_is_used_up():
    lengths = np.array([400.0, 400.0, 400.0, 1500.0, 100.0])
    assert [p.before for p in ink_pauses(lengths, 1000.0, [])] == [2, 3, 4]
    # A new pen has all its ink.
    assert [p.before for p in ink_pauses(lengths, 1000.0, [1])] == [3, 4]


def test_only_short_gaps_are_crossed_low():
    starts = np.array([(0, 0), (5, 0), (10, 0), (100, 0), (103, 0)], dtype=float)
    ends = np.array([(5, 0), (8, 0), (50, 0), (101, 0), (110, 0)], dtype=float)
    # 0 -> 1 touch, 1 -> 2 is 2 mm, 2 -> 3 is 50 mm, 3 -> 4 is 2 mm.
    assert near_lifts(starts, ends, 10.0, []) == (1, 3)
    assert near_lifts(starts, ends, 10.0, [Pause(4, 'ink', '')]) == (1,)

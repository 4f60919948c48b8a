# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The rules of the pen, and every way to break one."""

import numpy as np
import pytest

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.pen_states import (
    Command,
    Pause,
    PenMachine,
    decode_command,
    encode_command,
    pen_commands,
)

# Two strokes that touch, one nearby, one far away.
STARTS = np.array([(10, 10), (20, 10), (33, 10), (80, 80)], dtype=float)
ENDS = np.array([(20, 10), (30, 10), (40, 10), (90, 90)], dtype=float)
PAUSE = Pause(3, 'pen', 'pen for layer "2 blau"')


def commands(pauses=(PAUSE,), near=(1,)):
    return list(pen_commands(STARTS.tolist(), ENDS.tolist(), near, pauses))


def run(given):
    machine = PenMachine(STARTS, ENDS, (100.0, 100.0))
    machine.run(given)
    return machine


def test_what_the_pen_does():
    assert [(c.do, c.stroke if c.do == 'draw' else c.near) for c in commands()] == [
        ('travel', False),
        ('down', False),
        ('draw', 0),
        ('draw', 1),
        ('up', True),
        ('travel', False),
        ('down', False),
        ('draw', 2),
        ('up', False),
        ('pause', False),
        ('travel', False),
        ('down', False),
        ('draw', 3),
        ('up', False),
    ]


def test_the_machine_finds_lifts_and_pauses_again():
    machine = run(commands())
    assert machine.near_lifts == [1] and machine.pauses == [PAUSE]


def test_a_pause_lifts_the_pen_between_strokes_that_touch():
    pause = Pause(1, 'ink', 'look')
    assert [c.do for c in commands([pause])][2:6] == ['draw', 'up', 'pause', 'travel']
    assert run(commands([pause])).pauses == [pause]


def test_commands_survive_json():
    for command in commands():
        again = decode_command(encode_command(command), 'commands[0]')
        if command.pause is None:
            assert again == command
        else:
            assert (again.pause.reason, again.pause.note) == ('pen', PAUSE.note)


def without(index):
    return [c for i, c in enumerate(commands()) if i != index]


def replaced(index, command):
    return [command if i == index else c for i, c in enumerate(commands())]


@pytest.mark.parametrize(
    ('given', 'reason'),
    [
        (without(1), r'commands\[1\] draws stroke 0 with the pen up; lower it first'),
        (without(0), r'commands\[0\] lowers the pen before it has travelled'),
        (without(2), r'commands\[2\] draws stroke 1, expected stroke 0'),
        (without(4), r'commands\[4\] travels with the pen down; lift it first'),
        (without(5), r'commands\[6\] draws stroke 2, which starts 3 mm away from the pen'),
        (without(8), r'commands\[8\] pauses with the pen down'),
        (without(13), 'end with the pen down'),
        (commands()[:9], 'draw 3 of 4 strokes'),
        ([], 'draw 0 of 4 strokes'),
        ([*commands(), Command('up')], r'commands\[14\] lifts the pen, which is up'),
        ([*commands()[:2], *commands()[1:]], r'commands\[2\] lowers the pen, which is down'),
        ([*commands(), *commands()[:3]], r'draws stroke 0, expected no more'),
        ([*commands()[:10], *commands()[9:]], r'commands\[10\] pauses twice'),
        (
            replaced(0, Command('travel', to=(10.0, 100.2))),
            r'\(10, 100.2\) mm, outside the page',
        ),
        (replaced(0, Command('travel', to=(-0.2, 10.0))), 'outside the page of 100 x 100 mm'),
        (replaced(0, Command('travel', to=(float('nan'), 10.0))), 'outside the page'),
        (replaced(0, Command('travel')), "is a 'travel' without what belongs to it"),
        (replaced(2, Command('draw')), "is a 'draw' without"),
        (replaced(9, Command('pause')), "is a 'pause' without"),
    ],
)
def test_every_rule_is_held(given, reason):
    with pytest.raises(RecipeError, match=reason):
        run(given)


@pytest.mark.parametrize(
    ('document', 'reason'),
    [
        ({}, r'commands\[7\] has no "do"'),
        (5, r'commands\[7\] is not an object'),
        ({'do': 'dance'}, r"commands\[7\].do is 'dance', expected"),
        ({'do': ['up']}, 'expected'),
        ({'do': 'travel', 'to': [1]}, r'commands\[7\].to has shape'),
        ({'do': 'travel', 'to': [1, float('inf')]}, 'not finite'),
        ({'do': 'draw', 'stroke': True}, 'stroke is True, expected a whole number'),
        ({'do': 'draw', 'stroke': 1.5}, 'stroke is 1.5'),
        ({'do': 'up', 'lift': 'high'}, "lift is 'high'"),
        ({'do': 'up'}, 'has no "lift"'),
        ({'do': 'pause', 'reason': 'tea', 'note': ''}, "reason is 'tea'"),
        ({'do': 'pause', 'reason': 'pen', 'note': 5}, 'note is not a string'),
    ],
)
def test_wrong_documents_are_refused_with_the_place(document, reason):
    with pytest.raises(RecipeError, match=reason):
        decode_command(document, 'commands[7]')

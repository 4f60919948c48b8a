# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the pen does for a recipe, as commands, and the state machine that holds them to the rules.

The rules: strokes are drawn with the pen down, each once and in order, from where the pen is;
the pen travels and rests up, on the page; at the end it is up. The commands are checked where a
recipe is made and again where it is read, before anything moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.recipe_fields import member, numbers, text

JOINT_GAP_MM = 1e-3
"""Neighbouring segments or strokes of one path; more than rounding between them is a mistake."""

EDGE_SLACK_MM = 0.1
"""Rounding in files whose artwork ends at the edge of the page."""

PauseReason: TypeAlias = Literal['pen', 'ink']
_REASONS: tuple[PauseReason, ...] = ('pen', 'ink')
_LIFTS = ('near', 'full')


@dataclass(frozen=True, slots=True)
class Pause:
    """The arm rests with the pen up until a person goes on.

    Attributes:
        before: the stroke (from 0) that is drawn next.
        reason: 'pen' to change it, 'ink' to look after it.
        note: what a person is told.
    """

    before: int
    reason: PauseReason
    note: str


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that the pen does: 'travel', 'down', 'draw', 'up' or 'pause'.

    Attributes:
        do: which of them.
        to: where it travels, page mm.
        stroke: which stroke is drawn, from 0.
        near: lifted only a little, since the next stroke is near.
        pause: why it rests.
    """

    do: Literal['travel', 'down', 'draw', 'up', 'pause']
    to: tuple[float, float] | None = None
    stroke: int | None = None
    near: bool = False
    pause: Pause | None = None


def pen_commands(
    starts: Sequence[Sequence[float]],
    ends: Sequence[Sequence[float]],
    near_lifts: Iterable[int],
    pauses: Iterable[Pause],
) -> Iterator[Command]:
    """The commands for strokes from starts to ends, page mm; see Recipe for the other two."""
    near, resting = frozenset(near_lifts), {pause.before: pause for pause in pauses}
    down = False
    for stroke, (x, y) in enumerate(starts):
        if stroke in resting:
            yield Command('pause', pause=resting[stroke])
        if not down:
            yield Command('travel', to=(float(x), float(y)))
            yield Command('down')
        yield Command('draw', stroke=stroke)
        # A stroke that starts where this one ends goes on from it.
        here, following = ends[stroke], stroke + 1
        down = (
            following < len(starts)
            and following not in resting
            and math.dist(here, starts[following]) <= JOINT_GAP_MM
        )
        if not down:
            yield Command('up', near=stroke in near)


class PenMachine:
    """Takes commands one by one and raises RecipeError at the first that breaks a rule."""

    def __init__(self, starts: Array, ends: Array, page_mm: tuple[float, float]) -> None:
        """For strokes from starts (S, 2) to ends (S, 2), page mm."""
        self._starts = [(x, y) for x, y in starts.tolist()]
        self._ends = [(x, y) for x, y in ends.tolist()]
        self._page = page_mm
        self._here: tuple[float, float] | None = None
        self._down = False
        self._next = 0
        self._count = 0
        self.near_lifts: list[int] = []
        self.pauses: list[Pause] = []

    def run(self, commands: Iterable[Command]) -> None:
        """Take all commands, which must draw everything and leave the pen up."""
        for command in commands:
            self._take(command)
            self._count += 1
        if self._down:
            raise RecipeError('recipe: the commands end with the pen down; lift it at the end')
        if self._next < len(self._starts):
            raise RecipeError(
                f'recipe: the commands draw {self._next} of {len(self._starts)} strokes'
            )

    def _take(self, command: Command) -> None:
        match command:
            case Command(do='travel', to=(x, y)):
                self._travel(x, y)
            case Command(do='down'):
                self._lower()
            case Command(do='draw', stroke=int(stroke)):
                self._draw(stroke)
            case Command(do='up'):
                self._lift(command.near)
            case Command(do='pause', pause=Pause() as pause):
                self._rest(pause)
            case _:
                raise self._wrong(f'is a {command.do!r} without what belongs to it')

    def _travel(self, x: float, y: float) -> None:
        if self._down:
            raise self._wrong('travels with the pen down; lift it first')
        for value, side in zip((x, y), self._page, strict=True):
            if not -EDGE_SLACK_MM <= value <= side + EDGE_SLACK_MM:
                raise self._wrong(
                    f'travels to ({x:.6g}, {y:.6g}) mm, outside the page '
                    f'of {self._page[0]:.6g} x {self._page[1]:.6g} mm'
                )
        self._here = x, y

    def _lower(self) -> None:
        if self._down:
            raise self._wrong('lowers the pen, which is down already')
        if self._here is None:
            raise self._wrong('lowers the pen before it has travelled to a place')
        self._down = True

    def _draw(self, stroke: int) -> None:
        name = f'draws stroke {stroke}'
        if stroke != self._next:
            raise self._wrong(f'{name}, expected {self._expected()}; each is drawn once, in order')
        if not self._down or self._here is None:
            raise self._wrong(f'{name} with the pen up; lower it first')
        gap = math.dist(self._here, self._starts[stroke])
        if gap > JOINT_GAP_MM:
            raise self._wrong(
                f'{name}, which starts {gap:.6g} mm away from the pen, limit {JOINT_GAP_MM:g} mm; '
                'lift the pen and travel there'
            )
        self._here = self._ends[stroke]
        self._next += 1

    def _lift(self, near: bool) -> None:
        if not self._down:
            raise self._wrong('lifts the pen, which is up already')
        self._down = False
        if near:
            self.near_lifts.append(self._next - 1)

    def _rest(self, pause: Pause) -> None:
        if self._down:
            raise self._wrong('pauses with the pen down, which leaves a blot; lift it first')
        if self.pauses and self.pauses[-1].before == self._next:
            raise self._wrong('pauses twice in a row')
        self.pauses.append(Pause(before=self._next, reason=pause.reason, note=pause.note))

    def _expected(self) -> str:
        return f'stroke {self._next}' if self._next < len(self._starts) else 'no more'

    def _wrong(self, what: str) -> RecipeError:
        return RecipeError(f'recipe: commands[{self._count}] {what}')


def encode_command(command: Command) -> dict[str, Any]:
    """The JSON form of a command."""
    document: dict[str, Any] = {'do': command.do}
    if command.to is not None:
        document['to'] = list(command.to)
    if command.stroke is not None:
        document['stroke'] = command.stroke
    if command.do == 'up':
        document['lift'] = _LIFTS[0] if command.near else _LIFTS[1]
    if command.pause is not None:
        document |= {'reason': command.pause.reason, 'note': command.pause.note}
    return document


def decode_command(document: Mapping[str, Any], where: str) -> Command:
    """The command of its JSON form; a pause does not know yet what it is before."""
    match member(document, 'do', where):
        case 'travel':
            x, y = numbers(member(document, 'to', where), (2,), f'{where}.to').tolist()
            return Command('travel', to=(x, y))
        case 'down':
            return Command('down')
        case 'draw':
            stroke = member(document, 'stroke', where)
            if not isinstance(stroke, int) or isinstance(stroke, bool):
                raise RecipeError(f'recipe: {where}.stroke is {stroke!r}, expected a whole number')
            return Command('draw', stroke=stroke)
        case 'up':
            lift = member(document, 'lift', where)
            if lift not in _LIFTS:
                raise RecipeError(f'recipe: {where}.lift is {lift!r}, expected "near" or "full"')
            return Command('up', near=lift == 'near')
        case 'pause':
            reason = member(document, 'reason', where)
            if reason not in _REASONS:
                raise RecipeError(f'recipe: {where}.reason is {reason!r}, expected "pen" or "ink"')
            note = text(member(document, 'note', where), f'{where}.note')
            return Command('pause', pause=Pause(before=-1, reason=reason, note=note))
        case other:
            raise RecipeError(
                f'recipe: {where}.do is {other!r}, expected "travel", "down", "draw", "up" or '
                '"pause"'
            )

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which strokes share a pen, and where a person is needed: to change it, or to look after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.pen_states import JOINT_GAP_MM, Pause
from elfin_bt.drawing.strokes import gaps

PensBy: TypeAlias = Literal['off', 'label', 'colour']


def by_pen(outlines: Iterable[Outline], by: PensBy) -> list[list[Outline]]:
    """The outlines of each pen, in file order; the pens in the order of their first outline.

    'label': a pen for each Inkscape layer, and for each colour of what is in none. 'colour': one
    for each colour. 'off': one for all.
    """
    pens: dict[tuple[str | None, str | None], list[Outline]] = {}
    for outline in outlines:
        label = outline.layer if by == 'label' else None
        colour = outline.colour if by != 'off' and label is None else None
        pens.setdefault((label, colour), []).append(outline)
    return list(pens.values())


def pen_name(outlines: Sequence[Outline], by: PensBy) -> str:
    """What a person is told to put in for the outlines of one pen."""
    label = outlines[0].layer if by == 'label' else None
    colours = {outline.colour for outline in outlines}
    colour = outlines[0].colour if len(colours) == 1 else None
    if label is None:
        return f'pen for {colour or "no plain colour"}'
    return f'pen for layer "{label}"' + (f' ({colour})' if colour else '')


def pen_pauses(pens: Sequence[Sequence[Outline]], by: PensBy) -> list[Pause]:
    """One pause before the first stroke of each pen but the first."""
    before = np.cumsum([len(pen) for pen in pens]).tolist()
    return [
        Pause(first, 'pen', pen_name(pen, by))
        for first, pen in zip(before, pens[1:], strict=False)
        if pen
    ]


def ink_pauses(lengths: Array, limit: float, renewed: Iterable[int]) -> list[Pause]:
    """Pauses such that no more than `limit` is drawn without one, where single strokes allow it.

    lengths: (S,) of the strokes. renewed: strokes before which the pen is new anyway.
    """
    fresh = frozenset(renewed)
    pauses, used = [], 0.0
    for stroke, length in enumerate(lengths.tolist()):
        if stroke in fresh:
            used = 0.0
        elif used and used + length > limit:
            pauses.append(Pause(stroke, 'ink', f'{used / 1000.0:.1f} m drawn with this pen'))
            used = 0.0
        used += length
    return pauses


def near_lifts(starts: Array, ends: Array, near: float, pauses: Iterable[Pause]) -> tuple[int, ...]:
    """Strokes (from 0) whose next one starts closer than `near`, with no pause between.

    Where the next one starts at the end the pen is not lifted at all.
    """
    gap = gaps(starts, ends)
    short = (gap < near) & (gap > JOINT_GAP_MM)
    resting = {pause.before - 1 for pause in pauses}
    return tuple(stroke for stroke in np.flatnonzero(short).tolist() if stroke not in resting)

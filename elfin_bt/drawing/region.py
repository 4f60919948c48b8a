# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Areas bounded by exact segments: what a clip path leaves to be seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from elfin_bt.drawing.geometry import Segment

FillRule: TypeAlias = Literal['nonzero', 'evenodd']


@dataclass(frozen=True)
class Region:
    """The inside of closed loops, as far as it is inside of all `clips` as well.

    Attributes:
        loops: contiguous segments of each loop, the last one back to the start.
        rule: what of overlapping loops is inside.
        clips: further areas that limit this one.
    """

    loops: tuple[tuple[Segment, ...], ...]
    rule: FillRule = 'nonzero'
    clips: tuple[Clip, ...] = ()


@dataclass(frozen=True)
class Clip:
    """The union of its regions; with none of them nothing is inside."""

    regions: tuple[Region, ...]

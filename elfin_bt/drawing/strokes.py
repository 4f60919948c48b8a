# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Outlines as the steps of pen planning see them: end points, lengths, either way round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.geometry import Array
from elfin_bt.drawing.segment_parts import reversed_segments
from elfin_bt.drawing.segment_table import SegmentTable


def end_points(outlines: Sequence[Outline]) -> tuple[Array, Array]:
    """First and last points (S, 2) of the outlines."""
    table = SegmentTable(
        [o.segments[0] for o in outlines] + [o.segments[-1] for o in outlines],
    )
    u = np.repeat([0.0, 1.0], len(outlines))
    points = table.point(np.arange(2 * len(outlines)), u)
    return points[: len(outlines)], points[len(outlines) :]


def turned_round(outline: Outline) -> Outline:
    """The same outline, drawn from its end to its start."""
    return replace(outline, segments=reversed_segments(outline.segments))


def gaps(starts: Array, ends: Array) -> Array:
    """Distances (S - 1,) from the end (S, 2) of each stroke to the start (S, 2) of the next."""
    distance: Array = np.hypot(*(starts[1:] - ends[:-1]).T)
    return distance

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Where on the paper the pen may go."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from elfin_bt.drawing.geometry import Array, nearest_on_chord


@dataclass(frozen=True)
class WorkingArea:
    """What a disc and a square around the paper's origin and the arm's reach share; metres.

    Attributes:
        radius: of the disc.
        extent: half the side of the square.
        reach: smallest and largest distance from the axis of the arm's base.
        paper_origin: the paper's origin in `world`, whose origin is the arm's base.
    """

    radius: float = 0.16
    extent: float = 0.11
    reach: tuple[float, float] = (0.30, 0.62)
    paper_origin: tuple[float, float] = (-0.46, 0.0)

    def __str__(self) -> str:
        return (
            f'+-{1000 * self.extent:.0f} mm, {1000 * self.radius:.0f} mm from the middle, '
            f'{1000 * self.reach[0]:.0f} to {1000 * self.reach[1]:.0f} mm from the base'
        )

    @property
    def clear_radius(self) -> float:
        """Of the largest disc around the paper's origin within the disc and the reach."""
        away = math.hypot(*self.paper_origin)
        return min(self.radius, away - self.reach[0], self.reach[1] - away)

    def excess(self, start: Array, end: Array) -> tuple[Array, Array]:
        """How far (N,) chords from start (N, 2) to end (N, 2) go beyond the area, and where.

        Negative inside. The point (N, 2) is where the chord is farthest beyond.
        """
        base = -np.asarray(self.paper_origin)
        # Only the inner limit can be worst between the ends.
        points = np.stack([start, end, nearest_on_chord(base, start, end)])
        from_base = _norm(points - base)
        beyond = np.maximum.reduce(
            [
                np.maximum(np.abs(points[..., 0]), np.abs(points[..., 1])) - self.extent,
                _norm(points) - self.radius,
                self.reach[0] - from_base,
                from_base - self.reach[1],
            ]
        )
        worst, chord = beyond.argmax(axis=0), np.arange(len(start))
        return beyond[worst, chord], points[worst, chord]


def _norm(vectors: Array) -> Array:
    norm: Array = np.hypot(vectors[..., 0], vectors[..., 1])
    return norm

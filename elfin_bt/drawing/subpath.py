# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A connected path in numbers, which become segments only once they are where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elfin_bt.drawing.geometry import (
    CubicBezier,
    EllipseArc,
    Line,
    Segment,
    apply_affine,
)

# One letter for each class of segments, and of its vectors (see `Segment.vectors`) those that
# move with the origin; the axes of an arc are directions.
_LETTER = {'line': 'L', 'curve': 'C', 'arc': 'A'}
_IS_POINT = {'L': b'\1\1', 'C': b'\1\1\1\1', 'A': b'\1\0\0'}

# Smaller than this part of its length, what a path encloses is rounding.
_FLAT = 1e-12


class Subpath:
    """One connected run of segments; `closed` only where the path says so.

    Thousands of small objects are what makes reading slow, so a subpath is parsed, moved and
    measured as one array.

    Args:
        kinds: a letter for each segment: L, C or A.
        vectors: (V, 2) the vectors of all segments, in order.
        angles: start angle and sweep of each arc, one after the other.
        closed: whether the path returns to its start.
    """

    def __init__(
        self, kinds: Sequence[str], vectors: ArrayLike, angles: Sequence[float], closed: bool
    ) -> None:
        self.kinds = kinds
        self.vectors = np.array(vectors, dtype=np.float64).reshape(-1, 2)
        self.vectors.flags.writeable = False
        self.angles = angles
        self.closed = closed

    @classmethod
    def of(cls, segments: Sequence[Segment], closed: bool) -> Subpath:
        """The subpath of these segments."""
        angles: list[float] = []
        for segment in segments:
            if isinstance(segment, EllipseArc):
                angles += (segment.start_angle, segment.sweep)
        vectors = [vector for segment in segments for vector in segment.vectors]
        return cls([_LETTER[segment.kind] for segment in segments], vectors, angles, closed)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The exact segments."""
        rows = iter(self.vectors)
        angles = iter(self.angles)
        made: list[Segment] = []
        for kind in self.kinds:
            if kind == 'L':
                made.append(Line(next(rows), next(rows)))
            elif kind == 'C':
                made.append(CubicBezier(next(rows), next(rows), next(rows), next(rows)))
            else:
                frame = next(rows), next(rows), next(rows)
                made.append(EllipseArc(*frame, next(angles), next(angles)))
        return tuple(made)

    def transformed(self, matrix: ArrayLike) -> Subpath:
        """This subpath under the affine map `matrix` (2, 3)."""
        matrix = np.asarray(matrix, dtype=np.float64)
        moved = apply_affine(matrix, self.vectors)
        if self.angles:
            moved[~self._is_point()] -= matrix[:, 2]
        return Subpath(self.kinds, moved, self.angles, self.closed)

    def hull(self) -> tuple[float, float, float, float]:
        """A box that the subpath does not leave: left, top, right, bottom."""
        points = self.vectors
        if self.angles:
            is_point = self._is_point()
            frames = np.flatnonzero(~is_point)[::2, None] + [-1, 0, 1]
            centre, u, v = np.moveaxis(self.vectors[frames], 1, 0)
            reach = np.hypot(u, v)
            points = np.concatenate([points[is_point], centre - reach, centre + reach])
        left, top = points.min(axis=0).tolist()
        right, bottom = points.max(axis=0).tolist()
        return left, top, right, bottom

    @property
    def is_dot(self) -> bool:
        """Whether it never leaves its start."""
        return self.kinds == ['L'] and bool((self.vectors[0] == self.vectors[1]).all())

    def has_area(self) -> bool:
        """Whether a fill of it can be seen: not so if it only runs along one line."""
        if any(kind != 'L' for kind in self.kinds):
            return True
        arms = self.vectors - self.vectors[0]
        longest = arms[np.argmax(np.hypot(arms[:, 0], arms[:, 1]))]
        off_line = arms[:, 0] * longest[1] - arms[:, 1] * longest[0]
        return bool(np.abs(off_line).max() > _FLAT * (longest @ longest))

    def _is_point(self) -> NDArray[np.bool_]:
        flags = b''.join([_IS_POINT[kind] for kind in self.kinds])
        return np.frombuffer(flags, dtype=np.bool_)

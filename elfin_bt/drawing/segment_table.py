# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Many segments as arrays, for whatever has to be fast on drawings of thousands of them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import ArrayLike

from elfin_bt.drawing.geometry import (
    Array,
    CubicBezier,
    EllipseArc,
    Index,
    Line,
    Segment,
    lengths_by_quadrature,
)
from elfin_bt.drawing.repeats import repeated


class SegmentTable:
    """The segments in arrays; row i stands for segments[i].

    A line is held as the cubic with its control points at the thirds, which is the same line at
    the same speed, so that two formulas (cubic and arc) serve all three classes.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.size = len(segments)
        self.is_line = np.array([isinstance(s, Line) for s in segments], dtype=bool)
        self.is_arc = np.array([isinstance(s, EllipseArc) for s in segments], dtype=bool)
        controls: list[Array] = []
        frames: list[Array] = []
        angles: list[float] = []
        for segment in segments:
            if isinstance(segment, Line):
                controls += (segment.start, segment.start, segment.end, segment.end)
            elif isinstance(segment, CubicBezier):
                controls += (segment.p0, segment.p1, segment.p2, segment.p3)
            else:
                frames += (segment.centre, segment.axis_u, segment.axis_v)
                angles += (segment.start_angle, segment.sweep)
        self._control = np.zeros((self.size, 4, 2))
        self._control[~self.is_arc] = _stacked(controls, 4)
        ends = self._control[self.is_line][:, [0, 3]]
        self._control[self.is_line, 1] = (2.0 * ends[:, 0] + ends[:, 1]) / 3.0
        self._control[self.is_line, 2] = (ends[:, 0] + 2.0 * ends[:, 1]) / 3.0
        self._frame = np.zeros((self.size, 3, 2))
        self._frame[self.is_arc] = _stacked(frames, 3)
        self._angle = np.zeros((self.size, 2))
        self._angle[self.is_arc] = np.array(angles).reshape(-1, 2)

    def transformed(self, matrix: ArrayLike) -> SegmentTable:
        """The table of the segments under the affine map `matrix` (2, 3)."""
        matrix = np.asarray(matrix, dtype=np.float64)
        result = copy(self)
        result._control = self._control @ matrix[:, :2].T + matrix[:, 2]
        result._frame = self._frame @ matrix[:, :2].T
        result._frame[:, 0] += matrix[:, 2]
        return result

    def point(self, row: Index, u: Array) -> Array:
        """Points (N, 2): segment row[k] at the parameter u[k]."""
        arcs = self.is_arc[row]
        points = np.empty((row.size, 2))
        p = self._control[row[~arcs]]
        t = u[~arcs][:, None]
        s = 1.0 - t
        points[~arcs] = s**3 * p[:, 0] + 3 * s * t * (s * p[:, 1] + t * p[:, 2]) + t**3 * p[:, 3]
        points[arcs] = self._frame[row[arcs], 0] + self._turned(row[arcs], u[arcs], 0.0)
        return points

    def derivative(self, row: Index, u: Array) -> Array:
        """Derivatives dP/du (N, 2): segment row[k] at the parameter u[k]."""
        arcs = self.is_arc[row]
        slopes = np.empty((row.size, 2))
        d = np.diff(self._control[row[~arcs]], axis=1)
        t = u[~arcs][:, None]
        s = 1.0 - t
        slopes[~arcs] = 3 * (s * s * d[:, 0] + 2 * s * t * d[:, 1] + t * t * d[:, 2])
        sweep = self._angle[row[arcs], 1][:, None]
        slopes[arcs] = sweep * self._turned(row[arcs], u[arcs], np.pi / 2)
        return slopes

    def _turned(self, row: Index, u: Array, by: float) -> Array:
        angle = (self._angle[row, 0] + self._angle[row, 1] * u + by)[:, None]
        u_part, v_part = self._frame[row, 1], self._frame[row, 2]
        turned: Array = np.cos(angle) * u_part + np.sin(angle) * v_part
        return turned

    def lengths(self, tolerance: float = 1e-9) -> Array:
        """Arc lengths (S,), to a relative tolerance."""
        lengths = np.zeros(self.size)
        lines = self._control[self.is_line]
        lengths[self.is_line] = np.hypot(*(lines[:, 3] - lines[:, 0]).T)
        curved = np.flatnonzero(~self.is_line)
        lengths[curved] = lengths_by_quadrature(
            lambda k, u: np.hypot(*self.derivative(curved[k], u).T), curved.size, tolerance
        )
        return lengths

    def bounds(self) -> Array:
        """The tight box [[x_min, y_min], [x_max, y_max]] of at least one segment."""
        lower, upper = self.boxes()
        return np.stack([lower.min(axis=0), upper.max(axis=0)])

    def boxes(self) -> tuple[Array, Array]:
        """The tight box of each segment: lower (S, 2) and upper (S, 2) corners."""
        every = np.arange(self.size)
        ends = self.point(np.tile(every, 2), np.repeat([0.0, 1.0], self.size))
        lower = np.minimum(ends[: self.size], ends[self.size :])
        upper = np.maximum(ends[: self.size], ends[self.size :])
        row, u = self._turning_points()
        points = self.point(row, u)
        np.minimum.at(lower, row, points)
        np.maximum.at(upper, row, points)
        return lower, upper

    def _turning_points(self) -> tuple[Index, Array]:
        """Rows and parameters where x or y of a segment turns back."""
        curves = np.flatnonzero(~self.is_arc & ~self.is_line)
        d = np.diff(self._control[curves], axis=1)
        roots = _quadratic_roots(d[:, 0] - 2 * d[:, 1] + d[:, 2], 2 * (d[:, 1] - d[:, 0]), d[:, 0])

        arcs = np.flatnonzero(self.is_arc)
        start, sweep = (self._angle[arcs, k][:, None, None] for k in (0, 1))
        # dP/dtheta = -axis_u sin(theta) + axis_v cos(theta) is zero once every half turn.
        turning = np.arctan2(self._frame[arcs, 2], self._frame[arcs, 1])[:, :, None]
        first = np.minimum(start, start + sweep)
        half_turns = np.arange(np.ceil(np.abs(sweep).max(initial=0.0) / np.pi) + 1)
        angles = first + np.mod(turning - first, np.pi) + np.pi * half_turns
        with np.errstate(divide='ignore', invalid='ignore'):
            turns = (angles - start) / sweep

        row = np.concatenate(
            [
                np.broadcast_to(curves[:, None, None], roots.shape).ravel(),
                np.broadcast_to(arcs[:, None, None], turns.shape).ravel(),
            ]
        )
        u = np.concatenate([roots.ravel(), turns.ravel()])
        inside = (u > 0.0) & (u < 1.0)
        return row[inside], u[inside]

    def flattened(self, rows: Index, steps: Index) -> tuple[Index, Array, Array]:
        """Rows in equal steps of u: entries row (T,), u (T,) and point (T, 2), ends included."""
        item, nth = repeated(steps + 1)
        row, u = rows[item], nth / steps[item]
        return row, u, self.point(row, u)

    def flat_steps(self, tolerance: float) -> Index:
        """Number of equal steps in u (S,) whose chords stay within `tolerance` of each segment.

        Cubic: |P''| <= 6 max |second difference|, and n chords err by at most |P''| / (8 n^2).
        Arc: the sagitta of a step d on the longest radius r, r (1 - cos(d / 2)).
        """
        second = np.diff(self._control, n=2, axis=1)
        bend = np.hypot(second[..., 0], second[..., 1]).max(axis=1, initial=0.0)
        steps = np.sqrt(6.0 * bend / (8.0 * tolerance))
        steps[self.is_line] = 1.0
        arcs = self.is_arc
        radius = np.linalg.svd(self._frame[arcs, 1:], compute_uv=False)[:, 0]
        half_step = np.arccos(1.0 - np.minimum(tolerance / np.maximum(radius, tolerance), 1.0))
        steps[arcs] = np.abs(self._angle[arcs, 1]) / (2.0 * half_step)
        # Beyond any use, but still a count.
        counts: Index = np.clip(np.ceil(steps), 1.0, 1e9).astype(np.intp)
        return counts


def _stacked(vectors: Sequence[Array], per_row: int) -> Array:
    return np.concatenate([np.empty(0), *vectors]).reshape(-1, per_row, 2)


def _quadratic_roots(a: Array, b: Array, c: Array) -> Array:
    """Real roots of a u^2 + b u + c, shape (..., 2); NaN where there is none."""
    with np.errstate(divide='ignore', invalid='ignore'):
        # The sum keeps its sign, so nothing cancels; c / q is the root that a linear one has too.
        q = -0.5 * (b + np.copysign(np.sqrt(b * b - 4.0 * a * c), b))
        return np.stack([q / a, c / q], axis=-1)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Exact plane segments: lines, ellipse arcs and cubic Bezier curves.

Every class is immutable, closed under affine maps and parametrized by u in [0, 1]. Coordinates
are float64 in whatever unit the caller works in; angles are radians.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.intp]
SegmentKind: TypeAlias = Literal['line', 'arc', 'curve']

# Lengths without a closed form: panels are doubled until the sum settles to this (relative).
_LENGTH_TOLERANCE = 1e-9
_MAX_PANELS = 4096
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(8)


class _ByValue:
    """Equality by value, which a dataclass can't give to array fields."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(np.array_equal(v, vars(other)[name]) for name, v in vars(self).items())

    __hash__ = None  # type: ignore[assignment]


def _set(segment: object, **values: Array | float) -> None:
    """Fill in a frozen dataclass."""
    vars(segment).update(values)


def _vector(given: ArrayLike) -> Array:
    """A read-only float64 vector (2,)."""
    if isinstance(given, np.ndarray) and given.shape == (2,) and not given.flags.writeable:
        return given
    vector = np.array(given, dtype=np.float64)
    if vector.shape != (2,):
        raise ValueError(f'a point has shape {vector.shape}, expected (2,)')
    vector.flags.writeable = False
    return vector


@dataclass(frozen=True, eq=False, init=False)
class Line(_ByValue):
    """Straight from `start` (2,) to `end` (2,); both may coincide (a dot)."""

    start: Array
    end: Array
    kind: ClassVar[SegmentKind] = 'line'

    def __init__(self, start: ArrayLike, end: ArrayLike) -> None:
        _set(self, start=_vector(start), end=_vector(end))

    @property
    def vectors(self) -> tuple[Array, Array]:
        """The two ends."""
        return self.start, self.end

    def point(self, u: ArrayLike) -> Array:
        """Points (N, 2) at the parameters u (N,)."""
        t = _column(u)
        # Both ends come out exactly, which `start + t * (end - start)` does not promise.
        return (1.0 - t) * self.start + t * self.end

    def derivative(self, u: ArrayLike) -> Array:
        """Derivatives d/du (N, 2) at the parameters u (N,)."""
        return np.broadcast_to(self.end - self.start, (_column(u).shape[0], 2)).copy()

    def second_derivative(self, u: ArrayLike) -> Array:
        """Second derivatives (N, 2) at the parameters u (N,)."""
        return np.zeros((_column(u).shape[0], 2))

    def length(self) -> float:
        """The distance between the ends."""
        return float(np.hypot(*(self.end - self.start)))

    def transformed(self, matrix: ArrayLike) -> Line:
        """This line under the affine map `matrix` (2, 3)."""
        return Line(*apply_affine(matrix, np.stack([self.start, self.end])))


@dataclass(frozen=True, eq=False, init=False)
class EllipseArc(_ByValue):
    """P(theta) = centre + axis_u cos(theta) + axis_v sin(theta), theta from start_angle by sweep.

    The axes are any two conjugate radii, so that every affine image of an arc is an arc again.
    """

    centre: Array
    axis_u: Array
    axis_v: Array
    start_angle: float
    sweep: float
    kind: ClassVar[SegmentKind] = 'arc'

    def __init__(
        self,
        centre: ArrayLike,
        axis_u: ArrayLike,
        axis_v: ArrayLike,
        start_angle: float,
        sweep: float,
    ) -> None:
        _set(
            self,
            centre=_vector(centre),
            axis_u=_vector(axis_u),
            axis_v=_vector(axis_v),
            start_angle=float(start_angle),
            sweep=float(sweep),
        )

    @property
    def vectors(self) -> tuple[Array, Array, Array]:
        """Centre and axes."""
        return self.centre, self.axis_u, self.axis_v

    @property
    def start(self) -> Array:
        """The first point (2,)."""
        return self.point(0.0).reshape(2)

    @property
    def end(self) -> Array:
        """The last point (2,)."""
        return self.point(1.0).reshape(2)

    def point(self, u: ArrayLike) -> Array:
        """Points (N, 2) at the parameters u (N,)."""
        return self.centre + self._turned(u, 0.0)

    def derivative(self, u: ArrayLike) -> Array:
        """Derivatives d/du (N, 2) at the parameters u (N,)."""
        return self.sweep * self._turned(u, np.pi / 2)

    def second_derivative(self, u: ArrayLike) -> Array:
        """Second derivatives (N, 2) at the parameters u (N,)."""
        return -(self.sweep**2) * self._turned(u, 0.0)

    def _turned(self, u: ArrayLike, by: float) -> Array:
        angle = self.start_angle + self.sweep * _column(u) + by
        turned: Array = np.cos(angle) * self.axis_u + np.sin(angle) * self.axis_v
        return turned

    def radii(self) -> tuple[float, float]:
        """The semi-axes of the ellipse, longest first."""
        longest, shortest = np.linalg.svd(np.stack([self.axis_u, self.axis_v]), compute_uv=False)
        return float(longest), float(shortest)

    def length(self) -> float:
        """The arc length; closed form for a circle, else by quadrature."""
        longest, shortest = self.radii()
        if longest - shortest <= 1e-12 * longest:
            return longest * abs(self.sweep)
        return float(lengths_by_quadrature(lambda _, u: np.hypot(*self.derivative(u).T), 1)[0])

    def transformed(self, matrix: ArrayLike) -> EllipseArc:
        """This arc under the affine map `matrix` (2, 3): an arc of the same angles."""
        matrix = np.asarray(matrix, dtype=np.float64)
        linear = matrix[:, :2]
        return EllipseArc(
            linear @ self.centre + matrix[:, 2],
            linear @ self.axis_u,
            linear @ self.axis_v,
            self.start_angle,
            self.sweep,
        )


@dataclass(frozen=True, eq=False, init=False)
class CubicBezier(_ByValue):
    """A cubic Bezier curve of four control points (2,)."""

    p0: Array
    p1: Array
    p2: Array
    p3: Array
    kind: ClassVar[SegmentKind] = 'curve'

    def __init__(self, p0: ArrayLike, p1: ArrayLike, p2: ArrayLike, p3: ArrayLike) -> None:
        _set(self, p0=_vector(p0), p1=_vector(p1), p2=_vector(p2), p3=_vector(p3))

    @property
    def vectors(self) -> tuple[Array, Array, Array, Array]:
        """The control points."""
        return self.p0, self.p1, self.p2, self.p3

    @classmethod
    def from_quadratic(cls, p0: ArrayLike, p1: ArrayLike, p2: ArrayLike) -> CubicBezier:
        """The same curve as the quadratic with these control points (exact degree elevation)."""
        a, b, c = (np.asarray(p, dtype=np.float64) for p in (p0, p1, p2))
        return cls(a, a + (b - a) * (2.0 / 3.0), c + (b - c) * (2.0 / 3.0), c)

    @property
    def start(self) -> Array:
        """The first point (2,)."""
        return self.p0

    @property
    def end(self) -> Array:
        """The last point (2,)."""
        return self.p3

    def point(self, u: ArrayLike) -> Array:
        """Points (N, 2) at the parameters u (N,)."""
        t = _column(u)
        s = 1.0 - t
        inner = 3 * s * t * (s * self.p1 + t * self.p2)
        return s**3 * self.p0 + inner + t**3 * self.p3

    def derivative(self, u: ArrayLike) -> Array:
        """Derivatives d/du (N, 2) at the parameters u (N,)."""
        t = _column(u)
        s = 1.0 - t
        first, middle, last = self.p1 - self.p0, self.p2 - self.p1, self.p3 - self.p2
        return 3.0 * (s * s * first + 2 * s * t * middle + t * t * last)

    def second_derivative(self, u: ArrayLike) -> Array:
        """Second derivatives (N, 2) at the parameters u (N,)."""
        t = _column(u)
        bend_start = self.p2 - 2 * self.p1 + self.p0
        bend_end = self.p3 - 2 * self.p2 + self.p1
        return 6.0 * ((1.0 - t) * bend_start + t * bend_end)

    def length(self) -> float:
        """The arc length, by quadrature."""
        return float(lengths_by_quadrature(lambda _, u: np.hypot(*self.derivative(u).T), 1)[0])

    def transformed(self, matrix: ArrayLike) -> CubicBezier:
        """This curve under the affine map `matrix` (2, 3)."""
        return CubicBezier(*apply_affine(matrix, self.control_points()))

    def control_points(self) -> Array:
        """The control points (4, 2)."""
        return np.stack(self.vectors)


Segment: TypeAlias = Line | EllipseArc | CubicBezier


def apply_affine(matrix: ArrayLike, points: ArrayLike) -> Array:
    """The points (..., 2) under the affine map `matrix` (2, 3)."""
    (a, c, e), (b, d, f) = np.asarray(matrix, dtype=np.float64)
    points = np.asarray(points, dtype=np.float64)
    x, y = points[..., 0], points[..., 1]
    return np.stack([a * x + c * y + e, b * x + d * y + f], axis=-1)


def dot(a: Array, b: Array) -> Array:
    """Scalar products (...) of vectors (..., 2); a sum over so short an axis would be slow."""
    product: Array = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1]
    return product


def nearest_on_chord(points: ArrayLike, start: Array, end: Array) -> Array:
    """The point (N, 2) of each chord start (N, 2) to end (N, 2) nearest to its point (N, 2)."""
    chord = end - start
    square = dot(chord, chord)
    along = dot(np.asarray(points) - start, chord)
    part = np.divide(along, square, out=np.zeros_like(square), where=square > 0.0)
    nearest: Array = start + np.clip(part, 0.0, 1.0)[:, None] * chord
    return nearest


def transform_all(segments: Sequence[Segment], matrix: ArrayLike) -> tuple[Segment, ...]:
    """Each segment under the affine map `matrix` (2, 3), much faster than one by one."""
    matrix = np.asarray(matrix, dtype=np.float64)
    vectors: list[Array] = []
    for segment in segments:
        vectors += segment.vectors
    linear_part = np.column_stack([matrix[:, :2], np.zeros(2)])
    linear = apply_affine(linear_part, np.concatenate(vectors).reshape(-1, 2))
    points = linear + matrix[:, 2]
    linear.flags.writeable = points.flags.writeable = False
    result: list[Segment] = []
    row = 0
    for segment in segments:
        if isinstance(segment, Line):
            result.append(Line(points[row], points[row + 1]))
        elif isinstance(segment, CubicBezier):
            result.append(CubicBezier(*points[row : row + 4]))
        else:
            result.append(
                EllipseArc(
                    points[row],
                    linear[row + 1],
                    linear[row + 2],
                    segment.start_angle,
                    segment.sweep,
                )
            )
        row += len(segment.vectors)
    return tuple(result)


def _column(u: ArrayLike) -> Array:
    return np.atleast_1d(np.asarray(u, dtype=np.float64))[:, None]


def lengths_by_quadrature(
    speed: Callable[[Index, Array], Array], count: int, tolerance: float = _LENGTH_TOLERANCE
) -> Array:
    """Lengths (count,) of curves over u in [0, 1]; speed(row (N,), u (N,)) gives their |P'| (N,).

    Gauss-Legendre over ever more panels, so that a cusp costs panels and not accuracy; until the
    sum settles to `tolerance` (relative).
    """
    lengths = np.zeros(count)
    row = np.arange(count)
    panels = 2
    while row.size and panels <= _MAX_PANELS:
        middles = (np.arange(panels) + 0.5) / panels
        u = (middles[:, None] + _GAUSS_NODES / (2 * panels)).ravel()
        speeds = speed(np.repeat(row, u.size), np.tile(u, row.size))
        current = speeds.reshape(row.size, panels, -1).sum(axis=1) @ _GAUSS_WEIGHTS / (2 * panels)
        settled = np.abs(current - lengths[row]) <= tolerance * current
        lengths[row] = current
        row = row[~settled]
        panels *= 2
    return lengths

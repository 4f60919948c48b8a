# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Elliptical arcs from end points to centre form (SVG 2, appendix B.2.4 and B.2.5)."""

from __future__ import annotations

import math

import numpy as np

from elfin_bt.drawing.geometry import EllipseArc, Line


def arc_from_endpoints(
    start: tuple[float, float],
    end: tuple[float, float],
    radii: tuple[float, float],
    rotation: float,
    large: bool,
    sweep: bool,
) -> EllipseArc | Line | None:
    """The arc of an `A` command; a line if a radius is 0, None if it ends where it starts.

    Radii that are too small to span the ends are scaled up until they just do. `rotation` is the
    angle of the first radius in radians.
    """
    if start == end:
        return None
    rx, ry = abs(radii[0]), abs(radii[1])
    if rx == 0.0 or ry == 0.0:
        return Line(start, end)
    # In the frame of the ellipse scaled to a unit circle, only a circle through two points is
    # left to find: half the chord is `half`, the centre lies off its middle by a normal to it.
    cos, sin = math.cos(rotation), math.sin(rotation)
    dx, dy = (start[0] - end[0]) / 2.0, (start[1] - end[1]) / 2.0
    half = complex((cos * dx + sin * dy) / rx, (-sin * dx + cos * dy) / ry)
    length = math.hypot(half.real, half.imag)
    if length == 0.0:
        # Radii so long that nothing of the bend is left in the numbers.
        return Line(start, end)
    if length > 1.0:
        # Too small to span the ends: scaled up until the chord is a diameter.
        rx, ry, half, off = rx * length, ry * length, half / length, 0.0
    else:
        off = math.sqrt(1.0 - length**2) / length
    centre = half * 1j * off * (1.0 if large == sweep else -1.0)

    start_angle = math.atan2(*reversed(_parts(half - centre)))
    end_angle = math.atan2(*reversed(_parts(-half - centre)))
    turn = (end_angle - start_angle) % (2.0 * math.pi)
    if not sweep:
        turn -= 2.0 * math.pi

    axis_u = np.array([cos, sin]) * rx
    axis_v = np.array([-sin, cos]) * ry
    middle = (np.array(start) + np.array(end)) / 2.0
    return EllipseArc(
        middle + centre.real * axis_u + centre.imag * axis_v, axis_u, axis_v, start_angle, turn
    )


def _parts(z: complex) -> tuple[float, float]:
    return z.real, z.imag

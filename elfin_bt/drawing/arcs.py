# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Elliptical arcs from end points to centre form (SVG 2, appendix B.2.4 and B.2.5)."""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple


class ArcFrame(NamedTuple):
    """The numbers of an `EllipseArc`, for whoever reads so many that objects are too slow."""

    centre: complex
    axis_u: complex
    axis_v: complex
    start_angle: float
    sweep: float


def centre_form(
    start: complex,
    end: complex,
    radii: tuple[float, float],
    rotation: float,
    large: bool,
    sweep: bool,
) -> ArcFrame | None:
    """The arc of an `A` command between ends that differ; None where it is a straight line.

    That is so if a radius is 0. Radii that are too small to span the ends are scaled up until they
    just do. `rotation` is the angle of the first radius in radians; x + iy stands for a point.
    """
    rx, ry = abs(radii[0]), abs(radii[1])
    if rx == 0.0 or ry == 0.0:
        return None
    # In the frame of the ellipse scaled to a unit circle, only a circle through two points is
    # left to find: half the chord is `half`, the centre lies off its middle by a normal to it.
    turn = complex(math.cos(rotation), math.sin(rotation))
    chord = (start - end) / 2.0 * turn.conjugate()
    half = complex(chord.real / rx, chord.imag / ry)
    length = math.hypot(half.real, half.imag)
    if length == 0.0:
        # Radii so long that nothing of the bend is left in the numbers.
        return None
    if length > 1.0:
        # Too small to span the ends: scaled up until the chord is a diameter.
        rx, ry, half, off = rx * length, ry * length, half / length, 0.0
    else:
        off = math.sqrt(1.0 - length**2) / length
    centre = half * 1j * off * (1.0 if large == sweep else -1.0)
    start_angle = cmath.phase(half - centre)
    swept = (cmath.phase(-half - centre) - start_angle) % (2.0 * math.pi)
    if not sweep:
        swept -= 2.0 * math.pi
    axis_u, axis_v = turn * rx, turn * 1j * ry
    middle = (start + end) / 2.0
    return ArcFrame(
        middle + centre.real * axis_u + centre.imag * axis_v, axis_u, axis_v, start_angle, swept
    )

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and the geometric Jacobian in closed form.

With the elbow folded into one plane the arm is a product of five rotations: the vendor's frames
(config/elfin5.urdf) multiply out to

    R = Rz(q1) Ry(q3 - q2) Rz(q4) Ry(q5) Rz(q6)
    wrist centre = SHOULDER_HEIGHT z + Rz(q1) (UPPER_ARM u(-q2) + FOREARM u(q3 - q2))
    u(a) = (sin a, 0, cos a)

so that a positive q2 leans the arm towards -x and a positive q3 bends the forearm towards +x.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics.geometry import FLANGE, FOREARM, PEN_LENGTH, SHOULDER_HEIGHT, UPPER_ARM

Array = NDArray[np.float64]
Vector = tuple[Array, Array, Array]  # x, y, z components, each (N,)


def fk(q: Array) -> Array:
    """Pose of the flange (elfin_end_link) in the world frame.

    q: (N, 6) rad. Returns homogeneous matrices (N, 4, 4), metres.
    """
    x, y, z = _flange_axes(q)
    position = _along(_wrist_centre(q), z, FLANGE)
    pose = np.zeros((len(q), 4, 4))
    for column, vector in enumerate((x, y, z, position)):
        for row in range(3):
            pose[:, row, column] = vector[row]
    pose[:, 3, 3] = 1.0
    return pose


def tip_positions(q: Array, pen_length: float = PEN_LENGTH) -> Array:
    """Position (N, 3) of the pen's tip in the world frame, metres, for q (N, 6) rad."""
    tip = _along(_wrist_centre(q), _flange_z(q), FLANGE + pen_length)
    return np.stack(tip, axis=-1)


def jacobian(q: Array, tool: Sequence[float] = (0.0, 0.0, PEN_LENGTH)) -> Array:
    """Geometric Jacobian of a point fixed to the flange, in world axes.

    q: (N, 6) rad; tool: the point in the flange's frame, metres (default: the pen's tip).
    Returns (N, 6, 6): rows are linear velocity (m/s), then angular velocity (rad/s).
    """
    s1, c1 = np.sin(q[:, 0]), np.cos(q[:, 0])
    zero, one = np.zeros_like(s1), np.ones_like(s1)
    shoulder = (zero, zero, SHOULDER_HEIGHT * one)
    elbow = _along(shoulder, _arm_direction(q, -q[:, 1]), UPPER_ARM)
    forearm = _arm_direction(q, q[:, 2] - q[:, 1])
    wrist = _along(elbow, forearm, FOREARM)

    x, y, z = _flange_axes(q)
    point = _along(_along(_along(wrist, x, tool[0]), y, tool[1]), z, FLANGE + tool[2])

    s6, c6 = np.sin(q[:, 5]), np.cos(q[:, 5])
    axis5 = tuple(s6 * xi + c6 * yi for xi, yi in zip(x, y, strict=True))  # Rz(q6) undone
    axes = ((zero, zero, one), (s1, -c1, zero), (-s1, c1, zero), forearm, axis5, z)
    origins = (shoulder, shoulder, elbow, wrist, wrist, wrist)

    result = np.empty((len(q), 6, 6))
    for joint, (axis, origin) in enumerate(zip(axes, origins, strict=True)):
        arm = tuple(p - o for p, o in zip(point, origin, strict=True))
        result[:, 0, joint] = axis[1] * arm[2] - axis[2] * arm[1]
        result[:, 1, joint] = axis[2] * arm[0] - axis[0] * arm[2]
        result[:, 2, joint] = axis[0] * arm[1] - axis[1] * arm[0]
        for row in range(3):
            result[:, 3 + row, joint] = axis[row]
    return result


def _arm_direction(q: Array, angle: Array) -> Vector:
    """Rz(q1) u(angle): a direction in the arm's plane, `angle` from the vertical."""
    sine = np.sin(angle)
    return np.cos(q[:, 0]) * sine, np.sin(q[:, 0]) * sine, np.cos(angle)


def _wrist_centre(q: Array) -> Vector:
    radius = UPPER_ARM * np.sin(-q[:, 1]) + FOREARM * np.sin(q[:, 2] - q[:, 1])
    height = UPPER_ARM * np.cos(q[:, 1]) + FOREARM * np.cos(q[:, 2] - q[:, 1])
    return np.cos(q[:, 0]) * radius, np.sin(q[:, 0]) * radius, SHOULDER_HEIGHT + height


def _flange_z(q: Array) -> Vector:
    """Third column of R: Rz(q1) Ry(q3 - q2) applied to (c4 s5, s4 s5, c5)."""
    s1, c1 = np.sin(q[:, 0]), np.cos(q[:, 0])
    bend = q[:, 2] - q[:, 1]
    sb, cb = np.sin(bend), np.cos(bend)
    s5, c5 = np.sin(q[:, 4]), np.cos(q[:, 4])
    u, v, w = np.cos(q[:, 3]) * s5, np.sin(q[:, 3]) * s5, c5
    radial = cb * u + sb * w
    return c1 * radial - s1 * v, s1 * radial + c1 * v, cb * w - sb * u


def _flange_axes(q: Array) -> tuple[Vector, Vector, Vector]:
    """The three columns of R."""
    s1, c1 = np.sin(q[:, 0]), np.cos(q[:, 0])
    bend = q[:, 2] - q[:, 1]
    sb, cb = np.sin(bend), np.cos(bend)
    s4, c4 = np.sin(q[:, 3]), np.cos(q[:, 3])
    s5, c5 = np.sin(q[:, 4]), np.cos(q[:, 4])
    s6, c6 = np.sin(q[:, 5]), np.cos(q[:, 5])

    def turned(u: Array, v: Array, w: Array) -> Vector:
        """Rz(q1) Ry(q3 - q2) (u, v, w)."""
        radial = cb * u + sb * w
        return c1 * radial - s1 * v, s1 * radial + c1 * v, cb * w - sb * u

    c45, s45 = c4 * c5, s4 * c5
    x = turned(c45 * c6 - s4 * s6, s45 * c6 + c4 * s6, -s5 * c6)
    y = turned(-c45 * s6 - s4 * c6, c4 * c6 - s45 * s6, s5 * s6)
    z = turned(c4 * s5, s4 * s5, c5)
    return x, y, z


def _along(start: Vector, direction: Vector, distance: float) -> Vector:
    x, y, z = (s + distance * d for s, d in zip(start, direction, strict=True))
    return x, y, z

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and the geometric Jacobian in closed form.

Joints 2 and 3 turn about parallel axes, so the vendor's frames (config/elfin5.urdf) multiply out to

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

    Args:
        q: (N, 6) rad.

    Returns:
        Homogeneous matrices (N, 4, 4), metres; in memory each entry is contiguous over all N,
        which is what `ik` reads fastest.
    """
    turns = _Turns(q)
    x, y, z = turns.flange_axes()
    position = _along(turns.wrist_centre(), z, FLANGE)
    pose = np.zeros((4, 4, len(q)))
    for column, vector in enumerate((x, y, z, position)):
        for row in range(3):
            pose[row, column] = vector[row]
    pose[3, 3] = 1.0
    return np.moveaxis(pose, -1, 0)


def tip_positions(q: Array, pen_length: float = PEN_LENGTH) -> Array:
    """Position (N, 3) of the pen's tip in the world frame, metres, for q (N, 6) rad."""
    turns = _Turns(q)
    return np.stack(_along(turns.wrist_centre(), turns.flange_z(), FLANGE + pen_length), axis=-1)


def tip_heights(q: Array, pen_length: float = PEN_LENGTH) -> Array:
    """Height (N,) of the pen's tip in the world frame, metres: the z of `tip_positions`, faster."""
    _, q2, q3, q4, q5, _ = q.T
    bend = q3 - q2
    sb, cb = np.sin(bend), np.cos(bend)
    flange_z = cb * np.cos(q5) - sb * np.cos(q4) * np.sin(q5)
    height: Array = SHOULDER_HEIGHT + UPPER_ARM * np.cos(q2) + FOREARM * cb
    height += (FLANGE + pen_length) * flange_z
    return height


def jacobian(q: Array, tool: Sequence[float] = (0.0, 0.0, PEN_LENGTH)) -> Array:
    """Geometric Jacobian of a point fixed to the flange, in world axes.

    Args:
        q: (N, 6) rad.
        tool: the point in the flange's frame, metres; by default the pen's tip.

    Returns:
        (N, 6, 6); rows are linear velocity (m/s per rad/s), then angular velocity.
    """
    turns = _Turns(q)
    x, y, z = turns.flange_axes()
    wrist = turns.wrist_centre()
    forearm = turns.from_forearm(0.0, 0.0, 1.0)
    elbow = _along(wrist, forearm, -FOREARM)
    zero, one = np.zeros(len(q)), np.ones(len(q))
    shoulder = (zero, zero, SHOULDER_HEIGHT * one)
    point = _along(_along(_along(wrist, x, tool[0]), y, tool[1]), z, FLANGE + tool[2])

    # Joint 2 turns about -y of the arm's plane, joint 3 about +y: see the module's docstring.
    axes = (
        (zero, zero, one),
        (turns.s1, -turns.c1, zero),
        (-turns.s1, turns.c1, zero),
        forearm,
        turns.from_forearm(-turns.s4, turns.c4, 0.0),
        z,
    )
    origins = (shoulder, shoulder, elbow, wrist, wrist, wrist)

    result = np.empty((6, 6, len(q)))
    for joint, (axis, origin) in enumerate(zip(axes, origins, strict=True)):
        arm = _along(point, origin, -1.0)
        result[0, joint] = axis[1] * arm[2] - axis[2] * arm[1]
        result[1, joint] = axis[2] * arm[0] - axis[0] * arm[2]
        result[2, joint] = axis[0] * arm[1] - axis[1] * arm[0]
        for row in range(3):
            result[3 + row, joint] = axis[row]
    return np.moveaxis(result, -1, 0)


class _Turns:
    """Sines and cosines of one batch of configurations, and the vectors made of them."""

    def __init__(self, q: Array) -> None:
        q1, q2, q3, q4, q5, q6 = q.T
        self.s1, self.c1 = np.sin(q1), np.cos(q1)
        self.s2, self.c2 = np.sin(q2), np.cos(q2)
        bend = q3 - q2
        self.sb, self.cb = np.sin(bend), np.cos(bend)
        self.s4, self.c4 = np.sin(q4), np.cos(q4)
        self.s5, self.c5 = np.sin(q5), np.cos(q5)
        self.q6 = q6

    def wrist_centre(self) -> Vector:
        radius = FOREARM * self.sb - UPPER_ARM * self.s2
        height = FOREARM * self.cb + UPPER_ARM * self.c2
        return self.c1 * radius, self.s1 * radius, SHOULDER_HEIGHT + height

    def from_forearm(self, u: Array | float, v: Array | float, w: Array | float) -> Vector:
        """Rz(q1) Ry(q3 - q2) (u, v, w)."""
        radial = self.cb * u + self.sb * w
        x, y = self.c1 * radial - self.s1 * v, self.s1 * radial + self.c1 * v
        return x, y, self.cb * w - self.sb * u

    def flange_z(self) -> Vector:
        return self.from_forearm(self.c4 * self.s5, self.s4 * self.s5, self.c5)

    def flange_axes(self) -> tuple[Vector, Vector, Vector]:
        """The three columns of R."""
        s4, c4, s5, c5 = self.s4, self.c4, self.s5, self.c5
        s6, c6 = np.sin(self.q6), np.cos(self.q6)
        u, v = c4 * c5, s4 * c5
        x = self.from_forearm(u * c6 - s4 * s6, v * c6 + c4 * s6, -s5 * c6)
        y = self.from_forearm(-u * s6 - s4 * c6, c4 * c6 - v * s6, s5 * s6)
        return x, y, self.flange_z()


def _along(start: Vector, direction: Vector, distance: float) -> Vector:
    x, y, z = (s + distance * d for s, d in zip(start, direction, strict=True))
    return x, y, z

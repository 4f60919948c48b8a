# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics in closed form, all eight branches.

The wrist is spherical, so the problem falls apart: the wrist centre fixes joints 1 to 3 (a
plane through axis 1 and a two-link arm in it), the remaining rotation joints 4 to 6 (z-y-z Euler
angles). See forward.py for the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics.geometry import FLANGE, FOREARM, SHOULDER_HEIGHT, UPPER_ARM

Array = NDArray[np.float64]

# A wrist centre that misses the workspace by no more than this (m) is taken to be on its border.
_REACH_TOLERANCE = 1e-9
# Below this |sin q5| axes 4 and 6 count as one line.
_WRIST_ALIGNED = 1e-10


@dataclass(frozen=True)
class Branch:
    """One way to reach a pose.

    Attributes:
        shoulder: +1 with the wrist centre in front of axis 1 (the side that q1 points to), -1 with
            it behind.
        elbow: sign of q3.
        wrist: sign of q5.
    """

    shoulder: int
    elbow: int
    wrist: int


BRANCHES: Final = tuple(
    Branch(shoulder, elbow, wrist) for shoulder in (1, -1) for elbow in (1, -1) for wrist in (1, -1)
)
"""The order of the branches in `ik`: shoulder slowest, wrist fastest, +1 before -1."""


def ik(flange: Array) -> Array:
    """Every joint configuration that puts the flange at the given poses.

    Position limits are not applied. Singular poses keep a definite answer, and branches that meet
    there repeat it: wrist (q5 = 0 or pi, axes 4 and 6 in line), q4 = 0 and q6 takes the whole turn
    (in the -1 branch half a turn more on both); elbow (arm straight), q3 = 0; shoulder (wrist
    centre on axis 1), q1 as rounding has it, 0 or pi where the centre is exactly on the axis.

    Args:
        flange: (N, 4, 4) poses of elfin_end_link in the world frame, metres.

    Returns:
        (N, 8, 6) rad in (-pi, pi], in the order of BRANCHES. A pose that is out of reach or holds
        a number that is not finite is NaN in all of them.
    """
    result = np.empty((8, 6, len(flange)))
    for index in range(0, 8, 2):
        q = ik_branch(flange, BRANCHES[index]).T
        result[index] = q
        # The other wrist branch: half a turn of axis 4, the opposite bend, half a turn of axis 6.
        half_turn = np.where(q[3::2] > 0.0, q[3::2] - np.pi, q[3::2] + np.pi)
        result[index + 1] = q[0], q[1], q[2], half_turn[0], -q[4], half_turn[1]
    return np.moveaxis(result, -1, 0)


def ik_branch(flange: Array, branch: Branch) -> Array:
    """One branch of `ik`: (N, 4, 4) to (N, 6), NaN where out of reach."""
    x, y, z = (flange[:, row, 3] - FLANGE * flange[:, row, 2] for row in range(3))
    z = z - SHOULDER_HEIGHT
    radius = np.hypot(x, y)
    q1 = np.arctan2(branch.shoulder * y, branch.shoulder * x)
    q3 = branch.elbow * _elbow_angle(np.hypot(radius, z))
    lean = np.arctan2(branch.shoulder * radius, z) - np.arctan2(
        FOREARM * np.sin(q3), UPPER_ARM + FOREARM * np.cos(q3)
    )
    q4, q5, q6 = _wrist_angles(flange, q1, lean + q3, branch.wrist)
    q = _wrapped(np.stack((q1, -lean, q3, q4, q5, q6)))
    q[:, ~np.isfinite(q.sum(axis=0) + flange[:, :3].sum(axis=(1, 2)))] = np.nan
    return q.T


def branch_of(q: Array) -> NDArray[np.intp]:
    """Index into BRANCHES (N,) of the branch that each configuration (N, 6) belongs to."""
    radius = UPPER_ARM * np.sin(-q[:, 1]) + FOREARM * np.sin(q[:, 2] - q[:, 1])
    return 4 * (radius < 0.0) + 2 * (q[:, 2] < 0.0) + (q[:, 4] < 0.0)


def _elbow_angle(distance: Array) -> Array:
    """|q3| for a wrist centre this far from the shoulder (law of cosines, half-angle form).

    The half-angle form keeps full precision near the straight arm; acos loses half the digits.
    """
    longest, shortest = UPPER_ARM + FOREARM, abs(UPPER_ARM - FOREARM)
    reachable = (distance <= longest + _REACH_TOLERANCE) & (distance >= shortest - _REACH_TOLERANCE)
    distance = np.where(reachable, np.clip(distance, shortest, longest), np.nan)
    return 2.0 * np.arctan2(
        np.sqrt((longest - distance) * (longest + distance)),
        np.sqrt((distance - shortest) * (distance + shortest)),
    )


def _wrist_angles(flange: Array, q1: Array, bend: Array, sign: int) -> tuple[Array, Array, Array]:
    """q4, q5, q6 with Rz(q4) Ry(q5) Rz(q6) = (Rz(q1) Ry(bend))^T R.

    q5 and q6 are read after q4 has been taken out, so q4 + q6 stays exact where axes 4 and 6 align.
    """
    s1, c1, sb, cb = np.sin(q1), np.cos(q1), np.sin(bend), np.cos(bend)

    def in_forearm(column: int) -> tuple[Array, Array, Array]:
        x, y, z = (flange[:, row, column] for row in range(3))
        radial = c1 * x + s1 * y
        return cb * radial - sb * z, c1 * y - s1 * x, sb * radial + cb * z

    ax, ay, az = in_forearm(2)
    sine = np.hypot(ax, ay)
    aligned = sine < _WRIST_ALIGNED
    q4 = np.arctan2(np.where(aligned, 0.0, sign * ay), np.where(aligned, float(sign), sign * ax))
    s4, c4 = np.sin(q4), np.cos(q4)
    q5 = np.arctan2(sign * sine, az)
    xx, xy, _ = in_forearm(0)
    yx, yy, _ = in_forearm(1)
    q6 = np.arctan2(c4 * xy - s4 * xx, c4 * yy - s4 * yx)
    return q4, q5, q6


def _wrapped(q: Array) -> Array:
    """The same angles in (-pi, pi]."""
    return q - 2.0 * np.pi * np.ceil((q - np.pi) / (2.0 * np.pi))

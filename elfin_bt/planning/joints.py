# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From the pen's path to the joints: one IK branch, and exact slopes along the way.

The pen keeps its direction, so the wrist centre moves as the tip does. Its motion t gives the rates
of joints 1 to 3 (cylinder coordinates and a two-link arm), and joints 4 to 6 undo the rotation that
these cause. See kinematics/forward.py for the model.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import BRANCHES, PaperFrame, branch_of, ik_branch
from elfin_bt.kinematics.geometry import FOREARM, UPPER_ARM

Array = NDArray[np.float64]

_BLOCK = 8192  # rows at a time: what is between stays in the processor's cache


@dataclass(frozen=True, eq=False)
class JointPath:
    """Joints (N, 6) rad at the rows of a pen path, and slopes (N, 6) rad per metre of path.

    NaN where the pose can't be reached.
    """

    positions: Array
    slopes: Array


def follow(
    start: Array,
    points: Array,
    tangents: Array,
    paper: PaperFrame,
    pen_yaw: float,
    pen_length: float,
) -> JointPath:
    """The joints that hold the pen over points (N, 3) of the paper, on the branch of start (6,)."""
    branch = BRANCHES[int(branch_of(start[None])[0])]
    rotation = paper.matrix[:3, :3]
    # One joint of all rows lies together in memory, which is what vectorised steps read fastest.
    positions, slopes = np.empty((6, len(points))).T, np.empty((6, len(points))).T
    for first in range(0, len(points), _BLOCK):
        rows = slice(first, first + _BLOCK)
        poses = paper.pen_poses(points[rows], pen_yaw, pen_length)
        positions[rows] = ik_branch(poses, branch)
        slopes[rows] = slopes_along(positions[rows], tangents[rows] @ rotation.T)
    return JointPath(positions, slopes)


def slopes_along(q: Array, direction: Array) -> Array:
    """Joint rates (N, 6) that move the flange along direction (N, 3), world, without turning it.

    Infinite or NaN in a singular configuration.
    """
    q1, q2, q3, q4, q5, _ = q.T
    s1, c1 = np.sin(q1), np.cos(q1)
    s2, c2 = np.sin(q2), np.cos(q2)
    sb, cb = np.sin(q3 - q2), np.cos(q3 - q2)
    s4, c4 = np.sin(q4), np.cos(q4)
    s5, c5 = np.sin(q5), np.cos(q5)
    x, y, up = direction.T
    outward = c1 * x + s1 * y
    with np.errstate(divide='ignore', invalid='ignore'):
        d1 = (c1 * y - s1 * x) / (FOREARM * sb - UPPER_ARM * s2)
        # outward = FOREARM cb db - UPPER_ARM c2 d2,  up = -FOREARM sb db - UPPER_ARM s2 d2
        sine = np.sin(q3)
        db = (s2 * outward - c2 * up) / (FOREARM * sine)
        d2 = -(cb * up + sb * outward) / (UPPER_ARM * sine)
        # The forearm turns by (-sb d1, db, cb d1) in its own frame; the wrist turns it back.
        across = s4 * sb * d1 + c4 * db
        along = c4 * sb * d1 - s4 * db
        d6 = along / s5
        d4 = -cb * d1 - c5 * d6
    return np.stack([d1, d2, db + d2, d4, -across, d6]).T

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From the pen's path to the joints: one IK branch, exact derivatives along the way."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import BRANCHES, PaperFrame, branch_of
from elfin_bt.kinematics.geometry import FOREARM, UPPER_ARM
from elfin_bt.kinematics.inverse import Branch
from elfin_bt.kinematics.pen_down import PenDown
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.settings import PlannerConfig

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_BLOCK = 8192  # rows at a time: what is between stays in the processor's cache


@dataclass(frozen=True, eq=False)
class JointPath:
    """The joints at the rows of a pen path, (N, 6) each; s is the arc length of the path.

    NaN where the pose can't be reached.

    Attributes:
        positions: q, rad.
        slopes: dq/ds, rad/m.
        bends: d2q/ds2, rad/m2.
    """

    positions: Array
    slopes: Array
    bends: Array

    def rows(self, rows: slice | Index) -> 'JointPath':
        """Some of its rows."""
        return JointPath(self.positions[rows], self.slopes[rows], self.bends[rows])


def follow_path(start: Array, path: PenPath, config: PlannerConfig) -> JointPath:
    """The joints that hold the configured pen over a path, on the branch of start (6,) rad."""
    return follow(
        start,
        path.points,
        path.tangents,
        config.paper,
        config.pen_yaw,
        config.pen_length,
        path.curvatures,
        free_yaw=config.free_yaw,
    )


def follow(
    start: Array,
    points: Array,
    tangents: Array,
    paper: PaperFrame,
    pen_yaw: float,
    pen_length: float,
    curvatures: Array | None = None,
    *,
    free_yaw: bool = False,
) -> JointPath:
    """The joints that hold the pen over points (N, 3) of the paper, on the branch of start (6,).

    Args:
        start: any joints of the branch, rad; joint 4 at 0.
        points: (N, 3) of the tip in the paper frame, metres.
        tangents: (N, 3) dp/ds.
        paper: where the paper is.
        pen_yaw: turn of the pen about its own axis, rad (see PlannerConfig).
        pen_length: from the flange to the tip, metres.
        curvatures: (N, 3) d2p/ds2, 1/m; without them the path is straight at every row.
        free_yaw: joint 6 stands still (see PlannerConfig).
    """
    branch = BRANCHES[int(branch_of(start[None])[0])]
    rotation = paper.matrix[:3, :3]
    # One joint of all rows lies together in memory, which is what vectorised steps read fastest.
    positions, slopes, bends = (np.empty((6, len(points))) for _ in range(3))
    for first in range(0, len(points), _BLOCK):
        rows = slice(first, first + _BLOCK)
        tangent = rotation @ tangents[rows].T
        curvature = np.zeros_like(tangent) if curvatures is None else rotation @ curvatures[rows].T
        arm = _over(points[rows], paper, pen_length, branch)
        positions[:, rows] = arm.joints(paper.yaw + pen_yaw)
        slopes[:, rows], bends[:, rows] = arm.derivatives(tangent, curvature)
    if free_yaw:
        positions[5], slopes[5], bends[5] = 0.0 - pen_yaw, 0.0, 0.0
    return JointPath(positions.T, slopes.T, bends.T)


def joints_over(points: Array, branch: Branch, config: PlannerConfig) -> Array:
    """Joints (N, 6) rad with the tip at points (N, 3) of the paper, as `follow` has them.

    Of the branch, shoulder and elbow count; the wrist follows (see kinematics/pen_down.py).
    """
    positions = np.empty((6, len(points)))
    for first in range(0, len(points), _BLOCK):
        rows = slice(first, first + _BLOCK)
        arm = _over(points[rows], config.paper, config.pen_length, branch)
        positions[:, rows] = arm.joints(config.paper.yaw + config.pen_yaw)
    if config.free_yaw:
        positions[5] = 0.0 - config.pen_yaw
    return positions.T


def _over(points: Array, paper: PaperFrame, pen_length: float, branch: Branch) -> PenDown:
    tip = paper.matrix[:3, :3] @ points.T + np.array(paper.origin)[:, None]
    return PenDown(tip, pen_length, branch.shoulder, branch.elbow)


def slopes_along(q: Array, direction: Array) -> Array:
    """Joint rates (N, 6) that move the flange along direction (N, 3), world, without turning it.

    For any configuration. The wrist centre moves as the tip does; its motion gives the rates of
    joints 1 to 3, and joints 4 to 6 undo the rotation that these cause (see kinematics/forward.py).
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

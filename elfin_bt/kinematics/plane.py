# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The paper: a frame on the drawing board, and flange poses that put the pen's tip on it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics.geometry import PEN_LENGTH

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PaperFrame:
    """The `paper` frame in the world frame: x right, y up the page, z out of the board.

    Attributes:
        origin: centre of the paper, metres.
        yaw: turn about the world's z, rad; the board is level.
    """

    origin: tuple[float, float, float] = (-0.46, 0.0, 0.10)
    yaw: float = 0.0

    @property
    def matrix(self) -> Array:
        """Pose of the paper in the world frame, (4, 4)."""
        pose = np.eye(4)
        pose[:3, :3] = _rotation_z(self.yaw)
        pose[:3, 3] = self.origin
        return pose

    def to_world(self, points: Array) -> Array:
        """Points (N, 3) of the paper frame in the world frame, metres."""
        moved: Array = points @ _rotation_z(self.yaw).T + np.array(self.origin)
        return moved

    def to_paper(self, points: Array) -> Array:
        """Points (N, 3) of the world frame in the paper frame, metres."""
        moved: Array = (points - np.array(self.origin)) @ _rotation_z(self.yaw)
        return moved

    def pen_poses(
        self, points: Array, pen_yaw: float = 0.0, pen_length: float = PEN_LENGTH
    ) -> Array:
        """Flange poses (N, 4, 4) in the world frame with the pen straight down, its tip at points.

        Args:
            points: (N, 3) in the paper frame, metres.
            pen_yaw: turn about the paper's z, rad; 0 is the orientation of the ready pose over a
                paper without yaw, flange x towards the paper's -x.
            pen_length: from the flange to the tip, metres.
        """
        poses = np.zeros((4, 4, len(points)))  # laid out as by `fk`, for `ik`
        rotation = _rotation_z(self.yaw + pen_yaw) @ np.diag([-1.0, 1.0, -1.0])
        poses[:3, :3] = rotation[:, :, None]
        poses[:3, 3] = self.to_world(points).T
        poses[2, 3] += pen_length
        poses[3, 3] = 1.0
        return np.moveaxis(poses, -1, 0)


def _rotation_z(angle: float) -> Array:
    sine, cosine = math.sin(angle), math.cos(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])

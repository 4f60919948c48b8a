# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The arm with the pen straight down: joints and their exact derivatives along a path.

The board is level, so the flange looks straight down and the general inverse kinematics of
inverse.py becomes a planar one. In the vertical plane through axis 1, with the lean a = -q2 of the
upper arm and the bend b = q3 - q2 of the forearm, both from the vertical,

    radius = UPPER_ARM sin a + FOREARM sin b
    height = UPPER_ARM cos a + FOREARM cos b        (of the wrist centre over the shoulder)

and the wrist makes up for both turns: q4 = 0, q5 = pi - b, q6 = q1 - yaw. (q4 = pi, q5 = b - pi is
the other half of the eight branches; joint 4 ends at 3.14 rad, just short of it.) What is left is
the choice of shoulder and elbow; the sign of q5 follows.

First derivatives solve the derivative of the two equations, second ones its derivative once more,
which is the same linear system with centripetal terms on its right-hand side.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics.geometry import FLANGE, FOREARM, SHOULDER_HEIGHT, UPPER_ARM

Array = NDArray[np.float64]

ARMS: Final = ((1, 1), (1, -1), (-1, 1), (-1, -1))
"""Signs of shoulder and elbow, as in inverse.Branch."""

_LONGEST = UPPER_ARM + FOREARM
_SHORTEST = abs(UPPER_ARM - FOREARM)


class PenDown:
    """The arm over a batch of tip positions, NaN where out of reach and on axis 1.

    Args:
        tip: (3, N) in the world frame, metres.
        pen_length: from the flange to the tip, metres.
        shoulder: +1 with the wrist centre in front of axis 1, -1 behind it.
        elbow: sign of q3.
    """

    def __init__(self, tip: Array, pen_length: float, shoulder: int, elbow: int) -> None:
        x, y, z = tip
        radius = shoulder * np.sqrt(x * x + y * y)  # counts forwards, along the arm's own x
        height = z + (pen_length + FLANGE - SHOULDER_HEIGHT)
        squared = radius * radius + height * height
        # 4 UPPER_ARM FOREARM times cos^2 and sin^2 of q3 / 2: the law of cosines, half-angle form.
        straight, folded = squared - _SHORTEST**2, _LONGEST**2 - squared
        with np.errstate(divide='ignore', invalid='ignore'):
            scale = elbow / (2.0 * UPPER_ARM * FOREARM)
            self.sin3 = scale * np.sqrt(straight) * np.sqrt(folded)  # NaN out of reach
            cos3 = (straight - folded) / (4.0 * UPPER_ARM * FOREARM)
            along, across = UPPER_ARM + FOREARM * cos3, FOREARM * self.sin3
            self.cos1, self.sin1 = x / radius, y / radius
            self.sin_a = (radius * along - height * across) / squared
            self.cos_a = (height * along + radius * across) / squared
        self.sin_b = (radius - UPPER_ARM * self.sin_a) / FOREARM
        self.cos_b = (height - UPPER_ARM * self.cos_a) / FOREARM
        self.radius = radius
        self._cos3 = cos3

    def joints(self, yaw: float) -> Array:
        """Joints (6, N) in rad that hold the flange at this yaw in the world (see PaperFrame)."""
        q = np.zeros((6, len(self.radius)))
        q[0] = np.arctan2(self.sin1, self.cos1)
        q[1] = -np.arctan2(self.sin_a, self.cos_a)
        q[2] = np.arctan2(self.sin3, self._cos3)
        q[4] = np.arctan2(self.sin_b, -self.cos_b)  # pi - b, in (-pi, pi]
        q[5] = q[0] - yaw
        q[5] -= 2.0 * np.pi * np.ceil((q[5] - np.pi) / (2.0 * np.pi))
        q[:, np.isnan(q[0] + q[2])] = np.nan
        return q

    def derivatives(self, tangent: Array, curvature: Array) -> tuple[Array, Array]:
        """First and second derivatives (6, N) of the joints along the tip's path, at a fixed yaw.

        Infinite or NaN in a singular configuration and out of reach.

        Args:
            tangent: (3, N) dp/ds of the tip in the world frame.
            curvature: (3, N) d2p/ds2, 1/m.

        Returns:
            dq/ds in rad/m and d2q/ds2 in rad/m2.
        """
        sin_a, cos_a, sin_b, cos_b = self.sin_a, self.cos_a, self.sin_b, self.cos_b
        first = np.zeros((6, len(self.radius)))
        second = np.zeros((6, len(self.radius)))
        with np.errstate(divide='ignore', invalid='ignore', over='ignore'):
            by_radius = 1.0 / self.radius
            by_upper, by_forearm = 1.0 / (UPPER_ARM * self.sin3), -1.0 / (FOREARM * self.sin3)
            outward, sideways = self._turned(tangent)
            d1 = sideways * by_radius
            da = (sin_b * outward + cos_b * tangent[2]) * by_upper
            db = (sin_a * outward + cos_a * tangent[2]) * by_forearm

            upper, forearm = UPPER_ARM * da * da, FOREARM * db * db
            outward_change, sideways_change = self._turned(curvature)
            e1 = (sideways_change - 2.0 * outward * d1) * by_radius
            out = outward_change + sideways * d1 + upper * sin_a + forearm * sin_b
            up = curvature[2] + upper * cos_a + forearm * cos_b
            ea = (sin_b * out + cos_b * up) * by_upper
            eb = (sin_a * out + cos_a * up) * by_forearm
        for rows, one, lean, bend in ((first, d1, da, db), (second, e1, ea, eb)):
            rows[0] = rows[5] = one
            rows[1] = -lean
            rows[2] = bend - lean
            rows[4] = -bend
        return first, second

    def _turned(self, vector: Array) -> tuple[Array, Array]:
        """Components of a world vector (3, N) outward in the arm's plane, and across it."""
        x, y = vector[0], vector[1]
        return self.cos1 * x + self.sin1 * y, self.cos1 * y - self.sin1 * x

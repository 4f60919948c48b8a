# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The classic way from poses to joints: damped least squares, one pose after the other.

Pinocchio's own example of inverse kinematics (log6, its Jacobian, damped steps), seeded with the
joints of the pose before. The loop is Python's, the arithmetic Pinocchio's and numpy's.
"""

from typing import Any

import numpy as np
import pinocchio
from planner_measuring import cpu_time
from planner_stages import CONFIG, READY

from elfin_bt.kinematics import tip_positions
from elfin_bt.planning.joints import follow
from elfin_bt.resources import share_path

Array = np.ndarray

DAMPING = 1e-9
CLOSE = 1e-6  # m and rad together
ROUNDS = 50


def numeric_against_closed_form(points: Array, tangents: Array, runs: int) -> dict[str, Any]:
    """Time a pose and accuracy of both, with the pen's tip at points (N, 3) of the paper."""
    poses = CONFIG.paper.pen_poses(points, CONFIG.pen_yaw, CONFIG.pen_length)
    model = pinocchio.buildModelFromUrdf(str(share_path('config/elfin5.urdf')))
    numeric, (by_steps, rounds) = cpu_time(lambda: _chain(model, poses), runs)
    # The closed form gives derivatives as well.
    closed, exact = cpu_time(
        lambda: (
            follow(
                READY, points, tangents, CONFIG.paper, CONFIG.pen_yaw, CONFIG.pen_length
            ).positions
        ),
        runs,
    )
    count = len(points)
    return {
        'poses': count,
        'closed form, us a pose': closed.each(count),
        'closed form, worst error, um': _worst_error(exact, points),
        'damped least squares, us a pose': numeric.each(count),
        'damped least squares, worst error, um': _worst_error(by_steps, points),
        'damped least squares, steps a pose': rounds / count,
        'ratio': numeric.best / closed.best,
    }


def _chain(model: pinocchio.Model, poses: Array) -> tuple[Array, int]:
    """Joints (N, 6) of flange poses (N, 4, 4), and the number of steps."""
    data = model.createData()
    flange = model.getFrameId('elfin_end_link')
    local = pinocchio.ReferenceFrame.LOCAL
    q, result, steps = READY.copy(), np.empty((len(poses), 6)), 0
    damping = DAMPING * np.eye(6)
    for row, pose in enumerate(poses):
        goal = pinocchio.SE3(pose[:3, :3].copy(), pose[:3, 3].copy())
        for _ in range(ROUNDS):
            pinocchio.forwardKinematics(model, data, q)
            pinocchio.updateFramePlacement(model, data, flange)
            off = data.oMf[flange].actInv(goal)
            error = pinocchio.log6(off).vector
            if np.abs(error).max() < CLOSE:
                break
            steps += 1
            slope = -pinocchio.Jlog6(off.inverse()) @ pinocchio.computeFrameJacobian(
                model, data, q, flange, local
            )
            q = q - slope.T @ np.linalg.solve(slope @ slope.T + damping, error)
        result[row] = q
    return result, steps


def _worst_error(q: Array, points: Array) -> float:
    """Micrometres between the tip and where it should be."""
    tip = CONFIG.paper.to_paper(tip_positions(q, CONFIG.pen_length))
    return 1e6 * float(np.sqrt(((tip - points) ** 2).sum(axis=1)).max())

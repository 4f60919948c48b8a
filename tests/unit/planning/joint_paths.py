# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Joint paths that are known in closed form, for the tests of timing."""

import numpy as np

from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.trajectory import Trajectory

PERIOD = 1e-3


def graded(length: float, widest: float = 1e-3) -> np.ndarray:
    """Places along a path, closer together towards its ends as rows of a pen path are."""
    s = [0.0]
    while s[-1] < 0.5 * length:
        s.append(s[-1] + np.clip(0.009 * np.cbrt(54.0 * s[-1] ** 2), 1e-5, widest))
    half = np.array([x for x in s if x < 0.5 * length - 2e-5])
    return np.concatenate([half, length - half[::-1]])


def straight(length: float, slope: float) -> tuple[np.ndarray, JointPath]:
    """Joint 1 turns by `slope` rad a metre, the others stand still."""
    s = graded(length)
    q, dq = np.zeros((len(s), 6)), np.zeros((len(s), 6))
    q[:, 0], dq[:, 0] = slope * s, slope
    return s, JointPath(q, dq, np.zeros_like(q))


def waves(rng: np.random.Generator) -> tuple[np.ndarray, JointPath, float]:
    """Places, joints that are sums of three sines of the place, and a largest speed."""
    s = graded(rng.uniform(0.02, 0.6))
    frequency = rng.uniform(0.0, rng.uniform(6.0, 120.0), (3, 6))
    phase = rng.uniform(0.0, 6.0, (3, 6))
    size = rng.uniform(0.2, 1.0, (3, 6)) * 1.5 / np.maximum(frequency, 1.0)
    angle = frequency * s[:, None, None] + phase
    return (
        s,
        JointPath(
            (size * np.sin(angle)).sum(axis=1),
            (size * frequency * np.cos(angle)).sum(axis=1),
            (-size * frequency**2 * np.sin(angle)).sum(axis=1),
        ),
        float(rng.choice([0.02, 0.08, 0.15])),
    )


def cut(path: JointPath, first: int, last: int) -> JointPath:
    """Rows first to last, both included."""
    return path.rows(slice(first, last + 1))


def differences(trajectory: Trajectory, order: int, lag: int) -> np.ndarray:
    """Largest |derivative| of this order of each joint, from samples 1 ms apart, over `lag` ms."""
    q, _ = trajectory.sample(np.arange(0.0, trajectory.duration + PERIOD, PERIOD))
    for _ in range(order):
        q = (q[lag:] - q[:-lag]) / (lag * PERIOD)
    return np.abs(q).max(axis=0, initial=0.0)

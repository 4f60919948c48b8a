# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which of the arm's branches draws: one for the whole path, lifts and travel included.

With the pen straight down there are four: shoulder forwards or backwards, elbow up or down (the
wrist follows, kinematics/pen_down.py). Each is scored by the worst place on the whole path, and the
branch of the ready pose wins wherever it is comfortable, which spares a swing to another pose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import BRANCHES, JOINT_NAMES, branch_of
from elfin_bt.kinematics.inverse import Branch
from elfin_bt.kinematics.limits import POSITION
from elfin_bt.kinematics.singularity import ELBOW_MINIMUM, WRIST_MINIMUM
from elfin_bt.planning.clearance import CLEARANCE
from elfin_bt.planning.joints import joints_over
from elfin_bt.planning.settings import READY_POSE, PlannerConfig

Array = NDArray[np.float64]

COMFORTABLE = 0.05
"""Margin above which the ready pose's branch is taken without comparing it."""

_AMPLE_CLEARANCE = 0.100  # m above the required one, counts as a margin of 1
_SAME_MARGIN = 1e-6  # mirrored postures differ by rounding


@dataclass(frozen=True)
class Margin:
    """How far a path stays from what ends it.

    Attributes:
        value: 1 in the middle of all ranges, 0 at a limit, negative beyond, -inf out of reach.
        cause: what is nearest: a joint's name, 'elbow singularity', 'wrist singularity',
            'clearance' or 'reach'.
    """

    value: float
    cause: str


@dataclass(frozen=True, eq=False)
class Posture:
    """A branch for a path.

    Attributes:
        branch: index into BRANCHES.
        margin: the worst of the whole path; not above 0, the path can't be driven on any branch.
        start: (6,) rad, the joints over the path's first point.
    """

    branch: int
    margin: Margin
    start: Array


def choose_branch(
    points: Array,
    config: PlannerConfig,
    *,
    clearance: Callable[[Array], Array] | None = None,
    candidates: Iterable[Branch] = BRANCHES[::2],
    preferred: Array | None = None,
) -> Posture:
    """The branch for a path over points (N, 3) of the paper, m.

    Args:
        points: all of the path's, lifts and travel included, in its order.
        config: the paper and the pen.
        clearance: distances (M,) of the arm from itself and the board at joints (M, 6), as
            CollisionChecker.clearance; asked at the extremes of the joints only. The whole path is
            checked later, on the branch that is chosen.
        candidates: branches to choose from; of those that differ in the wrist only, one is enough.
        preferred: joints (6,) whose branch wins where it is comfortable; by default the ready pose.
    """
    ready = np.array(READY_POSE) if preferred is None else preferred
    first = BRANCHES[int(branch_of(ready[None])[0])]
    best: Posture | None = None
    for branch in sorted(candidates, key=lambda branch: not _same_arm(branch, first)):
        is_first = _same_arm(branch, first)
        posture = _posture(points, first if is_first else branch, config, clearance)
        if best is None or posture.margin.value > best.margin.value + _SAME_MARGIN:
            best = posture
        if is_first and posture.margin.value >= COMFORTABLE:
            break
    if best is None:
        raise ValueError('there is no branch to choose from')
    return best


def margin(q: Array, position: Array = POSITION) -> Margin:
    """The worst margin of joints (N, 6) rad, of position limits (6, 2) and singularities.

    A joint's is its distance from the nearer limit as a share of half its range; a singularity's
    is the sine of its angle above the smallest allowed one, as a share of what is possible. The
    shoulder's singularity is left out: with the pen straight down it is the same on all branches.
    """
    lower, upper = q.min(axis=0), q.max(axis=0)
    if not np.isfinite(lower).all():
        return Margin(-np.inf, 'reach')
    half = 0.5 * (position[:, 1] - position[:, 0])
    shares = np.minimum(lower - position[:, 0], position[:, 1] - upper) / half
    joint = int(np.argmin(shares))
    elbow = (_smallest_sine(lower[2], upper[2]) - ELBOW_MINIMUM) / (1.0 - ELBOW_MINIMUM)
    wrist = (_smallest_sine(lower[4], upper[4]) - WRIST_MINIMUM) / (1.0 - WRIST_MINIMUM)
    return min(
        Margin(float(shares[joint]), JOINT_NAMES[joint]),
        Margin(elbow, 'elbow singularity'),
        Margin(wrist, 'wrist singularity'),
        key=lambda entry: entry.value,
    )


def _posture(
    points: Array,
    branch: Branch,
    config: PlannerConfig,
    clearance: Callable[[Array], Array] | None,
) -> Posture:
    q = joints_over(points, branch, config)
    reached = np.flatnonzero(np.isfinite(q[:, 2]))
    # The pen straight down decides on which side joint 5 bends.
    index = int(branch_of(q[reached[:1]])[0]) if len(reached) else BRANCHES.index(branch)
    return Posture(index, _worst(q, clearance), q[0])


def _worst(q: Array, clearance: Callable[[Array], Array] | None) -> Margin:
    worst = margin(q)
    if clearance is None or worst.cause == 'reach':
        return worst
    extremes = np.unique(np.concatenate([q.argmin(axis=0), q.argmax(axis=0)]))
    spare = float(clearance(q[extremes]).min()) - CLEARANCE
    return min(worst, Margin(spare / _AMPLE_CLEARANCE, 'clearance'), key=lambda entry: entry.value)


def _same_arm(one: Branch, other: Branch) -> bool:
    return (one.shoulder, one.elbow) == (other.shoulder, other.elbow)


def _smallest_sine(lower: float, upper: float) -> float:
    """Smallest |sin| of the angles between two."""
    if np.floor(lower / np.pi) != np.floor(upper / np.pi):
        return 0.0
    return float(min(abs(np.sin(lower)), abs(np.sin(upper))))

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Jerk-limited motion from any state of motion, to a place or to rest: Ruckig, read in batches.

Ruckig works on each axis by itself and makes all of them take the same time. Here the axes are
those of a frame that the caller chooses: with the first one along the motion, a straight motion
stays straight and has one axis' limits.

Source: Berscheid and Kroeger, "Jerk-limited Real-time Trajectory Generation with Arbitrary Target
States", RSS 2021.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ruckig import ControlInterface, InputParameter, Result, Ruckig, Synchronization
from ruckig import Trajectory as Profile

Array = NDArray[np.float64]

_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class State:
    """Position, velocity and acceleration, (D,) each."""

    position: Array
    velocity: Array
    acceleration: Array

    def at_rest(self, speed: float = 1e-9, acceleration: float = 1e-6) -> bool:
        """Whether nothing moves, but for rounding."""
        return bool(
            np.abs(self.velocity).max() <= speed and np.abs(self.acceleration).max() <= acceleration
        )


@dataclass(frozen=True, eq=False)
class Bounds:
    """Largest speed, acceleration and jerk along each axis of a frame, (D,) each."""

    speed: Array
    acceleration: Array
    jerk: Array


class Course:
    """A motion over time from a state, until it rests and stays; or it keeps its last velocity."""

    def __init__(self, start: State, frame: Array, profile: Profile, keeps: bool) -> None:
        self._origin = start.position
        self._frame = frame
        self._profile = profile
        self._keeps = keeps
        self.duration = float(profile.duration)

    def sample(self, times: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, (N, D) each, at times (N,) s."""
        at = self._profile.at_time
        end = np.inf if self._keeps else self.duration
        rows = np.array([at(min(t, end)) for t in times.tolist()])
        rows[times >= end, 1:] = 0.0
        rows = rows @ self._frame
        return self._origin + rows[:, 0], rows[:, 1], rows[:, 2]


def course_to(start: State, goal: Array, frame: Array, bounds: Bounds) -> Course | None:
    """To rest at `goal` (3,), as fast as possible; None where Ruckig finds no way.

    Args:
        start: where and how it moves now.
        goal: where it shall rest.
        frame: (3, 3) orthonormal axes as rows, the first two in the plane of the motion.
        bounds: along these axes.
    """
    question = _question(start, frame, bounds)
    # Along the third axis there is next to nothing to do (frame_along): to fill the time of the
    # others Ruckig would swing out and back.
    question.per_dof_synchronization = [
        Synchronization.Time if axis < 2 else Synchronization.No for axis in range(len(frame))
    ]
    question.target_position = (frame @ (goal - start.position)).tolist()
    return _answer(question, start, frame)


def course_at(
    start: State, velocity: Array, frame: Array, bounds: Bounds, keeps: bool = False
) -> Course | None:
    """To a constant `velocity` (D,), wherever that is reached; zero is a stop.

    With `keeps` the course goes on at that velocity.
    """
    question = _question(start, frame, bounds)
    question.control_interface = ControlInterface.Velocity
    question.target_velocity = (frame @ velocity).tolist()
    return _answer(question, start, frame, keeps)


def _question(start: State, frame: Array, bounds: Bounds) -> InputParameter:
    question = InputParameter(len(frame))
    question.current_position = [0.0] * len(frame)
    question.current_velocity = (frame @ start.velocity).tolist()
    question.current_acceleration = (frame @ start.acceleration).tolist()
    question.max_velocity = bounds.speed.tolist()
    question.max_acceleration = bounds.acceleration.tolist()
    question.max_jerk = bounds.jerk.tolist()
    return question


def _answer(
    question: InputParameter, start: State, frame: Array, keeps: bool = False
) -> Course | None:
    profile = Profile(len(frame))
    result = Ruckig(len(frame)).calculate(question, profile)
    return Course(start, frame, profile, keeps) if result == Result.Working else None


def frame_along(direction: Array, other: Array) -> Array:
    """Orthonormal axes (3, 3) as rows: along `direction` (3,), then to `other`'s side of it."""
    first = direction / np.linalg.norm(direction)
    second = other - (other @ first) * first
    size = float(np.linalg.norm(second))
    if size <= _LEAST:
        axis = np.zeros(3)
        axis[int(np.argmin(np.abs(first)))] = 1.0
        second = axis - first * (axis @ first)
        size = float(np.linalg.norm(second))
    second = second / size
    return np.array([first, second, np.cross(first, second)])

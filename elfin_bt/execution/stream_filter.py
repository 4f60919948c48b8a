# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Following a reference that may jump, with bounded velocity, acceleration and jerk.

Streams are made by people and by filters that know no limits: one sample may ask for any speed. The
follower is a cascade of square-root controllers with feed-forward, as in ArduPilot's
`shape_pos_vel_accel`: the position error asks for a velocity from which it can still brake, the
velocity error for an acceleration that can still be taken away, and the jerk gets there. Without an
error it repeats the reference exactly but for its jerk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elfin_bt.execution.joint_path import JointPath, Waypoints
from elfin_bt.kinematics.limits import JointLimits

Array = NDArray[np.float64]

_POSITION_GAIN = 6.0  # 1/s
_VELOCITY_GAIN = 30.0  # 1/s
_SHARE = 0.95  # of the limits, which samples are checked against
_CORRECTION = 0.5  # share of acceleration and jerk that the controllers count on
_POSITION_MARGIN = 0.01  # rad from the position limits

_SHORTEST_REST = 0.02  # s
_LONGER = 1.1
_GRID = np.linspace(0.0, 1.0, 33)


@dataclass(frozen=True, eq=False)
class State:
    """Position, velocity and acceleration, (joints,) each."""

    q: Array
    v: Array
    a: Array


class Follower:
    """Moves a state towards references, one `step` s a time, within `limits`."""

    def __init__(self, limits: JointLimits, step: float) -> None:
        self._step = step
        self._velocity = _SHARE * limits.velocity
        self._acceleration = _SHARE * limits.acceleration
        self._jerk = limits.jerk
        self._low = limits.position[:, 0] + _POSITION_MARGIN
        self._high = limits.position[:, 1] - _POSITION_MARGIN

    def jerk(self, state: State, reference: State) -> Array:
        """Constant jerk (joints,) of the next step, rad/s3."""
        brake, ease = _CORRECTION * self._acceleration, _CORRECTION * self._jerk
        error = np.clip(reference.q, self._low, self._high) - state.q
        velocity = reference.v + _root(error, _POSITION_GAIN, brake)
        # Never faster than the distance to a position limit allows to brake.
        velocity = np.clip(
            velocity,
            np.maximum(-self._velocity, _root(self._low - state.q, _POSITION_GAIN, brake)),
            np.minimum(self._velocity, _root(self._high - state.q, _POSITION_GAIN, brake)),
        )
        acceleration = reference.a + _root(velocity - state.v, _VELOCITY_GAIN, ease)
        acceleration = np.clip(acceleration, -self._acceleration, self._acceleration)
        jerk: Array = np.clip((acceleration - state.a) / self._step, -self._jerk, self._jerk)
        return jerk


def after(state: State, jerk: Array, time: float) -> State:
    """State after `time` s of constant jerk (joints,)."""
    return State(
        state.q + time * (state.v + time * (state.a / 2 + time * jerk / 6)),
        state.v + time * (state.a + time * jerk / 2),
        state.a + time * jerk,
    )


def path_to_rest(state: State, limits: JointLimits, target: Array | None = None) -> JointPath:
    """Shortest quintic to rest within the limits: at `target` (joints,), or wherever is soonest.

    Without a target each joint's velocity fades alike, so that from a steady motion the path is a
    straight line in joint space.
    """
    acceleration = np.maximum(_SHARE * limits.acceleration, np.abs(state.a))
    speed, push = np.abs(state.v), np.abs(state.a)
    # The jerk of the velocity's cubic is largest at its start: 6 v / T^2 + 4 a / T.
    shortest = (2.0 * push + np.sqrt(4.0 * push**2 + 6.0 * speed * limits.jerk)) / limits.jerk
    duration = max(_SHORTEST_REST, float(shortest.max()), float((1.5 * speed / acceleration).max()))
    while True:
        # The velocity is the cubic from (v, a) to (0, 0): it travels this far.
        end = state.q + duration * (state.v / 2 + duration * state.a / 12)
        knots = Waypoints(
            np.array([0.0, duration]),
            np.stack((state.q, end if target is None else target)),
            np.stack((state.v, np.zeros_like(state.v))),
            np.stack((state.a, np.zeros_like(state.a))),
        )
        path = JointPath(knots)
        _, _, accelerations = path.evaluate(_GRID * duration)
        jerks = np.diff(accelerations, axis=0) / (_GRID[1] * duration)
        fits = (np.abs(accelerations) <= acceleration).all() and (
            np.abs(jerks) <= limits.jerk
        ).all()
        if fits:
            return path
        duration *= _LONGER


def _root(error: Array, gain: float, limit: Array) -> Array:
    """Rate that brings an error to 0 with at most `limit` (joints,): linear near, root far away."""
    linear = limit / gain**2
    far = np.sqrt(2.0 * limit * np.maximum(np.abs(error) - linear / 2, 0.0))
    rate: Array = np.where(np.abs(error) <= linear, gain * error, np.copysign(far, error))
    return rate

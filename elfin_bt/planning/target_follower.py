# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The pen's tip follows a target that may move at any time; the pen stays upright.

Each cycle is committed together with a way to rest (committed.py), which is checked against joint
limits, singularities, the reachable area and, where asked, clearance.

From rest, and for as long as the target stays, the tip moves on a straight line; it also comes to
rest on one. A target out of the reachable area is replaced by the nearest place in it, so that the
tip slides along the rim. Where the straight line to that leaves the area (across the hole around
axis 1), or comes near a joint limit or a singularity, the tip stops there.

The speed on a line is what its worst place allows: towards a singularity the tip is slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from elfin_bt.kinematics import JointLimits
from elfin_bt.planning.committed import ROUNDING, CommittedMotion, JointMotion, Rows
from elfin_bt.planning.online import Bounds, Course, State, course_at, course_to, frame_along
from elfin_bt.planning.pen_arm import PenArm
from elfin_bt.planning.settings import TCP_CAP, PlannerConfig
from elfin_bt.planning.trajectory import Trajectory

Array = NDArray[np.float64]

_LINE_POINTS = 33
_LIMIT_POINTS = 9
_SAME_PLACE = 1e-7  # m
_SIDEWAYS = 1e-9  # m/s and m/s2; less across the line is rounding
_SPEED_SHARES = (1.0, 0.7, 0.35)


@dataclass(frozen=True, kw_only=True)
class FollowSettings:
    """How a target is followed.

    Attributes:
        speed: of the tip, m/s.
        acceleration: of the tip, m/s2; the joints' limits hold as well.
        jerk: of the tip, m/s3; so do theirs.
        lowest: height of the tip over the paper, m; negative presses the pen down.
        highest: the same.
    """

    speed: float = 0.100
    acceleration: float = 1.0
    jerk: float = 10.0
    lowest: float = -0.0005
    highest: float = 0.120

    def __post_init__(self) -> None:
        """Refuse what can't be followed with."""
        for name in ('speed', 'acceleration', 'jerk'):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ValueError(f'follow {name} is {getattr(self, name):g}: choose more than 0')
        if self.speed > TCP_CAP:
            raise ValueError(f'follow speed is {self.speed:g} m/s: choose at most {TCP_CAP:g}')
        if not all(np.isfinite(getattr(self, entry.name)) for entry in fields(self)):
            raise ValueError('follow settings hold a value that is not finite')
        if self.lowest >= self.highest:
            raise ValueError(
                f'follow heights {self.lowest:g} to {self.highest:g} m are no range: '
                'choose lowest below highest'
            )


class TargetFollower(CommittedMotion):
    """Follows targets from joints `start` (6,) rad, at rest.

    Args:
        start: the pen straight down.
        config: the paper, the pen, the reach.
        limits: of the joints, to plan with.
        settings: speeds and heights.
        spare: see CommittedMotion.

    Raises:
        Unplannable: the pen does not stand upright at `start`.
    """

    def __init__(
        self,
        start: Array,
        config: PlannerConfig,
        limits: JointLimits,
        settings: FollowSettings | None = None,
        spare: Callable[[Array], Array] | None = None,
    ) -> None:
        self._settings = settings or FollowSettings()
        self._config = config
        self._arm = PenArm(start, config, limits)
        still = np.zeros(3)
        super().__init__(State(self._arm.tip, still, still), spare)
        self._target: Array | None = None
        self._goal = self._arm.tip

    @property
    def goal(self) -> Array:
        """Where the tip is heading, (3,) in the paper frame: the target, or as near as can be."""
        goal: Array = self._config.paper.to_paper(self._goal[None])[0]
        return goal

    @property
    def tip(self) -> Array:
        """Where the tip is after what was committed, (3,) in the paper frame."""
        tip: Array = self._config.paper.to_paper(self._state.position[None])[0]
        return tip

    def step(self, target: Array | None) -> Trajectory:
        """Commit the next cycle of motion, 20 ms.

        Args:
            target: (3,) for the tip in the paper frame, m; None comes to rest on a straight line.

        Returns:
            Knots 4 ms apart, the first where the cycle before ended.

        Raises:
            ValueError: the target is not three finite numbers. Nothing was committed.
        """
        if target is None:
            self._target = self._way = None
        else:
            self._aim(np.asarray(target, dtype=np.float64))
        return self._committed()

    # --- Where to ---------------------------------------------------------------------------------

    def _aim(self, target: Array) -> None:
        if target.shape != (3,) or not np.isfinite(target).all():
            raise ValueError(f'a target is three finite numbers in metres, not {target}')
        if self._target is None or np.abs(target - self._target).max() > 0.0:
            self._target = target
            self._goal = self._reachable(target)
            self._way = None

    def _reachable(self, target: Array) -> Array:
        """The nearest reachable place, in the world, then as far as the straight line is free."""
        start = self._state.position
        nearest: Array = self._nearest_inside(self._config.paper.to_world(target[None])[0])
        near, far = 0.0, 1.0
        for _ in range(2):
            share = np.linspace(near, far, _LINE_POINTS)
            points = start + share[:, None] * (nearest - start)
            usable = self._arm.usable(np.concatenate([start[None], points]))[1:]
            usable &= self._outside(points) <= max(self._outside(start[None])[0], _SAME_PLACE)
            if usable.all():
                return nearest
            bad = int(np.argmin(usable))
            near, far = share[max(bad - 1, 0)], share[bad]
        goal: Array = start + near * (nearest - start)
        return goal

    def _nearest_inside(self, point: Array) -> Array:
        settings, base = self._settings, self._config.paper.origin[2]
        radius = float(np.hypot(point[0], point[1]))
        centre = point[:2] if radius > 0.0 else self._state.position[:2]
        inside = np.clip(radius, *self._config.reach)
        height = np.clip(point[2], base + settings.lowest, base + settings.highest)
        return np.append(centre * (inside / np.hypot(*centre)), height)

    def _outside(self, points: Array) -> Array:
        """How far points (N, 3) are out of the reachable area, m; negative inside."""
        settings = self._settings
        radius = np.hypot(points[:, 0], points[:, 1])
        height = points[:, 2] - self._config.paper.origin[2]
        nearest, farthest = self._config.reach
        result: Array = np.max(
            [
                nearest - radius,
                radius - farthest,
                settings.lowest - height,
                height - settings.highest,
            ],
            axis=0,
        )
        return result

    # --- Ways -------------------------------------------------------------------------------------

    def _new_ways(self) -> Iterator[Course]:
        if self._target is None:
            return  # the way to rest is there already
        if np.abs(self._goal - self._state.position).max() < _SAME_PLACE and self.at_rest:
            return
        for share in _SPEED_SHARES:
            way = self._way_to_goal(share)
            if way is not None:
                yield way

    def _way_to_goal(self, share: float) -> Course | None:
        state, goal = self._state, self._goal
        ahead = goal - state.position
        if np.linalg.norm(ahead) < _SAME_PLACE:
            ahead = state.velocity + _SAME_PLACE * state.acceleration
            if not ahead.any():
                return None
        frame = frame_along(ahead, state.velocity)
        points = np.linspace(state.position, goal, _LIMIT_POINTS)
        bounds = self._bounds(points, frame, state)
        return course_to(
            state, goal, frame, Bounds(share * bounds.speed, bounds.acceleration, bounds.jerk)
        )

    def _way_to_rest(self, state: State) -> Course | None:
        moves = np.linalg.norm(state.velocity) > _SIDEWAYS
        frame = frame_along(
            state.velocity if moves else state.acceleration,
            state.acceleration if moves else state.velocity,
        )
        points = state.position + np.array([0.0, 0.05, 0.1])[:, None] * state.velocity
        return course_at(state, np.zeros(3), frame, self._bounds(points, frame, state))

    def _bounds(self, points: Array, frame: Array, state: State) -> Bounds:
        """Limits for the tip: on a straight line those along it, else those in any direction."""
        most = self._settings.speed, self._settings.acceleration, self._settings.jerk
        sideways = frame[1:] @ np.stack([state.velocity, state.acceleration], axis=1)
        if np.abs(sideways).max() <= _SIDEWAYS:
            return self._arm.bounds(points, frame, most)
        return self._arm.bounds_all_ways(points, most)

    # --- Checks -----------------------------------------------------------------------------------

    def _joint_motion(self, rows: Rows) -> JointMotion:
        return self._arm.motion(*rows)

    def _sound(self, rows: Rows, motion: JointMotion) -> bool:
        tip, tip_velocity, _ = rows
        shortfall = self._arm.shortfall(motion.positions)
        outside = self._outside(tip)
        speed = np.sqrt((tip_velocity**2).sum(axis=1))
        return bool(
            motion.within(self._arm.limits)
            and shortfall.max() <= max(shortfall[0], 0.0) + ROUNDING
            and outside.max() <= max(outside[0], 0.0) + _SAME_PLACE
            and speed.max() <= self._settings.speed * (1.0 + ROUNDING)
        )

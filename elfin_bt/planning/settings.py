# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a plan is made with: speeds, heights, tolerances. Metres, seconds, radians."""

import math
from dataclasses import dataclass, field, fields

from elfin_bt.kinematics import PaperFrame
from elfin_bt.kinematics.geometry import PEN_LENGTH

READY_POSE = (0.0, 0.0, -math.pi / 2, 0.0, -math.pi / 2, 0.0)
"""Joints, rad, from which drawings begin: the pen straight down over the paper."""

TCP_CAP = 0.25
"""The pen's tip never moves faster, m/s (the limit for manual reduced speed, ISO 10218-1)."""


@dataclass(frozen=True, kw_only=True)
class Speeds:
    """Largest speeds of the pen's tip, m/s.

    Attributes:
        pen: drawing.
        travel: pen up, lifts included.
        plunge: straight down, from Heights.clear to the paper.
        contact: the same from Heights.contact_zone; the pen meets the paper no faster.
    """

    pen: float = 0.080
    travel: float = 0.200
    plunge: float = 0.030
    contact: float = 0.015

    def __post_init__(self) -> None:
        """Refuse a speed that is not above 0 and within TCP_CAP."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not 0.0 < value <= TCP_CAP:
                raise ValueError(
                    f'{entry.name} speed is {value:g} m/s: choose more than 0, at most {TCP_CAP:g}'
                )


@dataclass(frozen=True, kw_only=True)
class Heights:
    """Heights of the pen's tip over the paper, and the depth to which it is pressed down.

    Attributes:
        contact_depth: below the paper while drawing.
        lift: between strokes that are far apart, before the first one, and of a dry run.
        near_lift: between strokes less than `near` apart, where the recipe allows a small lift.
            Beyond, the height grows with the distance, up to `lift`: an arm that swings far swings
            higher.
        near: see near_lift.
        clear: up to here the pen is lifted, and from here it is lowered, straight over its place;
            above the way may bend.
        contact_zone: below this the pen is lowered at Speeds.contact.
        retract: after the last stroke.
        settle: seconds that the pen rests on the paper before it draws. A stop of limited jerk
            hardly shakes the arm, so none are needed unless the holder is soft.
    """

    contact_depth: float = 0.0005
    lift: float = 0.020
    near_lift: float = 0.005
    near: float = 0.010
    clear: float = 0.002
    contact_zone: float = 0.0005
    retract: float = 0.120
    settle: float = 0.0

    def between(self, gap: float) -> float:
        """How high the pen is lifted between strokes that are `gap` metres apart."""
        return min(self.near_lift * max(1.0, gap / self.near), self.lift)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How closely the pen's path is followed.

    Attributes:
        corner_tolerance: largest distance from a corner to the path that rounds it.
        spacing: largest distance of knots while drawing.
        travel_spacing: the same while the pen is up.
        turn: largest change of direction between knots, rad.
    """

    corner_tolerance: float = 50e-6
    spacing: float = 1e-3
    travel_spacing: float = 2e-3
    turn: float = 0.1


@dataclass(frozen=True, kw_only=True)
class PlannerConfig:
    """Everything the planner needs to know before its first request.

    Attributes:
        paper: where the paper is.
        pen_length: from the flange to the tip, m.
        pen_yaw: turn of the pen about its own axis, rad (see PaperFrame.pen_poses). The same
            everywhere on the paper, or with free_yaw relative to the arm.
        free_yaw: the pen turns with the arm about axis 1, and joint 6 stands still at -pen_yaw.
            For a pen that is round, and drawings that wrap far around the robot.
        limit_scale: share of the joint limits to plan with; the rest is headroom for stop ramps.
        reach: nearest and farthest distance of the drawing from the robot's axis 1, m.
    """

    paper: PaperFrame = field(default_factory=PaperFrame)
    pen_length: float = PEN_LENGTH
    pen_yaw: float = 0.0
    free_yaw: bool = False
    limit_scale: float = 0.9
    reach: tuple[float, float] = (0.30, 0.62)
    heights: Heights = field(default_factory=Heights)
    sampling: Sampling = field(default_factory=Sampling)

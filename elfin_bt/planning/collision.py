# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Collisions of the arm with itself and with the drawing board, along whole joint paths.

Distances come from coal, on the shapes of the URDF. A path is not sampled and hoped for: a distance
d proves every configuration free that moves no point of the two bodies by more than d, and a joint
that turns by dq moves a point by at most dq times its distance from the axis. A long path is proven
free as a whole, by a tree of boxes (clearance.py): about a hundred evaluations for a drawing that
fills the paper, whatever its number of points. What that leaves open, the checker walks along,
stepping as far as the last distance allows (conservative advancement; Mirtich 1996; Schwarzer, Saha
and Latombe 2005). Nothing between the points slips through.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import coal
import numpy as np
import pinocchio
from numpy.typing import NDArray

from elfin_bt.kinematics import PaperFrame, tip_heights
from elfin_bt.kinematics.geometry import FLANGE, FOREARM, PEN_LENGTH, UPPER_ARM
from elfin_bt.planning.clearance import BLOCK, CLEARANCE, search

Array = NDArray[np.float64]

RESOLUTION = 0.005
"""On a path found free no two bodies are ever nearer than the clearance less this, m. With the
default clearance 10 mm remain: the URDF's shapes let the real covers protrude by 5 mm each."""
FIGURE_TOLERANCE = 0.02
"""The clearance that is reported of a path is at most this much, m, above the smallest on it."""
TIP_TOLERANCE = 50e-6
"""Tolerance of the pen tip's depth, m: rounding, and the sag of a chord between two points."""

PEN_RADIUS = 0.006
BOARD = 'board'
PEN = 'pen'
PEN_TIP = 'pen_tip'

# Path points that are handled at once, to bound memory and to stay in the processor's cache.
_BLOCK = 8192
# Bodies that must stay above the board. The base and link 1 stand beside it and reach below its
# surface, but link 1 only turns about its own vertical axis: neither can be moved into the board.
_ABOVE_BOARD = tuple(f'elfin_link{number}' for number in range(2, 7))
# What the pen can meet. It points away from links 5 and 6, which carry it, and joint 5 cannot fold
# it back far enough to meet links 3 and 4 (the same search as for the SRDF, up to a 0.25 m pen).
_MEETS_PEN = ('elfin_base', 'elfin_link1', 'elfin_link2')


@dataclass(frozen=True)
class Collision:
    """Where a path first collides.

    Attributes:
        index: of the path's configuration at or just after it.
        first: a body: the name of a link, 'pen', 'pen_tip' or 'board'.
        second: the other body.
        distance: between them, m, negative where they overlap; of the pen's tip, its height over
            the paper.
    """

    index: int
    first: str
    second: str
    distance: float

    def __str__(self) -> str:
        millimetres = 1000.0 * abs(self.distance)
        if self.first == PEN_TIP:
            return f'the pen tip goes {millimetres:.1f} mm below the paper'
        if self.distance <= 0.0:
            return f'{self.first} overlaps {self.second} by {millimetres:.1f} mm'
        return f'{self.first} comes within {millimetres:.1f} mm of {self.second}'


@dataclass(frozen=True)
class Survey:
    """What a path meets.

    Attributes:
        collision: the first one, or None.
        clearance: smallest distance between two bodies that was seen, m; the pen's tip and the
            paper left out. On a path without collision it is the smallest of all within
            FIGURE_TOLERANCE.
    """

    collision: Collision | None
    clearance: float


class CollisionChecker:
    """Checks configurations of the arm with a pen, over a board. Not for two threads at once.

    Args:
        urdf_path: the robot; its SRDF, which names the pairs that need no check, lies beside it.
        paper: its surface continues as the board in all directions.
        pen_length: from the flange to the tip, m.
    """

    def __init__(
        self,
        urdf_path: Path,
        paper: PaperFrame | None = None,
        pen_length: float = PEN_LENGTH,
    ) -> None:
        self.paper = paper or PaperFrame()
        self.pen_length = pen_length
        self._model = pinocchio.buildModelFromUrdf(str(urdf_path))
        self._geometry = self._build_geometry(urdf_path)
        self._data = self._model.createData()
        self._geometry_data = self._geometry.createData()
        self._index_pairs()

    def check(
        self, q: Array, pen_depth: float = 0.0, clearance: float = CLEARANCE
    ) -> Collision | None:
        """The first collision along a path, or None; see `survey`."""
        return self.survey(q, pen_depth, clearance).collision

    def survey(self, q: Array, pen_depth: float = 0.0, clearance: float = CLEARANCE) -> Survey:
        """The first collision along a path, and how near it comes to one.

        Args:
            q: (N, 6) rad; the path is straight in joint space between its points.
            pen_depth: how far below the paper the pen's tip may be, m.
            clearance: distance below which two bodies are reported, m, at least RESOLUTION.
        """
        deep = self._first_deep(q, -pen_depth - TIP_TOLERANCE)
        near, nearest = self._first_near(q if deep is None else q[: deep.index + 1], clearance)
        return Survey(near or deep, nearest)

    def clearance(self, q: Array) -> Array:
        """Smallest distance (N,) between any two bodies at each configuration (N, 6), m.

        Negative where bodies overlap. The pen's tip is left out: it is meant to touch the paper.
        """
        return np.array([self._distances(row).min() for row in q])

    def tip_heights(self, q: Array) -> Array:
        """Height (N,) of the pen's tip over the paper, m."""
        heights: Array = tip_heights(q, self.pen_length) - self.paper.origin[2]
        return heights

    def _first_deep(self, q: Array, lowest: float) -> Collision | None:
        """Where the pen's tip first is lower than this over the paper, m."""
        for first in range(0, len(q), _BLOCK):
            rows = q[first : first + _BLOCK + 1]
            heights = self.tip_heights(rows)
            between = np.minimum(heights[:-1], heights[1:]) - self._sag(rows)
            suspects = np.flatnonzero(np.insert(between, 0, heights[0]) < lowest)
            for row in suspects.tolist():
                heights = self.tip_heights(self._refined(rows[max(row - 1, 0) : row + 1])[0])
                deep = np.flatnonzero(heights < lowest)
                if len(deep):
                    return Collision(first + row, PEN_TIP, BOARD, float(heights[deep[0]]))
        return None

    def _sag(self, q: Array) -> Array:
        """How far the tip's height leaves the chord from each configuration to the next, m.

        The height is a sum of lengths times cosines of sums of joints 2 to 5: with all of them
        turning by s in total, its second derivative over the step is at most s^2 times the lengths.
        """
        turned: Array = np.abs(np.diff(q[:, 1:5].T)).sum(axis=0)
        return (UPPER_ARM + FOREARM + FLANGE + self.pen_length) / 8.0 * turned**2

    def _first_near(self, q: Array, clearance: float) -> tuple[Collision | None, float]:
        """Where two bodies first are nearer than the clearance, and the smallest distance seen."""
        if len(q) <= BLOCK:
            return self._walk(q, clearance)
        found = search(
            q,
            self._distances,
            self._reach,
            required=clearance,
            proven=clearance - RESOLUTION,
            tolerance=FIGURE_TOLERANCE,
        )
        colliding = found.nearest < clearance
        length = _BLOCK if colliding else BLOCK
        starts = range(0, len(q) - 1, length) if colliding else found.unsettled
        nearest = found.nearest
        for first in starts:
            near, distance = self._walk(q[first : first + length + 1], clearance)
            nearest = min(nearest, distance)
            if near:
                return replace(near, index=first + near.index), nearest
        return None, nearest

    def _walk(self, q: Array, clearance: float) -> tuple[Collision | None, float]:
        """`_first_near` by conservative advancement."""
        path, source = self._refined(q)
        index, distances, nearest = self._first_near_pair(path, clearance)
        pair = int(np.argmin(distances))
        if distances[pair] >= clearance:
            return None, nearest
        return Collision(int(source[index]), *self._pairs[pair], float(distances[pair])), nearest

    def _first_near_pair(self, path: Array, clearance: float) -> tuple[int, Array, float]:
        """Where a refined path first is nearer than the clearance, or its end.

        Returns the index, the distances there, and the smallest of all that were seen.
        """
        turned = np.cumsum(np.abs(np.diff(path, axis=0, prepend=path[:1])), axis=0)
        travel = self._reach @ turned.T  # (pairs, M): motion since the path's start, at most
        index, nearest = 0, np.inf
        while True:
            distances = self._distances(path[index])
            nearest = min(nearest, float(distances.min()))
            if nearest < clearance or index == len(path) - 1:
                return index, distances, nearest
            proven = travel[:, index] + (distances - (clearance - RESOLUTION))
            # At least one point further: no step of a refined path is longer than RESOLUTION.
            index = max(
                index + 1,
                min(
                    int(np.searchsorted(row, limit, side='right')) - 1
                    for row, limit in zip(travel, proven, strict=True)
                ),
            )

    def _refined(self, q: Array) -> tuple[Array, NDArray[np.intp]]:
        """The path with points added so that no step moves any point by more than RESOLUTION.

        Returns the path (M, 6) and, for each of its points, the index of the given configuration at
        or just after it. The pen's tip counts as well: between points the chord then sags by less
        than 10 um.
        """
        steps = np.diff(q, axis=0)
        motion = (np.abs(steps) @ np.vstack((self._reach, self._tip_reach())).T).max(axis=1)
        parts = np.maximum(np.ceil(motion / RESOLUTION), 1).astype(np.intp)
        if np.all(parts == 1):
            return q, np.arange(len(q))
        step = np.repeat(np.arange(len(steps)), parts)
        last_of_step = np.cumsum(parts)
        remaining = last_of_step[step] - 1 - np.arange(len(step))
        path = q[step + 1] - (remaining / parts[step])[:, None] * steps[step]
        return np.vstack((q[:1], path)), np.concatenate(([0], step + 1))

    def _tip_reach(self) -> Array:
        """How far each joint can move the pen's tip per radian, in height (6,)."""
        wrist = FLANGE + self.pen_length
        elbow = FOREARM + wrist
        return np.array([0.0, UPPER_ARM + elbow, elbow, wrist, wrist, 0.0])

    def _distances(self, q: Array) -> Array:
        """Distance of each pair of bodies (pairs,)."""
        pinocchio.updateGeometryPlacements(
            self._model, self._data, self._geometry, self._geometry_data, q
        )
        pinocchio.computeDistances(self._geometry, self._geometry_data)
        shapes = [result.min_distance for result in self._geometry_data.distanceResults]
        return np.minimum.reduceat(np.array(shapes)[self._shape_order], self._pair_starts)

    def _build_geometry(self, urdf_path: Path) -> pinocchio.GeometryModel:
        """Shapes of the links, the pen and the board, and the pairs of shapes to check."""
        geometry = pinocchio.buildGeomFromUrdf(
            self._model, str(urdf_path), pinocchio.GeometryType.COLLISION
        )
        geometry.addAllCollisionPairs()
        pinocchio.removeCollisionPairs(self._model, geometry, str(urdf_path.with_suffix('.srdf')))
        links = [self._model.frames[shape.parentFrame].name for shape in geometry.geometryObjects]

        flange = self._model.frames[self._model.getFrameId('elfin_end_link')]
        middle = pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, self.pen_length / 2.0]))
        pen = geometry.addGeometryObject(
            pinocchio.GeometryObject(
                PEN,
                flange.parentJoint,
                flange.placement * middle,
                coal.Capsule(PEN_RADIUS, self.pen_length),
            )
        )
        board = geometry.addGeometryObject(
            pinocchio.GeometryObject(
                BOARD,
                0,
                pinocchio.SE3.Identity(),
                coal.Halfspace(np.array([0.0, 0.0, 1.0]), self.paper.origin[2]),
            )
        )
        for shape, link in enumerate(links):
            if link in _MEETS_PEN:
                geometry.addCollisionPair(pinocchio.CollisionPair(shape, pen))
            if link in _ABOVE_BOARD:
                geometry.addCollisionPair(pinocchio.CollisionPair(board, shape))
        self._bodies = [*links, PEN, BOARD]
        return geometry

    def _index_pairs(self) -> None:
        """Group pairs of shapes by bodies, and bound how far each joint moves one to the other."""
        shapes = self._geometry.geometryObjects
        of_shapes = [(pair.first, pair.second) for pair in self._geometry.collisionPairs]
        of_bodies = [(self._bodies[first], self._bodies[second]) for first, second in of_shapes]
        self._pairs = sorted(set(of_bodies))
        group = np.array([self._pairs.index(bodies) for bodies in of_bodies])
        self._shape_order = np.argsort(group, kind='stable')
        self._pair_starts = np.searchsorted(group[self._shape_order], np.arange(len(self._pairs)))

        self._reach = np.zeros((len(self._pairs), 6))  # m moved per rad, at most
        for row, pair in zip(group, of_shapes, strict=True):
            near, far = sorted((shapes[index] for index in pair), key=lambda s: s.parentJoint)
            reach = self._reach_of(far, near.parentJoint)
            self._reach[row] = np.maximum(self._reach[row], reach)
        # The board is level: turning about the vertical axis 1 leaves every height as it is.
        self._reach[[BOARD in bodies for bodies in self._pairs], 0] = 0.0

    def _reach_of(self, shape: pinocchio.GeometryObject, fixed_joint: int) -> Array:
        """Farthest that a shape gets from each joint's axis (6,), for joints after fixed_joint."""
        shape.geometry.computeLocalAABB()
        centre = shape.placement.act(shape.geometry.aabb_center)
        distance = float(np.linalg.norm(centre)) + shape.geometry.aabb_radius
        reach = np.zeros(6)
        for joint in range(shape.parentJoint, fixed_joint, -1):
            reach[joint - 1] = distance
            distance += float(np.linalg.norm(self._model.jointPlacements[joint].translation))
        return reach

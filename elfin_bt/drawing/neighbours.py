# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which of many points are near one another: a k-d tree."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree

from elfin_bt.drawing.geometry import Array, Index


def near_pairs(points: Array, radius: float) -> Index:
    """Pairs (P, 2) of points (N, D) at most `radius` apart, the first the lower index."""
    pairs: Index = KDTree(points).query_pairs(radius, output_type='ndarray').astype(np.intp)
    return pairs.reshape(-1, 2)


def nearest(points: Array, count: int) -> tuple[Array, Index]:
    """Distances and indices (N, count) of the nearest other points of each point (N, D).

    The nearest come first. Where there are fewer other points, distances are infinite.
    """
    distance, index = KDTree(points).query(points, k=np.arange(1, count + 2))
    # A point is its own nearest, or among several in the same place.
    own = index == np.arange(len(points))[:, None]
    own[~own.any(axis=1), -1] = True
    shape = len(points), count
    return distance[~own].reshape(shape), index[~own].reshape(shape).astype(np.intp)


class Within:
    """Looks up points (N, D) by a box around a place: the largest coordinate difference counts."""

    def __init__(self, points: Array) -> None:
        self._tree = KDTree(points)

    def counts(self, places: Array, radii: Array) -> Index:
        """How many points are within radii (M,) of places (M, D)."""
        found: Index = self._tree.query_ball_point(places, radii, p=np.inf, return_length=True)
        return found

    def at(self, place: Array, radius: float) -> list[int]:
        """The points within `radius` of one place (D,)."""
        found: list[int] = self._tree.query_ball_point(place, radius, p=np.inf)
        return found

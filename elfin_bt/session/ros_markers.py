# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes the plan (strokes, and pen-up moves between them) and the ink as markers.

Everything is in the frame ``paper`` and goes out in small messages that add to what was sent
before: a drawing of 100,000 points in one message would take longer to build than a tick.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.ros import qos
from elfin_bt.session.ink_trail import InkTrail

Array = NDArray[np.float64]

POINTS_PER_MESSAGE = 400
LINE_WIDTH = 0.0005  # m
GREY = ColorRGBA(r=0.6, g=0.6, b=0.6, a=1.0)
LIGHT = ColorRGBA(r=0.85, g=0.7, b=0.4, a=0.6)
INK = ColorRGBA(r=0.1, g=0.2, b=0.7, a=1.0)


class DrawingMarkers:
    """Shows one drawing at a time: ``show(recipe)``, then ``publish()`` a few times a second."""

    def __init__(self, node: Node, trail: InkTrail) -> None:
        self._node = node
        self._trail = trail
        self._plan = node.create_publisher(MarkerArray, '~/plan', qos.MARKERS)
        self._ink = node.create_publisher(MarkerArray, '~/ink', qos.MARKERS)
        self._next_id = 0
        self._unsent: Iterator[list[Marker]] = iter(())

    def show(self, recipe: Recipe) -> None:
        """Clear what is shown and begin to show the plan of a recipe."""
        clear = MarkerArray(markers=[Marker(action=Marker.DELETEALL)])
        clear.markers[0].header.frame_id = 'paper'
        self._plan.publish(clear)
        self._ink.publish(clear)
        self._unsent = self._plan_messages(recipe)

    def publish(self) -> None:
        """Publish the next part of the plan, and the ink drawn since the last call."""
        markers = next(self._unsent, None)
        if markers is not None:
            self._plan.publish(MarkerArray(markers=markers))
        strips = self._trail.take()
        if strips:
            ink = [self._marker('ink', Marker.LINE_STRIP, INK, strip) for strip in strips]
            self._ink.publish(MarkerArray(markers=ink))

    def _plan_messages(self, recipe: Recipe) -> Iterator[list[Marker]]:
        end = None
        markers: list[Marker] = []
        count = 0
        for index in range(len(recipe.strokes)):
            points = recipe.placed_points(index)
            if end is not None:
                move = np.array([end, points[0]])
                markers.append(self._marker('pen up', Marker.LINE_STRIP, LIGHT, move))
            end = points[-1]
            for part in _parts(points):
                markers.append(self._marker('plan', Marker.LINE_STRIP, GREY, part))
                count += len(part)
                if count >= POINTS_PER_MESSAGE:
                    yield markers
                    markers, count = [], 0
        yield markers

    def _marker(self, namespace: str, kind: int, colour: ColorRGBA, points: Array) -> Marker:
        self._next_id += 1
        marker = Marker(
            ns=namespace,
            id=self._next_id,
            type=kind,
            action=Marker.ADD,
            color=colour,
            points=[Point(x=float(p[0]), y=float(p[1])) for p in points],
        )
        marker.header.frame_id = 'paper'
        marker.header.stamp = self._node.get_clock().now().to_msg()
        marker.pose.orientation.w = 1.0
        marker.scale.x = LINE_WIDTH
        return marker


def _parts(points: Array) -> Iterator[Array]:
    """Yield a stroke in parts that share their end points; a dot becomes a line without length."""
    if len(points) == 1:
        yield np.repeat(points, 2, axis=0)
        return
    for first in range(0, len(points) - 1, POINTS_PER_MESSAGE - 1):
        yield points[first : first + POINTS_PER_MESSAGE]

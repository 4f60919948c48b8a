# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The same segments run the other way, or only between two parameters; both are exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line, Segment


def reversed_segment(segment: Segment) -> Segment:
    """The segment from its end to its start."""
    if isinstance(segment, Line):
        return Line(segment.end, segment.start)
    if isinstance(segment, CubicBezier):
        return CubicBezier(segment.p3, segment.p2, segment.p1, segment.p0)
    return EllipseArc(
        segment.centre,
        segment.axis_u,
        segment.axis_v,
        segment.start_angle + segment.sweep,
        -segment.sweep,
    )


def reversed_segments(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """The path of contiguous segments from its end to its start."""
    return tuple(reversed_segment(segment) for segment in reversed(segments))


def part(segment: Segment, first: float, last: float) -> Segment:
    """The segment from the parameter `first` to the parameter `last`, 0 <= first < last <= 1."""
    if isinstance(segment, EllipseArc):
        return EllipseArc(
            segment.centre,
            segment.axis_u,
            segment.axis_v,
            segment.start_angle + segment.sweep * first,
            segment.sweep * (last - first),
        )
    start, end = segment.point([first, last])
    if isinstance(segment, Line):
        return Line(start, end)
    # A cubic's inner control points lie a third of the way along its end derivatives.
    leave, arrive = segment.derivative([first, last]) * ((last - first) / 3.0)
    return CubicBezier(start, start + leave, end - arrive, end)


def split(segment: Segment, at: float) -> tuple[Segment, ...]:
    """The segment in two at a parameter; in one piece where that is (almost) an end."""
    if not np.finfo(float).eps < at < 1.0 - np.finfo(float).eps:
        return (segment,)
    return part(segment, 0.0, at), part(segment, at, 1.0)

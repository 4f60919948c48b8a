# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/planning.md with the planner itself: `python docs/pictures.py`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from elfin_bt.drawing.geometry import Line
from elfin_bt.drawing.recipe import Recipe, Stroke
from elfin_bt.kinematics import JointLimits
from elfin_bt.planning import bezier
from elfin_bt.planning.corners import rounded
from elfin_bt.planning.drawing_plan import pen_path
from elfin_bt.planning.joints import JointPath, follow_path
from elfin_bt.planning.look_ahead import LookAhead, TimedRows
from elfin_bt.planning.outline import outline
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.settings import READY_POSE, PlannerConfig, Speeds
from elfin_bt.planning.speed_profile import SpeedLimits, speed_profile

Array = np.ndarray
HERE = Path(__file__).parent
CONFIG = PlannerConfig()
LIMITS = JointLimits.of_the_arm().scaled(CONFIG.limit_scale)
BLUE, RED, GREY, GREEN = '#1d4ed8', '#dc2626', '#94a3b8', '#15803d'
WIDTH, HEIGHT, EDGE = 640, 150, 46


class Panel:
    """One diagram: lines over a common range, drawn into a box of WIDTH x HEIGHT."""

    def __init__(self, x: str, y: str) -> None:
        self._labels = x, y
        self._curves: list[tuple[Array, Array, str, str]] = []

    def line(self, x: Array, y: Array, colour: str, style: str = '') -> None:
        """Add a line; style holds further SVG attributes."""
        self._curves.append((x, y, colour, style))

    def svg(self, top: float) -> str:
        """Everything, the box's upper edge at `top`."""
        ends = [np.concatenate([c[axis] for c in self._curves]) for axis in (0, 1)]
        (x0, x1), (y0, y1) = ((float(e.min()), float(e.max())) for e in ends)
        sx, sy = (WIDTH - 2 * EDGE) / (x1 - x0), (HEIGHT - EDGE) / (y1 - y0)
        left, base = EDGE, top + HEIGHT - EDGE / 2

        def place(x: float, y: float) -> str:
            return f'{left + sx * (x - x0):.1f},{base - sy * (y - y0):.1f}'

        parts = [
            f'<text x="{left}" y="{top + 12}">{self._labels[1]}</text>',
            f'<text x="{WIDTH / 2}" y="{base + 16}" text-anchor="middle">{self._labels[0]}</text>',
        ]
        zero = min(max(0.0, y0), y1)
        parts.append(_polyline(f'{place(x0, zero)} {place(x1, zero)}', GREY, ''))
        for value in (y0, y1):
            at = base - sy * (value - y0) + 4
            parts.append(f'<text x="{left - 4}" y="{at:.1f}" text-anchor="end">{value:.3g}</text>')
        for value in (x0, x1):
            at, text = left + sx * (value - x0), f'{round(value, 6):.3g}'
            parts.append(f'<text x="{at:.1f}" y="{base + 16}" text-anchor="middle">{text}</text>')
        for x, y, colour, style in self._curves:
            points = ' '.join(place(a, b) for a, b in zip(x, y, strict=True))
            parts.append(_polyline(points, colour, style))
        return '\n'.join(parts)


def _polyline(points: str, colour: str, style: str) -> str:
    return f'<polyline points="{points}" stroke="{colour}" {style}/>'


def save(name: str, panels: Sequence[Panel]) -> None:
    """Write panels, one below the other, as docs/planning_NAME.svg."""
    step = HEIGHT + 24
    body = '\n'.join(panel.svg(step * number) for number, panel in enumerate(panels))
    (HERE / f'planning_{name}.svg').write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {step * len(panels)}" '
        'font-family="sans-serif" font-size="11" fill="#334155">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n'
        f'<g><style>polyline {{ fill: none; }}</style>\n{body}\n</g>\n</svg>\n',
        encoding='utf-8',
    )


def polygon(points: Sequence[tuple[float, float]]) -> Recipe:
    """A stroke of lines; millimetres from the middle of the paper."""
    at = np.array(points, dtype=float)
    lines = tuple(Line(a, b) for a, b in zip(at, at[1:], strict=False))
    placement = np.array([[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0]])
    return Recipe((200.0, 200.0), (Stroke('polyline', lines, at),), placement, 1.0, 0.02)


def path_and_joints(recipe: Recipe) -> tuple[PenPath, JointPath]:
    """A recipe up to the time law."""
    above = np.array([0.0, 0.0, CONFIG.heights.lift])
    path = pen_path(CONFIG, recipe, outline(recipe), above, Speeds(), dry_run=False)
    return path, follow_path(np.array(READY_POSE), path, CONFIG)


def timed(path: PenPath, joints: JointPath, first: int, last: int) -> TimedRows:
    """Rows `first` to `last` of a path, at rest at both."""
    engine = LookAhead(LIMITS)
    rows, between = slice(first, last + 1), slice(first, last)
    engine.extend(joints.rows(rows), path.lengths[between], path.speeds[between])
    return engine.take(engine.last)


def square() -> None:
    """Speed, acceleration and jerk over time along a square of 50 mm."""
    path, joints = path_and_joints(
        polygon([(-25, -25), (25, -25), (25, 25), (-25, 25), (-25, -25)])
    )
    leg = next(leg for leg in path.legs if leg.phase == 'draw')
    rows = timed(path, joints, leg.first, leg.last)
    speed, acceleration = Panel('time, s', 'speed, mm/s'), Panel('time, s', 'acceleration, m/s2')
    speed.line(rows.time, 1e3 * rows.speed, BLUE)
    acceleration.line(rows.time, rows.path_acceleration, BLUE)
    use = Panel('time, s', 'largest joint acceleration, share of what is planned with')
    use.line(rows.time, np.abs(rows.accelerations / LIMITS.acceleration).max(axis=1), RED)
    save('square', [speed, acceleration, use])


def corner() -> None:
    """A corner of 15 degrees and its blend, and the curvature along it."""
    tolerance = CONFIG.sampling.corner_tolerance
    turn = np.radians(15.0)
    end = (20.0 * np.cos(turn), 20.0 * np.sin(turn))
    curves = rounded(outline(polygon([(-20.0, 0.0), (0.0, 0.0), end])), tolerance, Speeds().pen)
    share = np.linspace(0.0, 1.0, 33)[:, None]
    points, bends = [], []
    for number in range(1, curves.curves.shape[2] - 1):
        many = curves.curves[:, :, [number]]
        points.append(bezier.point(many[:, :, None], share)[:, :, 0])
        slope, second = (
            f(many[:, :, None], share) for f in (bezier.derivative, bezier.second_derivative)
        )
        bends.append(bezier.norm(bezier.curvature(slope, second))[:, 0])
    at = 1e3 * np.concatenate(points, axis=1)
    way = np.insert(np.cumsum(np.hypot(*np.diff(at))), 0, 0.0)
    view, curvature = Panel('x, mm', 'y, mm'), Panel('way, mm', 'curvature, 1/mm')
    view.line(np.array([at[0, 0], 0.0, at[0, -1]]), np.array([0.0, 0.0, at[1, -1]]), GREY)
    view.line(at[0], at[1], BLUE, 'stroke-width="2"')
    curvature.line(way, 1e-3 * np.concatenate(bends), BLUE)
    save('corner', [view, curvature])


def crest() -> None:
    """Two ramps that meet, and the largest speed below them with bounded jerk."""
    length, acceleration, jerk = 0.02, 2.0, 10.0
    s = length * np.linspace(0.0, 1.0, 401)
    kinked = np.cbrt(4.5 * jerk * np.minimum(s, length - s) ** 2)
    lengths, ones = np.diff(s), np.ones(len(s) - 1)
    none = 1e-12 * ones
    cap = np.full(len(s), 1.0)
    cap[[0, -1]] = 0.0
    limits = SpeedLimits(lengths, cap, acceleration * ones, jerk * ones, none, none, none)
    result = speed_profile(limits)

    def times(v: Array) -> Array:
        return np.insert(np.cumsum(2.0 * lengths / (v[1:] + v[:-1])), 0, 0.0)

    t = times(kinked)
    lifted = kinked + 0.5 * jerk * t * (t - t[-1])
    ends = lower_hull(t, lifted)
    speed, hull = Panel('time, s', 'speed, mm/s'), Panel('time, s', 'v + phi and its lower hull')
    speed.line(t, 1e3 * kinked, GREY, 'stroke-dasharray="4 3"')
    speed.line(times(result), 1e3 * result, BLUE, 'stroke-width="2"')
    hull.line(t, 1e3 * lifted, GREY, 'stroke-dasharray="4 3"')
    hull.line(t[ends], 1e3 * lifted[ends], BLUE, 'stroke-width="2"')
    save('crest', [speed, hull])


def lower_hull(x: Array, y: Array) -> list[int]:
    """Corners of the lower convex hull of points in order of x (Andrew's monotone chain)."""
    hull: list[int] = []
    for k in range(len(x)):
        while len(hull) > 1:
            a, b = hull[-2:]
            if (y[b] - y[a]) * (x[k] - x[b]) < (y[k] - y[b]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(k)
    return hull


def look_ahead() -> None:
    """Plans of a path that becomes known in three parts; what can't change any more is bold."""
    wave = [(float(x), 12.0 * float(np.sin(x / 6.0))) for x in np.arange(-30.0, 30.0, 0.5)]
    path, joints = path_and_joints(polygon(wave))
    leg = next(leg for leg in path.legs if leg.phase == 'draw')
    way = np.insert(np.cumsum(path.lengths), 0, 0.0) - path.lengths[: leg.first].sum()
    cuts = np.searchsorted(way, np.array([0.35, 0.7]) * way[leg.last]).tolist()
    panel = Panel('way, mm', 'speed, mm/s')
    for colour, end in zip((RED, GREEN, BLUE), (*cuts, leg.last), strict=True):
        engine = LookAhead(LIMITS)
        rows, between = slice(leg.first, end + 1), slice(leg.first, end)
        engine.extend(joints.rows(rows), path.lengths[between], path.speeds[between])
        settled = engine.settled + 1
        speed, at = 1e3 * engine.take(engine.last).speed, 1e3 * way[rows]
        panel.line(at, speed, colour, 'stroke-dasharray="4 3"')
        panel.line(at[:settled], speed[:settled], colour, 'stroke-width="2"')
    save('look_ahead', [panel])


if __name__ == '__main__':
    for picture in (square, corner, crest, look_ahead):
        picture()

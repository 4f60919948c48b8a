# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How fast the local planner is, by stage: `python benchmarks/planner.py [--json]`.

CPU time of one process, best of three. The drawing is a spiral of 1 mm pitch, drawn as often as it
takes to have the points wanted.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np

from elfin_bt.drawing.geometry import Line
from elfin_bt.drawing.recipe import Recipe, Stroke
from elfin_bt.kinematics import JointLimits, tip_positions
from elfin_bt.planning import checks
from elfin_bt.planning.collision import CollisionChecker
from elfin_bt.planning.drawing_plan import plan_drawing
from elfin_bt.planning.joints import follow
from elfin_bt.planning.local import LocalPlanner
from elfin_bt.planning.moves import drawing_path
from elfin_bt.planning.outline import outline
from elfin_bt.planning.settings import READY_POSE, PlannerConfig, Speeds
from elfin_bt.planning.timing import timed
from elfin_bt.resources import share_path

CONFIG = PlannerConfig()
READY = np.array(READY_POSE)
LIMITS = JointLimits.of_the_arm().scaled(CONFIG.limit_scale)


def spirals(points: int) -> Recipe:
    """Spirals of about 1,600 points each, up to the number wanted."""
    angle = np.arange(0.0, 20 * np.pi, 0.04)[: max(points, 50)]
    radius = 1.0 + angle / (2.0 * np.pi) * 2.0
    at = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    segments = tuple(Line(a, b) for a, b in zip(at, at[1:], strict=False))
    stroke = Stroke('polyline', segments, at)
    count = max(1, points // len(at))
    placement = np.array([[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0]])
    return Recipe((100.0, 100.0), (stroke,) * count, placement, 1.0, 0.02)


def best(function: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of the fastest of three runs, and the result."""
    times = []
    for _ in range(3):
        began = time.process_time()
        result = function()
        times.append(time.process_time() - began)
    return min(times), result


def measure(points: int) -> dict[str, float]:
    """Microseconds a row by stage, and rows a second for kinematics, checks and timing."""
    recipe = spirals(points)
    checker = CollisionChecker(share_path('config/elfin5.urdf'), CONFIG.paper, CONFIG.pen_length)
    tip = CONFIG.paper.to_paper(tip_positions(READY[None], CONFIG.pen_length))[0]
    seconds: dict[str, float] = {}
    seconds['outline'], drawn = best(lambda: outline(recipe))
    seconds['path'], path = best(
        lambda: drawing_path(
            drawn,
            tip,
            stroke_names=('spiral',) * len(recipe.strokes),
            heights=CONFIG.heights,
            speeds=Speeds(),
            sampling=CONFIG.sampling,
            dry_run=False,
        )
    )
    seconds['joints'], joints = best(
        lambda: follow(READY, path.points, path.tangents, CONFIG.paper, 0.0, CONFIG.pen_length)
    )
    depth = CONFIG.heights.contact_depth
    seconds['joint checks'], _ = best(lambda: checks.check_joints(path, joints, LIMITS))
    seconds['collisions'], _ = best(lambda: checks.check_collisions(path, joints, checker, depth))
    seconds['timing'], rows = best(lambda: timed(path, joints, LIMITS))
    seconds['chord error'], _ = best(
        lambda: checks.chord_error(path, joints, rows, CONFIG.paper, CONFIG.pen_length)
    )
    planner = LocalPlanner(CONFIG)
    whole, _ = best(
        lambda: plan_drawing(planner, CONFIG, recipe, READY, speeds=Speeds(), dry_run=False)
    )
    planning = sum(time for stage, time in seconds.items() if stage not in ('outline', 'path'))
    return {
        'rows': len(path),
        **{f'{stage}, us/row': 1e6 * time / len(path) for stage, time in seconds.items()},
        'rows/s, IK + checks + timing': len(path) / planning,
        'whole drawing, s': whole,
    }


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--json', action='store_true', help='machine-readable')
    as_json = parser.parse_args().json
    results = [measure(points) for points in (100, 1_000, 10_000, 100_000)]
    if as_json:
        print(json.dumps(results))
        return
    for key in results[0]:
        print(f'{key:32}', *(f'{result[key]:12.2f}' for result in results))


if __name__ == '__main__':
    main()

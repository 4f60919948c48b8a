# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the time law gives away: to look-ahead in pieces, and to limited jerk."""

import importlib.util
from dataclasses import replace
from typing import Any

import numpy as np
from planner_measuring import cpu_time
from planner_stages import CONFIG, LIMITS
from planner_toppra import NO_LIMIT, TimesByToppra

from elfin_bt.planning.chord import ChordCheck
from elfin_bt.planning.joints import JointPath
from elfin_bt.planning.look_ahead import LookAhead, TimedRows
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.path_plan import FIRST_ROWS, MOST_ROWS, PathPlan
from elfin_bt.planning.time_law import PathMotion, path_motion

SHORT = 64
"""Rows of the short pieces, as a live stroke comes in."""


def look_ahead(path: PenPath, joints: JointPath) -> dict[str, Any]:
    """Drawing time in pieces against the whole planned at once, and the speed lost at seams."""
    whole = path_motion(joints, path.lengths, path.speeds, LIMITS)
    time = float(whole.steps.sum())
    plan = PathPlan(path, joints, LIMITS, ChordCheck(CONFIG.paper, CONFIG.pen_length))
    result: dict[str, Any] = {'whole, s': time}
    for name, parts, ends in (
        ('as recipes are timed', list(plan.timed()), _ends_of_parts(len(path))),
        (f'in {SHORT} rows each', _in_pieces(path, joints), range(SHORT, len(path) - 1, SHORT)),
    ):
        speed = np.concatenate([rows.speed[:-1] for rows in parts] + [parts[-1].speed[-1:]])
        seams = np.array(ends, dtype=np.intp)
        seams = seams[whole.speed[seams] > 0.0]
        lost = np.maximum(1.0 - speed[seams] / whole.speed[seams], 0.0)
        result[name] = {
            'ratio': float(parts[-1].time[-1]) / time,
            'seams': len(seams),
            'mean speed lost': float(lost.mean()) if len(lost) else 0.0,
            'worst speed lost': float(lost.max(initial=0.0)),
        }
    return result


def _ends_of_parts(rows: int) -> list[int]:
    """Last rows of the parts in which a recipe's path is timed, but for the last one."""
    ends, count = [0], FIRST_ROWS
    while ends[-1] + count < rows - 1:
        ends.append(ends[-1] + count)
        count = min(2 * count, MOST_ROWS)
    return ends[1:]


def _in_pieces(path: PenPath, joints: JointPath) -> list[TimedRows]:
    """Timed in short pieces, each taken as far as it is settled."""
    engine, parts = LookAhead(LIMITS), []
    for first in range(0, len(path) - 1, SHORT):
        last = min(first + SHORT, len(path) - 1)
        rows = slice(first, last + 1)
        engine.extend(joints.rows(rows), path.lengths[first:last], path.speeds[first:last])
        row = engine.last if last == len(path) - 1 else engine.settled
        if row > engine.taken:
            parts.append(engine.take(row))
    return parts


def without_jerk(path: PenPath, joints: JointPath, runs: int) -> dict[str, Any]:
    """Drawing times with limited jerk, of the same law without, and of TOPP-RA, which knows none.

    TOPP-RA is solved run by run, from rest to rest, with the rows as its grid and the same limits:
    joint velocity and acceleration, and the speed of the pen. Runs of one interval are left out.
    """
    spans = _runs(path)
    rows = sum(last - first for first, last in spans)
    cpu, motion = cpu_time(lambda: path_motion(joints, path.lengths, path.speeds, LIMITS), runs)
    free = replace(LIMITS, jerk=np.full(6, NO_LIMIT))
    unlimited = path_motion(joints, path.lengths, path.speeds, free)

    def total(motion: PathMotion) -> float:
        return sum(float(motion.steps[first:last].sum()) for first, last in spans)

    result: dict[str, Any] = {
        'runs': len(spans),
        'rows': rows,
        'with limited jerk, s': total(motion),
        'CPU time, us a row': cpu.each(len(path)),
        'the same law with jerk free, s': total(unlimited),
    }
    if importlib.util.find_spec('toppra') is None:
        return result
    times = TimesByToppra(LIMITS)
    cpu, optimum = cpu_time(lambda: sum(times.of(path, joints, *span) for span in spans), runs)
    return result | {
        'TOPP-RA, s': optimum,
        'TOPP-RA, CPU time, us a row': cpu.each(rows),
        'limited jerk / TOPP-RA': total(motion) / optimum,
        'jerk free / TOPP-RA': total(unlimited) / optimum,
    }


def _runs(path: PenPath) -> list[tuple[int, int]]:
    """First and last rows of the runs with a row between them: TOPP-RA needs one."""
    rests = np.flatnonzero(path.lengths == 0.0)
    first, last = np.insert(rests + 1, 0, 0), np.append(rests, len(path) - 1)
    return [(a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True) if b - a > 1]

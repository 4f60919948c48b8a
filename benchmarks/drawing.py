# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""How fast drawings become recipes, and how little the pen travels: `python benchmarks/drawing.py`.

CPU time of one process, best of three, beside other libraries where they can be imported:

    pip install svgelements vpype

svgelements reads the file and flattens it to the same chord tolerance; vpype orders the very same
strokes. Memory is the peak of a process of its own.
"""

import argparse
import importlib.util
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from elfin_bt.drawing.artwork import Outline
from elfin_bt.drawing.geometry import Line
from elfin_bt.drawing.order import ordered
from elfin_bt.drawing.pen_plan import AS_READ, PenOptions
from elfin_bt.drawing.placement import Placing, place
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.drawing.strokes import end_points, gaps
from elfin_bt.drawing.svg_reader import read_svg

Pairs = list[tuple[np.ndarray, np.ndarray]]
TOLERANCE_MM = 0.1


def best(function: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """CPU seconds of the fastest run, and the result."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        result = function()
        times.append(time.process_time() - began)
    return min(times), result


def mixed_svg(segments: int) -> str:
    """An A5 page of paths with half cubics, a fifth quadratics, a fifth arcs, a tenth lines."""
    random = np.random.default_rng(7)
    kinds = random.choice(list('cqal'), segments, p=(0.5075, 0.2002, 0.1918, 0.1005))
    paths, parts = [], []
    for number, kind in enumerate(kinds):
        if number % 20 == 0:
            paths.append(''.join(parts))
            x, y = random.uniform(30, 110, 2)
            parts = [f'M{x:.3f} {y:.3f}']
        a, b, c = random.uniform(-4, 4, (3, 2))
        parts.append(
            {
                'c': f'c{a[0]:.3f} {a[1]:.3f} {b[0]:.3f} {b[1]:.3f} {c[0]:.3f} {c[1]:.3f}',
                'q': f'q{a[0]:.3f} {a[1]:.3f} {b[0]:.3f} {b[1]:.3f}',
                'a': f'a3 2 {a[0]:.1f} 0 1 {b[0]:.3f} {b[1]:.3f}',
                'l': f'l{a[0]:.3f} {a[1]:.3f}',
            }[kind]
        )
    body = ''.join(f'<path d="{d}"/>' for d in [*paths[1:], ''.join(parts)])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="148mm" height="148mm" '
        f'viewBox="0 0 148 148"><g fill="none" stroke="black">{body}</g></svg>'
    )


def file_to_recipe(path: Path) -> dict[str, float]:
    """Seconds from a file to a recipe, without and with pen planning, and of svgelements."""

    def recipe(pen: PenOptions) -> Recipe:
        return place(
            read_svg(path),
            placing=Placing(fit=True),
            pen=pen,
            spacing_mm=10.0,
            tolerance_mm=TOLERANCE_MM,
        )

    figures = {
        'read': best(lambda: read_svg(path))[0],
        'recipe as read': best(lambda: recipe(AS_READ))[0],
        'recipe planned': best(lambda: recipe(PenOptions()))[0],
    }
    if importlib.util.find_spec('svgelements'):
        figures['svgelements'] = best(lambda: flattened_by_svgelements(path))[0]
    return figures


def flattened_by_svgelements(path: Path) -> int:
    """Parse the file and flatten it to the tolerance; the number of points."""
    import svgelements

    points = 0
    for element in svgelements.SVG.parse(str(path), ppi=25.4).elements():
        if not isinstance(element, svgelements.Shape):
            continue
        for segment in svgelements.Path(element):
            if isinstance(segment, svgelements.Line | svgelements.Move | svgelements.Close):
                points += 1
                continue
            points += len(segment.npoint(np.linspace(0.0, 1.0, steps_of(segment) + 1)))
    return points


def steps_of(segment: Any) -> int:
    """Steps that keep a segment of svgelements within the tolerance."""
    if hasattr(segment, 'rx'):
        radius = max(float(segment.rx), float(segment.ry), TOLERANCE_MM)
        half_step = np.arccos(1.0 - TOLERANCE_MM / radius)
        return max(1, int(np.ceil(abs(float(segment.sweep)) / (2.0 * half_step))))
    if hasattr(segment, 'control2'):
        points = [segment.start, segment.control1, segment.control2, segment.end]
    else:
        points = [segment.start, segment.control, segment.end]
    bends = [
        np.hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y)
        for a, b, c in zip(points, points[1:], points[2:], strict=False)
    ]
    factor = 6.0 if len(points) == 4 else 2.0
    return max(1, int(np.ceil(np.sqrt(factor * max(bends) / (8.0 * TOLERANCE_MM)))))


def stroke_sets() -> Iterator[tuple[str, Pairs]]:
    """Shuffled strokes: at random, hatching, and short ones in rows like text."""
    random = np.random.default_rng(3)
    for count in (500, 2000, 10_000):
        starts = random.uniform(0, 200, (count, 2))
        angle, length = random.uniform(0, 2 * np.pi, count), random.uniform(1, 10, count)
        steps = np.column_stack([np.cos(angle), np.sin(angle)]) * length[:, None]
        yield f'{count} at random', list(zip(starts, starts + steps, strict=True))
    heights = 0.25 * random.permutation(800)
    yield '800 of hatching', [(np.array([0.0, y]), np.array([200.0, y])) for y in heights]
    places = np.array([(4.0 * (i % 50), 6.0 * (i // 50)) for i in random.permutation(1500)])
    starts = places + random.uniform(0, 1, places.shape)
    ends = places + random.uniform(0, 1, places.shape) * (3, 4)
    yield '1500 like text', list(zip(starts, ends, strict=True))


def travel(outlines: list[Outline]) -> float:
    """Length of the ways between strokes."""
    return float(gaps(*end_points(outlines)).sum())


def ordering(strokes: Pairs, with_vpype: bool) -> dict[str, tuple[float, float]]:
    """(share of the travel in file order, seconds) of this package and of vpype."""
    outlines = [Outline((Line(a, b),)) for a, b in strokes]
    before = travel(outlines)
    seconds, result = best(lambda: ordered(outlines))
    figures = {'elfin_bt': (travel(result) / before, seconds)}
    if with_vpype and importlib.util.find_spec('vpype'):
        import vpype
        import vpype_cli

        lines = vpype.LineCollection([np.array([complex(*a), complex(*b)]) for a, b in strokes])
        document = vpype.Document()
        document.add(lines, 1)
        seconds, result = best(lambda: vpype_cli.execute('linesort --two-opt', document), 1)
        figures['vpype'] = (result.layers[1].pen_up_length()[0] / before, seconds)
    return figures


def million_points(stage: str) -> tuple[float, float]:
    """(seconds, peak MB) of a process that makes a recipe of about a million points, or reads it.

    stage: 'make', or the path of the recipe to read.
    """
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        return pool.apply(_million, (stage,))


def _million(stage: str) -> tuple[float, float]:
    began = time.process_time()
    if stage.endswith('.svg'):
        artwork = read_svg(stage)
        recipe = place(artwork, placing=Placing(fit=True), pen=AS_READ, spacing_mm=0.108)
        Path(stage).with_suffix('.json').write_text(recipe.to_json(), encoding='utf-8')
    else:
        recipe = Recipe.read(Path(stage))
    points = sum(len(stroke.points) for stroke in recipe.strokes)
    if points < 900_000:
        raise SystemExit(f'{points} points only')
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    return time.process_time() - began, peak


def long_svg() -> str:
    """Three spirals, 106 m together when they are drawn as large as they can be."""
    angle = np.arange(0.0, 200 * np.pi, 0.05)
    radius = angle / (200 * np.pi) * 50.0
    points = 50.0 + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    d = 'M' + 'L'.join(f'{x:.3f} {y:.3f}' for x, y in points)
    paths = f'<path d="{d}"/>' * 3
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="100mm" '
        f'viewBox="0 0 100 100"><g fill="none" stroke="black">{paths}</g></svg>'
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, 'mixed.svg')
        path.write_text(mixed_svg(10_000))
        reading = file_to_recipe(path)
        large = Path(folder, 'large.svg')
        large.write_text(long_svg())
        made = million_points(str(large))
        read = million_points(str(large.with_suffix('.json')))
    orders = {
        name: ordering(strokes, with_vpype=len(strokes) <= 2000) for name, strokes in stroke_sets()
    }
    if args.json:
        memory = {'make': made, 'read': read}
        print(json.dumps({'10000_segments_s': reading, 'order': orders, '1000000_points': memory}))
        return
    print(f'10,000 segments to {TOLERANCE_MM} mm, s: ', end='')
    print(', '.join(f'{name} {seconds:.3f}' for name, seconds in reading.items()))
    for what, (seconds, peak) in (('made and written', made), ('read and checked', read)):
        print(f'1,000,000 points {what}: {seconds:.1f} s, peak {peak:.0f} MB')
    for name, figures in orders.items():
        line = ', '.join(f'{who} {100 * s:.2f} % in {t:.2f} s' for who, (s, t) in figures.items())
        print(f'travel of {name}: {line}')


if __name__ == '__main__':
    main()

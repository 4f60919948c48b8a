# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""All steps together: the same ink, in less time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.hatch import Hatch
from elfin_bt.drawing.pen_plan import AS_READ, PenOptions, plan_pen
from elfin_bt.drawing.placement import Placing, place
from elfin_bt.drawing.recipe import Recipe

from .pen_drawings import (
    apart,
    artwork,
    circle,
    ink,
    is_joined,
    polyline,
    square_fill,
    travel,
    wave,
)

COLOURS = st.sampled_from(['#ff0000', '#0000ff', None])
LAYERS = st.sampled_from(['a', 'b', None])
PLACE = st.floats(0, 100) | st.integers(0, 4).map(lambda i: 10.0 * i)


@st.composite
def outlines(draw):
    look = {'layer': draw(LAYERS), 'colour': draw(COLOURS)}
    x, y = draw(PLACE), draw(PLACE)
    match draw(st.sampled_from(['line', 'lines', 'square', 'circle', 'wave', 'dot'])):
        case 'line':
            return polyline((x, y), (draw(PLACE), draw(PLACE)), **look)
        case 'lines':
            steps = draw(st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2)), min_size=2))
            return polyline(*np.cumsum([(x, y), *steps], axis=0), **look)
        case 'square':
            corners = [(x, y), (x + 10, y), (x + 10, y + 10), (x, y + 10)]
            return polyline(*corners, closed=True, **look)
        case 'circle':
            return circle(x, y, draw(st.floats(0.5, 20)), **look)
        case 'wave':
            return wave(x, y, **look)
        case _:
            return polyline((x, y), (x, y), **look)


OPTIONS = st.builds(
    PenOptions,
    pens=st.sampled_from(['off', 'label', 'colour']),
    simplify_mm=st.sampled_from([0.0, 0.01]),
    dedupe_mm=st.sampled_from([0.0, 0.05]),
    merge_mm=st.sampled_from([0.0, 0.1]),
    order=st.booleans(),
    free_start=st.booleans(),
    near_mm=st.sampled_from([0.0, 10.0]),
    ink_m=st.sampled_from([None, 0.1]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(outlines(), min_size=1, max_size=12), OPTIONS)
def test_planning_never_changes_what_is_drawn(drawn, options):
    plan = plan_pen(artwork(*drawn), options, scale=1.0)
    # Within the tolerances of the steps that may move anything.
    assert apart(drawn, plan.outlines) <= 0.01 + 0.05 + 0.05 + 1e-6
    assert ink(plan.outlines) <= ink(drawn) + 0.1 * len(drawn) + 1e-6
    assert all(is_joined(outline) for outline in plan.outlines)


@settings(max_examples=40, deadline=None)
@given(st.lists(outlines(), min_size=1, max_size=12), OPTIONS)
def test_pens_are_used_one_after_the_other_in_file_order(drawn, options):
    plan = plan_pen(artwork(*drawn), options, scale=1.0)

    def pen(outline):
        label = outline.layer if options.pens == 'label' else None
        return label, outline.colour if options.pens != 'off' and label is None else None

    changes = [0] + [p.before for p in plan.pauses if p.reason == 'pen']
    used = [pen(plan.outlines[first]) for first in changes]
    assert len(set(used)) == len(used)
    assert used == list(dict.fromkeys(pen(o) for o in drawn if pen(o) in used))
    for first, after in zip(changes, [*changes[1:], len(plan.outlines)], strict=True):
        assert {pen(outline) for outline in plan.outlines[first:after]} == {
            pen(plan.outlines[first])
        }


@settings(max_examples=30, deadline=None)
@given(st.lists(outlines(), min_size=1, max_size=8), OPTIONS)
def test_every_plan_keeps_the_rules_of_the_pen_and_survives_json(drawn, options):
    placing = Placing(scale=0.5, rotate_deg=17.0)
    made = place(
        artwork(*drawn, page_mm=(500.0, 500.0), offset=(150.0, 150.0)), placing=placing, pen=options
    )
    again = Recipe.from_json(made.to_json())
    assert again == made
    assert (again.near_lifts, again.pauses) == (made.near_lifts, made.pauses)
    assert list(again.commands) == list(made.commands)


def test_as_read_changes_nothing():
    drawn = (wave(0, 0), circle(9, 9, 3), wave(0, 0))
    plan = plan_pen(artwork(*drawn), AS_READ, 1.0)
    assert plan.outlines == drawn
    assert (plan.near_lifts, plan.pauses, list(plan.planning)) == ((), (), [])


def test_every_step_tells_what_it_did():
    drawn = [polyline((0, 0), (10, 0)), polyline((100, 0), (90, 0)), polyline((0, 0), (10, 0))]
    drawn += [polyline((10, 0), (20, 0), (30, 0))]
    plan = plan_pen(artwork(*drawn), PenOptions(pens='colour'), 2.0)
    steps = {step['step']: step for step in plan.planning}
    assert list(steps) == ['pens', 'simplify', 'dedupe', 'merge', 'order', 'free_start']
    assert (steps['simplify']['before']['segments'], steps['simplify']['after']['segments']) == (
        5,
        4,
    )
    assert steps['dedupe']['before']['pen_down_mm'] == pytest.approx(2 * 50)
    assert steps['dedupe']['after']['pen_down_mm'] == pytest.approx(2 * 40)
    assert (steps['merge']['before']['strokes'], steps['merge']['after']['strokes']) == (3, 2)
    assert steps['order']['after']['pen_up_mm'] == pytest.approx(2 * 60)
    assert steps['order']['before'] == steps['merge']['after']
    assert travel(plan.outlines) == pytest.approx(60)


@pytest.mark.parametrize(
    ('off', 'step'),
    [
        ({'simplify_mm': 0}, 'simplify'),
        ({'dedupe_mm': 0}, 'dedupe'),
        ({'merge_mm': 0}, 'merge'),
        ({'order': False}, 'order'),
        ({'free_start': False}, 'free_start'),
    ],
)
def test_every_step_can_be_left_out(off, step):
    plan = plan_pen(artwork(wave(0, 0)), PenOptions(**off), 1.0)
    left = {'simplify', 'dedupe', 'merge', 'order', 'free_start'} - {step}
    assert {done['step'] for done in plan.planning} == left


def test_hatching_is_planned_as_well():
    square = square_fill(10, 10, 20, colour='#ff0000')
    plan = plan_pen(artwork(fills=[square]), PenOptions(hatch=Hatch(1.0, 0.0)), 1.0)
    assert len(plan.outlines) == 20
    # To and fro: from line to line it is as far as the pitch.
    assert travel(plan.outlines) == pytest.approx(19)
    assert len(plan.near_lifts) == 19


def test_nothing_to_draw():
    assert plan_pen(artwork(), PenOptions(hatch=Hatch()), 1.0).outlines == ()


def test_tolerances_are_on_the_paper():
    roof = polyline((0, 0), (5, 0.05), (10, 0))
    for scale, segments in ((0.1, 1), (1.0, 2)):
        plan = plan_pen(artwork(roof), PenOptions(simplify_mm=0.04), scale)
        assert len(plan.outlines[0].segments) == segments


@pytest.mark.parametrize('name', ['simplify_mm', 'dedupe_mm', 'merge_mm', 'near_mm', 'ink_m'])
def test_lengths_without_sense_are_refused(name):
    with pytest.raises(DrawingError, match=name):
        PenOptions(**{name: -1.0})

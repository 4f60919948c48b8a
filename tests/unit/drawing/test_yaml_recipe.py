# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Recipes in YAML: what is drawn, where, and what is refused."""

import time

import numpy as np
import pytest
import yaml

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.pen_plan import AS_READ
from elfin_bt.drawing.placement import Placing, place
from elfin_bt.drawing.yaml_recipe import read_yaml_recipe

CIRCLE = {'type': 'func', 't': [0, '2*pi'], 'x': '0.05*cos(t)', 'y': '0.05*sin(t)', 'z': -0.001}


@pytest.fixture
def load(tmp_path):
    def load(*segments, text=None, **top):
        path = tmp_path / 'recipe.yaml'
        path.write_text(text or yaml.safe_dump({**top, 'segments': list(segments)}))
        return read_yaml_recipe(path)

    return load


def placed(artwork):
    """The strokes on the paper, metres."""
    recipe = place(artwork, placing=Placing(middle='page'), pen=AS_READ)
    return [recipe.placed_segments(i) for i in range(len(recipe.strokes))]


def lin(x, y, z):
    return {'type': 'lin', 'xyz': [x, y, z]}


def test_what_is_below_the_travel_height_is_drawn(load):
    artwork = load(
        lin(0.02, 0.01, 0),
        lin(0.02, 0.01, -0.001),
        lin(0.04, 0.01, -0.001),
        lin(0.04, 0.03, -0.001),
        lin(0.04, 0.03, 0),
        lin(-0.02, 0, 0.005),
        lin(-0.02, 0, -0.001),
        lin(-0.03, 0, -0.001),
        lin(-0.03, 0, 0.02),
    )
    first, second = placed(artwork)
    np.testing.assert_allclose([s.start for s in first], [(0.02, 0.01), (0.04, 0.01)], atol=1e-9)
    np.testing.assert_allclose(first[-1].end, (0.04, 0.03), atol=1e-12)
    np.testing.assert_allclose(
        [second[0].start, second[0].end], [(-0.02, 0), (-0.03, 0)], atol=1e-12
    )
    assert (
        artwork.drawn == [{'kind': 'lin', 'count': 2, 'ids': []}] or artwork.drawn[0]['count'] >= 2
    )


def test_slanted_lines_touch_between_their_ends(load):
    (stroke,) = placed(load(lin(0, 0, 0.003), lin(0.04, 0, -0.001), lin(0.08, 0, 0.003)))
    # 3 mm down of 4 in all: three quarters of the way.
    np.testing.assert_allclose(stroke[0].start, (0.03, 0), atol=1e-12)
    np.testing.assert_allclose(stroke[-1].end, (0.05, 0), atol=1e-12)


def test_a_touch_is_a_dot(load):
    ((dot,),) = placed(load(lin(0.01, 0, 0), lin(0.01, 0, -0.001), lin(0.01, 0, 0)))
    np.testing.assert_allclose([dot.start, dot.end], [(0.01, 0)] * 2, atol=1e-12)


def test_a_function(load):
    (stroke,) = placed(load(lin(0.05, 0, 0), {**CIRCLE, 'samples': 361}))
    assert len(stroke) == 360
    for k, segment in enumerate(stroke):
        expected = 0.05 * np.cos(np.radians(k)), 0.05 * np.sin(np.radians(k))
        np.testing.assert_allclose(segment.start, expected, atol=1e-12)


def test_defaults_are_120_samples_at_travel_height(load):
    flat = {name: value for name, value in CIRCLE.items() if name != 'z'}
    assert not load(flat).outlines
    (stroke,) = placed(load(lin(0.05, 0, 0), flat, defaults={'z': -0.002}))
    assert len(stroke) == 119
    (stroke,) = placed(load(lin(0.05, 0, 0), flat, defaults={'z': '-2e-3', 'samples': 7}))
    assert len(stroke) == 6


def test_splines_stay_curves(load):
    points = [[0, 0], [0.01, 0.02], [0.03, 0], [0.04, 0.01]]
    for kind in ('bspline', 'through'):
        curve = {'type': kind, 'points': points, 'z': -0.001}
        (stroke,) = placed(load(lin(0, 0, 0), curve, lin(0.04, 0.01, 0)))
        assert {s.kind for s in stroke} == {'curve'}
        np.testing.assert_allclose(stroke[0].start, points[0], atol=1e-9)
        np.testing.assert_allclose(stroke[-1].end, points[-1], atol=1e-9)
        (ring,) = load(lin(0, 0, 0), {**curve, 'closed': True}).outlines
        assert ring.segments[0].kind in ('curve', 'line')
    high = {'type': 'bspline', 'points': [*points, [0.05, 0], [0.06, 0]], 'degree': 5, 'z': -1}
    (stroke,) = placed(load(lin(0, 0, 0), {**high, 'samples': 50}))
    assert [s.kind for s in stroke] == ['line'] * 49


def test_scale_then_rotate_about_the_anchor(load):
    steps = lin(0.01, 0, 0), lin(0.01, 0, -0.001), lin(0.02, 0.01, -0.001)
    ((line,),) = placed(
        load(*steps, scale=2, rotate=90, plane_rotate=33, anchor={'xyz': [9, 9, 9]})
    )
    np.testing.assert_allclose([line.start, line.end], [(0, 0.02), (-0.02, 0.04)], atol=1e-12)


def test_ready_speeds_and_turns_of_the_tool_are_the_cells_affair(load):
    artwork = load(
        {**lin(0, 0, -0.001), 'vel': 0.2, 'acc': 0.1, 'rpy': [0, 0, 1], 'rpy_frame': 'start'},
        {**lin(0.01, 0, -0.001), 'colour': 'red'},
        ready=[0] * 6,
        eef_step=0.002,
    )
    assert artwork.warnings == [
        'rpy is not applied: the pen is always straight down',
        "segments[1]: 'colour' is not known and not applied",
    ]


def test_a_recipe_of_travel_only_has_nothing_to_draw(load):
    assert load(lin(0, 0, 0), lin(0.1, 0, 0.01)).outlines == ()


@pytest.mark.parametrize(
    ('top', 'segments', 'reason'),
    [
        ({'coordinates': 'absolute'}, [lin(0, 0, 0)], "'absolute'; only relative"),
        ({'scale': 0}, [lin(0, 0, 0)], 'scale is 0'),
        ({'scale': 'big'}, [lin(0, 0, 0)], "'big' is not known"),
        ({'defaults': 5}, [lin(0, 0, 0)], 'defaults'),
        ({}, [], 'segments is not a list'),
        ({}, [5], r'segments\[0\] is'),
        ({}, [{'type': 'spiral'}], r"segments\[0\].type is 'spiral'"),
        ({}, [{'type': 'lin'}], r'segments\[0\].xyz is'),
        ({}, [lin(0, 0, 'up')], "'up' is not known"),
        ({}, [lin(0, 0, float('inf'))], 'finite'),
        ({}, [lin(0, True, 0)], 'True, expected a number'),
        ({}, [lin(0, 10**400, 0)], 'finite number'),
        ({}, [{**CIRCLE, 't': [0]}], r'segments\[0\].t is \[0\], expected'),
        ({}, [{**CIRCLE, 'x': '1/t'}], r"x = '1/t' has no finite value at t = 0"),
        ({}, [{**CIRCLE, 'x': 'sqrt(-1 - t)'}], 'no finite value'),
        ({}, [{**CIRCLE, 'x': None}], 'x is None'),
        ({}, [{**CIRCLE, 'x': '__import__("os")'}], r'segments\[0\].x: the formula'),
        ({}, [{**CIRCLE, 'samples': 1}], 'samples is 1, expected 2 to 100,000'),
        ({}, [{**CIRCLE, 'samples': 10**9}], 'samples is 1000000000'),
        ({}, [{**CIRCLE, 'samples': 2.5}], 'samples is 2.5, expected a whole number'),
        ({}, [{'type': 'through', 'points': [[0, 0], [0, 0]]}], '2 different points'),
        ({}, [{'type': 'through', 'points': 7}], r'points is .7., expected a list'),
        ({}, [{'type': 'through', 'points': [[0]]}], r'points\[0\] is'),
        ({}, [{'type': 'bspline', 'points': [[0, 0], [1, 1]]}], 'degree 3 needs 4 points'),
        ({}, [{'type': 'bspline', 'points': [[0, 0]], 'degree': 0}], 'degree is 0'),
        ({}, [{'type': 'through', 'points': [[0, 0]], 'closed': 1}], 'closed is 1'),
    ],
)
def test_wrong_recipes_are_refused_with_the_place(load, top, segments, reason):
    with pytest.raises(RecipeError, match=f'recipe.yaml: .*{reason}') as caught:
        load(*segments, **top)
    assert '\n' not in str(caught.value)


BOMB = 'a: &a [1,1,1,1,1,1,1,1,1]\n' + ''.join(
    f'{b}: &{b} [{",".join(["*" + a] * 9)}]\n' for a, b in zip('abcdefgh', 'bcdefghi', strict=True)
)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'the document is'),
        ('5', 'the document is'),
        ('a: [', 'this is not YAML'),
        ('a: !!python/object/apply:os.system [ls]', 'this is not YAML'),
        ('\x00', 'this is not YAML'),
        (BOMB, 'more than 1,000,000 values'),
        ('a: &a {b: &b {<<: [*a]}}', 'within its own value'),
        ('[' * 30 + ']' * 30, 'nested deeper than 20'),
    ],
)
def test_hostile_files_are_refused_at_once(load, text, reason):
    began = time.monotonic()
    with pytest.raises(RecipeError, match=reason):
        load(text=text or '\n')
    assert time.monotonic() - began < 5.0


def test_aliases_may_repeat_a_value(load):
    text = """
        segments:
          - {type: lin, xyz: &corner [0.01, 0, -1e-3]}
          - {type: lin, xyz: [0.02, 0, -1e-3]}
          - {type: lin, xyz: *corner}
    """
    assert len(load(text=text).outlines[0].segments) >= 2


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(RecipeError, match='no such file'):
        read_yaml_recipe(tmp_path / 'nothing.yaml')
    with pytest.raises(RecipeError, match='no such file'):
        read_yaml_recipe(tmp_path)

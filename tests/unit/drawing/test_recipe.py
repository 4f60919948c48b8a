# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Recipes as JSON: an exact round trip, and nothing taken on trust."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.drawing.pen_plan import AS_READ, PenOptions
from elfin_bt.drawing.placement import place
from elfin_bt.drawing.recipe import MAX_FILE_SIZE, Recipe, stroke_kind
from elfin_bt.drawing.sampling import sample_strokes

PEN = 'fill="none" stroke="black"'


@pytest.fixture
def recipe(read):
    body = (
        f'<g inkscape:groupmode="layer" inkscape:label="Ü 1" transform="rotate(7.3)">'
        f'<path id="mixed" {PEN} d="M30 30h5.1a3 2 9 015 5c0 4.7-9 4-9-2"/></g>'
        f'<path {PEN} d="M40 40h20"/><circle cx="50" cy="50" r="9"/>'
        f'<polyline {PEN} stroke-linecap="round" points="1 1 1 1"/><image/>'
    )
    return place(read(body), width_mm=77.7, spacing_mm=0.7, pen=AS_READ)


def test_round_trip_is_exact(recipe):
    text = recipe.to_json()
    again = Recipe.from_json(text)
    assert again == recipe and again.to_json() == text
    assert again.strokes == recipe.strokes
    np.testing.assert_array_equal(again.placement, recipe.placement)
    assert Recipe.from_document(json.loads(text)) == recipe


def test_the_document_keeps_kinds_layers_and_the_report(recipe):
    document = json.loads(recipe.to_json())
    assert [s['kind'] for s in document['strokes']] == ['curve', 'line', 'arc', 'line']
    assert [s['layer'] for s in document['strokes']] == ['Ü 1', None, None, None]
    assert document['strokes'][0]['element_id'] == 'mixed'
    assert document['ignored'] == [{'kind': 'image', 'count': 1, 'ids': []}]


def test_the_document_fits_the_published_schema(recipe, repository):
    jsonschema = pytest.importorskip('jsonschema')
    schema = json.loads((repository / 'docs/recipe.schema.json').read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(recipe.to_json())
    jsonschema.validate(document, schema)
    del document['strokes'][0]['segments'][0]['kind']
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_a_recipe_survives_pickling(recipe):
    assert pickle.loads(pickle.dumps(recipe)) == recipe


def test_placed_figures_are_those_of_the_placed_geometry(recipe):
    segments = [s for i in range(len(recipe.strokes)) for s in recipe.placed_segments(i)]
    assert recipe.pen_down_m == pytest.approx(sum(s.length() for s in segments), rel=1e-9)
    assert recipe.placed_mm[0] == pytest.approx(77.7)
    for index, stroke in enumerate(recipe.strokes):
        points = recipe.placed_points(index)
        assert points.shape == stroke.points.shape
        np.testing.assert_allclose(points[0], recipe.placed_segments(index)[0].start, atol=1e-12)


def test_points_can_be_sampled_again(recipe):
    again = sample_strokes(
        [s.segments for s in recipe.strokes],
        recipe.spacing_mm / recipe.scale,
        recipe.chord_tolerance_mm / recipe.scale,
    )
    for points, stroke in zip(again, recipe.strokes, strict=True):
        np.testing.assert_allclose(points, stroke.points, atol=1e-9)


def test_pauses_and_lifts_survive_the_round_trip(read):
    body = ''.join(
        f'<path fill="none" stroke="{colour}" d="M{x} 10h3"/>'
        for x, colour in ((10, 'red'), (15, 'red'), (40, 'red'), (10, 'blue'))
    )
    options = PenOptions(pens='colour', ink_m=0.005, order=False)
    made = place(read(body), pen=options)
    again = Recipe.from_json(made.to_json())
    assert again == made
    assert again.near_lifts == made.near_lifts
    assert again.pauses == made.pauses
    assert [(pause.before, pause.reason) for pause in made.pauses] == [
        (1, 'ink'),
        (2, 'ink'),
        (3, 'pen'),
    ]
    assert [(layer.colour, layer.strokes) for layer in again.layers] == [
        ('#ff0000', 3),
        ('#0000ff', 1),
    ]
    assert again.planning == made.planning


def test_points_chosen_by_others_are_fine_where_they_are_on_the_strokes(recipe):
    document = json.loads(recipe.to_json())
    stroke = document['strokes'][2]
    angle = np.linspace(0.0, 2.0 * np.pi, 333)
    arc = recipe.strokes[2].segments[0]
    points = arc.centre + np.outer(np.cos(angle), arc.axis_u) + np.outer(np.sin(angle), arc.axis_v)
    stroke['points'] = points.tolist()
    assert len(Recipe.from_document(document).strokes[2].points) == 333
    stroke['points'] = points[[*range(100), *range(200, 333)]].tolist()
    with pytest.raises(RecipeError, match=r'points\[99\] and the next are \S+ mm apart, limit'):
        Recipe.from_document(document)


def test_a_point_on_another_stroke_is_not_on_its_own(recipe):
    document = json.loads(recipe.to_json())
    document['strokes'][2]['points'][5] = document['strokes'][1]['points'][1]
    with pytest.raises(RecipeError, match=r'strokes\[2\].points\[5\] is'):
        Recipe.from_document(document)


LINE, ARC = Line((0, 0), (1, 0)), EllipseArc((0, 0), (1, 0), (0, 1), 0, 1)
CURVE = CubicBezier((0, 0), (1, 0), (1, 1), (0, 1))


@pytest.mark.parametrize(
    ('segments', 'kind'),
    [
        ([LINE], 'line'),
        ([LINE, LINE], 'polyline'),
        ([ARC], 'arc'),
        ([ARC, ARC], 'arc'),
        ([CURVE], 'curve'),
        ([LINE, ARC], 'curve'),
        ([LINE, CURVE], 'curve'),
    ],
)
def test_stroke_kinds(segments, kind):
    assert stroke_kind(segments) == kind


def changed(document, path, value):
    """A copy of the document with the value at the path replaced; ... deletes it."""
    document = json.loads(json.dumps(document))
    *parents, last = path
    place_in = document
    for key in parents:
        place_in = place_in[key]
    if value is ...:
        del place_in[last]
    else:
        place_in[last] = value
    return document


@pytest.mark.parametrize(
    ('path', 'value', 'reason'),
    [
        (['version'], 1, 'version 1 can not be read'),
        (['format'], 'other', "format 'other'"),
        (['strokes'], ..., 'has no "strokes"'),
        (['strokes'], [], 'no strokes'),
        (['strokes'], {}, 'strokes is not an array'),
        (['strokes', 1], 7, r'strokes\[1\] is not an object'),
        (['strokes', 0, 'segments'], [], r'strokes\[0\] has no segments'),
        (['strokes', 0, 'segments', 1, 'kind'], 'spiral', r"segments\[1\].kind is 'spiral'"),
        (['strokes', 0, 'segments', 0, 'end'], [1, 2, 3], r'segments\[0\].end has shape \(3,\)'),
        (['strokes', 0, 'segments', 0, 'end'], [30, float('nan')], 'not finite'),
        (['strokes', 0, 'segments', 0, 'end'], 'x', 'not an array of numbers'),
        (['strokes', 0, 'segments', 0, 'end'], [[1], [2, 3]], 'not an array of numbers'),
        (['strokes', 0, 'segments', 0, 'end'], [0, 0], r'segments\[1\] starts .* mm away'),
        (['strokes', 1, 'points', 0], [0, 0], r'strokes\[1\].points do not run from end to end'),
        (['strokes', 1, 'points'], [], 'strokes'),
        (['strokes', 0, 'layer'], 5, r'strokes\[0\].layer is neither'),
        (['placement'], [[1, 0, 0], [0, 2, 0]], 'not a similarity'),
        (['placement'], [[0, 0, 0], [0, 0, 0]], 'not a similarity'),
        (['spacing_mm'], 0, 'spacing_mm is 0'),
        (['page_mm'], [1], 'page_mm has shape'),
        (['source'], 'x', 'source is not an object'),
        (['ignored'], [5], r'ignored\[0\] is not an object'),
        (['warnings'], [5], r'warnings\[0\]'),
        (['page_source'], 5, 'page_source is not a string'),
        (['drawn'], {}, 'drawn is not an array'),
        (['planning'], [5], r'planning\[0\] is not an object'),
        (['commands'], ..., 'has no "commands"'),
        (['commands'], {}, 'commands is not an array'),
        (['commands'], [], 'draw 0 of 4 strokes'),
        (['commands', 1, 'do'], 'up', r'commands\[1\].* has no "lift"'),
        (['commands', 2, 'stroke'], 3, r'commands\[2\] draws stroke 3, expected stroke 0'),
        (['commands', 4, 'to'], [1, 1], 'draws stroke 1, which starts'),
        (['page_mm'], [40, 100], r'strokes\[1\] leaves the page of 40 x 100 mm by 20 mm'),
        (['strokes', 0, 'points', 2], [30, 31], r'strokes\[0\].points\[2\] is \S+ mm away'),
        (['strokes', 2, 'points', 9], [50, 50], r'strokes\[2\].points\[9\] is 9 mm away'),
    ],
)
def test_wrong_documents_are_refused_with_the_place(recipe, path, value, reason):
    document = changed(json.loads(recipe.to_json()), path, value)
    with pytest.raises(RecipeError, match=reason):
        Recipe.from_json(json.dumps(document))


@pytest.mark.parametrize('text', ['', '{', '[]', 'null', b'\xff\xfe', '[' * 100_000])
def test_what_is_no_document_is_refused(text):
    with pytest.raises(RecipeError):
        Recipe.from_json(text)


@pytest.mark.parametrize('path', ['/dev/zero', '/dev', '/dev/null'])
def test_what_is_not_a_file_is_not_read(path):
    with pytest.raises(RecipeError, match=f'{path} is not a file'):
        Recipe.read(Path(path))


def test_a_file_beyond_the_limit_is_not_read(tmp_path):
    path = tmp_path / 'large.json'
    with path.open('wb') as file:
        file.truncate(MAX_FILE_SIZE + 1)
    with pytest.raises(RecipeError, match='500000001 bytes, the limit is 500000000'):
        Recipe.read(path)

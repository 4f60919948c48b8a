# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures: colours at known places, true millimetres, text that is safe."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

from elfin_bt.drawing.geometry import CubicBezier, EllipseArc, Line
from elfin_bt.drawing.ink import Deviation
from elfin_bt.drawing.picture import make_picture
from elfin_bt.drawing.recipe import Recipe, Stroke, stroke_kind
from elfin_bt.drawing.render import write_ink_png, write_ink_svg

SVG = '{http://www.w3.org/2000/svg}'
MARGIN = 6.0
SOURCE, INK, PEN_UP, WORST = (
    (0xC3, 0xC8, 0xCF),
    (0x1D, 0x4E, 0xD8),
    (0xED, 0xA5, 0x5F),
    (0xD6, 0x1F, 0x2C),
)


def recipe_of(*strokes, path='drawing.svg', scale=1.0):
    """Strokes of segments in page mm; page (50, 30) mm is the centre of the paper."""
    return Recipe(
        page_mm=(100.0, 60.0),
        strokes=tuple(
            Stroke(
                kind=stroke_kind(segments),
                segments=tuple(segments),
                points=np.concatenate([s.point(np.linspace(0, 1, 20)) for s in segments]),
            )
            for segments in strokes
        ),
        placement=scale * np.array([[0.001, 0, -0.05], [0, -0.001, 0.03]]),
        spacing_mm=1.0,
        chord_tolerance_mm=0.02,
        source={'path': path, 'sha256': '0' * 64},
    )


@pytest.fixture
def frame():
    """A frame of 80 mm x 40 mm: page 10..90, 10..50, so paper -40..40, -20..20 mm."""
    corners = np.array([[10, 10], [90, 10], [90, 50], [10, 50], [10, 10]], dtype=float)
    return recipe_of([Line(a, b) for a, b in zip(corners[:-1], corners[1:], strict=True)])


# Ink in paper metres: the upper side (y = +20 mm) half a millimetre too high.
INK_PATH = np.array([[-0.04, 0.0205], [0.04, 0.0205]])
PEN_UP_PATH = np.array([[-0.04, -0.01, 0.005], [0.04, -0.01, 0.005]])
DEVIATION = Deviation(max=0.0005, rms=0.0005, worst_point=np.array([0.02, 0.0205]), worst_index=9)


@pytest.fixture
def png(frame, tmp_path):
    write_ink_png(tmp_path / 'ink.png', frame, [INK_PATH], [PEN_UP_PATH], DEVIATION)
    return Image.open(tmp_path / 'ink.png').convert('RGB')


@pytest.fixture
def svg(frame, tmp_path):
    write_ink_svg(tmp_path / 'ink.svg', frame, [INK_PATH], [PEN_UP_PATH], DEVIATION)
    return ElementTree.parse(tmp_path / 'ink.svg').getroot()


def colours_near(image, x_mm, y_mm, radius_mm=0.6):
    """Colours within a square around a place of the picture (paper mm, y up)."""
    scale = image.width / (80 + 2 * MARGIN)
    top = 20.5 + MARGIN  # the ink is above the artwork
    column, row = (x_mm + 40 + MARGIN) * scale, (top - y_mm) * scale
    reach = radius_mm * scale
    box = image.crop(
        tuple(round(v) for v in (column - reach, row - reach, column + reach, row + reach))
    )
    return {colour for _, colour in box.getcolors(maxcolors=1 << 20)}


def test_png_size(png):
    assert png.width == 1200
    assert png.height == pytest.approx(1200 * (40.5 + 12) / 92 + 64, abs=1)


def test_png_has_the_colours_where_they_belong(png):
    assert SOURCE in colours_near(png, -40, 0)
    assert INK not in colours_near(png, -40, 0)
    assert INK in colours_near(png, -10, 20.5, 0.2)
    assert INK not in colours_near(png, -10, 20.0 - 0.3, 0.2)
    assert colours_near(png, 0, 5) == {(255, 255, 255)}
    assert WORST in colours_near(png, 20 + 2.0, 20.5, 0.3)


def test_png_pen_up_is_dashed(png):
    scale = png.width / 92
    row = round((20.5 + MARGIN + 10) * scale)
    line = [
        min(png.getpixel((column, y))[2] for y in range(row - 2, row + 3))
        for column in range(round(10 * scale), round(80 * scale))
    ]
    drawn = np.array(line) < 200
    dashes = np.count_nonzero(np.diff(drawn.astype(int)) == 1)
    assert dashes == pytest.approx(35, abs=1)  # 70 mm of 1 mm dashes and 1 mm gaps
    assert 0.4 < drawn.mean() < 0.65


def test_png_lines_have_soft_edges(png):
    assert len(colours_near(png, -10, 20.5, 0.3)) > 2


def test_png_of_a_tall_drawing_is_not_taller_than_a_page(tmp_path):
    write_ink_png(tmp_path / 'tall.png', recipe_of([Line([50, 0], [50, 60])]), [], [], None)
    image = Image.open(tmp_path / 'tall.png')
    assert image.height <= 1600 + 64
    assert image.width == pytest.approx(1600 * 12 / 72, abs=2)


def test_svg_is_in_true_millimetres(svg):
    assert svg.get('width') == '92.000mm'
    assert svg.get('height') == '52.500mm'
    assert svg.get('viewBox') == '-46.000 -26.500 92.000 52.500'


def test_svg_scales_with_the_placement(tmp_path):
    recipe = recipe_of([Line([10, 30], [90, 30])], scale=1.5)
    write_ink_svg(tmp_path / 'ink.svg', recipe, [], [], None)
    root = ElementTree.parse(tmp_path / 'ink.svg').getroot()
    assert root.get('width') == '132.000mm'  # 1.5 * 80 mm and two margins


def test_svg_layers(svg):
    layers = {group.get('id'): group for group in svg.findall(f'{SVG}g')}
    assert list(layers) == ['source', 'pen-up', 'ink', 'worst']
    assert layers['ink'].find(f'{SVG}polyline').get('points') == '-40.000,-20.500 40.000,-20.500'
    assert layers['pen-up'].get('stroke-dasharray')
    circle, label = layers['worst']
    assert (circle.get('cx'), circle.get('cy')) == ('20.000', '-20.500')
    assert label.text == '0.500 mm'


def test_svg_source_is_exact(tmp_path):
    curve = CubicBezier([10, 10], [20, 40], [30, 0], [40, 20])
    recipe = recipe_of([Line([0, 0], [10, 10]), curve])
    write_ink_svg(tmp_path / 'ink.svg', recipe, [], [], None)
    root = ElementTree.parse(tmp_path / 'ink.svg').getroot()
    data = root.find(f'{SVG}g/{SVG}path').get('d')
    # Page (50, 30) mm is the origin, and both y point down.
    assert data == (
        'M-50.000,-30.000L-40.000,-20.000C-30.000,10.000 -20.000,-30.000 -10.000,-10.000'
    )


def test_svg_arc_follows_the_ellipse(tmp_path):
    arc = EllipseArc([50, 30], [30, 5], [-4, 12], 0.4, 4.5)
    write_ink_svg(tmp_path / 'ink.svg', recipe_of([arc]), [], [], None)
    root = ElementTree.parse(tmp_path / 'ink.svg').getroot()
    numbers = [float(n) for n in re.findall(r'-?\d+\.\d+', root.find(f'{SVG}g/{SVG}path').get('d'))]
    control = np.array(numbers).reshape(-1, 2) + [50, 30]
    assert len(control) == 1 + 3 * 6  # 4.5 rad in eighths of a turn
    cubics = [CubicBezier(*control[3 * i : 3 * i + 4]) for i in range(6)]
    points = np.concatenate([cubic.point(np.linspace(0, 1, 50)) for cubic in cubics])
    # In the ellipse's own coordinates it is the unit circle.
    unit = np.linalg.solve(np.column_stack([arc.axis_u, arc.axis_v]), (points - arc.centre).T)
    assert_allclose(np.hypot(*unit), 1.0, atol=1.5e-4)  # three decimals of a millimetre
    assert_allclose(points[[0, -1]], arc.point([0.0, 1.0]), atol=1e-3)


def test_names_from_outside_are_text_and_nothing_else(tmp_path):
    path = 'evil </title><script>alert("1")</script>\x07\udcff & Co.svg'
    for write, name in ((write_ink_svg, 'ink.svg'), (write_ink_png, 'ink.png')):
        write(tmp_path / name, recipe_of([Line([0, 0], [9, 9])], path=path), [], [], None)
    root = ElementTree.parse(tmp_path / 'ink.svg').getroot()
    assert root.find(f'{SVG}title').text == 'script>\ufffd\ufffd & Co.svg'
    assert root.find(f'.//{SVG}script') is None
    assert Image.open(tmp_path / 'ink.png').width == 1200


def test_ink_is_thinned_to_five_micrometres(tmp_path):
    angle = np.linspace(0, math.tau, 20_000)
    ink = 0.02 * np.column_stack([np.cos(angle), np.sin(angle)])
    circle = EllipseArc([50, 30], [20, 0], [0, 20], 0.0, math.tau)
    (line,) = make_picture(recipe_of([circle]), [ink], [], None).ink
    assert len(line) < 300
    middle = 0.5 * (line[1:] + line[:-1])
    assert np.abs(np.hypot(*middle.T) - 20.0).max() <= 0.005 + 1e-9


def test_stray_ink_is_in_the_picture(frame):
    picture = make_picture(frame, [np.array([[0.0, 0.0], [0.09, 0.06]])], [], DEVIATION)
    assert_allclose(picture.corner, [-46, -66])
    assert_allclose(picture.size, (142, 92))


def test_label_stays_within_the_picture(frame, tmp_path):
    right = Deviation(0.0005, 0.0005, np.array([0.04, 0.02]), 0)
    write_ink_svg(tmp_path / 'ink.svg', frame, [INK_PATH], [], right)
    text = ElementTree.parse(tmp_path / 'ink.svg').getroot().find(f'.//{SVG}text')
    assert text.get('text-anchor') == 'end'
    assert float(text.get('x')) < 40


def test_a_dot_and_a_run_of_one_point(tmp_path):
    dot = recipe_of([Line([50, 30], [50, 30])])
    write_ink_png(tmp_path / 'dot.png', dot, [np.array([[0.0, 0.0]])], [], None)
    write_ink_svg(tmp_path / 'dot.svg', dot, [np.array([[0.0, 0.0]])], [], None)
    root = ElementTree.parse(tmp_path / 'dot.svg').getroot()
    # A viewer shows a line without length as a dot, one point alone not at all.
    assert root.find(f'.//{SVG}polyline').get('points') == '0.000,0.000 0.000,0.000'
    image = Image.open(tmp_path / 'dot.png').convert('RGB')
    assert image.getpixel((image.width // 2, (image.height - 64) // 2)) == INK

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which outlines a file gives, and what its report names."""

import numpy as np
import pytest

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import EllipseArc
from elfin_bt.drawing.read_options import ReadOptions
from elfin_bt.drawing.svg_reader import read_svg

PEN = 'fill="none" stroke="black"'


def ends(artwork):
    """First and last point of each outline, in page mm."""
    return [
        (*np.round(o.segments[0].start, 6), *np.round(o.segments[-1].end, 6))
        for o in artwork.outlines
    ]


def ignored(artwork):
    return {entry['kind']: entry['count'] for entry in artwork.ignored}


@pytest.mark.parametrize(
    ('element', 'kind', 'count'),
    [
        ('<path d="M10 10h5"/>', 'line', 1),
        ('<line x1="10" y1="10" x2="15" y2="10"/>', 'line', 1),
        ('<polyline points="10 10 15 10 15 20"/>', 'line', 2),
        ('<polygon points="10 10 15 10 15 20"/>', 'line', 3),
        ('<rect x="10" y="10" width="5" height="5"/>', 'line', 4),
        ('<circle cx="10" cy="10" r="5"/>', 'arc', 1),
        ('<ellipse cx="10" cy="10" rx="5" ry="2"/>', 'arc', 1),
    ],
)
def test_every_shape_is_drawn(read, element, kind, count):
    artwork = read(f'<g {PEN}>{element}</g>')
    (outline,) = artwork.outlines
    assert [s.kind for s in outline.segments] == [kind] * count
    assert not artwork.ignored and not artwork.warnings


def test_transforms_compose_from_the_outside_in(read):
    # (0, 0) -> +5 -> x2 -> +(10, 20); the same in one list and over nested groups.
    nested = read(
        '<g transform="translate(10,20) scale(2)"><g transform="translate(5,0)">'
        f'<path {PEN} d="M0 0h10" transform="rotate(90)"/></g></g>'
    )
    flat = read(
        f'<path {PEN} d="M0 0h10" transform="translate(10,20) scale(2) translate(5,0) rotate(90)"/>'
    )
    assert ends(nested) == ends(flat) == [(20, 20, 20, 40)]


def test_an_arc_stays_an_exact_arc_under_skew(read):
    artwork = read(f'<circle {PEN} r="5" transform="translate(50 50) skewX(30) scale(1 2)"/>')
    (arc,) = artwork.outlines[0].segments
    assert isinstance(arc, EllipseArc)
    theta = np.linspace(0, 2 * np.pi, 9)
    x, y = 5 * np.cos(theta), 10 * np.sin(theta)
    expected = np.column_stack([50 + x + np.tan(np.pi / 6) * y, 50 + y])
    np.testing.assert_allclose(arc.point(theta / (2 * np.pi)), expected, atol=1e-9)


def test_a_transform_with_an_error_is_named_and_not_applied(read):
    artwork = read(f'<path id="p" {PEN} d="M0 0h10" transform="spin(90)"/>')
    assert ends(artwork) == [(0, 0, 10, 0)]
    assert "<path> (id p): transform 'spin(90)'" in artwork.warnings[0]


def test_view_box_scale_and_aspect_ratio(read):
    artwork = read(
        f'<path {PEN} d="M0 0L10 10"/>',
        'width="40mm" height="20mm" viewBox="0 0 10 10" preserveAspectRatio="xMaxYMid"',
    )
    assert artwork.page_mm == pytest.approx((40, 20))
    assert ends(artwork) == [(20, 0, 40, 20)]


def test_percentages_refer_to_the_view_box(read):
    artwork = read(
        f'<line {PEN} x1="10%" y1="50%" x2="100%" y2="50%"/>',
        'width="40mm" height="20mm" viewBox="0 0 80 40"',
    )
    assert ends(artwork) == [(4, 10, 40, 10)]


def test_one_outline_for_each_subpath_in_document_order(read):
    artwork = read(
        f'<path {PEN} d="M1 1h5M2 2h5z"/><g><line stroke="red" x1="3" x2="9"/></g>'
        f'<path {PEN} d="M4 4h5"/>'
    )
    assert [o.segments[0].start[0] for o in artwork.outlines] == [1, 2, 3, 4]
    assert [o.closed for o in artwork.outlines] == [False, True, False, False]


def test_a_fill_is_outlined_and_closes_nothing(read):
    (outline,) = read('<path d="M10 10h30v30h-30"/>').outlines
    assert len(outline.segments) == 3 and not outline.closed


@pytest.mark.parametrize(
    'element',
    [
        '<g display="none"><path d="M5 5h9v9" display="inline"/></g>',
        '<path style="display:none" d="M5 5h9v9"/>',
        '<path visibility="hidden" d="M5 5h9v9"/>',
        '<path opacity="0" d="M5 5h9v9"/>',
        '<g style="opacity:0"><path d="M5 5h9v9"/></g>',
        '<path fill="none" d="M5 5h9v9"/>',
        '<path fill-opacity="0" d="M5 5h9v9"/>',
        '<path fill="none" stroke="red" stroke-width="0" d="M5 5h9v9"/>',
        '<path fill="none" stroke="red" stroke-opacity="0" d="M5 5h9v9"/>',
        '<path fill="url(#nothing)" d="M5 5h9v9"/>',
        # A fill without area: along one line there and back.
        '<path d="M5 5h9h-3z"/>',
        '<line x2="9"/>',
        # A dot without caps.
        '<path stroke="red" d="M5 5h0"/>',
        '<path transform="scale(0 1)" d="M5 5h9v9"/>',
        '<g transform="scale(0)"><path d="M5 5h9v9"/></g>',
        '<rect width="0" height="5"/>',
        '<defs><path d="M5 5h9v9"/></defs>',
        '<clipPath><path d="M5 5h9v9"/></clipPath>',
        '<text display="none">no</text>',
        '<g visibility="hidden"><text>no</text><image/></g>',
        '<title>no</title><desc>no</desc><metadata><path d="M5 5h9v9"/></metadata>',
    ],
)
def test_what_is_not_visible_is_neither_drawn_nor_reported(read, element):
    artwork = read(element)
    assert not artwork.outlines and not artwork.ignored and not artwork.warnings


def test_a_visible_child_of_a_hidden_parent_is_drawn(read):
    artwork = read(
        f'<g visibility="hidden"><path {PEN} d="M0 0h5"/>'
        f'<path {PEN} visibility="visible" d="M1 1h5"/></g>'
    )
    assert ends(artwork) == [(1, 1, 6, 1)]


@pytest.mark.parametrize('cap', ['round', 'square'])
def test_a_dot_with_caps_is_drawn(read, cap):
    artwork = read(f'<path {PEN} stroke-linecap="{cap}" d="M5 5z"/>')
    assert ends(artwork) == [(5, 5, 5, 5)]


@pytest.mark.parametrize('tag', ['image', 'foreignObject', 'flowRoot', 'video'])
def test_other_elements_are_named(read, tag):
    artwork = read(f'<{tag} id="one"><path/></{tag}><g><{tag}/></g><path {PEN} d="M0 0h5"/>')
    assert list(artwork.ignored) == [{'kind': tag, 'count': 2, 'ids': ['one']}]
    assert len(artwork.outlines) == 1


@pytest.mark.parametrize(
    ('attribute', 'kind'),
    [
        ('style="mask:url(#m)"', 'mask'),
        ('filter="url(#f)"', 'filter'),
        ('clip-path="circle(5px)"', 'clip-path'),
    ],
)
def test_properties_that_are_not_applied_are_named(read, attribute, kind):
    artwork = read(f'<path {PEN} id="p" {attribute} d="M0 0h5"/>')
    assert list(artwork.ignored) == [{'kind': kind, 'count': 1, 'ids': ['p']}]
    assert len(artwork.outlines) == 1
    assert read(f'<g {attribute}><path {PEN} d="M0 0h5"/></g>').ignored


@pytest.mark.parametrize(
    'attribute',
    [
        'clip-path="none"',
        'stroke-dasharray="none"',
        'marker-end="none"',
        'class="a"',
        'clip-path="url(#gone)"',
        'marker-end="url(#gone)"',
    ],
)
def test_properties_without_effect_are_not_named(read, attribute):
    artwork = read(f'<path {PEN} {attribute} d="M0 0h5"/>')
    assert not artwork.ignored and ends(artwork) == [(0, 0, 5, 0)]


def test_animations_are_named_and_their_elements_drawn_at_rest(read):
    artwork = read(f'<path {PEN} d="M0 0h5"><animate id="a"/></path>')
    assert ignored(artwork) == {'animate': 1} and len(artwork.outlines) == 1


def test_the_report_counts_what_is_drawn_by_kind(read):
    artwork = read(
        f'<g {PEN}><path id="a" d="M0 0h5M1 1h5"/><path d="M0 0h5"/><circle id="c" r="5"/>'
        '<path id="gone" d="M0 0"/></g>'
    )
    assert list(artwork.drawn) == [
        {'kind': 'path', 'count': 2, 'ids': ['a']},
        {'kind': 'circle', 'count': 1, 'ids': ['c']},
    ]


def test_page_size_and_where_it_came_from(read):
    assert read('').page_source == 'width and height'
    assert read('', 'viewBox="0 0 96 96"').page_source == 'viewBox, 1 unit = 1 px'
    assert (
        read('', 'width="9mm" viewBox="0 0 9 9"').page_source
        == 'width and the shape of the viewBox'
    )
    assert read('', '').page_source == 'the artwork, 1 unit = 1 px'


def test_layers_with_labels_colours_and_strokes(read):
    artwork = read(
        '<g fill="none" stroke="red"><g inkscape:groupmode="layer" inkscape:label="A">'
        '<path d="M0 0h5"/><path stroke="#f00" d="M0 0h5"/></g>'
        '<g inkscape:groupmode="layer" inkscape:label="B"><path d="M0 0h5"/>'
        '<path stroke="blue" d="M0 0h5"/></g><path d="M0 0h5"/><path stroke="blue" d="M0 0h5"/></g>'
    )
    assert [(y.label, y.colour, y.strokes) for y in artwork.layers] == [
        ('A', '#ff0000', 2),
        ('B', None, 2),
        (None, '#ff0000', 1),
        (None, '#0000ff', 1),
    ]


def test_fills_are_kept_for_hatching(read):
    artwork = read(
        f'<path {PEN} d="M0 0h5"/>'
        '<path id="f" fill="red" fill-rule="evenodd" stroke="blue" d="M10 10h30v30"/>'
    )
    (fill,) = artwork.fills
    assert (fill.colour, fill.rule, fill.before, fill.element_id) == ('#ff0000', 'evenodd', 1, 'f')
    # The loop is closed even where the path isn't.
    assert [tuple(s.end) for s in fill.loops[0]] == [(40, 10), (40, 40), (10, 10)]
    assert [o.stroked for o in artwork.outlines] == [True, True]


def test_strokes_only(read):
    body = f'<path {PEN} d="M0 0h5"/><rect width="5" height="5"/>'
    assert [o.stroked for o in read(body).outlines] == [True, False]
    artwork = read(body, options=ReadOptions(strokes_only=True))
    assert len(artwork.outlines) == 1 and '1 of 2 shapes have a stroke' in artwork.warnings[0]


def test_links_are_groups(read):
    assert len(read(f'<a transform="scale(2)"><path {PEN} d="M0 0h5"/></a>').outlines) == 1


def test_layer_colour_and_id(read):
    artwork = read(
        '<g inkscape:groupmode="layer" inkscape:label="1 红色" id="l1">'
        '<g inkscape:label="no layer"><path id="p" fill="none" stroke="#F00" d="M0 0h5"/></g></g>'
        '<g inkscape:groupmode="layer" id="l2"><rect fill="navy" width="5" height="5"/></g>'
        '<path fill="blue" stroke="rgb(0,128,0)" d="M0 0h5v5"/>'
    )
    found = [(o.layer, o.colour, o.element_id) for o in artwork.outlines]
    assert found == [
        ('1 红色', '#ff0000', 'p'),
        ('l2', '#000080', None),
        (None, '#008000', None),
    ]


def test_foreign_elements_are_not_drawing_content(read):
    artwork = read(
        '<x:path xmlns:x="http://example.org/" d="M0 0h5v5"/><inkscape:grid/>'
        f'<path {PEN} d="M0 0h5"/>'
    )
    assert len(artwork.outlines) == 1 and not artwork.ignored


def test_namespaces(tmp_path):
    path = tmp_path / 'drawing.svg'
    path.write_text(
        '<s:svg xmlns:s="http://www.w3.org/2000/svg" width="9mm" height="9mm">'
        '<s:path stroke="red" d="M0 0h5"/></s:svg>'
    )
    assert len(read_svg(path).outlines) == 1 and not read_svg(path).warnings
    path.write_text('<svg width="9mm" height="9mm"><path stroke="red" d="M0 0h5"/></svg>')
    assert len(read_svg(path).outlines) == 1 and 'no namespace' in read_svg(path).warnings[0]


def test_path_errors_are_named_and_the_rest_is_drawn(read):
    artwork = read(f'<path {PEN} id="p" d="M0 0h5 X"/><path {PEN} d="M1 1h5"/>')
    assert len(artwork.outlines) == 2 and '<path> (id p): path data' in artwork.warnings[0]


def test_repeated_warnings_are_cut(read):
    artwork = read(f'<path {PEN} d="M0 0h5 X"/>' * 3)
    assert len(artwork.warnings) == 1
    artwork = read(''.join(f'<path id="p{i}" {PEN} d="M0 0h5 X"/>' for i in range(50)))
    assert len(artwork.warnings) == 21 and artwork.warnings[-1] == '30 more warnings'


def test_many_ignored_elements_keep_their_count(read):
    (entry,) = read(''.join(f'<image id="t{i}"/>' for i in range(50))).ignored
    assert entry['count'] == 50 and len(entry['ids']) == 20


def test_artwork_is_cut_at_the_edge_of_the_page(read):
    artwork = read(f'<path {PEN} d="M-20 50H60"/>')
    assert ends(artwork) == [(0, 50, 60, 50)]
    assert 'over the edge of the page by 20.0 mm; that part is cut off' in artwork.warnings[0]
    artwork = read(f'<path {PEN} d="M-20 50H60"/>', options=ReadOptions(clip_page=False))
    assert ends(artwork) == [(-20, 50, 60, 50)]
    assert 'by 20.0 mm; that part is drawn as well' in artwork.warnings[0]


def test_rounding_at_the_edge_of_the_page_cuts_nothing(read):
    artwork = read(f'<rect {PEN} x="-.01" y="-.01" width="100.02" height="100.02"/>')
    assert artwork.outlines[0].closed and not artwork.warnings


@pytest.mark.parametrize('root', ['', 'width="100%" height="100%"'])
def test_a_page_without_any_size_grows_around_the_artwork(read, root):
    artwork = read(f'<path {PEN} d="M0 0H9600V960"/>', root)
    assert artwork.page_mm == pytest.approx((2540, 254))


@pytest.mark.parametrize(
    ('element', 'reason'),
    [
        (
            '<path id="p" stroke="red" d="M0 0L NaN 5"/>',
            r'<path> \(id p\): .NaN 5. is not a finite',
        ),
        ('<line stroke="red" x2="inf"/>', 'not a finite'),
        ('<circle r="1e999"/>', 'too large a number'),
        ('<polyline stroke="red" points="0 0 nan 5"/>', 'not a finite'),
        ('<path d="M0 0h5v5" transform="translate(nan)"/>', 'not a finite'),
        ('<path d="M0 0h5v5" transform="scale(1e200) scale(1e200)"/>', 'not a finite'),
        ('<path id="far" d="M0 0h1e7v5"/>', r'stroke 1 \(id far\) reaches 1e\+07 mm .*1000 mm'),
    ],
)
def test_absurd_coordinates_are_refused(read, element, reason):
    with pytest.raises(SvgError, match=reason):
        read(element)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-surface recipe` and `check`, as a person runs them."""

import json
import subprocess
import sys

import pytest

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.surface.client.cli import main

LINES = '<path d="M10 10h30M80 10h-30M10 10h30" stroke="red" fill="none"/>'
FIELDS = {
    *('result', 'reason', 'strokes', 'pen_down_mm', 'pen_up_mm', 'bbox_mm', 'page_mm', 'layers'),
    *('ignored', 'warnings', 'time_s'),
}


@pytest.fixture
def drawing(tmp_path):
    def write(body=LINES, name='drawing.svg', size=100):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}mm" height="{size}mm" '
            f'viewBox="0 0 {size} {size}">{body}</svg>'
        )
        return str(path)

    return write


@pytest.fixture
def run(capsys):
    """Run a command: its exit code and what it printed, one JSON object a line parsed."""

    def run(*words):
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        if '--json' in words:
            return code, [json.loads(line) for line in printed.out.splitlines()]
        return code, printed.out + printed.err

    return run


def test_the_strokes_as_read(run, drawing):
    code, (report,) = run('recipe', drawing(), '--raw', '--json')
    assert code == 0 and report.keys() >= FIELDS
    assert (report['result'], report['reason']) == ('ok', None)
    assert report['strokes'] == 3 and report['pen_down_mm'] == pytest.approx(90)
    # From 40 to 80, from 50 back to 10.
    assert report['pen_up_mm'] == pytest.approx(80)
    assert report['bbox_mm'] == [10, 10, 80, 10] and report['page_mm'] == [100, 100]
    assert report['layers'] == [{'label': None, 'colour': '#ff0000', 'strokes': 3}]
    assert (report['ignored'], report['warnings'], report['planning']) == ([], [], [])


def test_the_strokes_as_drawn(run, drawing):
    code, (report,) = run('recipe', drawing(), '--json', '--scale', '2')
    assert code == 0
    # One of the two lines that are the same goes; the rest is 2 x 10 mm apart.
    assert report['strokes'] == 2 and report['pen_down_mm'] == pytest.approx(120)
    assert report['pen_up_mm'] == pytest.approx(20)
    # The box is the file's, before placing and planning.
    assert report['bbox_mm'] == [10, 10, 80, 10]
    steps = {step['step']: step for step in report['planning']}
    assert steps['dedupe']['before']['strokes'] == 3 and steps['dedupe']['after']['strokes'] == 2


def test_the_time_is_what_the_lengths_and_speeds_ask_for(run, drawing):
    _, (report,) = run('recipe', drawing(), '--raw', '--json', '--pen-speed', '20')
    time = report['time_s']
    assert time.keys() == {'draw', 'travel', 'lift', 'settle'}
    assert time['draw'] == pytest.approx(90 / 20, rel=0.1)
    _, (faster,) = run('recipe', drawing(), '--raw', '--json', '--pen-speed', '80')
    assert faster['time_s']['draw'] < time['draw'] / 2
    # Three strokes, down and up 20 mm each: at 30 and 200 mm/s it can't be less.
    assert faster['time_s']['lift'] > 3 * (20.5 / 30 + 20.5 / 200) * 0.9


def test_a_recipe_is_written_and_passes_the_check(run, drawing, tmp_path):
    out, preview = tmp_path / 'made' / 'out.json', tmp_path / 'made' / 'out.svg'
    code, (report,) = run('recipe', drawing(), '-o', out, '--preview', preview, '--json')
    assert code == 0 and report['recipe'] == str(out) and report['preview'] == str(preview)
    assert '<polyline' in preview.read_text()
    recipe = Recipe.read(out)
    assert len(recipe.strokes) == report['strokes']
    code, (checked,) = run('check', out, '--json')
    assert code == 0 and checked.keys() == report.keys()
    for name in ('strokes', 'pen_down_mm', 'pen_up_mm', 'layers', 'time_s', 'planning'):
        assert checked[name] == report[name]


def test_a_png_preview(run, drawing, tmp_path):
    assert run('recipe', drawing(), '--preview', tmp_path / 'out.png')[0] == 0
    assert (tmp_path / 'out.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        (lambda d: d['commands'].pop(1), 'draws stroke 0 with the pen up'),
        (lambda d: d['commands'].pop(), 'end with the pen down'),
        (lambda d: d['strokes'][0]['points'].__setitem__(3, [50, 50]), 'away from its segments'),
        (lambda d: d['strokes'][0]['segments'][0].__setitem__('end', [500, 10]), 'strokes'),
        (lambda d: d['placement'][0].__setitem__(2, 1.0), 'outside the working area'),
        (lambda d: d.__setitem__('version', 99), 'version 99'),
    ],
)
def test_a_bad_recipe_is_refused(run, drawing, tmp_path, change, reason):
    out = tmp_path / 'out.json'
    run('recipe', drawing(), '-o', out)
    document = json.loads(out.read_text())
    change(document)
    out.write_text(json.dumps(document))
    code, (report,) = run('check', out, '--json')
    assert code == 1 and report['result'] == 'refused' and reason in report['reason']


@pytest.mark.parametrize('content', [None, '', 'not JSON', '[]'])
def test_what_is_no_recipe_is_refused(run, tmp_path, content):
    path = tmp_path / 'out.json'
    if content is not None:
        path.write_text(content)
    code, (report,) = run('check', path, '--json')
    assert code == 1 and report['result'] == 'refused' and report['reason']


def test_a_drawing_that_is_too_large_is_refused_with_its_facts(run, drawing):
    path = drawing('<path d="M0 0h400" stroke="red"/>', size=400)
    code, (report,) = run('recipe', path, '--json')
    assert code == 1 and report['result'] == 'refused' and '--fit' in report['reason']
    assert report['bbox_mm'] == [0, 0, 400, 0] and report['strokes'] == 1
    code, (raw,) = run('recipe', path, '--json', '--raw')
    assert code == 0 and raw['time_s']['draw'] is None and '--fit' in raw['warnings'][0]
    assert run('recipe', path, '--fit')[0] == 0


def test_refusals_say_why(run, drawing, tmp_path):
    (tmp_path / 'page.svg').write_text('<html></html>')
    code, (report,) = run('recipe', tmp_path / 'page.svg', '--json')
    assert code == 1 and report['reason'] and report['strokes'] is None
    code, (report,) = run('recipe', drawing('<text/>'), '--json')
    assert code == 1 and 'nothing to draw' in report['reason'] and report['strokes'] == 0
    code, text = run('recipe', tmp_path / 'nothing.svg')
    assert code == 1 and 'no such file' in text


def test_size_place_and_turn(run, drawing, tmp_path):
    out = tmp_path / 'out.json'
    path = drawing('<rect x="10" y="10" width="40" height="20" fill="none" stroke="red"/>')

    def box(*options):
        assert run('recipe', path, '-o', out, *options)[0] == 0
        recipe = Recipe.read(out)
        points = recipe.placed_points(0) * 1000
        return [*points.min(axis=0), *points.max(axis=0)]

    assert box('--width', '80') == pytest.approx([-40, -20, 40, 20])
    assert box('--height', '80') == pytest.approx([-80, -40, 80, 40])
    assert box('--scale', '0.5') == pytest.approx([-10, -5, 10, 5])
    assert box('--fit') == pytest.approx([-110, -55, 110, 55], rel=1e-3)
    assert box('--rotate', '90') == pytest.approx([-10, -20, 10, 20])
    assert box('--rotate', '-90', '--width', '80') == pytest.approx([-40, -80, 40, 80])
    assert box('--at', '-50,30') == pytest.approx([-70, 20, -30, 40])
    assert box('--at', '60,0', '--fit') == pytest.approx([10, -25, 110, 25], rel=1e-3)


def test_a_turn_is_counter_clockwise(run, drawing, tmp_path):
    out = tmp_path / 'out.json'
    path = drawing('<path d="M10 50h40" stroke="red"/>')
    run('recipe', path, '-o', out, '--rotate', '30', '--raw')
    start, *_, end = Recipe.read(out).placed_points(0)
    assert (end - start)[1] / (end - start)[0] == pytest.approx(3**-0.5)
    assert end[0] > start[0]


def test_pens_pauses_and_hatching(run, drawing):
    body = (
        '<path d="M10 10h30" stroke="red"/><path d="M10 20h30" stroke="blue"/>'
        '<rect x="50" y="50" width="10" height="10" fill="blue"/>'
    )
    _, (report,) = run(
        *('recipe', drawing(body), '--json', '--pens', 'colour', '--hatch', '1'),
        *('--hatch-angle', '0', '--hatch-cross', '--pause-after', '0.1'),
    )
    assert [pause['reason'] for pause in report['pauses']].count('pen') == 1
    assert 'ink' in [pause['reason'] for pause in report['pauses']]
    assert report['strokes'] == 2 + 1 + 20
    assert [layer['colour'] for layer in report['layers']] == ['#ff0000', '#0000ff']


def test_steps_can_be_left_out(run, drawing):
    options = ('--simplify', '0', '--dedupe', '0', '--merge', '0', '--no-order', '--no-free-start')
    _, (report,) = run('recipe', drawing(), '--json', '--near', '0', *options)
    assert report['planning'] == [] and report['strokes'] == 3


def test_many_files_and_one_bad_one(run, drawing, tmp_path, capsys):
    drawing(name='in/a.svg')
    drawing(name='in/deep/a.svg')
    drawing(name='in/b.svg')
    (tmp_path / 'in' / 'bad.svg').write_text('<svg')
    (tmp_path / 'in' / 'notes.txt').write_text('no drawing')
    (tmp_path / 'out').mkdir()
    code, reports = run('recipe', tmp_path / 'in', '-o', tmp_path / 'out', '--json')
    assert code == 1
    assert [report['result'] for report in reports].count('refused') == 1
    assert sorted(path.name for path in (tmp_path / 'out').iterdir()) == [
        'a-2.json',
        'a.json',
        'b.json',
    ]


def test_patterns_and_names_in_paths(run, drawing, tmp_path):
    drawing(name='a.svg')
    drawing(name='b.svg')
    code, reports = run(
        'recipe', tmp_path / '*.svg', '--preview', tmp_path / 'see' / '{name}.png', '--json'
    )
    assert code == 0 and len(reports) == 2
    assert sorted(path.name for path in (tmp_path / 'see').iterdir()) == ['a.png', 'b.png']
    code, text = run('recipe', tmp_path / '*.svg', '-o', tmp_path / 'one.json')
    assert code == 2 and '{name}' in text
    code, reports = run('recipe', tmp_path / 'no*.svg', '--json')
    assert code == 1 and 'no such file' in reports[0]['reason']
    (tmp_path / 'empty').mkdir()
    assert run('recipe', tmp_path / 'empty')[0] == 1


def test_a_program_fault_is_one_files_refusal(run, drawing, monkeypatch):
    from elfin_bt.surface.client import recipe_options

    def fail(name, options):
        raise ZeroDivisionError('division by zero')

    monkeypatch.setattr(recipe_options, 'read_svg', fail)
    code, (report,) = run('recipe', drawing(), '--json')
    assert code == 1 and 'ZeroDivisionError' in report['reason']


def test_a_folder_that_can_not_be_written_is_told(run, drawing, tmp_path):
    (tmp_path / 'file').write_text('')
    code, (report,) = run('recipe', drawing(), '-o', tmp_path / 'file' / 'x.json', '--json')
    assert code == 1 and 'file' in report['reason']


@pytest.mark.parametrize(
    'words',
    [
        ['recipe'],
        ['dance'],
        [],
        ['recipe', 'a.svg', '--width', '10', '--fit'],
        ['recipe', 'a.svg', '--width', '-10'],
        ['recipe', 'a.svg', '--scale', 'nan'],
        ['recipe', 'a.svg', '--at', '5'],
        ['recipe', 'a.svg', '--at', 'inf,0'],
        ['recipe', 'a.svg', '--pens', 'all'],
        ['recipe', 'a.svg', '--hatch', '0'],
    ],
)
def test_wrong_usage(words, capsys):
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert 'Traceback' not in capsys.readouterr().err


def test_a_preview_is_a_picture(run, drawing, tmp_path):
    code, text = run('recipe', drawing(), '--preview', tmp_path / 'x.pdf')
    assert code == 2 and '.png or .svg' in text


def test_yaml_recipes_are_drawn_around_their_anchor(run, tmp_path):
    path = tmp_path / 'flower.yaml'
    path.write_text(
        'segments:\n'
        '  - {type: lin, xyz: [0.02, 0.01, 0]}\n'
        '  - {type: lin, xyz: [0.02, 0.01, -0.001]}\n'
        '  - {type: lin, xyz: [0.03, 0.01, -0.001]}\n'
    )
    out = tmp_path / 'out.json'
    assert run('recipe', path, '-o', out)[0] == 0
    points = Recipe.read(out).placed_points(0)
    assert sorted(points[[0, -1]].tolist()) == [
        pytest.approx([0.02, 0.01]),
        pytest.approx([0.03, 0.01]),
    ]


def test_text_for_a_person(run, drawing):
    code, text = run('recipe', drawing(LINES + '<image href="x.png" width="3" height="3"/>'))
    assert code == 0 and '2 strokes, 0.06 m of ink' in text
    assert 'not drawn: 1 x image' in text and 'dedupe: 3 -> 2 strokes' in text


def test_neither_ros_nor_pinocchio_is_loaded(drawing):
    program = (
        'import sys; from elfin_bt.surface.client.cli import main; '
        f'code = main(["recipe", {drawing()!r}]); '
        'heavy = {"rclpy", "pinocchio", "coal", "py_trees"} & set(sys.modules); '
        'sys.exit(code or len(heavy))'
    )
    subprocess.run([sys.executable, '-c', program], check=True, stdout=subprocess.DEVNULL)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-bt draw`: an SVG goes in, real processes draw it on the phantom, the report is right."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from PIL import Image
from processes import children, still_running

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="60mm" height="40mm" viewBox="0 0 60 40">
  <g fill="none" stroke="black">
    <rect x="2" y="2" width="20" height="20"/>
    <circle cx="40" cy="12" r="10"/>
    <path d="M5 35 C 15 20 25 50 35 35 S 50 25 55 35"/>
    <polyline points="2,38 3,36 4,38 5,36 6,38"/>
    <image x="10" y="10" width="5" height="5" href="not_drawn.png"/>
  </g>
</svg>
"""
# Lines of 80, 62.832 and 4 x 2.236 mm by hand; the curve's 64.393 mm by svgpathtools.
INK_M = 0.080 + 0.0628319 + 4 * 0.00223607
STROKES = 4


def command(*arguments):
    return [sys.executable, '-m', 'elfin_bt.cli', 'draw', *map(str, arguments)]


@pytest.fixture
def environment(tmp_path):
    """What the command runs in: its temporary files must be gone when it ends."""
    temporary = tmp_path / 'tmp'
    temporary.mkdir()
    yield {**os.environ, 'TMPDIR': str(temporary)}
    assert list(temporary.iterdir()) == []


@pytest.fixture
def drawing(tmp_path):
    path = tmp_path / 'drawing.svg'
    path.write_text(DRAWING)
    return path


def draw(environment, *arguments):
    return subprocess.run(
        command(*arguments), env=environment, capture_output=True, text=True, timeout=120
    )


def elfin_bt(*arguments):
    return subprocess.run(
        [sys.executable, '-m', 'elfin_bt.cli', *arguments],
        capture_output=True,
        text=True,
        timeout=30,
    )


def assert_exact(report):
    """The promises that every drawing keeps."""
    assert report['result'] == 'drawn'
    assert report['deviation_mm']['max'] <= 0.1
    assert report['missed_mm'] <= 0.15
    assert report['out_of_frames'] == 0 and report['faults'] == []
    assert report['joint_ratio']['velocity'] <= 1.0
    assert report['joint_ratio']['acceleration'] <= 1.0
    assert report['joint_ratio']['jerk'] <= 1.0
    assert report['max_tcp_speed_m_s'] <= 0.25
    assert report['drawn_duration_s'] == pytest.approx(report['planned_duration_s'], rel=0.01)


def test_a_drawing_is_drawn_exactly_and_leaves_its_report_and_pictures(
    environment, drawing, tmp_path
):
    out = tmp_path / 'out'
    ended = draw(environment, drawing, '--speedup', 10, '--out', out, '--json')
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report == json.loads((out / 'report.json').read_text())
    assert_exact(report)
    assert report['strokes'] == STROKES
    assert report['pen_down_m'] == pytest.approx(INK_M + 0.064393, abs=0.001)
    assert report['page_mm'] == pytest.approx([60.0, 40.0])
    assert [(entry['kind'], entry['count']) for entry in report['ignored']] == [('image', 1)]
    assert 'not drawn: 1 x image' in ended.stderr
    assert sorted(path.name for path in out.iterdir()) == ['ink.png', 'ink.svg', 'report.json']
    assert Image.open(out / 'ink.png').width >= 600


def test_a_dry_run_leaves_no_ink(environment, drawing, tmp_path):
    ended = draw(environment, drawing, '--speedup', 20, '--out', tmp_path / 'out', '--dry-run')
    assert ended.returncode == 0, ended.stderr
    report = json.loads((tmp_path / 'out' / 'report.json').read_text())
    assert (report['result'], report['dry_run'], report['pen_down_m']) == ('drawn', True, 0.0)
    assert report['deviation_mm']['max'] is None
    assert report['pen_up_m'] > INK_M


def test_a_running_session_draws_stops_and_draws_again(environment, drawing, tmp_path):
    session = subprocess.Popen(
        [sys.executable, '-m', 'elfin_bt.cli', 'session', '--speedup', '20'],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert session.stdout.readline().startswith('running: ')
        for number in range(2):
            out = tmp_path / f'out{number}'
            # Not the session's own temporary folder: that one must not be left with anything.
            ended = draw(dict(os.environ), drawing, '--attach', '--out', out)
            assert ended.returncode == 0, ended.stderr
            assert_exact(json.loads((out / 'report.json').read_text()))
        ended = draw(dict(os.environ), drawing, '--out', tmp_path / 'second')
        assert ended.returncode == 1
        assert 'draw with --attach' in ended.stderr

        assert elfin_bt('stop').returncode == 0
        ended = draw(dict(os.environ), drawing, '--attach', '--out', tmp_path / 'stopped')
        assert ended.returncode == 1 and 'a stop was requested' in ended.stderr
        assert elfin_bt('reset').returncode == 0
        assert 'nothing is latched' in elfin_bt('reset').stderr
        ended = draw(dict(os.environ), drawing, '--attach', '--out', tmp_path / 'after')
        assert ended.returncode == 0, ended.stderr
    finally:
        session.terminate()
        assert session.wait(5.0) == 0


@pytest.mark.parametrize('victim', ['firmware', 'hardware', 'executor', 'session', 'planner'])
def test_a_process_that_is_killed_in_a_stroke_is_named_and_the_arm_rests_on_the_path(
    environment, drawing, tmp_path, victim
):
    module = {
        'firmware': 'elfin_bt.hardware.phantom.process',
        'hardware': 'elfin_bt.hardware.node',
        'executor': 'elfin_bt.execution.node',
        'session': 'elfin_bt.session.node',
        'planner': 'elfin_bt.planning.worker',
    }[victim]
    out = tmp_path / 'out'
    process = subprocess.Popen(
        command(drawing, '--out', out), env=environment, stderr=subprocess.PIPE, text=True
    )
    said = []
    for line in process.stderr:
        said.append(line)
        if re.search(r'^drawing .*ink 0\.(0[1-9]|[1-9])', line):
            break
    assert process.poll() is None, said
    pids = children(process.pid)
    pids |= children(pids['elfin_bt.session.node'])
    os.kill(pids[module], signal.SIGKILL)
    killed_at = time.monotonic()
    _, errors = process.communicate(timeout=10.0)
    assert time.monotonic() - killed_at < 3.0
    assert process.returncode == 1
    assert victim in errors.splitlines()[-1]
    assert still_running(pids) == {}
    report = json.loads((out / 'report.json').read_text())
    assert report['result'] == 'failed' and victim in report['reason']
    assert report['pen_down_m'] > 0.0
    assert report['deviation_mm']['max'] <= 0.1


def test_ctrl_c_stops_the_arm_and_says_so(environment, drawing, tmp_path):
    process = subprocess.Popen(
        command(drawing, '--out', tmp_path / 'out', '--speedup', '2'),
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:
        if line.startswith('homing'):
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10.0)
    assert process.returncode == 1
    assert errors.splitlines()[-1] == 'failed: stopped by the user'


BAD_FILES = {
    'empty.svg': b'',
    'page.svg': b'<!doctype html><html><body><p>hello</p></body></html>',
    'truncated.svg': DRAWING.encode()[:300],
    'nan.svg': b'<svg xmlns="http://www.w3.org/2000/svg" width="9mm" height="9mm">'
    b'<line x1="nan" y1="0" x2="5" y2="5" stroke="black"/></svg>',
    'large.svg': b'<svg xmlns="http://www.w3.org/2000/svg" width="5m" height="5m"/>',
    'five_metres.svg': b'<svg xmlns="http://www.w3.org/2000/svg" width="5000mm" height="5000mm" '
    b'viewBox="0 0 5000 5000"><path d="M0 0L5000 5000" stroke="black"/></svg>',
    'folder': None,
    'missing.svg': None,
}


@pytest.mark.parametrize('name', BAD_FILES)
def test_bad_input_is_refused_in_one_line_with_nothing_started(environment, tmp_path, name):
    path = tmp_path / name
    if name == 'folder':
        path.mkdir()
    elif BAD_FILES[name] is not None:
        path.write_bytes(BAD_FILES[name])
    started_at = time.monotonic()
    ended = draw(environment, path, '--out', tmp_path / 'out')
    assert time.monotonic() - started_at < 2.0
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith('refused: ') and name in ended.stderr
    report = json.loads((tmp_path / 'out' / 'report.json').read_text())
    assert (report['result'], report['wall_s'] < 2.0) == ('refused', True)


def test_a_folder_that_can_not_be_written_is_found_before_anything_starts(environment, drawing):
    started_at = time.monotonic()
    ended = draw(environment, drawing, '--out', '/proc/nowhere')
    assert time.monotonic() - started_at < 2.0
    assert ended.returncode == 1
    assert ended.stderr.startswith('failed: can not write into /proc/nowhere: ')


@pytest.mark.parametrize(
    'arguments',
    [
        [],
        ['a.svg', '--width', '-5'],
        ['a.svg', '--width', '50', '--fit'],
        ['a.svg', '--speedup', '0'],
        ['a.svg', '--pen-speed', 'nan'],
        ['a.svg', '--pen-speed', '251'],
        ['a.svg', '--spacing', 'x'],
        ['a.svg', '--attach', '--speedup', '2'],
    ],
)
def test_wrong_usage_is_exit_code_2(environment, arguments):
    assert draw(environment, *arguments).returncode == 2

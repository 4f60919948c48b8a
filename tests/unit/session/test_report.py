# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The report of drawings that were executed exactly, badly, in part, or not at all."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from elfin_bt import __version__
from elfin_bt.drawing.geometry import EllipseArc, Line
from elfin_bt.drawing.recipe import Recipe, Stroke, stroke_kind
from elfin_bt.kinematics import PaperFrame, branch_of, ik
from elfin_bt.session.record import Record
from elfin_bt.session.report import Outcome, build_report, evaluate, write_report

FIELDS = {
    'version', 'source', 'page_mm', 'placed_mm', 'strokes', 'pen_down_m', 'pen_up_m', 'points',
    'planner', 'planned_duration_s', 'drawn_duration_s', 'wall_s', 'speedup', 'first_motion_s',
    'deviation_mm', 'missed_mm', 'out_of_frames', 'faults', 'ignored', 'max_tcp_speed_m_s',
    'joint_ratio', 'result', 'reason', 'dry_run', 'planned_s',
}  # fmt: skip
PAPER = PaperFrame()
READY = np.array([0.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0])
READY_TIP = np.array([0.04, 0.0, 0.1935])  # flange at (-0.42, 0, 0.4435) in the world
CONTACT, LIFTED = -0.0005, 0.005
STATUS = {
    'planned_duration_s': 4.25,
    'first_motion_s': 0.12,
    'figures': {
        'planner': 'local',
        'approach_s': 0.5,
        'plunge_s': 0.75,
        'draw_s': 2.0,
        'lift_s': 0.25,
        'travel_s': 0.75,
        'retract_duration_s': 0.5,
        'out_of_frames': 0,
        'faults': [],
    },
}


def drawn(**changes):
    return Outcome(result='drawn', wall_s=9.5, speedup=4.0, **changes).with_status(STATUS)


@pytest.fixture
def recipe():
    """A circle of 20 mm radius and a line of 30 mm through its centre, page 100 mm square."""
    strokes = []
    for segment in (
        EllipseArc([50, 50], [20, 0], [0, 20], 0.0, math.tau),
        Line([35, 50], [65, 50]),
    ):
        points = segment.point(np.linspace(0, 1, 101))
        strokes.append(Stroke(stroke_kind([segment]), (segment,), points))
    return Recipe(
        page_mm=(100.0, 100.0),
        strokes=tuple(strokes),
        placement=np.array([[0.001, 0, -0.05], [0, -0.001, 0.05]]),
        spacing_mm=1.0,
        chord_tolerance_mm=0.02,
        source={'path': 'circle.svg', 'sha256': 'ab' * 32, 'options': {'width_mm': None}},
        ignored=[{'kind': 'text', 'count': 2, 'ids': ['a', 'b']}],
    )


def straight(start, end, speed=0.08):
    """Samples on a straight way (M, 3) at a constant speed, m/s."""
    start, end = np.array(start, dtype=float), np.array(end, dtype=float)
    count = max(1, round(np.linalg.norm(end - start) / speed * 1000))
    return start + np.linspace(0, 1, count + 1)[1:, None] * (end - start)


def circle(radius):
    angle = np.linspace(0, -math.tau, round(math.tau * 0.02 / 0.08 * 1000))
    height = np.full(len(angle), CONTACT)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])


def execution(radius=0.02, line=True, raised=0.0):
    """The record of a drawing from the ready pose, retraction included; from 2 s on."""
    shift = np.array([0.0, 0.0, raised])
    ways = [
        straight(READY_TIP - shift, (radius, 0, LIFTED)),
        straight((radius, 0, LIFTED), (radius, 0, CONTACT)),
    ]
    ways += [circle(radius), straight((radius, 0, CONTACT), (radius, 0, LIFTED))]
    end = (radius, 0)
    if line:
        ways.append(straight((radius, 0, LIFTED), (-0.015, 0, LIFTED)))
        ways.append(straight((-0.015, 0, LIFTED), (-0.015, 0, CONTACT)))
        ways.append(straight((-0.015, 0, CONTACT), (0.015, 0, CONTACT)))
        ways.append(straight((0.015, 0, CONTACT), (0.015, 0, LIFTED)))
        end = (0.015, 0)
    ways.append(straight((*end, LIFTED), (*end, LIFTED + 0.04)))  # 0.5 s
    return record_of(np.concatenate(ways) + shift)


def record_of(tips, start=2.0):
    q = ik(PAPER.pen_poses(tips))[:, branch_of(READY[None])[0]]
    return Record(start + np.arange(len(tips)) * 1e-3, q)


def report_of(outcome, recipe, record):
    return build_report(outcome, recipe, evaluate(record, recipe, outcome))


def test_an_exact_drawing(recipe):
    record = execution()
    report = report_of(drawn(), recipe, record)
    assert set(report) == FIELDS
    assert report['version'] == __version__
    assert report['source'] == {'path': 'circle.svg', 'sha256': 'ab' * 32}
    assert report['page_mm'] == [100.0, 100.0]
    assert_allclose(report['placed_mm'], [40.0, 40.0])
    assert (report['strokes'], report['points']) == (2, 202)
    assert report['pen_down_m'] == pytest.approx(math.tau * 0.02 + 0.03, abs=1e-5)
    # Approach 0.02 across and 0.1885 down, both plunges and lifts to the surface, travel 0.035.
    assert report['pen_up_m'] == pytest.approx(
        math.hypot(0.02, 0.1885) + 4 * 0.005 + 0.035, abs=4 * 1.1 * 0.0005
    )
    assert report['drawn_duration_s'] == pytest.approx(record.time[-1] - 0.5 - 2.0)
    assert report['planned_duration_s'] == 4.25
    assert report['planned_s'] == {
        'approach': 0.5,
        'draw': 2.0,
        'travel': 0.75,
        'lift': 1.0,
        'settle': 0.0,
    }
    assert (report['wall_s'], report['speedup'], report['first_motion_s']) == (9.5, 4.0, 0.12)
    assert report['deviation_mm']['max'] < 1e-4
    assert report['missed_mm'] < 0.011
    assert report['max_tcp_speed_m_s'] == pytest.approx(0.08, rel=3e-3)
    assert (report['out_of_frames'], report['faults']) == (0, [])
    assert report['ignored'] == [{'kind': 'text', 'count': 2, 'ids': ['a', 'b']}]
    assert (report['planner'], report['result'], report['reason']) == ('local', 'drawn', None)
    assert report['dry_run'] is False
    assert set(report['joint_ratio']) == {'velocity', 'acceleration', 'jerk'}
    assert 0.0 < report['joint_ratio']['velocity'] < 1.0


def test_a_circle_drawn_a_twentieth_of_a_millimetre_too_large(recipe):
    report = report_of(drawn(), recipe, execution(radius=0.02005))
    assert report['deviation_mm']['max'] == pytest.approx(0.05, abs=1e-4)
    share = math.tau * 0.02 / (math.tau * 0.02 + 0.03)
    assert report['deviation_mm']['rms'] == pytest.approx(0.05 * math.sqrt(share), rel=0.01)
    assert report['missed_mm'] == pytest.approx(0.05, abs=0.011)


def test_a_stroke_that_was_left_out(recipe):
    report = report_of(drawn(), recipe, execution(line=False))
    assert report['deviation_mm']['max'] < 1e-4
    assert report['missed_mm'] == pytest.approx(20.0, abs=0.011)  # the circle's centre


def test_homing_is_not_part_of_the_drawing(recipe):
    homing = record_of(straight((0.05, 0.05, 0.2), READY_TIP), start=-2.0)
    drawing = execution()
    record = Record(
        np.concatenate([homing.time, drawing.time]), np.concatenate([homing.q, drawing.q])
    )
    alone, after = (report_of(drawn(), recipe, r) for r in (drawing, record))
    for name in ('pen_up_m', 'drawn_duration_s', 'pen_down_m', 'deviation_mm'):
        assert after[name] == alone[name]


def test_a_dry_run_leaves_no_ink(recipe):
    report = report_of(drawn(dry_run=True), recipe, execution(raised=0.01))
    assert report['dry_run'] is True
    assert report['pen_down_m'] == 0
    assert report['deviation_mm'] == {'max': None, 'rms': None}
    assert report['missed_mm'] is None
    assert report['pen_up_m'] > 0.15
    assert report['result'] == 'drawn'


def test_a_drawing_that_failed_half_way(recipe):
    whole = execution()
    half = Record(whole.time[:3300], whole.q[:3300])
    outcome = Outcome(result='failed', reason='the executor has died', wall_s=3.0)
    outcome = outcome.with_status(
        STATUS | {'figures': STATUS['figures'] | {'retract_duration_s': None}}
    )
    report = report_of(outcome, recipe, half)
    assert set(report) == FIELDS
    assert (report['result'], report['reason']) == ('failed', 'the executor has died')
    assert report['drawn_duration_s'] is None
    assert 0.0 < report['pen_down_m'] < math.tau * 0.02
    assert report['deviation_mm']['max'] < 1e-4
    assert report['missed_mm'] > 5.0


def test_faults_of_the_session_are_passed_on():
    status = {'figures': {'out_of_frames': 1, 'faults': ['OUT_OF_FRAMES: feed faster']}}
    outcome = Outcome(result='failed', reason='starved', wall_s=3.0).with_status(status)
    report = build_report(outcome, None, None)
    assert (report['out_of_frames'], report['faults']) == (1, ['OUT_OF_FRAMES: feed faster'])


def test_a_refused_file_has_every_field():
    outcome = Outcome(result='refused', reason='not an SVG file', wall_s=0.2)
    report = build_report(outcome, None, None, {'path': 'letter.svg'})
    assert set(report) == FIELDS
    assert report['source'] == {'path': 'letter.svg', 'sha256': None}
    known = {'version', 'source', 'wall_s', 'speedup', 'deviation_mm', 'joint_ratio', 'result'}
    known |= {'reason', 'out_of_frames', 'faults', 'ignored', 'dry_run'}
    assert all(report[name] is None for name in FIELDS - known)
    assert report['deviation_mm'] == {'max': None, 'rms': None}
    assert report['joint_ratio'] == {'velocity': None, 'acceleration': None, 'jerk': None}


def test_nothing_recorded(recipe):
    report = report_of(drawn(), recipe, Record(np.empty(0), np.empty((0, 6))))
    assert set(report) == FIELDS
    assert report['pen_down_m'] == 0
    assert report['max_tcp_speed_m_s'] is None


def test_a_pen_left_down_by_an_earlier_drawing_is_no_ink_of_this_one(recipe):
    drawing = execution()
    lift = record_of(straight((0.05, 0.06, CONTACT), (0.05, 0.06, LIFTED)), start=1.5)
    record = Record(np.concatenate([lift.time, drawing.time]), np.concatenate([lift.q, drawing.q]))
    assert report_of(drawn(), recipe, record)['deviation_mm']['max'] < 1e-4


def test_a_pen_dragged_across_the_paper_is_ink(recipe):
    drawing = execution()
    drag = record_of(straight((0.05, 0.05, CONTACT), (0.05, 0.06, LIFTED)), start=1.5)
    record = Record(np.concatenate([drag.time, drawing.time]), np.concatenate([drag.q, drawing.q]))
    assert report_of(drawn(), recipe, record)['deviation_mm']['max'] > 40.0


def test_the_file_is_strict_json(recipe, tmp_path):
    outcome = drawn(reason='näh')
    report = report_of(outcome, recipe, execution())
    path = tmp_path / 'report.json'
    write_report(path, report)

    def refuse(name):
        raise AssertionError(f'{name} is not JSON')

    assert json.loads(path.read_text(encoding='utf-8'), parse_constant=refuse) == report
    assert list(tmp_path.iterdir()) == [path]


def test_a_number_that_is_not_finite_becomes_null():
    outcome = Outcome(
        result='failed', wall_s=math.nan, planned_duration_s=math.inf, speedup=np.float64(2.0)
    )
    report = build_report(outcome, None, None)
    assert report['wall_s'] is None
    assert report['planned_duration_s'] is None
    assert json.dumps(report, allow_nan=False)


def test_a_file_name_that_is_not_unicode_can_be_written(tmp_path):
    outcome = Outcome(result='refused', reason='no', wall_s=0.1)
    write_report(tmp_path / 'r.json', build_report(outcome, None, None, {'path': 'a\udcff.svg'}))
    assert json.loads((tmp_path / 'r.json').read_bytes())['source']['path'] == 'a\udcff.svg'

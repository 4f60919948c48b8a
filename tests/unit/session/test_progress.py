# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.kinematics import PaperFrame, ik
from elfin_bt.planning.messages import Piece
from elfin_bt.planning.trajectory import Trajectory
from elfin_bt.session.ink_trail import InkTrail
from elfin_bt.session.progress import Progress


def joints_at(points):
    """Joints (N, 6) of one branch with the pen's tip at points (N, 3) of the paper."""
    solutions = ik(PaperFrame().pen_poses(np.array(points, dtype=float)))
    (branches,) = np.nonzero(np.isfinite(solutions).all(axis=(0, 2)))
    return solutions[:, branches[0]]


def piece(phase, points, stroke=0):
    joints = joints_at(points)
    time = 0.1 * np.arange(len(joints))
    return Piece(1, 0, phase, stroke, Trajectory(time, joints, np.zeros_like(joints)))


def test_ink_is_the_length_of_what_was_drawn():
    progress = Progress()
    progress.add(piece('approach', [(0, 0, 0.05), (0, 0, 0.02)]))
    progress.add(piece('draw', [(0, 0, -0.0005), (0.03, 0, -0.0005), (0.03, 0.04, -0.0005)]))
    assert progress.ink_m == pytest.approx(0.07)
    assert progress.executed_s == pytest.approx(0.3)


def test_a_stroke_is_done_when_the_pen_leaves_it_or_is_on_the_next():
    progress = Progress()
    path = [(0, 0, -0.0005), (0.01, 0, -0.0005)]
    done = []
    for phase, stroke in [
        ('approach', 0),
        ('plunge', 0),
        ('draw', 0),
        ('draw', 0),
        ('draw', 1),  # touches the stroke before
        ('lift', 1),
        ('travel', 2),
        ('plunge', 2),  # a dot
        ('lift', 2),
        ('retract', None),
    ]:
        progress.add(piece(phase, path, stroke))
        done.append(progress.strokes_done)
    assert done == [0, 0, 0, 0, 1, 2, 2, 2, 3, 3]


def test_the_retract_does_not_count_as_drawing():
    progress = Progress()
    progress.add(piece('draw', [(0, 0, -0.0005), (0.01, 0, -0.0005)]))
    progress.add(piece('retract', [(0, 0, 0.02), (0, 0, 0.06), (0, 0, 0.1)]))
    assert progress.executed_s == pytest.approx(0.1)
    assert progress.retract_s == pytest.approx(0.2)


def test_the_trail_has_ink_only_where_the_pen_is_down():
    trail = InkTrail(PaperFrame())
    path = [(0, 0, 0.01), (0, 0, 0), (0.01, 0, -0.0005), (0.02, 0, 0.001), (0.03, 0, 0.001)]
    for joints in joints_at(path):
        trail.add(joints)
    (strip,) = trail.take()
    np.testing.assert_allclose(strip[-1], path[2], atol=1e-9)
    assert len(strip) in (1, 2), 'rounding decides whether a tip at 0 is above or below'


def test_a_strip_goes_on_where_the_one_before_ended():
    trail = InkTrail(PaperFrame())
    path = [(0.01 * i, 0, -0.0005) for i in range(5)]
    joints = joints_at(path)
    strips = []
    for part in (joints[:3], joints[3:]):
        for entry in part:
            trail.add(entry)
        strips += trail.take()
    np.testing.assert_allclose(strips[0], path[:3], atol=1e-9)
    np.testing.assert_allclose(strips[1], path[2:], atol=1e-9)
    assert trail.take() == []

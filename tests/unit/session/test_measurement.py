# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is measured from a record is what its motion was made of."""

import numpy as np
import pytest

from elfin_bt.drawing.geometry import Line
from elfin_bt.kinematics import JointLimits, PaperFrame, ik
from elfin_bt.session.measurement import (
    Record,
    drawn_duration,
    first_drawn,
    joint_ratio,
    measure_record,
)

READY = np.array([0.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0])


def record_of(tips, start=0.0):
    """A record whose pen tip is at tips (N, 3), paper metres, a sample apart."""
    candidates = ik(PaperFrame().pen_poses(np.asarray(tips)))
    distance = np.abs(candidates - READY).max(axis=2)
    joints = candidates[np.arange(len(tips)), np.nanargmin(distance, axis=1)]
    return Record(start + 0.001 * np.arange(1, len(tips) + 1), joints)


def line(start, end, count):
    return np.linspace(start, end, count)


def test_rows_of_a_record_are_a_time_and_six_joints_and_an_unfinished_row_is_dropped():
    rows = np.arange(21, dtype='<f8').reshape(3, 7)
    record = Record.from_bytes(rows.tobytes()[:-3])
    np.testing.assert_array_equal(record.time, [0.0, 7.0])
    np.testing.assert_array_equal(record.joints, rows[:2, 1:])


def test_an_empty_record_measures_nothing():
    measured = measure_record(
        Record.from_bytes(b''), [Line((0.0, 0.0), (0.1, 0.0))], drawing_start=None
    )
    assert measured.deviation is None and measured.missed is None
    assert measured.max_tcp_speed is None and measured.joint_ratio.velocity is None


def test_a_line_drawn_beside_its_source_deviates_by_the_distance():
    down = line((0.0, 0.00007, -0.0005), (0.05, 0.00007, -0.0005), 1001)
    measured = measure_record(record_of(down), [Line((0.0, 0.0), (0.05, 0.0))], drawing_start=0.0)
    assert measured.deviation.max == pytest.approx(0.00007, abs=1e-9)
    assert measured.missed.max == pytest.approx(0.00007, abs=1e-7)
    assert measured.pen_down_m == pytest.approx(0.05, abs=1e-9)
    assert measured.pen_up_m == pytest.approx(0.0, abs=1e-9)
    assert measured.max_tcp_speed == pytest.approx(0.05, rel=1e-6)  # 50 mm in 1000 samples


def test_the_way_home_is_no_part_of_the_drawing():
    home = line((0.0, 0.0, 0.10), (0.0, 0.0, 0.12), 101)
    drawn = line((0.0, 0.0, 0.05), (0.0, 0.0, 0.02), 151)
    before, after = record_of(home), record_of(drawn, start=1.0)
    record = Record(
        np.concatenate((before.time, after.time)), np.concatenate((before.joints, after.joints))
    )
    measured = measure_record(record, [Line((0.0, 0.0), (0.1, 0.0))], drawing_start=0.09)
    assert measured.pen_up_m == pytest.approx(0.03, abs=1e-9)
    assert not measured.ink


@pytest.mark.parametrize(
    ('drawing_start', 'first'),
    [
        (0.095, 100),  # seen a little before the last samples of the way home
        (0.100, 100),
        (0.5, 100),  # seen while it rests
        (0.0, 0),  # there was no way home
    ],
)
def test_the_drawing_begins_after_the_pause_in_the_ready_pose(drawing_start, first):
    time = 0.001 * np.concatenate((np.arange(1, 101), np.arange(1001, 1051)))
    assert first_drawn(time, drawing_start) == first


def test_a_record_that_ends_on_the_way_home_has_no_drawing():
    time = 0.001 * np.arange(1, 101)
    assert first_drawn(time, 0.05) == 100
    assert drawn_duration(Record(time, np.zeros((100, 6))), 0.05, 0.0) == 0.0


def test_the_drawn_time_runs_from_one_sample_before_the_first_row_to_the_retract():
    time = 0.001 * np.concatenate((np.arange(1, 101), np.arange(1001, 1501)))
    record = Record(time, np.zeros((600, 6)))
    assert drawn_duration(record, 0.1, 0.2) == pytest.approx(0.3)


def test_joint_ratios_of_a_sinusoid_are_its_derivatives():
    amplitude, omega = 0.02, 10.0
    time = 0.001 * np.arange(2000)
    joints = np.zeros((2000, 6))
    joints[:, 3] = amplitude * np.sin(omega * time)
    ratio = joint_ratio(Record(time, joints), JointLimits.of_the_arm())
    assert ratio.velocity == pytest.approx(amplitude * omega / 1.57, rel=1e-3)
    assert ratio.acceleration == pytest.approx(amplitude * omega**2 / 3.0, rel=1e-3)
    assert ratio.jerk == pytest.approx(amplitude * omega**3 / 30.0, rel=1e-3)


def test_no_difference_spans_a_pause():
    time = np.concatenate((0.001 * np.arange(50), 5.0 + 0.001 * np.arange(50)))
    joints = np.zeros((100, 6))
    joints[50:] = 1.0  # moved by hand, say, while nothing was recorded
    ratio = joint_ratio(Record(time, joints), JointLimits.of_the_arm())
    assert ratio.velocity == ratio.acceleration == ratio.jerk == 0.0

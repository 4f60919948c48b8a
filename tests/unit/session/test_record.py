# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is read from a record: analytic motions, gaps, records cut short."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from elfin_bt.kinematics import PaperFrame, ik, tip_positions
from elfin_bt.kinematics.limits import JointLimits
from elfin_bt.planning.settings import READY_POSE
from elfin_bt.session.record import Record, draw_window, joint_ratio, max_speed, read_record

LIMITS = JointLimits(
    position=np.array([[-3.0, 3.0]] * 6),
    velocity=np.full(6, 2.0),
    acceleration=np.full(6, 5.0),
    jerk=np.full(6, 40.0),
)

READY = np.array(READY_POSE)


def record_of(motion, seconds=2.0, joint=2, start=0.0):
    """A record in which one joint follows motion(t)."""
    time = np.arange(round(seconds * 1000) + 1) * 1e-3
    q = np.zeros((len(time), 6))
    q[:, joint] = motion(time)
    return Record(start + time, q)


def joined(*records):
    return Record(
        np.concatenate([record.time for record in records]),
        np.concatenate([record.q for record in records]),
    )


def test_ratios_of_a_sine():
    # 0.1 sin(5 t): velocity 0.5, acceleration 2.5, jerk 12.5 at the peaks.
    ratio = joint_ratio(record_of(lambda t: 0.1 * np.sin(5.0 * t)), LIMITS)
    assert ratio['velocity'] == pytest.approx(0.5 / 2.0, rel=1e-4)
    assert ratio['acceleration'] == pytest.approx(2.5 / 5.0, rel=1e-4)
    assert ratio['jerk'] == pytest.approx(12.5 / 40.0, rel=1e-3)


def test_jerk_is_the_third_difference_over_four_milliseconds():
    # A step of acceleration by 1 rad/s2 meets the third difference's kernel, a quadratic B-spline
    # of knots 4 ms apart, whose peak is 3/4: 0.75 / 0.004 = 187.5 rad/s3.
    ratio = joint_ratio(record_of(lambda t: 0.5 * np.maximum(t - 0.5, 0.0) ** 2), LIMITS)
    assert ratio['acceleration'] == pytest.approx(1.0 / 5.0, rel=1e-6)
    assert ratio['jerk'] == pytest.approx(187.5 / 40.0, rel=1e-6)


@pytest.mark.parametrize('phase', range(4))
def test_jerk_is_looked_for_at_every_sample(phase):
    def bump(t):
        return 1e-4 * (np.rint(t * 1000) == 1000 + phase)

    assert joint_ratio(record_of(bump), LIMITS)['jerk'] == pytest.approx(
        3e-4 / 0.004**3 / 40.0, rel=1e-6
    )


def test_the_joint_nearest_to_its_own_limit_counts():
    fast = record_of(lambda t: 0.5 * t, joint=0)
    fast.q[:, 4] = 0.4 * fast.time
    limits = JointLimits(LIMITS.position, np.array([2.0, 1, 1, 1, 0.5, 1]), *[np.full(6, 9.0)] * 2)
    assert joint_ratio(fast, limits)['velocity'] == pytest.approx(0.4 / 0.5)


def test_nothing_is_measured_across_a_gap():
    calm = record_of(lambda t: 0.01 * t)
    far = record_of(lambda t: 1.0 + 0.01 * t, start=5.0)
    ratio = joint_ratio(joined(calm, far), LIMITS)
    assert ratio['velocity'] == pytest.approx(0.01 / 2.0)
    assert ratio['acceleration'] == pytest.approx(0.0, abs=1e-8)
    assert ratio['jerk'] == pytest.approx(0.0, abs=1e-6)


def test_one_sample_missing_is_a_gap_and_rounding_of_the_time_is_none():
    time = np.array([0.0, 0.0010000001, 0.002, 0.0029, 0.005, 0.006])
    assert Record(time, np.zeros((6, 6))).gaps.tolist() == [False, False, False, True, False]


@pytest.mark.parametrize(('rows', 'known'), [(0, 0), (1, 0), (2, 1), (3, 2), (12, 2), (13, 3)])
def test_short_records(rows, known):
    record = Record(np.arange(rows) * 1e-3, np.zeros((rows, 6)))
    ratios = list(joint_ratio(record, LIMITS).values())
    assert ratios == [0.0] * known + [None] * (3 - known)


def test_tip_speed():
    record = record_of(lambda t: t)
    tips = np.column_stack([0.05 * record.time, 0.12 * record.time, 0.0 * record.time])
    assert max_speed(record, tips) == pytest.approx(0.13)
    assert max_speed(Record(record.time[::2], record.q[::2]), tips[::2]) is None


def test_tips_of_many_rows_are_those_of_each():
    rng = np.random.default_rng(1)
    q = rng.uniform(-1.0, 1.0, (100_001, 6))
    paper = PaperFrame()
    tips = Record(np.arange(len(q)) * 1e-3, q).tips(paper)
    some = [0, 99_999, 100_000]
    assert_allclose(tips[some], paper.to_paper(tip_positions(q[some])), atol=1e-15)


def test_tip_at_a_pen_pose_is_where_the_pose_was_asked_for():
    paper = PaperFrame()
    place = np.array([[0.03, -0.05, -0.0005]])
    q = ik(paper.pen_poses(place))[0, 0]
    assert_allclose(Record(np.zeros(1), q[None]).tips(paper), place, atol=1e-12)


def test_record_is_read_from_a_file_and_from_bytes(tmp_path):
    rows = np.arange(21.0).reshape(3, 7)
    path = tmp_path / 'executed-1.f64'
    path.write_bytes(rows.astype('<f8').tobytes())
    for record in (read_record(path), read_record(path.read_bytes())):
        assert_allclose(record.time, [0, 7, 14])
        assert_allclose(record.q, rows[:, 1:])


@pytest.mark.parametrize('missing', [1, 8, 55])
def test_a_row_cut_short_is_left_out(missing):
    data = np.arange(21.0).astype('<f8').tobytes()
    assert_allclose(read_record(data[:-missing]).time, [0, 7])


def test_an_empty_record():
    record = read_record(b'')
    assert len(record) == 0
    assert record.q.shape == (0, 6)
    assert record.tips(PaperFrame()).shape == (0, 3)
    assert max_speed(record, np.empty((0, 3))) is None
    assert draw_window(record, None) is None


def homing(target, start=10.0):
    """2 s of motion of joint 3 to `target`, then rest."""
    record = record_of(lambda t: target + 0.3 * (2.0 - t), seconds=2.0, start=start)
    return with_ready_wrist(record)


def drawing(start=12.5):
    """8 s of motion of joint 3 from the ready pose."""
    return with_ready_wrist(record_of(lambda t: READY[2] + 0.01 * t, seconds=8.0, start=start))


def with_ready_wrist(record):
    record.q[:, 4] = READY[4]
    return record


def test_the_drawing_begins_with_the_first_motion_from_rest_in_the_ready_pose():
    record = joined(homing(READY[2]), drawing())
    assert draw_window(record, 1.5) == pytest.approx((12.5, 19.0))


def test_a_rest_on_the_way_home_is_not_taken_for_the_ready_pose():
    record = joined(homing(READY[2] + 0.5, start=5.0), homing(READY[2]), drawing())
    assert draw_window(record, 1.5) == pytest.approx((12.5, 19.0))


def test_an_arm_that_is_at_its_ready_pose_draws_from_the_first_row():
    assert draw_window(drawing(), 1.5) == pytest.approx((12.5, 19.0))


def test_without_retraction_the_window_reaches_to_the_end():
    assert draw_window(joined(homing(READY[2]), drawing()), None) == pytest.approx((12.5, 20.5))


def test_no_window_where_the_drawing_has_not_begun():
    assert draw_window(homing(READY[2]), None) is None

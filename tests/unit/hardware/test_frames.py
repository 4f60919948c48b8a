# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.hardware.phantom.frames import FrameBuffer


def buffer_with(points: list[tuple[float, float, int]]) -> FrameBuffer:
    """One joint, samples of 1 ms; points are (position, velocity, duration in samples)."""
    buffer = FrameBuffer(capacity=16, joints=1, sample=0.001)
    table = np.array(points, dtype=float)
    buffer.append(table[:, :1], table[:, 1:2], table[:, 2].astype(np.int64), call=1)
    return buffer


def test_a_point_takes_two_frames_until_it_is_reached():
    buffer = buffer_with([(1.0, 0.0, 10), (2.0, 0.0, 10)])
    assert (buffer.loaded, buffer.free) == (4, 12)
    buffer.consume(9.9)
    assert buffer.loaded == 4
    buffer.consume(10.0)
    assert (buffer.loaded, buffer.free) == (2, 14)


def test_a_segment_from_rest_to_rest_is_the_smooth_step():
    # 0 to 1 rad in 1 s: half way it is at 0.5 rad and at 1.5 times the mean velocity.
    positions, velocities = buffer_with([(1.0, 0.0, 1000)]).evaluate(np.array([250.0, 500.0]))
    assert positions[:, 0] == pytest.approx([0.15625, 0.5], abs=1e-15)
    assert velocities[:, 0] == pytest.approx([1.125, 1.5], abs=1e-12)


def test_velocities_that_contradict_the_positions_overshoot_within_the_segment():
    # Back and forth in 1 s between equal positions: the cubic bulges by (v0 - v1) T / 8.
    buffer = buffer_with([(0.0, 1.0, 1), (0.0, -1.0, 1000)])
    positions, _ = buffer.evaluate(np.array([501.0]))
    assert positions[0, 0] == pytest.approx(0.25)


def test_points_are_met_exactly_in_position_and_velocity():
    buffer = buffer_with([(0.3, 0.2, 7), (0.1, -0.4, 11)])
    positions, velocities = buffer.evaluate(np.array([7.0, 18.0]))
    assert positions[:, 0] == pytest.approx([0.3, 0.1], abs=1e-15)
    assert velocities[:, 0] == pytest.approx([0.2, -0.4], abs=1e-12)


def test_consumed_points_do_not_change_the_path_ahead():
    buffer = buffer_with([(0.3, 0.2, 7), (0.1, -0.4, 11)])
    before = buffer.evaluate(np.array([12.5]))[0]
    buffer.consume(12.0)
    assert buffer.evaluate(np.array([12.5]))[0] == before


@pytest.mark.parametrize(
    ('empty_count', 'place'),
    [(2, 30.0), (3, 20.0), (4, 20.0), (6, 10.0), (7, -np.inf)],
)
def test_starvation_is_where_fewer_frames_than_the_empty_count_are_left(empty_count, place):
    buffer = buffer_with([(1.0, 0.0, 10), (2.0, 0.0, 10), (3.0, 0.0, 10)])
    assert buffer.starvation(empty_count) == place


def test_the_executing_point_is_named_by_its_call_and_its_place_in_it():
    buffer = buffer_with([(1.0, 0.0, 10), (2.0, 0.0, 10)])
    buffer.append(np.ones((1, 1)), np.zeros((1, 1)), np.array([10]), call=2)
    seen = []
    for place in (5.0, 15.0, 25.0, 30.0):
        buffer.consume(place)
        seen.append(buffer.executing)
    assert seen == [(1, 0), (1, 1), (2, 0), (2, 0)]

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Progress out of 16-bit identifiers. Streams move joint 1; a hold keeps it where it is."""

import numpy as np
import pytest

from elfin_bt.hardware.phantom.multi_axis import MultiAxis
from elfin_bt.hardware.point_count import PointCount


def observe(count: PointCount, axis: MultiAxis) -> None:
    snapshot = axis.snapshot()
    count.observe(snapshot.motion_id, snapshot.element_id, reached=snapshot.state.name == 'IDLE')


def test_more_calls_than_sixteen_bits_give_monotone_progress():
    axis, count = MultiAxis(), PointCount()
    hold = np.zeros((2, 6)), np.zeros((2, 6)), np.full(2, 0.001)
    axis.move_pvt(*hold, empty_count=2, final=False)
    count.opened(axis.snapshot().motion_id, 2)
    executed = []
    for _ in range(66_000):
        axis.move_pvt(*hold, empty_count=2, final=False)
        count.appended(2)
        axis.advance(2)
        observe(count, axis)
        executed.append(count.executed)
    assert axis.snapshot().motion_id == 66_001 - 65_536
    assert np.array_equal(executed, 2 * np.arange(1, 66_001))


def test_more_points_than_sixteen_bits_give_monotone_progress(stream):
    axis, count = MultiAxis(), PointCount()
    points = stream(256, velocity=0.0)
    arguments = points.positions, points.velocities, points.times
    axis.move_pvt(*arguments, empty_count=120, final=False)
    count.opened(axis.snapshot().motion_id, 256)
    executed = [0]
    for _ in range(270):
        axis.move_pvt(*arguments, empty_count=120, final=False)
        count.appended(256)
        for _ in range(8):
            axis.advance(32)
            observe(count, axis)
            executed.append(count.executed)
    assert count.executed == 270 * 256 > 65_536
    assert np.diff(executed) == pytest.approx(32)


def test_the_last_point_counts_when_it_is_reached(stream):
    axis, count = MultiAxis(), PointCount()
    points = stream(100, velocity=0.0)
    axis.move_pvt(points.positions, points.velocities, points.times, empty_count=120, final=True)
    count.opened(axis.snapshot().motion_id, 100)
    axis.advance(99)
    observe(count, axis)
    assert count.executed == 99
    axis.advance(1)
    observe(count, axis)
    assert count.executed == 100


def test_what_was_dropped_is_not_counted_by_the_next_move():
    count = PointCount()
    count.opened(7, 100)
    count.observe(7, 40, reached=False)
    count.opened(9, 50)
    count.observe(9, 10, reached=False)
    assert count.executed == 50


def test_a_move_of_another_client_is_none_of_ours():
    count = PointCount()
    count.observe(3, 20, reached=True)
    assert count.executed == 0

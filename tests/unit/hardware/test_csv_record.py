# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import csv
import math
import os
import threading
from pathlib import Path

import pytest

from elfin_bt.hardware import csv_record
from elfin_bt.hardware.csv_record import HEADER, CsvRecord
from elfin_bt.hardware.phantom.multi_axis import MultiAxis


def read(path: str) -> list[dict[str, str]]:
    with Path(path).open() as file:
        return list(csv.DictReader(file))


def test_a_row_holds_planned_and_actual_of_each_joint_with_both_times(tmp_path, stream):
    axis = MultiAxis(lag=0.01)
    points = stream(400)
    axis.move_pvt(points.positions, points.velocities, points.times, empty_count=120, final=False)
    record = CsvRecord(tmp_path)
    path = record.start()
    stamps = [1000.0 + 0.004 * cycle for cycle in range(50)]
    snapshots = []
    for stamp in stamps:
        axis.advance(4)
        snapshots.append(axis.snapshot())
        record.add(snapshots[-1], stamp)
    assert record.stop() == path
    rows = read(path)
    assert tuple(rows[0]) == HEADER
    assert [float(row['stamp']) for row in rows] == pytest.approx(stamps)
    assert float(rows[-1]['device_time']) == pytest.approx(0.2)
    for row, snapshot in zip(rows, snapshots, strict=True):
        planned, actual = snapshot.position[0], snapshot.actual_position[0]
        assert float(row['elfin_joint1_planned']) == pytest.approx(planned, abs=1e-9)
        assert float(row['elfin_joint1_actual']) == pytest.approx(actual, abs=1e-9)
        assert float(row['elfin_joint1_error']) == pytest.approx(planned - actual, abs=1e-9)
        assert row['state'] == '1'
    # A ramp of 0.1 rad/s behind a lag of 10 ms: 1 mrad.
    assert float(rows[-1]['elfin_joint1_error']) == pytest.approx(0.001, rel=0.06)
    assert float(rows[-1]['elfin_joint6_actual_velocity']) == 0.0


def test_it_is_switched_at_run_time_and_each_record_is_a_new_file(tmp_path):
    record, snapshot = CsvRecord(tmp_path), MultiAxis().snapshot()
    record.add(snapshot, 1.0)
    first = record.start()
    record.add(snapshot, 2.0)
    second = record.start()  # ends the first
    record.add(snapshot, 3.0)
    record.stop()
    record.add(snapshot, 4.0)
    assert first != second
    assert [row['stamp'] for row in read(first)] == ['2.000000']
    assert [row['stamp'] for row in read(second)] == ['3.000000']
    assert record.stop() == second


def test_more_rows_than_the_ring_holds_all_reach_the_file(tmp_path):
    record, snapshot = CsvRecord(tmp_path), MultiAxis().snapshot()
    path = record.start()
    for number in range(2 * csv_record.RING):
        while record._added - record._written > csv_record.RING // 2:
            threading.Event().wait(0.01)
        record.add(snapshot, float(number))
    record.stop()
    assert [float(row['stamp']) for row in read(path)] == list(range(2 * csv_record.RING))
    assert record.lost == 0


def test_rows_that_a_slow_disk_has_no_time_for_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_record, 'WRITE_PERIOD', 60.0)
    record, snapshot = CsvRecord(tmp_path), MultiAxis().snapshot()
    record.start()
    for number in range(csv_record.RING + 5):
        record.add(snapshot, float(number))
    path = record.stop()
    assert record.lost == 5
    assert len(read(path)) == csv_record.RING


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='no /dev/full')
def test_a_full_disk_ends_the_record_and_nothing_else(tmp_path, monkeypatch):
    record, snapshot = CsvRecord(tmp_path), MultiAxis().snapshot()
    monkeypatch.setattr(record, '_new_file', lambda: Path('/dev/full').open('w'))
    record.start()
    for _ in range(3):
        record.add(snapshot, math.pi)
    record.stop()
    assert not record.running
    assert record.lost > 0


def test_a_folder_that_can_not_be_written_is_the_callers_to_know(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(OSError):
        CsvRecord(tmp_path / 'file' / 'folder').start()

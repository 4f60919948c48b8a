# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The feeder's thread around a core on a phantom in this process, whose time the test moves."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from elfin_bt.execution.chunk import encode_chunk
from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.csv_record import CsvRecord
from elfin_bt.hardware.device import DeviceState
from elfin_bt.hardware.feeder import Feeder, FeederEnded

TIMEOUT = 5.0


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.fixture
def start(bench, tmp_path) -> Iterator[Callable[..., Feeder]]:
    feeders = []

    def make(*, period: float = 0.004, **options) -> Feeder:
        options = {'on_cycle': lambda: None, 'record': CsvRecord(tmp_path), **options}
        feeders.append(Feeder(bench.core, period=period, **options))
        return feeders[-1]

    yield make
    for feeder in feeders:
        feeder.stop()


def test_a_chunk_is_taken_at_once_and_not_at_the_next_deadline(start, bench, chunk):
    feeder = start(period=60.0)
    feeder.submit(encode_chunk(chunk(0, final=True)))
    wait_for(lambda: feeder.report.accepted == 1)
    assert bench.axis.state is DeviceState.MOVING
    assert feeder.cycles == 0


def test_chunks_and_requests_are_carried_out_in_the_order_of_their_arrival(start, chunk):
    feeder = start()
    gate = threading.Event()
    blocked = threading.Thread(target=lambda: feeder.call(lambda core: gate.wait(TIMEOUT)))
    blocked.start()
    feeder.submit(encode_chunk(chunk(0)))
    stopper = threading.Thread(
        target=lambda: feeder.call(lambda core: core.stop(Fault.STOP_REQUESTED))
    )
    stopper.start()
    wait_for(lambda: len(feeder._inbox) == 2)
    feeder.submit(encode_chunk(chunk(1)))
    gate.set()
    blocked.join()
    stopper.join()
    wait_for(lambda: feeder.report.refused == 1)
    assert (feeder.report.accepted, feeder.report.fault) == (1, Fault.STOP_REQUESTED)


def test_all_calls_come_from_one_thread(start):
    feeder = start()
    names = {feeder.call(lambda core: threading.current_thread().name) for _ in range(5)}
    assert names == {'feeder'}


def test_who_asks_sees_the_state_it_led_to(start):
    feeder = start(period=60.0)
    feeder.call(lambda core: core.stop(Fault.STOP_REQUESTED))
    assert feeder.report.fault is Fault.STOP_REQUESTED


def test_the_device_is_looked_at_on_a_grid_and_missed_cycles_are_left_out(start):
    begin = time.monotonic()
    feeder = start(period=0.01)
    wait_for(lambda: feeder.cycles >= 3)
    feeder.call(lambda core: time.sleep(0.2))
    before = feeder.cycles
    wait_for(lambda: feeder.cycles >= before + 3)
    assert feeder.cycles <= (time.monotonic() - begin) / 0.01 - 18
    assert 0.18 < feeder.lateness.take_worst()
    assert feeder.take_slowest() >= 0.2


def test_what_goes_wrong_in_a_request_is_told_to_who_asked(start):
    feeder = start()

    def fail(_core):
        raise ValueError('nonsense')

    with pytest.raises(ValueError, match='nonsense'):
        feeder.call(fail)
    assert feeder.call(lambda core: 7) == 7


@pytest.mark.filterwarnings('ignore::pytest.PytestUnhandledThreadExceptionWarning')
def test_a_feeder_that_has_failed_says_why_and_answers_nobody(start, bench):
    def break_down(_now):
        raise ArithmeticError('broken')

    news = []
    bench.core.poll = break_down
    feeder = start(on_cycle=lambda: news.append(1))
    wait_for(lambda: not feeder._thread.is_alive())
    assert "ArithmeticError('broken')" in feeder.failure
    assert news
    with pytest.raises(FeederEnded, match='broken'):
        feeder.call(lambda core: None)


def test_each_cycle_adds_a_row_to_a_running_record(start, tmp_path):
    record = CsvRecord(tmp_path)
    feeder = start(record=record)
    record.start()
    begin = feeder.cycles
    wait_for(lambda: feeder.cycles >= begin + 5)
    path = record.stop()
    with open(path) as file:
        assert len(file.readlines()) >= 5

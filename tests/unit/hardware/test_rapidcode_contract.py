# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What the RapidCode backend promises, on RMP's phantom axes.

By default a fake module with the binding's names stands in. On a machine with RMP,

    ELFIN_RAPIDCODE=/rsi pytest tests/unit/hardware/test_rapidcode_contract.py

runs the same file on the real binding in that folder, in real time and without any drive.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from elfin_bt.hardware.device import (
    Device,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    FirmwareError,
    Source,
    Status,
)
from elfin_bt.hardware.rapidcode.device import RapidCodeDevice
from elfin_bt.hardware.rapidcode.settings import RapidCodeSettings

REAL = os.environ.get('ELFIN_RAPIDCODE', '')
PERIOD = 0.001  # s between points
SPEED = 0.1  # rad/s of joint 1
EMPTY = 120  # frames, 60 ms
ESTOP, STOP = 0.05, 0.5  # s


class Bench:
    """A connected device and the means to let time pass."""

    def __init__(self, wait: Callable[[float], None], folder: str, records: Path) -> None:
        settings = RapidCodeSettings(rmp_path=folder) if folder else RapidCodeSettings()
        self.wait = wait
        self.device: Device = RapidCodeDevice(settings, record_folder=records, sleep=wait)
        self.info = self.device.connect()
        self.device.configure(estop_time=ESTOP, stop_time=STOP)
        self._origin = self.device.snapshot().position
        self._sent = 0

    def stream(self, points: int, *, final: bool = False) -> DeviceSnapshot:
        """Append points of a line of joint 1 at constant velocity, that begins where the arm is."""
        snapshot = self.device.snapshot()
        if snapshot.state is DeviceState.IDLE:
            self._origin, self._sent = snapshot.position, 0
        index = self._sent + 1 + np.arange(points)
        positions = np.tile(self._origin, (points, 1))
        positions[:, 0] += SPEED * PERIOD * index
        velocities = np.zeros((points, 6))
        velocities[:, 0] = SPEED
        if final:
            velocities[-1] = 0.0
        self._sent += points
        return self.device.move_pvt(
            positions, velocities, np.full(points, PERIOD), empty_count=EMPTY, final=final
        )

    def until(self, reached: Callable[[DeviceSnapshot], bool], timeout: float) -> DeviceSnapshot:
        for _ in range(round(timeout / 0.002)):
            snapshot = self.device.snapshot()
            if reached(snapshot):
                return snapshot
            self.wait(0.002)
        raise AssertionError(f'not reached within {timeout} s: {self.device.snapshot()}')

    def until_state(self, state: DeviceState, timeout: float = 2.0) -> DeviceSnapshot:
        return self.until(lambda snapshot: snapshot.state is state, timeout)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Bench]:
    if REAL:
        made = Bench(time.sleep, REAL, tmp_path)
    else:
        import fake_rapidcode

        firmware = fake_rapidcode.Firmware()
        monkeypatch.setattr(fake_rapidcode, 'firmware', firmware)
        monkeypatch.setitem(sys.modules, 'RapidCodePython', fake_rapidcode)
        made = Bench(firmware.advance, '', tmp_path)
    yield made
    made.device.close()


def travelled(bench: Bench, snapshot: DeviceSnapshot) -> float:
    return float(snapshot.position[0] - bench._origin[0])


def test_it_comes_up_idle_at_the_sample_and_buffer_that_were_asked_for(bench: Bench) -> None:
    snapshot = bench.device.snapshot()
    assert snapshot.state is DeviceState.IDLE
    assert snapshot.source is Source.NONE
    assert snapshot.active == frozenset()
    assert (bench.info.sample, bench.info.frame_buffer, bench.info.speedup) == (0.001, 1024, 1.0)
    assert (snapshot.frames_loaded, snapshot.frames_free) == (0, 1024)
    assert snapshot.amps_enabled
    assert snapshot.feed_target == 1.0
    assert snapshot.feed_rate == 0.0


def test_device_time_passes(bench: Bench) -> None:
    before = bench.device.snapshot().time
    bench.wait(0.1)
    assert 0.095 <= bench.device.snapshot().time - before <= 0.5


def test_a_closed_move_ends_exactly_at_its_last_point_and_idle(bench: Bench) -> None:
    snapshot = bench.stream(400, final=True)
    assert snapshot.state is DeviceState.MOVING
    assert Status.MOTION_START in snapshot.status
    assert snapshot.frames_loaded == pytest.approx(800, abs=100)
    snapshot = bench.until_state(DeviceState.IDLE)
    assert travelled(bench, snapshot) == pytest.approx(0.04, abs=1e-6)
    assert snapshot.frames_loaded == 0
    assert Status.DONE in snapshot.status
    assert snapshot.velocity == pytest.approx(np.zeros(6), abs=1e-6)
    # Phantom axes have no encoder: what they are told is where they are.
    assert snapshot.actual_position == pytest.approx(snapshot.position, abs=0)


def test_calls_append_and_points_are_counted(bench: Bench) -> None:
    first = bench.stream(200)
    bench.stream(200, final=True)
    bench.until(lambda s: s.motion_id == (first.motion_id + 1) % 65536, 2.0)
    snapshot = bench.until_state(DeviceState.IDLE)
    assert travelled(bench, snapshot) == pytest.approx(0.04, abs=1e-6)


def test_a_starved_stream_stops_on_its_path_and_says_out_of_frames(bench: Bench) -> None:
    bench.stream(200)
    snapshot = bench.until_state(DeviceState.ERROR)
    assert snapshot.source is Source.OUT_OF_FRAMES
    assert Source.OUT_OF_FRAMES in snapshot.active
    # 59 points are fewer than 120 frames; the ramp then eats half of EStopTime.
    assert travelled(bench, snapshot) == pytest.approx(SPEED * (0.141 + ESTOP / 2), abs=5e-4)
    assert snapshot.drive_faults == []


def test_an_estop_ends_on_the_path_within_its_ramp(bench: Bench) -> None:
    bench.stream(400)
    bench.wait(0.1)
    before = travelled(bench, bench.device.snapshot())
    assert bench.device.estop().state is DeviceState.STOPPING_ERROR
    snapshot = bench.until_state(DeviceState.ERROR, timeout=ESTOP + 0.5)
    assert (snapshot.source, snapshot.active) == (Source.USER, {Source.USER})
    assert travelled(bench, snapshot) == pytest.approx(before + SPEED * ESTOP / 2, abs=2e-3)
    assert snapshot.amps_enabled


def test_after_an_estop_only_clear_faults_helps(bench: Bench) -> None:
    bench.stream(400)
    bench.device.estop()
    with pytest.raises(FirmwareError):
        bench.device.clear_faults()  # still coming to rest
    bench.until_state(DeviceState.ERROR)
    with pytest.raises(FirmwareError):
        bench.stream(10)
    cleared = bench.device.clear_faults()
    assert (cleared.state, cleared.source) == (DeviceState.IDLE, Source.NONE)
    bench.stream(100, final=True)
    snapshot = bench.until_state(DeviceState.IDLE)
    assert travelled(bench, snapshot) == pytest.approx(0.01, abs=1e-6)


def test_a_stopped_move_resumes_on_its_path(bench: Bench) -> None:
    bench.stream(500, final=True)
    bench.wait(0.05)
    assert bench.device.stop().state is DeviceState.STOPPING
    stopped = bench.until_state(DeviceState.STOPPED)
    assert travelled(bench, stopped) < 0.05
    assert bench.device.resume().state is DeviceState.MOVING
    snapshot = bench.until_state(DeviceState.IDLE)
    assert travelled(bench, snapshot) == pytest.approx(0.05, abs=1e-6)


def test_feed_rate_zero_pauses_without_starving_and_one_goes_on(bench: Bench) -> None:
    bench.stream(500)
    paused = bench.device.set_feed_rate(0.0)
    assert paused.paused
    bench.wait(STOP + 0.2)
    snapshot = bench.device.snapshot()
    assert snapshot.state is DeviceState.MOVING
    assert snapshot.feed_rate == 0.0
    place = travelled(bench, snapshot)
    bench.wait(0.2)
    assert travelled(bench, bench.device.snapshot()) == pytest.approx(place, abs=1e-9)
    bench.device.set_feed_rate(1.0)
    bench.stream(10, final=True)
    snapshot = bench.until_state(DeviceState.IDLE, timeout=3.0)
    assert travelled(bench, snapshot) == pytest.approx(0.051, abs=1e-6)


def test_an_abort_switches_off_and_needs_both_resets(bench: Bench) -> None:
    bench.stream(400)
    snapshot = bench.device.abort()
    assert (snapshot.state, snapshot.amps_enabled) == (DeviceState.ERROR, False)
    bench.device.clear_faults()
    with pytest.raises(FirmwareError) as refusal:
        bench.stream(10, final=True)
    assert refusal.value.number is ErrorNumber.AMPS_DISABLED
    assert bench.device.amp_enable().amps_enabled
    bench.stream(10, final=True)
    bench.until_state(DeviceState.IDLE)


def test_amplifiers_go_off_at_rest_only(bench: Bench) -> None:
    bench.stream(400, final=True)
    with pytest.raises(FirmwareError):
        bench.device.amp_disable()
    bench.until_state(DeviceState.IDLE)
    assert not bench.device.amp_disable().amps_enabled


def test_more_than_the_buffer_holds_is_refused_and_harmless(bench: Bench) -> None:
    with pytest.raises(FirmwareError) as refusal:
        bench.stream(600, final=True)
    assert refusal.value.number is ErrorNumber.BUFFER_FULL
    assert '600 points need 1200 frames and 1024 of 1024 are free' in refusal.value.text
    assert bench.device.snapshot().state is DeviceState.IDLE


def test_it_can_be_closed_and_connected_again(bench: Bench) -> None:
    bench.device.close()
    bench.device.close()
    bench.device.connect()
    assert bench.device.snapshot().state is DeviceState.IDLE


def test_a_record_holds_what_was_executed_in_motion(bench: Bench) -> None:
    path = bench.device.record(True)
    bench.stream(100, final=True)
    bench.until_state(DeviceState.IDLE)
    assert bench.device.record(False) == path
    rows = np.fromfile(path).reshape(-1, 7)
    assert len(rows) >= 10
    assert (np.diff(rows[:, 0]) > 0.0).all()
    progress = rows[:, 1] - bench._origin[0]
    assert progress[-1] == pytest.approx(0.01, abs=1e-6)
    # Each row lies on the line at the time it names.
    inner = rows[2:-2]
    assert np.diff(inner[:, 1]) == pytest.approx(SPEED * np.diff(inner[:, 0]), abs=2e-4)


def test_faults_are_not_simulated_on_a_controller(bench: Bench) -> None:
    with pytest.raises(FirmwareError) as refusal:
        bench.device.inject('amp_fault')
    assert refusal.value.number is ErrorNumber.NOT_SUPPORTED

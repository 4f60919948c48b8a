# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The firmware as a process, in real time. Streams move joint 1 at 0.1 rad/s."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from elfin_bt.hardware.device import DeviceLost, DeviceState, FirmwareError, Source
from elfin_bt.hardware.phantom.client import PhantomClient
from elfin_bt.hardware.phantom.process import main
from elfin_bt.hardware.phantom.protocol import MAX_MESSAGE, Call, pack_request

TIMEOUT = 10.0


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, f'{what}: not within {TIMEOUT} s'
        time.sleep(0.002)


@pytest.fixture
def socket_path(tmp_path) -> Path:
    return tmp_path / 'firmware.sock'


@pytest.fixture
def firmware(socket_path) -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts firmware processes and ends them after the test."""
    processes = []

    def start(*arguments: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, '-m', 'elfin_bt.hardware.phantom.process']
            + ['--socket', str(socket_path), *arguments]
        )
        processes.append(process)
        wait_for(socket_path.exists, 'the socket')
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


def connected(socket_path: Path) -> PhantomClient:
    client = PhantomClient(socket_path)
    client.connect()
    return client


def load(client: PhantomClient, points, *, final: bool = False) -> None:
    client.move_pvt(points.positions, points.velocities, points.times, empty_count=120, final=final)


def record_of(path: str) -> np.ndarray:
    return np.fromfile(path).reshape(-1, 7)


def test_a_move_runs_in_real_time_and_is_recorded_sample_by_sample(
    firmware, socket_path, stream, tmp_path
):
    firmware()
    client = connected(socket_path)
    path = client.record(True)
    assert Path(path).parent == tmp_path
    points = stream(300)
    points.velocities[-1] = 0.0
    begin = time.monotonic()
    load(client, points, final=True)
    wait_for(lambda: client.snapshot().state is DeviceState.IDLE, 'the end of the move')
    assert time.monotonic() - begin >= 0.3 - 0.001  # a command waits for no sample
    assert client.record(False) == path
    rows = record_of(path)
    assert len(rows) == 300
    assert np.diff(rows[:, 0]) == pytest.approx(0.001, abs=1e-9)
    assert rows[:, 1] == pytest.approx(1e-4 * np.arange(1, 301), abs=1e-9)


def test_the_record_is_on_disk_while_the_arm_still_moves(firmware, socket_path, stream):
    firmware()
    client = connected(socket_path)
    path = client.record(True)
    load(client, stream(400))
    wait_for(lambda: Path(path).stat().st_size >= 100 * 7 * 8, 'a hundred samples')
    assert client.snapshot().state is DeviceState.MOVING


def test_each_record_is_a_new_file(firmware, socket_path):
    firmware()
    client = connected(socket_path)
    assert client.record(True) != client.record(True)


def test_a_stream_whose_client_died_starves_and_stops_on_its_path(firmware, socket_path, stream):
    firmware()
    client = connected(socket_path)
    path = client.record(True)
    load(client, stream(200))
    client.close()
    later = connected(socket_path)
    wait_for(lambda: later.snapshot().state is DeviceState.ERROR, 'the end of the e-stop')
    assert later.snapshot().source is Source.OUT_OF_FRAMES
    rows = record_of(path)
    # Starved with 59 of 200 points left, then a ramp of 50 samples over 25 samples of path.
    ramp = np.arange(1, 51)
    steps = np.concatenate((np.arange(1, 142), 141 + ramp - ramp**2 / 100))
    assert rows[:, 1] == pytest.approx(1e-4 * steps, abs=1e-9)


def test_its_state_outlives_its_clients(firmware, socket_path, stream):
    firmware('--initial-joints', '0', '0.1', '0.2', '0.3', '0.4', '0.5')
    client = connected(socket_path)
    client.estop()
    client.close()
    later = connected(socket_path)
    snapshot = later.snapshot()
    assert (snapshot.state, snapshot.source) == (DeviceState.ERROR, Source.USER)
    assert snapshot.position == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    with pytest.raises(FirmwareError, match='MovePVT in ERROR'):
        load(later, stream(10))
    assert later.clear_faults().state is DeviceState.IDLE


def test_a_new_client_takes_over(firmware, socket_path):
    firmware()
    first = connected(socket_path)
    second = connected(socket_path)
    with pytest.raises(DeviceLost):
        first.snapshot()
    assert second.snapshot().state is DeviceState.IDLE


def test_what_waits_in_the_library_dies_with_its_client(firmware, socket_path, stream):
    firmware()
    client = connected(socket_path)
    path = client.record(True)
    points = stream(1000)
    points.velocities[-1] = 0.0
    load(client, points, final=True)
    assert client.snapshot().frames_free == 0
    client.close()
    later = connected(socket_path)
    wait_for(lambda: later.snapshot().state is DeviceState.ERROR, 'the end of the e-stop')
    assert later.snapshot().source is Source.OUT_OF_FRAMES
    assert len(record_of(path)) == 512 - 59 + 50


def test_a_live_client_keeps_the_buffer_filled_by_looking(firmware, socket_path, stream):
    firmware('--sample', '0.004')  # a client on a busy machine may be 0.2 s late
    client = connected(socket_path)
    points = stream(560, period=0.004)
    points.velocities[-1] = 0.0
    load(client, points, final=True)
    wait_for(lambda: client.snapshot().state is not DeviceState.MOVING, 'the end of the move')
    assert client.snapshot().state is DeviceState.IDLE
    assert client.snapshot().position[0] == pytest.approx(0.224)


def test_faults_are_injected_logged_and_outlive_their_client(firmware, socket_path):
    firmware('--lag', '0.01')
    client = connected(socket_path)
    with pytest.raises(FirmwareError, match="'fire' can not be injected"):
        client.inject('fire')
    snapshot = client.inject('amp_fault elfin_joint2')
    assert (snapshot.source, snapshot.source_joint) == (Source.AMP_FAULT, 1)
    client.close()
    later = connected(socket_path)
    assert not later.snapshot().amps_enabled
    with pytest.raises(FirmwareError, match='AMP_FAULT of elfin_joint2 is still there'):
        later.clear_faults()
    refused, fault, refused_again = later.error_log()
    assert 'fire' in refused and 'AMP_FAULT of elfin_joint2' in fault
    assert 'ClearFaults' in refused_again
    later.inject('')
    later.clear_faults()
    assert later.amp_enable().amps_enabled
    assert not later.amp_disable().amps_enabled


def test_noise_on_the_socket_does_no_harm(firmware, socket_path):
    process = firmware()
    noise = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    noise.connect(str(socket_path))
    noise.send(b'\xff' * 100)
    assert noise.recv(100) == b''
    assert connected(socket_path).snapshot().state is DeviceState.IDLE
    assert process.poll() is None


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_while_moving_it_comes_to_rest_on_its_path_first(
    firmware, socket_path, stream, number
):
    process = firmware()
    client = connected(socket_path)
    path = client.record(True)
    load(client, stream(400))
    wait_for(lambda: Path(path).stat().st_size > 0, 'the first sample')
    process.send_signal(number)
    assert process.wait(TIMEOUT) == 0
    assert not socket_path.exists()
    rows = record_of(path)
    moved = len(rows) - 50
    ramp = np.arange(1, 51)
    steps = np.concatenate((np.arange(1, moved + 1), moved + ramp - ramp**2 / 100))
    assert moved > 0
    assert rows[:, 1] == pytest.approx(1e-4 * steps, abs=1e-9)
    with pytest.raises(DeviceLost):
        client.snapshot()


def test_a_command_takes_effect_when_it_was_sent_not_when_the_process_got_to_it(
    firmware, socket_path, stream
):
    process = firmware()
    client = connected(socket_path)
    load(client, stream(400))
    process.send_signal(signal.SIGSTOP)
    # The e-stop is sent now; the firmware sleeps through the next 0.2 s, twice its ramp.
    connection, sent = client._socket, time.monotonic()
    connection.send(pack_request(Call.ESTOP, sent))
    time.sleep(0.2)
    process.send_signal(signal.SIGCONT)
    connection.recv(MAX_MESSAGE)
    wait_for(lambda: client.snapshot().state is DeviceState.ERROR, 'rest')
    assert client.snapshot().source is Source.USER
    # Loaded at t, e-stopped a moment later: far less than the 0.2 s of path that slept by.
    assert client.snapshot().position[0] < 0.1 * 0.15


def test_a_supervised_firmware_ends_with_its_parent(socket_path):
    parent = subprocess.Popen(
        [
            sys.executable,
            '-c',
            'import subprocess, sys, time\n'
            'subprocess.Popen([sys.executable, "-m", "elfin_bt.hardware.phantom.process",\n'
            '    "--supervised", "--socket", sys.argv[1]])\n'
            'time.sleep(60)',
            str(socket_path),
        ]
    )
    wait_for(socket_path.exists, 'the socket')
    client = connected(socket_path)
    parent.kill()
    parent.wait()
    wait_for(lambda: not socket_path.exists(), 'the end of the firmware')
    with pytest.raises(DeviceLost):
        client.snapshot()


def test_sped_up_it_waits_for_a_live_host_and_starves_under_a_dead_one(
    firmware, socket_path, stream
):
    firmware('--speedup', '50')
    client = connected(socket_path)
    load(client, stream(400))  # lasts 8 ms of wall time
    time.sleep(0.2)
    snapshot = client.snapshot()
    assert snapshot.state is DeviceState.MOVING
    assert snapshot.frames_loaded == 120
    wait_for(lambda: client.snapshot().state is DeviceState.ERROR, 'the end of the lease')
    assert client.snapshot().source is Source.OUT_OF_FRAMES


def test_sped_up_device_time_is_that_much_faster(firmware, socket_path):
    firmware('--speedup', '10')
    client = connected(socket_path)
    assert client.connect().speedup == 10.0
    wall, device = time.monotonic(), client.snapshot().time
    time.sleep(0.1)
    elapsed = client.snapshot().time - device
    assert elapsed >= 10 * 0.1 - 0.01
    assert elapsed <= 10 * (time.monotonic() - wall) + 0.01


def test_two_firmwares_do_not_share_a_socket(firmware, socket_path, capsys):
    firmware()
    assert main(['--socket', str(socket_path)]) == 1
    assert 'another phantom firmware already serves' in capsys.readouterr().err
    assert connected(socket_path).snapshot().state is DeviceState.IDLE


def test_a_socket_left_by_a_killed_firmware_is_replaced(firmware, socket_path):
    first = firmware()
    first.kill()
    first.wait()
    assert socket_path.exists()
    firmware()
    end = time.monotonic() + TIMEOUT
    while True:
        try:
            connected(socket_path)
        except DeviceLost:
            assert time.monotonic() < end
            time.sleep(0.01)
        else:
            break


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        (['--speedup', '0.5'], '--speedup 0.5'),
        (['--speedup', 'nan'], '--speedup nan'),
        (['--sample', '0'], '--sample 0'),
        (['--frame-buffer', '1000'], 'power of 2'),
        (['--lag', '0.2'], '--lag 0.2'),
        (['--initial-joints', '0', '0', '0', '0', '0', 'nan'], 'finite'),
    ],
)
def test_options_that_make_no_sense_are_refused(socket_path, capsys, arguments, text):
    with pytest.raises(SystemExit) as refusal:
        main(['--socket', str(socket_path), *arguments])
    assert refusal.value.code == 2
    assert text in capsys.readouterr().err


def test_without_a_firmware_the_client_says_how_to_get_one(socket_path):
    with pytest.raises(DeviceLost, match='no phantom firmware at .*start phantom_firmware'):
        PhantomClient(socket_path).connect()

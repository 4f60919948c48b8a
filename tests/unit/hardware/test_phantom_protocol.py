# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.hardware.device import (
    DeviceInfo,
    DeviceSnapshot,
    DeviceState,
    ErrorNumber,
    Source,
    Status,
)
from elfin_bt.hardware.phantom.protocol import (
    Call,
    MovePvt,
    ProtocolError,
    Reply,
    pack_reply,
    pack_request,
    unpack_reply,
    unpack_request,
)


@pytest.mark.parametrize(
    ('call', 'arguments'),
    [
        (Call.SNAPSHOT, None),
        (Call.CONFIGURE, (0.05, 0.5)),
        (Call.SET_FEED_RATE, 0.25),
        (Call.RECORD, True),
        (Call.RECORD, False),
        (Call.INJECT, 'amp_fault elfin_joint3'),
        (Call.INJECT, ''),
        (Call.ERROR_LOG, None),
        (Call.AMP_DISABLE, None),
    ],
)
def test_a_request_arrives_as_it_was_sent(call, arguments):
    assert unpack_request(pack_request(call, 12.5, arguments)) == (call, 12.5, arguments)


def test_points_arrive_as_they_were_sent():
    random = np.random.default_rng(1)
    positions, velocities = random.normal(size=(2, 64, 6))
    times = random.uniform(size=64)
    message = pack_request(
        Call.MOVE_PVT, 1.0, MovePvt(positions, velocities, times, 120, True, retain=True)
    )
    call, _, move = unpack_request(message)
    assert call is Call.MOVE_PVT
    assert np.array_equal(move.positions, positions)
    assert np.array_equal(move.velocities, velocities)
    assert np.array_equal(move.times, times)
    assert (move.empty_count, move.final, move.retain) == (120, True, True)


@pytest.mark.parametrize('error', [None, ErrorNumber.BUFFER_FULL])
def test_a_reply_arrives_as_it_was_sent(error):
    snapshot = DeviceSnapshot(
        time=1.5,
        state=DeviceState.STOPPING_ERROR,
        source=Source.OUT_OF_FRAMES,
        source_joint=-1,
        active=frozenset({Source.OUT_OF_FRAMES, Source.NETWORK}),
        status=Status.IN_COARSE | Status.MOTION_START,
        frames_loaded=118,
        frames_free=906,
        motion_id=65_535,
        element_id=3,
        feed_rate=0.5,
        feed_target=2.0,
        amps_enabled=True,
        position=np.arange(6.0),
        velocity=np.arange(6.0, 12.0),
        actual_position=np.arange(12.0, 18.0),
        actual_velocity=np.arange(18.0, 24.0),
    )
    info = DeviceInfo(sample=0.001, frame_buffer=1024, speedup=20.0)
    reply = unpack_reply(pack_reply(Reply(error, 'voll: größer', snapshot, info)))
    assert (reply.error, reply.text, reply.info) == (error, 'voll: größer', info)
    for field in DeviceSnapshot.__dataclass_fields__:
        assert np.array_equal(getattr(reply.snapshot, field), getattr(snapshot, field)), field


@pytest.mark.parametrize(
    'message',
    [b'', b'\x00', b'\xff' * 9, pack_request(Call.RECORD, 0.0), b'\x02' + b'\x00' * 20],
    ids=['empty', 'short', 'unknown call', 'no arguments', 'half a point'],
)
def test_requests_that_make_no_sense_are_told_from_others(message):
    with pytest.raises(ProtocolError, match='makes no sense'):
        unpack_request(message)


def test_replies_that_make_no_sense_are_told_from_others():
    with pytest.raises(ProtocolError, match='makes no sense'):
        unpack_reply(b'\x00' * 10)

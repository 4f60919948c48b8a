# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The wire form of chunks and acknowledgements, and the numbers of faults."""

import numpy as np
import pytest

from elfin_bt.execution.chunk import (
    Ack,
    Chunk,
    ChunkError,
    decode_ack,
    decode_chunk,
    encode_ack,
    encode_chunk,
    layout_objection,
)
from elfin_bt.execution.faults import Fault


def chunk_of(points):
    rng = np.random.default_rng(points)
    rows = rng.normal(size=(2, points, 6))
    return Chunk(2**40, 7, 3, True, np.full(points, 0.001), rows[0], rows[1])


@pytest.mark.parametrize('points', [1, 64])
def test_chunk_round_trip_is_exact(points):
    chunk = chunk_of(points)
    back = decode_chunk(encode_chunk(chunk))
    assert (back.epoch, back.motion, back.sequence, back.final) == (2**40, 7, 3, True)
    np.testing.assert_array_equal(back.time, chunk.time)
    np.testing.assert_array_equal(back.positions, chunk.positions)
    np.testing.assert_array_equal(back.velocities, chunk.velocities)


def test_the_layout_is_header_then_rows():
    chunk = Chunk(9, 8, 7, False, np.array([0.001]), np.arange(6.0)[None], np.arange(6.0, 12)[None])
    assert list(encode_chunk(chunk)) == [9, 8, 7, 0, 0.001, *range(12)]


@pytest.mark.parametrize(
    'index, value, words',
    [
        (0, 0.5, 'epoch'),
        (1, -1.0, 'motion'),
        (2, np.nan, 'number 2'),
        (3, 2.0, 'final'),
        (4, 0.0, 'point 0.*positive'),
        (20, np.inf, 'number 20'),
    ],
)
def test_a_malformed_chunk_is_named(index, value, words):
    data = encode_chunk(chunk_of(3))
    data[index] = value
    with pytest.raises(ChunkError, match=words):
        decode_chunk(data)


@pytest.mark.parametrize('size', [0, 4, 16, 18, 4 + 13 * 65])
def test_a_chunk_of_the_wrong_size_is_named(size):
    with pytest.raises(ChunkError, match=f'this one has {size}'):
        decode_chunk([0.0] * size)


def test_ack_round_trip():
    ack = Ack(2**40, 3, -1, 1024, Fault.OUT_OF_FRAMES)
    assert decode_ack(encode_ack(ack)) == ack
    with pytest.raises(ChunkError):
        decode_ack([1.0, 2.0])
    with pytest.raises(ChunkError):
        decode_ack([1.0, 2.0, 3.0, np.nan, 0.0])


def test_fault_numbers_are_the_interface():
    assert [fault.name for fault in Fault] == [
        'NONE',
        'STOP_REQUESTED',
        'OUT_OF_FRAMES',
        'CHUNK_LOST',
        'CHUNK_REPEATED',
        'CHUNK_REORDERED',
        'CHUNK_FOREIGN_EPOCH',
        'CHUNK_INVALID',
        'BUFFER_OVERFLOW',
        'FIRMWARE_LOST',
        'FIRMWARE_ERROR',
        'NODE_DEACTIVATED',
        'AMP_FAULT',
        'LIMIT_REACHED',
        'FOLLOWING_ERROR',
        'NETWORK_LOST',
        'AMPS_DISABLED',
        'CHUNK_UNACKNOWLEDGED',
    ]
    assert [int(fault) for fault in Fault] == list(range(18))
    assert Fault.from_number(99.0) is Fault.FIRMWARE_ERROR
    assert Fault.OUT_OF_FRAMES.abort_text.startswith('FAULT: OUT_OF_FRAMES: ')
    assert all('reset_fault' in fault.text for fault in Fault if fault)


def test_an_acknowledgement_beyond_what_counts_exactly_is_refused():
    with pytest.raises(ChunkError, match='not an integer within 2'):
        decode_ack([1.0, 1e300, 0.0, 1024.0, 0.0])


@pytest.mark.parametrize(
    'data_offset, dims, fine',
    [
        (4, [('point', 2), ('field', 13)], True),
        (0, [], True),
        (0, [('point', 2), ('field', 13)], False),
        (4, [('point', 3), ('field', 13)], False),
        (4, [('field', 13), ('point', 2)], False),
        (4, [('row', 2), ('field', 13)], False),
        (4, [('point', 2)], False),
    ],
)
def test_the_layout_says_what_the_contract_says_or_nothing(data_offset, dims, fine):
    objection = layout_objection(data_offset, dims, 4 + 2 * 13)
    assert (objection is None) == fine
    assert fine or 'data_offset 4' in objection

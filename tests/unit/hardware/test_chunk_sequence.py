# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A motion is chunks 0, 1, 2 ... up to a final one. Taken below: (motion, sequence, final)."""

import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.chunk_sequence import ChunkSequence

OPEN = [(1, 0, False), (1, 1, False)]
CLOSED = [*OPEN, (1, 2, True)]


@pytest.mark.parametrize(
    ('taken', 'motion', 'sequence', 'fault'),
    [
        ([], 1, 0, None),
        ([], 7, 0, None),
        ([], 1, 1, Fault.CHUNK_LOST),
        (OPEN, 1, 2, None),
        (OPEN, 1, 3, Fault.CHUNK_LOST),
        (OPEN, 1, 1, Fault.CHUNK_REPEATED),
        (OPEN, 1, 0, Fault.CHUNK_REORDERED),
        (OPEN, 2, 0, Fault.CHUNK_LOST),
        (CLOSED, 2, 0, None),
        (CLOSED, 0, 0, None),
        (CLOSED, 1, 2, Fault.CHUNK_REPEATED),
        (CLOSED, 1, 0, Fault.CHUNK_REORDERED),
        (CLOSED, 1, 3, Fault.CHUNK_INVALID),
        (CLOSED, 2, 1, Fault.CHUNK_LOST),
    ],
)
def test_only_the_next_chunk_is_taken(chunk, taken, motion, sequence, fault):
    order = ChunkSequence()
    for number, place, final in taken:
        assert order.objection(chunk(place, motion=number, final=final)) is None
        order.take(chunk(place, motion=number, final=final))
    objection = order.objection(chunk(sequence, motion=motion))
    assert (objection[0] if objection else None) == fault


def test_the_objection_names_what_is_missing(chunk):
    order = ChunkSequence()
    order.take(chunk(0))
    assert order.objection(chunk(2))[1] == 'chunk 2 of motion 1 arrived and chunk 1 did not'


def test_after_a_stop_another_motion_begins_at_zero(chunk):
    order = ChunkSequence()
    order.take(chunk(0))
    order.close()
    assert order.objection(chunk(0, motion=2)) is None
    assert order.objection(chunk(1, motion=1))[0] is Fault.CHUNK_INVALID

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import pytest

from elfin_bt.session.motion_queue import MotionQueue


class Transport:
    def __init__(self):
        self.sent, self.cancelled = [], []

    def send(self, ticket, trajectory):
        self.sent.append(ticket)

    def cancel(self, ticket):
        self.cancelled.append(ticket)


@pytest.fixture
def transport():
    return Transport()


@pytest.fixture
def queue(transport):
    return MotionQueue(transport, max_goals=4, max_seconds=3.0)


@pytest.fixture
def piece(make_piece):
    return lambda duration=0.5: make_piece(1, 0, 'draw', 0, duration=duration)


def send(queue, piece, count, duration=0.5):
    for _ in range(count):
        queue.send(piece(duration))


def test_goals_are_bounded_by_number(queue, piece):
    send(queue, piece, 3)
    assert queue.has_room
    send(queue, piece, 1)
    assert not queue.has_room


def test_goals_are_bounded_by_time(queue, piece):
    send(queue, piece, 2, duration=1.4)
    assert queue.has_room
    send(queue, piece, 1, duration=0.3)
    assert not queue.has_room
    assert queue.seconds == pytest.approx(3.1)


def test_a_finished_goal_makes_room_and_is_counted_as_executed(queue, transport, piece):
    send(queue, piece, 4)
    queue.on_accepted(1)
    queue.on_finished(1, '')
    assert queue.has_room
    assert queue.goals == 3
    assert [executed.phase for executed in queue.take_executed()] == ['draw']
    assert queue.take_executed() == []
    assert not queue.idle


def test_pieces_are_executed_in_their_order_though_the_answers_come_in_another(queue, make_piece):
    pieces = [make_piece(1, index, 'draw', 0) for index in range(3)]
    for each in pieces:
        queue.send(each)
    queue.on_finished(2, '')
    assert queue.take_executed() == [], 'the first one is still going on'
    queue.on_finished(1, '')
    assert queue.take_executed() == pieces[:2]
    queue.on_finished(3, '')
    assert queue.take_executed() == pieces[2:]


def test_a_cancel_before_the_acceptance_is_not_lost(queue, transport, piece):
    send(queue, piece, 2)
    queue.on_accepted(1)
    queue.cancel()
    assert transport.cancelled == [1]
    queue.on_accepted(2)
    assert transport.cancelled == [1, 2]


def test_a_cancel_goes_out_once_and_newest_first(queue, transport, piece):
    send(queue, piece, 3)
    for ticket in (1, 2, 3):
        queue.on_accepted(ticket)
    queue.cancel()
    queue.cancel()
    assert transport.cancelled == [3, 2, 1]


def test_a_cancelled_goal_is_no_failure_and_not_executed(queue, piece):
    send(queue, piece, 1)
    queue.on_accepted(1)
    queue.cancel()
    queue.on_finished(1, 'cancelled')
    assert (queue.failure, queue.idle, queue.take_executed()) == ('', True, [])


@pytest.mark.parametrize('order', [(1, 2), (2, 1)])
def test_the_failure_of_the_first_goal_is_the_one_that_is_told(queue, piece, order):
    send(queue, piece, 2)
    reasons = {1: 'FAULT: starved', 2: 'the goal before was aborted'}
    for ticket in order:
        queue.on_finished(ticket, reasons[ticket])
    assert queue.failure == 'FAULT: starved'
    assert queue.idle


def test_a_rejected_goal_is_a_failure(queue, piece):
    send(queue, piece, 1)
    queue.on_rejected(1)
    assert queue.failure.startswith('a goal was rejected')
    assert queue.idle


def test_answers_to_goals_that_were_forgotten_change_nothing(queue, piece):
    send(queue, piece, 1)
    queue.clear()
    queue.on_accepted(1)
    queue.on_finished(1, 'too late')
    assert (queue.failure, queue.idle, queue.take_executed()) == ('', True, [])


def test_what_is_executing_is_the_oldest_goal(queue, make_piece):
    first, second = make_piece(1, 0, 'draw', 0), make_piece(1, 1, 'lift', 0)
    queue.send(first)
    queue.send(second)
    assert queue.executing is first
    queue.on_finished(1, '')
    assert queue.executing is second
    queue.on_finished(2, '')
    assert queue.executing is None

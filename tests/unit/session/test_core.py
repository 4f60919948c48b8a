# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session tick by tick, with the real tree."""

import pytest

from elfin_bt.behaviours.phase import Phase
from elfin_bt.execution.faults import Fault
from elfin_bt.planning.messages import Refused
from elfin_bt.session.robot_monitor import SILENCE

PIECES = [
    ('approach', None),
    ('plunge', 0),
    ('draw', 0),
    ('lift', 0),
    ('retract', None),
]


def phases(bench):
    """The phases of the job in the order in which they were reported, repeats left out."""
    found = []
    for status in bench.reports:
        if not found or found[-1] != status.phase:
            found.append(status.phase)
    return found


def test_a_session_without_a_job_is_idle_and_owns_no_motion(bench):
    bench.tick(10)
    assert bench.core.activity == 'idle'
    assert not bench.core.owns_motion
    assert bench.executor.sent == {}
    assert bench.client.requests == []


def test_a_drawing_from_its_job_to_its_end(bench):
    bench.tick(5)
    bench.draw_until_drawing(*PIECES)
    bench.tick(3)
    assert [t.duration for t in bench.executor.sent.values()] == [0.5] * 5
    assert bench.core.activity == 'draw and retract'
    bench.run_goals()
    bench.tick(2)
    assert phases(bench) == [
        Phase.ACCEPTED,
        Phase.CHECKING,
        Phase.HOMING,
        Phase.DRAWING,
        Phase.DONE,
    ]
    end = bench.reports[-1]
    assert (end.strokes, end.strokes_done, end.reason) == (2, 1, '')
    assert end.planned_duration_s == 2.5
    assert end.figures['retract_duration_s'] == 0.5
    assert (end.figures['out_of_frames'], end.figures['faults']) == (0, [])
    bench.tick(3)
    assert bench.core.activity == 'idle'
    assert not bench.core.owns_motion


def test_nothing_moves_before_the_whole_drawing_is_checked(bench):
    bench.submit()
    bench.load()
    bench.tick(5)
    bench.plan_home()
    bench.tick(50)
    assert bench.executor.sent == {}
    assert bench.phase is Phase.CHECKING
    request = bench.client.requests[-1].request_id
    bench.client.events.append(Refused(request, 'stroke 2 at (3, 4) mm: out of reach'))
    bench.tick(2)
    assert bench.executor.sent == {}
    assert bench.reports[-1].phase is Phase.REFUSED
    assert bench.reports[-1].reason == 'stroke 2 at (3, 4) mm: out of reach'
    assert bench.core.activity == 'idle'


def test_a_recipe_that_can_not_be_read_is_refused(bench):
    bench.submit()
    bench.loading.error, bench.loading.is_done = 'the recipe can not be read', True
    bench.tick(3)
    assert (bench.reports[-1].phase, bench.reports[-1].reason) == (
        Phase.REFUSED,
        'the recipe can not be read',
    )


def test_the_retract_is_a_phase_of_its_own(bench):
    bench.draw_until_drawing(*PIECES)
    bench.tick(3)
    motion = bench.core.motion
    for ticket in list(bench.executor.sent)[:-1]:
        motion.on_accepted(ticket)
        motion.on_finished(ticket, '')
    bench.tick(1)
    assert bench.phase is Phase.RETRACTING


def test_first_motion_is_timed_from_the_ready_pose(bench):
    bench.tick(5)
    bench.submit()
    bench.load()
    bench.tick(5)
    bench.plan_home()
    bench.tick(2)
    bench.check(*PIECES)
    bench.tick(3)
    bench.tick(10, moving=True)
    ready_at = bench.clock.now
    bench.tick(5)
    bench.run_goals()
    bench.tick(5)
    assert bench.phase is Phase.DRAWING
    assert bench.core.jobs.status.first_motion_s is None
    bench.tick(1, moving=True)
    moved_at = bench.clock.now
    bench.tick(5, moving=True)
    assert bench.core.jobs.status.first_motion_s == pytest.approx(moved_at - ready_at)


FAULTS = {
    'the hardware latches': (
        lambda bench: bench.core.robot.on_fault_code(Fault.OUT_OF_FRAMES),
        'hardware: OUT_OF_FRAMES',
    ),
    'a goal is aborted': (
        lambda bench: bench.core.motion.on_finished(next(iter(bench.executor.sent)), 'ran dry'),
        'executor: ran dry',
    ),
    'a goal is rejected': (
        lambda bench: bench.core.motion.on_rejected(next(iter(bench.executor.sent))),
        'executor: a goal was rejected',
    ),
    'the planner dies': (
        lambda bench: vars(bench.client).update(alive=False, exit_text='killed by SIGKILL'),
        'planner: killed by SIGKILL',
    ),
}


@pytest.fixture(params=FAULTS.values(), ids=FAULTS.keys())
def failed_bench(request, bench):
    """A session in which something went wrong in the middle of a drawing."""
    cause, text = request.param
    bench.tick(5)
    bench.draw_until_drawing(*PIECES)
    bench.tick(3, moving=True)
    cause(bench)
    return bench, text


def test_any_fault_ends_the_job_explained_once_the_arm_is_at_rest(failed_bench):
    bench, text = failed_bench
    accepted = list(bench.core.motion._goals)
    for ticket in accepted:
        bench.core.motion.on_accepted(ticket)
    bench.tick(10, moving=True)
    assert bench.core.jobs.active, 'the arm still moves: the job has not ended'
    assert sorted(bench.executor.cancelled) == accepted, 'every goal was cancelled, once'
    for ticket in accepted:
        bench.core.motion.on_finished(ticket, 'cancelled')
    bench.tick(10)
    end = bench.reports[-1]
    assert end.phase is Phase.FAILED
    assert end.reason.startswith(text)
    assert end.figures['faults'][0].startswith(text)
    assert end.planned_duration_s == 2.5, 'what was known of the drawing is still told'
    assert bench.core.faults.cause.startswith(text)
    assert bench.core.activity == 'wait for reset'


def test_a_latched_session_takes_no_job_and_resumes_nothing(failed_bench):
    bench, text = failed_bench
    bench.tick(200)
    bench.executor.sent.clear()
    bench.submit('{"id": "2", "kind": "draw", "recipe_file": "/r.json"}')
    assert bench.reports[-1].id == '2'
    assert bench.reports[-1].phase is Phase.REFUSED
    assert 'reset_fault' in bench.reports[-1].reason
    assert text in bench.reports[-1].reason
    assert 'reset_fault' in bench.core.jobs.request_home(bench.core.faults.cause)
    bench.tick(100)
    assert bench.executor.sent == {}


def test_a_reset_makes_it_usable_again_and_resumes_nothing(failed_bench):
    bench, _ = failed_bench
    bench.tick(200)
    bench.executor.sent.clear()
    answers = []
    bench.core.jobs.request_reset(bench.core.faults.cause, answers.append)
    bench.tick(1)
    assert bench.executor.resets == 1
    assert answers == []
    bench.core.robot.on_fault_code(Fault.NONE)
    bench.core.robot.on_reset_answer('nothing latched')
    bench.tick(50)
    assert answers == ['']
    assert bench.core.faults.cause == ''
    assert bench.core.activity == 'idle'
    assert bench.executor.sent == {}
    assert bench.client.alive
    bench.draw_until_drawing(*PIECES)
    assert bench.phase is Phase.DRAWING


def test_a_fault_while_idle_is_latched_and_explained_too(bench):
    bench.tick(5)
    bench.core.robot.on_fault_code(Fault.STOP_REQUESTED)
    bench.tick(5)
    assert bench.core.faults.cause.startswith('hardware: STOP_REQUESTED')
    assert bench.core.activity == 'wait for reset'


def test_the_hardware_falling_silent_is_a_fault(bench):
    bench.tick(5)
    bench.draw_until_drawing(*PIECES)
    bench.clock.now += SILENCE + 0.1
    bench.core.tick()
    assert 'stopped reporting joint states' in bench.core.faults.cause
    bench.core.tick()
    assert bench.reports[-1].phase is Phase.FAILED


def test_a_job_tells_nothing_of_the_one_before(bench):
    bench.tick(5)
    bench.draw_until_drawing(*PIECES)
    bench.tick(3)
    bench.run_goals()
    bench.tick(2)
    assert bench.phase is Phase.DONE
    bench.submit('{"id": "2", "kind": "draw", "recipe_file": "/r.json"}')
    bench.tick(2)
    status = bench.core.jobs.status
    assert (status.id, status.planned_duration_s, status.ink_m) == ('2', None, 0.0)
    assert status.strokes_done == 0


def test_going_home_is_planned_then_moved(bench):
    bench.tick(5)
    assert bench.core.jobs.request_home('') == ''
    bench.tick(2)
    bench.plan_home()
    bench.tick(3)
    assert len(bench.executor.sent) == 1
    bench.run_goals()
    bench.tick(2)
    assert phases(bench) == [Phase.ACCEPTED, Phase.HOMING, Phase.DONE]


def test_a_second_job_is_refused_while_one_runs(bench):
    bench.tick(5)
    bench.draw_until_drawing(*PIECES)
    bench.submit('{"id": "2", "kind": "draw", "recipe_file": "/r.json"}')
    refusal = bench.reports[-1]
    assert (refusal.id, refusal.phase) == ('2', Phase.REFUSED)
    assert refusal.reason.startswith("job '1' is drawing")
    bench.tick(5)
    assert bench.phase is Phase.DRAWING


def test_a_cancelled_drawing_rests_then_lifts_and_goes_home(bench):
    bench.tick(5)
    bench.draw_until_drawing(*PIECES)
    bench.tick(3, moving=True)
    tickets = list(bench.executor.sent)
    for ticket in tickets:
        bench.core.motion.on_accepted(ticket)
    assert bench.core.jobs.request_cancel() == ''
    bench.tick(3, moving=True)
    assert bench.executor.cancelled == tickets[::-1]
    requests = len(bench.client.requests)
    bench.tick(20, moving=True)
    assert len(bench.client.requests) == requests, 'no plan is made for an arm that moves'
    for ticket in tickets:
        bench.core.motion.on_finished(ticket, 'cancelled')
    bench.executor.sent.clear()
    bench.tick(10)
    bench.plan_home()
    bench.tick(3)
    assert len(bench.executor.sent) == 1
    bench.run_goals()
    bench.tick(2)
    end = bench.reports[-1]
    assert (end.phase, end.reason) == (Phase.FAILED, 'cancelled on request')
    assert bench.core.faults.cause == ''


def test_there_is_nothing_to_cancel_or_reset_in_an_idle_session(bench):
    bench.tick(5)
    answers = []
    bench.core.jobs.request_reset(bench.core.faults.cause, answers.append)
    assert answers == ['nothing is latched']
    assert bench.core.jobs.request_cancel() == 'there is no job to cancel'


def test_a_session_that_is_ended_rests_says_so_and_sends_nothing_more(bench):
    bench.tick(5)
    bench.draw_until_drawing(*PIECES, *PIECES)
    bench.tick(3, moving=True)
    tickets = list(bench.executor.sent)
    for ticket in tickets:
        bench.core.motion.on_accepted(ticket)
    bench.core.end()
    assert bench.executor.cancelled == tickets[::-1]
    assert bench.reports[-1].phase is Phase.FAILED
    assert bench.reports[-1].reason == 'the session was ended'
    for ticket in tickets:
        bench.core.motion.on_finished(ticket, 'cancelled')
    bench.tick(10)
    assert bench.core.motion.idle
    assert list(bench.executor.sent) == tickets
    bench.core.close()
    assert bench.client.closed

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.session.robot_monitor import REST_DWELL, SILENCE, RobotMonitor


class Executor:
    available = True

    def reset_fault(self):
        self.asked = True


class Clock:
    now = 50.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def robot(clock):
    return RobotMonitor(Executor(), clock)


def report(robot, clock, speed, after=0.01):
    clock.now += after
    robot.on_joints(np.zeros(6), np.array([0.0, 0.0, -speed, 0.0, 0.0, 0.0]))


def test_before_the_first_report_nothing_is_known_and_nobody_is_silent(robot, clock):
    clock.now += 100.0
    assert (robot.positions, robot.silent, robot.at_rest) == (None, False, False)


def test_rest_is_standing_still_for_a_moment(robot, clock):
    report(robot, clock, 0.1)
    report(robot, clock, 0.0)
    assert not robot.at_rest
    report(robot, clock, 0.0, after=REST_DWELL)
    assert robot.at_rest
    report(robot, clock, 0.1)
    assert not robot.at_rest


def test_an_old_report_says_nothing_about_rest(robot, clock):
    report(robot, clock, 0.0)
    assert robot.at_rest
    clock.now += SILENCE + 0.01
    assert robot.silent
    assert not robot.at_rest
    report(robot, clock, 0.0)
    assert not robot.silent


def test_motion_is_dated_from_its_first_to_its_last_report(robot, clock):
    report(robot, clock, 0.0)
    report(robot, clock, 0.1)
    began = clock.now
    report(robot, clock, 0.1)
    ended = clock.now
    report(robot, clock, 0.0)
    assert (robot.motion_began_at, robot.last_moving_at) == (began, ended)


@pytest.mark.parametrize(
    ('code', 'text'),
    [(0, ''), (1.0, 'STOP_REQUESTED: a stop was requested'), (99, 'FIRMWARE_ERROR: ')],
)
def test_a_fault_code_is_told_by_name(robot, code, text):
    robot.on_fault_code(code)
    assert robot.fault.startswith(text)
    assert bool(robot.fault) == bool(text)


def test_a_reset_is_done_when_the_hardware_reports_no_fault(robot, clock):
    report(robot, clock, 0.0)
    robot.on_fault_code(Fault.OUT_OF_FRAMES)
    robot.begin_reset()
    assert robot.reset_outcome is None
    robot.on_reset_answer('')
    assert robot.reset_outcome is None, 'the report is older than the answer'
    robot.on_fault_code(Fault.NONE)
    assert robot.reset_outcome == ''


def test_a_reset_of_nothing_is_well_though_the_executor_says_no(robot, clock):
    report(robot, clock, 0.0)
    robot.begin_reset()
    robot.on_reset_answer('nothing latched')
    assert robot.reset_outcome == ''


def test_a_reset_that_the_fault_outlives_is_refused_with_the_executors_words(robot, clock):
    report(robot, clock, 0.0)
    robot.on_fault_code(Fault.FIRMWARE_ERROR)
    robot.begin_reset()
    robot.on_reset_answer('the amplifier is off')
    for _ in range(6):
        report(robot, clock, 0.0, after=0.1)
    assert robot.reset_outcome == 'the amplifier is off'


def test_a_reset_that_nobody_answers_is_given_up(robot, clock):
    robot.begin_reset()
    clock.now += 2.9
    assert robot.reset_outcome is None
    clock.now += 0.2
    assert 'has not answered' in robot.reset_outcome

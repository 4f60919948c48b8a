# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A cell of fakes, and a way to tick one behaviour in it."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from py_trees.behaviour import Behaviour
from py_trees.blackboard import Blackboard
from py_trees.common import Status

from elfin_bt.behaviours.cell import Cell
from elfin_bt.behaviours.phase import Phase
from elfin_bt.behaviours.plan import DrawingOrder, Plan
from elfin_bt.planning.messages import Piece
from elfin_bt.planning.settings import Speeds
from elfin_bt.planning.trajectory import Trajectory
from elfin_bt.session.fault_latch import FaultLatch


@dataclass
class FakeRobot:
    positions: np.ndarray | None = field(default_factory=lambda: np.zeros(6))
    silent: bool = False
    at_rest: bool = True
    fault: str = ''
    executor_available: bool = True
    reset_outcome: str | None = None
    resets: int = 0

    def begin_reset(self) -> None:
        self.resets += 1


@dataclass
class FakePlanner:
    home: Plan = field(default_factory=Plan)
    drawing: Plan = field(default_factory=Plan)
    death: str = ''
    arriving: list = field(default_factory=list)
    calls: list = field(default_factory=list)

    def plan_home(self, start: np.ndarray) -> None:
        self.calls.append(('home', start.tolist()))

    def plan_drawing(self, start: np.ndarray, order: DrawingOrder) -> None:
        self.calls.append(('drawing', start.tolist()))

    def collect(self) -> None:
        for change in self.arriving:
            change()
        self.arriving.clear()

    def cancel(self) -> None:
        self.calls.append('cancel')

    def restart(self) -> None:
        self.death = ''
        self.calls.append('restart')


@dataclass
class FakeMotion:
    room: int = 100
    idle: bool = True
    failure: str = ''
    sent: list = field(default_factory=list)
    cancels: int = 0
    clears: int = 0

    @property
    def has_room(self) -> bool:
        return len(self.sent) < self.room

    def send(self, piece: Piece) -> None:
        self.sent.append(piece)
        self.idle = False

    def cancel(self) -> None:
        self.cancels += 1

    def clear(self) -> None:
        self.clears += 1


@dataclass
class FakeJobs:
    loading: bool = False
    load_error: str = ''
    draw_active: bool = False
    home_active: bool = False
    cancel_requested: bool = False
    reset_requested: bool = False
    order: DrawingOrder = field(
        default_factory=lambda: DrawingOrder(None, dry_run=False, speeds=Speeds())
    )
    phases: list = field(default_factory=list)
    end: tuple | None = None
    reset_answers: list = field(default_factory=list)

    def enter(self, phase: Phase) -> None:
        self.phases.append(phase)

    def give_up(self, reason: str) -> None:
        self.end = ('given up', reason)

    def finish(self) -> None:
        self.end = ('done', '')

    def take_reset_request(self) -> bool:
        taken, self.reset_requested = self.reset_requested, False
        return taken

    def answer_reset(self, refusal: str) -> None:
        self.reset_answers.append(refusal)


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def blackboard():
    Blackboard.clear()
    yield
    Blackboard.clear()


@pytest.fixture
def cell() -> Cell:
    return Cell(
        robot=FakeRobot(),
        planner=FakePlanner(),
        motion=FakeMotion(),
        jobs=FakeJobs(),
        faults=FaultLatch(),
        clock=FakeClock(),
    )


@pytest.fixture
def make(cell):
    """Build a behaviour of a class, its ports wired to constants or keys, set up with the cell."""

    def build(cls, **ports: str) -> Behaviour:
        behaviour = cls(name=cls.__name__)
        constants = {name: f'/__const_{value}' for name, value in ports.items()}
        behaviour.setup_ports(port_remappings=constants)
        behaviour.setup(cell=cell)
        return behaviour

    return build


@pytest.fixture
def tick():
    def tick_once(behaviour: Behaviour) -> Status:
        behaviour.tick_once()
        return behaviour.status

    return tick_once


@pytest.fixture
def piece():
    def make_piece(index: int = 0, phase: str = 'draw', end: float = 1.0, knots: int = 2) -> Piece:
        positions = np.linspace(np.zeros(6), np.full(6, end), knots)
        time = np.linspace(0.0, 0.5, knots)
        return Piece(1, index, phase, 0, Trajectory(time, positions, np.zeros((knots, 6))))

    return make_piece

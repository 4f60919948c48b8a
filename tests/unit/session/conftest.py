# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A session core among fakes: a planner, an executor, a recipe loader, a clock."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np
import pytest

from elfin_bt.planning.messages import Checked, Piece, Planned
from elfin_bt.planning.trajectory import Trajectory
from elfin_bt.resources import share_path
from elfin_bt.session.core import SessionCore, SessionPorts

READY = np.array([0.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0])


def make_piece(request_id, index, phase, stroke=None, start=READY, end=READY, duration=0.5):
    trajectory = Trajectory([0.0, duration], np.array([start, end]), np.zeros((2, 6)))
    return Piece(request_id, index, phase, stroke, trajectory)


@pytest.fixture(name='make_piece')
def make_piece_fixture():
    return make_piece


class FakeClock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@dataclass
class FakeClient:
    """A planner's process: requests go into `requests`, a test puts events into `events`."""

    alive: bool = True
    exit_text: str = ''
    requests: list = field(default_factory=list)
    cancelled: list = field(default_factory=list)
    events: deque = field(default_factory=deque)
    closed: bool = False

    def submit(self, request):
        self.requests.append(request)

    def cancel(self, request_id):
        self.cancelled.append(request_id)
        self.events = deque(event for event in self.events if event.request_id != request_id)

    def poll(self, limit=None):
        count = len(self.events) if limit is None else min(limit, len(self.events))
        return [self.events.popleft() for _ in range(count)]

    def close(self):
        self.closed = True


@dataclass
class FakeExecutor:
    """Remembers goals; a test accepts and ends them through the core's motion queue."""

    available: bool = True
    sent: dict = field(default_factory=dict)
    cancelled: list = field(default_factory=list)
    resets: int = 0

    def send(self, ticket, trajectory):
        self.sent[ticket] = trajectory

    def cancel(self, ticket):
        self.cancelled.append(ticket)

    def reset_fault(self):
        self.resets += 1


@dataclass
class FakeLoading:
    recipe: object = None
    error: str = ''
    is_done: bool = False


@dataclass
class FakeRecipe:
    strokes: tuple = (1, 2)


class Bench:
    """A session core with everything around it under the test's control."""

    def __init__(self):
        self.clock = FakeClock()
        self.clients = []
        self.executor = FakeExecutor()
        self.loading = FakeLoading()
        self.reports = []
        self.joints = np.zeros(6)
        self.core = SessionCore(
            share_path('trees/session.xml'),
            SessionPorts(
                clock=self.clock,
                start_planner=self._start_planner,
                transport=self.executor,
                executor=self.executor,
                load_recipe=lambda job: self.loading,
                report_job=self.reports.append,
            ),
        )

    def _start_planner(self):
        self.clients.append(FakeClient())
        return self.clients[-1]

    @property
    def client(self):
        return self.clients[-1]

    @property
    def phase(self):
        return self.core.jobs.status.phase

    def tick(self, count=1, *, joints=None, moving=False):
        """Tick 50 times a second, each with a fresh joint state."""
        if joints is not None:
            self.joints = joints
        for _ in range(count):
            self.clock.now += 0.02
            velocities = np.full(6, 0.1 if moving else 0.0)
            self.core.robot.on_joints(self.joints, velocities)
            self.core.tick()

    def submit(self, text='{"id": "1", "kind": "draw", "recipe_file": "/r.json"}'):
        self.core.jobs.submit(text, self.core.faults.cause)

    def load(self):
        self.loading.recipe, self.loading.is_done = FakeRecipe(), True

    def plan_home(self):
        request = self.client.requests[-1].request_id
        self.client.events.append(make_piece(request, 0, 'ptp', start=self.joints))
        self.client.events.append(Planned(request, {}))

    def check(self, *pieces):
        """Answer the drawing's request: checked, and all its pieces."""
        request = self.client.requests[-1].request_id
        self.client.events.append(Checked(request, {}))
        for index, (phase, stroke) in enumerate(pieces):
            self.client.events.append(make_piece(request, index, phase, stroke))
        self.client.events.append(Planned(request, {'planned_duration_s': 2.5}))

    def run_goals(self):
        """Let the executor carry out every goal that it has."""
        motion = self.core.motion
        for ticket in list(self.executor.sent):
            motion.on_accepted(ticket)
            motion.on_finished(ticket, '')
        self.executor.sent.clear()

    def draw_until_drawing(self, *pieces):
        """Bring a job as far as the first goals of the drawing."""
        self.submit()
        self.load()
        self.tick(5)
        self.plan_home()
        self.tick(2)
        self.check(*pieces)
        self.tick(3)
        self.run_goals()
        self.tick(2, joints=READY)


@pytest.fixture
def bench():
    return Bench()

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a client does and whenever it does it, the arm stays on paths and within limits."""

import numpy as np
import pytest

from elfin_bt.execution.goal import GoalError

LIMIT = 3.0


class Client:
    """Sends pieces of random motions, and cancels and stops, at random."""

    def __init__(self, tools, bench, rng):
        self.tools, self.bench, self.rng = tools, bench, rng
        self.pieces, self.sent, self.refused = [], [], 0
        self.end = bench.device.position

    def send(self):
        if not self.pieces:
            if self.bench.core.goals and self.rng.random() < 0.5:
                return
            start = self.end if self.bench.core.goals else self.bench.device.position
            whole = self.tools.random_waypoints(self.rng, duration=1.4, start=start)
            cuts = [0, *sorted(self.rng.choice(np.arange(2, 69), 3, replace=False)), 70]
            self.pieces = [
                self.tools.slice_of(whole, a, b) for a, b in zip(cuts[:-1], cuts[1:], strict=True)
            ]
        piece = self.pieces.pop(0)
        try:
            self.bench.send(len(self.sent), self.tools.request_of(piece))
        except GoalError:
            self.refused += 1
            self.pieces = []
            return
        self.sent.append(piece)
        self.end = piece.positions[-1]

    def cancel(self):
        if self.bench.core.goals:
            waiting = [
                number for number in range(len(self.sent)) if number not in self.bench.results
            ]
            self.bench.core.cancel(int(self.rng.choice(waiting)))
            self.pieces = []


@pytest.mark.parametrize('seed', range(25))
def test_every_goal_ends_once_and_the_arm_keeps_its_limits(tools, bench, seed):
    rng = np.random.default_rng(1000 + seed)
    client = Client(tools, bench, rng)
    for _ in range(40):
        client.cancel() if rng.random() < 0.12 else client.send()
        bench.run(rng.uniform(0.0, 0.4))
    bench.run_until_idle()

    assert sorted(bench.results) == list(range(len(client.sent)))
    assert len(client.sent) > 5
    assert not bench.device.fault
    assert not bench.stops
    executed = bench.executed()
    assert np.abs(np.diff(executed, 2, axis=0)).max() / 1e-6 < LIMIT
    # Each motion closed at rest; sequences had no gap (the device asserts it).
    finals = [chunk for chunk in bench.device.chunks if chunk.final]
    assert len(finals) == len({chunk.motion for chunk in bench.device.chunks})
    assert all(np.abs(chunk.velocities[-1]).max() == 0.0 for chunk in finals)
    # The arm ends where the last goal that succeeded or was left says.
    succeeded = [number for number, r in bench.results.items() if r.outcome.value == 'succeeded']
    for number in succeeded:
        end = client.sent[number].positions[-1]
        assert np.abs(executed - end).max(axis=1).min() < 2e-3


@pytest.mark.parametrize('seed', range(6))
def test_nothing_moves_after_a_stop_until_reset(tools, bench, seed):
    rng = np.random.default_rng(2000 + seed)
    client = Client(tools, bench, rng)
    for _ in range(3):
        for _ in range(6):
            client.send()
            bench.run(rng.uniform(0.0, 0.2))
        bench.core.stop(bench.now)
        bench.act()
        executed = len(bench.device.executed)
        for _ in range(5):
            client.send()
            bench.run(rng.uniform(0.0, 0.3))
        assert len(bench.device.executed) == executed
        bench.device.reset()
        bench.run(0.2)
        assert len(bench.device.executed) == executed
        client.pieces = []
    assert sorted(bench.results) == list(range(len(client.sent)))

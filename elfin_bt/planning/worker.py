# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's process: requests in, pieces of motion out. See messages.py.

It ends with its pipe. A thread of its own waits for that, so that neither a long computation nor a
full pipe keeps the process alive after the session has gone.
"""

import argparse
import logging
import os
import signal
import threading
import time
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.planning.drawing_plan import DrawingPlan, plan_drawing, total_figures
from elfin_bt.planning.local import LocalPlanner
from elfin_bt.planning.messages import (
    Cancel,
    Checked,
    Piece,
    PlanDrawing,
    PlanHome,
    Planned,
    PlannerFailed,
    Refused,
    Request,
    Timed,
)
from elfin_bt.planning.outbox import Outbox
from elfin_bt.planning.path import Leg
from elfin_bt.planning.port import PlannerPort, Refusal
from elfin_bt.planning.settings import READY_POSE, PlannerConfig
from elfin_bt.planning.trajectory import Trajectory

_LOG = logging.getLogger('planner')


class Worker:
    """Answers one request after the other over a connection."""

    def __init__(self, connection: Connection, planner: PlannerPort, config: PlannerConfig) -> None:
        self._connection = connection
        self._outbox = Outbox(connection)
        self._planner = planner
        self._config = config
        self._requests: SimpleQueue[PlanHome | PlanDrawing] = SimpleQueue()

    def run(self) -> None:
        """Serve until the other end of the connection closes, which ends the process."""
        threading.Thread(target=self._receive, daemon=True).start()
        while True:
            request = self._requests.get()
            try:
                self._serve(request)
            except Exception as error:
                _LOG.exception('request %d failed', request.request_id)
                self._outbox.release()
                reason = f'{type(error).__name__}: {error}'
                self._outbox.put(PlannerFailed(request.request_id, reason))

    def _receive(self) -> None:
        try:
            while True:
                message: Request = self._connection.recv()
                if isinstance(message, Cancel):
                    self._outbox.cancel(message.request_id)
                else:
                    self._requests.put(message)
        except (EOFError, OSError):
            os._exit(0)

    def _serve(self, request: PlanHome | PlanDrawing) -> None:
        if self._outbox.cancelled(request.request_id):
            return
        if isinstance(request, PlanHome):
            self._plan_home(request)
        else:
            self._plan_drawing(request)

    def _plan_home(self, request: PlanHome) -> None:
        began = time.monotonic()
        motion = self._planner.plan_ptp(request.start, np.array(READY_POSE))
        if isinstance(motion, Refusal):
            self._outbox.put(Refused(request.request_id, motion.reason))
            return
        if self._sent(request.request_id, motion.pieces()):
            seconds = time.monotonic() - began
            self._outbox.put(Planned(request.request_id, {**motion.figures, 'planning_s': seconds}))

    def _plan_drawing(self, request: PlanDrawing) -> None:
        began = time.monotonic()
        plan = self._checked_drawing(request)
        if isinstance(plan, Refusal):
            self._outbox.put(Refused(request.request_id, plan.reason))
            return
        seconds = time.monotonic() - began
        figures = {**plan.figures, 'checking_s': seconds}
        self._outbox.put(Checked(request.request_id, figures))
        self._outbox.hold(request.request_id)
        measured: dict[str, float] = {}
        if self._sent(request.request_id, plan.pieces(measured)):
            seconds = time.monotonic() - began
            figures = {**figures, **total_figures(measured), 'planning_s': seconds}
            self._outbox.put(Timed(request.request_id, figures))
            self._outbox.put(Planned(request.request_id, figures))

    def _checked_drawing(self, request: PlanDrawing) -> DrawingPlan | Refusal:
        recipe = request.recipe
        if isinstance(recipe, Path):
            try:
                recipe = Recipe.read(recipe)
            except (OSError, DrawingError) as error:
                return Refusal(f'{request.recipe}: {error}')
        return plan_drawing(
            self._planner,
            self._config,
            recipe,
            request.start,
            speeds=request.speeds,
            dry_run=request.dry_run,
        )

    def _sent(self, request_id: int, pieces: Iterable[tuple[Leg, Trajectory]]) -> bool:
        """Put all pieces into the outbox; False if the request was cancelled meanwhile."""
        for index, (leg, trajectory) in enumerate(pieces):
            if self._outbox.cancelled(request_id):
                return False
            self._outbox.put(Piece(request_id, index, leg.phase, leg.stroke, trajectory))
        return True


def main() -> None:
    """Entry point; the session starts it with an open socket."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--fd', type=int, required=True, help='file descriptor of the connection')
    connection = Connection(parser.parse_args().fd)
    logging.basicConfig(format='[planner] %(levelname)s: %(message)s')
    # Planning takes a core for itself: it must not take it from the nodes that stream, which have
    # real-time priority where that is allowed.
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    # A Ctrl-C in the terminal reaches the whole group; the session decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        config: PlannerConfig = connection.recv()
        Worker(connection, LocalPlanner(config), config).run()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the session has gone


if __name__ == '__main__':
    main()

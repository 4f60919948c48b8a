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
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.planning.drawing_plan import plan_drawing
from elfin_bt.planning.local import LocalPlanner
from elfin_bt.planning.messages import (
    Cancel,
    Checked,
    Event,
    Piece,
    PlanDrawing,
    PlanHome,
    Planned,
    PlannerFailed,
    Refused,
    Request,
)
from elfin_bt.planning.port import Motion, PlannerPort, Refusal, Result
from elfin_bt.planning.settings import READY_POSE, PlannerConfig

NICENESS = 5
_LOG = logging.getLogger('planner')


class Worker:
    """Answers one request after the other over a connection."""

    def __init__(self, connection: Connection, planner: PlannerPort, config: PlannerConfig) -> None:
        self._connection = connection
        self._planner = planner
        self._config = config
        self._requests: SimpleQueue[PlanHome | PlanDrawing] = SimpleQueue()
        self._cancelled: set[int] = set()

    def run(self) -> None:
        """Serve until the other end of the connection closes, which ends the process."""
        threading.Thread(target=self._receive, daemon=True).start()
        while True:
            request = self._requests.get()
            if request.request_id not in self._cancelled:
                self._serve(request)

    def _receive(self) -> None:
        try:
            while True:
                message: Request = self._connection.recv()
                if isinstance(message, Cancel):
                    self._cancelled.add(message.request_id)
                else:
                    self._requests.put(message)
        except (EOFError, OSError):
            os._exit(0)

    def _serve(self, request: PlanHome | PlanDrawing) -> None:
        began = time.monotonic()
        try:
            result = self._plan(request)
        except Exception as error:
            _LOG.exception('request %d failed', request.request_id)
            self._send(PlannerFailed(request.request_id, f'{type(error).__name__}: {error}'))
            return
        if isinstance(result, Refusal):
            self._send(Refused(request.request_id, result.reason))
            return
        figures = {**result.figures, 'planning_s': time.monotonic() - began}
        if isinstance(request, PlanDrawing):
            self._send(Checked(request.request_id, figures))
        self._stream(request.request_id, result)
        self._send(Planned(request.request_id, figures))

    def _plan(self, request: PlanHome | PlanDrawing) -> Result:
        if isinstance(request, PlanHome):
            return self._planner.plan_ptp(request.start, np.array(READY_POSE))
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

    def _stream(self, request_id: int, motion: Motion) -> None:
        for index, (leg, trajectory) in enumerate(motion.pieces()):
            if request_id in self._cancelled:
                return
            self._send(Piece(request_id, index, leg.phase, leg.stroke, trajectory))

    def _send(self, event: Event) -> None:
        self._connection.send(event)


def main() -> None:
    """Entry point; the session starts it with an open socket."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--fd', type=int, required=True, help='file descriptor of the connection')
    connection = Connection(parser.parse_args().fd)
    logging.basicConfig(format='[planner] %(levelname)s: %(message)s')
    # Planning takes a core for itself: it must not take it from the nodes that stream.
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    os.nice(NICENESS)
    # A Ctrl-C in the terminal reaches the whole group; the session decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        config: PlannerConfig = connection.recv()
        Worker(connection, LocalPlanner(config), config).run()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the session has gone


if __name__ == '__main__':
    main()

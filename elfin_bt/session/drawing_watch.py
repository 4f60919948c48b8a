# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is measured while a drawing is planned and executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from elfin_bt.behaviours.phase import Phase
from elfin_bt.execution.faults import Fault
from elfin_bt.session.fault_latch import FaultLatch
from elfin_bt.session.motion_queue import MotionQueue
from elfin_bt.session.planner_desk import PlannerDesk
from elfin_bt.session.progress import Progress
from elfin_bt.session.robot_monitor import RobotMonitor


class DrawingWatch:
    """Watches one job at a time. ``clock`` gives monotonic (wall) seconds."""

    def __init__(
        self,
        robot: RobotMonitor,
        planner: PlannerDesk,
        motion: MotionQueue,
        faults: FaultLatch,
        clock: Callable[[], float],
    ) -> None:
        self._robot = robot
        self._planner = planner
        self._motion = motion
        self._faults = faults
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Start anew for another job."""
        self._progress = Progress()
        self._planned: dict[str, Any] = {}
        self._began_at = self._clock()
        self._ready_at: float | None = None
        self._first_motion_s: float | None = None

    def measure(self, phase: Phase) -> dict[str, Any]:
        """Return the fields of the job's status that are measured; ``phase`` is the present one."""
        executed = self._motion.take_executed()
        if phase in (Phase.DRAWING, Phase.RETRACTING):
            if self._ready_at is None:
                self._note_ready_pose()
            for piece in executed:
                self._progress.add(piece)
            self._look_for_motion()
        # Kept here: a plan is dropped when its job is given up.
        self._planned.update(self._planner.drawing.figures)
        planned = self._planned.get('planned_duration_s')
        drawing = self._ready_at is not None
        return {
            'strokes_done': self._progress.strokes_done,
            'ink_m': self._progress.ink_m,
            'planned_duration_s': planned,
            'first_motion_s': self._first_motion_s,
            'time_left_s': (
                max(planned - self._progress.executed_s, 0.0)
                if drawing and planned is not None
                else planned
            ),
            'figures': self._planned
            | {
                'retract_duration_s': self._progress.retract_s,
                'out_of_frames': sum(
                    Fault.OUT_OF_FRAMES.name in text for text in self._faults.texts
                ),
                'faults': self._faults.texts,
            },
        }

    def _note_ready_pose(self) -> None:
        """Note when the ready pose was reached: the last motion, or now if there was none."""
        moved_at = self._robot.last_moving_at
        if moved_at is not None and moved_at >= self._began_at:
            self._ready_at = moved_at
        else:
            self._ready_at = self._clock()

    def _look_for_motion(self) -> None:
        began_at = self._robot.motion_began_at
        if self._first_motion_s is None and self._ready_at is not None:
            if began_at is not None and began_at > self._ready_at:
                self._first_motion_s = began_at - self._ready_at

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session without ROS: the tree, the cell that it acts on, and what is reported of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from py_trees.blackboard import Blackboard
from py_trees.common import Status
from py_trees.trees import BehaviourTree

from elfin_bt.behaviours.cell import Cell
from elfin_bt.behaviours.phase import Phase
from elfin_bt.behaviours.registry import REGISTRY
from elfin_bt.session.drawing_watch import DrawingWatch
from elfin_bt.session.fault_latch import FaultLatch
from elfin_bt.session.job import DrawJob, JobStatus
from elfin_bt.session.jobs import JobDesk, Loading
from elfin_bt.session.motion_queue import GoalTransport, MotionQueue
from elfin_bt.session.planner_desk import Client, PlannerDesk
from elfin_bt.session.robot_monitor import ExecutorServices, RobotMonitor
from elfin_bt.session.tree_loader import load_tree


@dataclass(frozen=True, kw_only=True)
class SessionPorts:
    """What the session needs of the world. ``clock`` gives monotonic seconds."""

    clock: Callable[[], float]
    start_planner: Callable[[], Client]
    transport: GoalTransport
    executor: ExecutorServices
    load_recipe: Callable[[DrawJob], Loading]
    report_job: Callable[[JobStatus], None]
    max_goals: int = 16
    max_seconds: float = 3.0


class SessionCore:
    """Ticks the tree and follows the drawing. Raises TreeError for a tree file that is wrong."""

    def __init__(self, tree_file: Path, ports: SessionPorts) -> None:
        self.faults = FaultLatch()
        self.robot = RobotMonitor(ports.executor, ports.clock)
        self.motion = MotionQueue(
            ports.transport, max_goals=ports.max_goals, max_seconds=ports.max_seconds
        )
        self.planner = PlannerDesk(ports.start_planner)
        self._ending = False
        self._watch = DrawingWatch(self.robot, self.planner, self.motion, self.faults, ports.clock)
        self.jobs = JobDesk(
            ports.load_recipe, ports.report_job, self._begin_job, self._watch.measure
        )
        # The blackboard is global to the process; a tree starts with an empty one.
        Blackboard.clear()
        self.tree = BehaviourTree(load_tree(tree_file, REGISTRY))
        self.tree.setup(
            cell=Cell(
                robot=self.robot,
                planner=self.planner,
                motion=self.motion,
                jobs=self.jobs,
                faults=self.faults,
                clock=ports.clock,
            )
        )

    def tick(self) -> None:
        """Bring the job's status up to date, then tick the tree once."""
        if self._ending:
            return
        self.jobs.follow()
        self._note_retract()
        self.tree.tick()

    @property
    def owns_motion(self) -> bool:
        """Whether the arm moves, or is about to, on behalf of this session."""
        return self.jobs.active or not self.motion.idle

    @property
    def activity(self) -> str:
        """What the tree is doing: the names of the running leaves."""
        running = [
            node.name
            for node in self.tree.root.iterate()
            if node.status == Status.RUNNING and not node.children
        ]
        return ', '.join(running)

    def end(self) -> None:
        """Come to rest on the path and give the job up; ticks do nothing any more."""
        self._ending = True
        self.tree.interrupt()
        self.motion.cancel()
        self.jobs.give_up('the session was ended')

    def close(self) -> None:
        """End the planner's process."""
        self.planner.close()

    def _begin_job(self) -> None:
        """Leave nothing of the job before."""
        self.planner.cancel()
        self._watch.begin()

    def _note_retract(self) -> None:
        """The drawing is over when the arm begins its retract, the last part of the same plan."""
        piece, status = self.motion.executing, self.jobs.status
        if status is not None and status.phase is Phase.DRAWING:
            if piece is not None and piece.phase == 'retract':
                self.jobs.enter(Phase.RETRACTING)

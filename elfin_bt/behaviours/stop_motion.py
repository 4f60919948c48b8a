# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Coming to rest, and seeing that it is so."""

from __future__ import annotations

from py_trees.common import Status

from elfin_bt.behaviours.leaf import Leaf

PATIENCE = 1.5


class StopMotion(Leaf):
    """Stops planning and motion and waits until the arm is seen to stand still.

    Whatever follows a stop (an explanation, a motion home) has to pass through here: a py_trees
    selector ticks the new branch before it interrupts the old one, so at its first tick the old
    motion is still being commanded.

    * SUCCESS: the arm stands still and no goal is open. Also: it stands still though the executor
      leaves goals unanswered for 1.5 s, or it can't be seen since the hardware is silent.
    * RUNNING: it is coming to rest.
    """

    def initialise(self) -> None:
        """Take everything back that was asked for."""
        self.cell.planner.cancel()
        self.cell.motion.cancel()
        self._patient_until = self.cell.clock() + PATIENCE

    def update(self) -> Status:
        """Look at the arm."""
        robot, motion = self.cell.robot, self.cell.motion
        # Goals sent after initialise(), in the tick of the interruption, are cancelled here.
        motion.cancel()
        if robot.silent or robot.positions is None:
            return self.explain(Status.SUCCESS, 'the arm can not be seen')
        impatient = self.cell.clock() >= self._patient_until
        if robot.at_rest and (motion.idle or impatient):
            return Status.SUCCESS
        return self.explain(Status.RUNNING, 'coming to rest')

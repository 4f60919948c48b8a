# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The tags that a tree file may use, and the classes behind them."""

from __future__ import annotations

from py_trees.ports import PortsMixin

from elfin_bt.behaviours.collect_plan import CollectPlan
from elfin_bt.behaviours.execute_plan import ExecutePlan
from elfin_bt.behaviours.finish_job import FinishJob
from elfin_bt.behaviours.give_up_job import GiveUpJob
from elfin_bt.behaviours.guard import Guard
from elfin_bt.behaviours.idle import Idle
from elfin_bt.behaviours.load_recipe import LoadRecipe
from elfin_bt.behaviours.parallel import Parallel
from elfin_bt.behaviours.plan_drawing import PlanDrawing
from elfin_bt.behaviours.plan_home import PlanHome
from elfin_bt.behaviours.sense import Sense
from elfin_bt.behaviours.stop_motion import StopMotion
from elfin_bt.behaviours.wait_for_reset import WaitForReset

REGISTRY: dict[str, type[PortsMixin]] = {
    entry.__name__: entry
    for entry in (
        CollectPlan,
        ExecutePlan,
        FinishJob,
        GiveUpJob,
        Guard,
        Idle,
        LoadRecipe,
        Parallel,
        PlanDrawing,
        PlanHome,
        Sense,
        StopMotion,
        WaitForReset,
    )
}

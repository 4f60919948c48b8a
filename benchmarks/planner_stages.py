# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""CPU time of the local planner, stage by stage."""

from typing import Any

import numpy as np
from planner_measuring import Seconds, cpu_time

from elfin_bt.drawing.recipe import Recipe
from elfin_bt.kinematics import JointLimits, tip_positions
from elfin_bt.planning import checks
from elfin_bt.planning.chord import ChordCheck
from elfin_bt.planning.collision import CollisionChecker
from elfin_bt.planning.drawing_plan import pen_path, plan_drawing
from elfin_bt.planning.joints import JointPath, follow_path
from elfin_bt.planning.local import LocalPlanner
from elfin_bt.planning.outline import outline
from elfin_bt.planning.path import PenPath
from elfin_bt.planning.path_plan import PathPlan
from elfin_bt.planning.port import Refusal
from elfin_bt.planning.posture import choose_branch
from elfin_bt.planning.settings import READY_POSE, PlannerConfig, Speeds
from elfin_bt.resources import share_path

CONFIG = PlannerConfig()
READY = np.array(READY_POSE)
LIMITS = JointLimits.of_the_arm().scaled(CONFIG.limit_scale)
IN_TARGET = ('joints', 'joint checks', 'collisions', 'timing', 'chord error')
"""What the target in points a second speaks of: inverse kinematics, checks and timing."""


def planned(recipe: Recipe) -> tuple[PenPath, JointPath]:
    """The path of a recipe and the joints along it."""
    path = _path(recipe)
    return path, _joints(path)


def stages(recipe: Recipe, runs: int) -> tuple[PenPath, JointPath, dict[str, Seconds]]:
    """The path and joints of a recipe, and the seconds of each stage.

    reading is of its JSON; all of it is from the recipe to the last piece of motion.
    """
    checker = CollisionChecker(share_path('config/elfin5.urdf'), CONFIG.paper, CONFIG.pen_length)
    depth = CONFIG.heights.contact_depth
    times: dict[str, Seconds] = {}

    def stage(name: str, function: Any, *arguments: Any) -> Any:
        times[name], result = cpu_time(lambda: function(*arguments), runs)
        return result

    stage('reading', Recipe.from_json, recipe.to_json())
    drawn = stage('outline', outline, recipe)
    tip = CONFIG.paper.to_paper(tip_positions(READY[None], CONFIG.pen_length))[0]
    path = stage('path', pen_path, CONFIG, recipe, drawn, tip, Speeds(), False)
    stage('posture', lambda: choose_branch(path.points, CONFIG, clearance=checker.clearance))
    joints = stage('joints', _joints, path)
    stage('joint checks', _check_joints, path, joints)
    stage('collisions', checks.check_collisions, path, joints, checker, depth)
    plan = PathPlan(path, joints, LIMITS, ChordCheck(CONFIG.paper, CONFIG.pen_length))
    parts = stage('timing', lambda: list(plan.timed()))
    stage('chord error', lambda: [plan.chord.error(path, rows) for rows in parts])
    planner = LocalPlanner(CONFIG)
    stage('all of it', _all, planner, recipe)
    return path, joints, times


def _all(planner: LocalPlanner, recipe: Recipe) -> None:
    plan = plan_drawing(planner, CONFIG, recipe, READY, speeds=Speeds(), dry_run=False)
    if isinstance(plan, Refusal):
        raise RuntimeError(f'the planner refused: {plan.reason}')
    for _ in plan.pieces({}):
        pass


def _path(recipe: Recipe) -> PenPath:
    tip = CONFIG.paper.to_paper(tip_positions(READY[None], CONFIG.pen_length))[0]
    return pen_path(CONFIG, recipe, outline(recipe), tip, Speeds(), dry_run=False)


def _joints(path: PenPath) -> JointPath:
    return follow_path(READY, path, CONFIG)


def _check_joints(path: PenPath, joints: JointPath) -> None:
    checks.check_reach(path, CONFIG.paper, CONFIG.reach)
    checks.check_joints(path, joints, LIMITS)

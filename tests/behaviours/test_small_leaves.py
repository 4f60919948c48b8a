# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
from py_trees.common import Status

from elfin_bt.behaviours.finish_job import FinishJob
from elfin_bt.behaviours.idle import Idle
from elfin_bt.behaviours.load_recipe import LoadRecipe
from elfin_bt.behaviours.phase import Phase


def test_idle_runs_for_ever(make, tick):
    idle = make(Idle)
    assert [tick(idle) for _ in range(3)] == [Status.RUNNING] * 3


def test_a_job_is_finished(cell, make, tick):
    assert tick(make(FinishJob)) == Status.SUCCESS
    assert cell.jobs.end == ('done', '')


def test_loading_takes_as_long_as_it_takes(cell, make, tick):
    load = make(LoadRecipe)
    cell.jobs.loading = True
    assert tick(load) == Status.RUNNING
    cell.jobs.loading = False
    assert tick(load) == Status.SUCCESS
    assert cell.jobs.phases == [Phase.CHECKING]


def test_a_recipe_that_can_not_be_read_ends_the_job(cell, make, tick):
    load = make(LoadRecipe)
    cell.jobs.load_error = 'the recipe can not be read: no such file'
    assert tick(load) == Status.FAILURE
    assert cell.jobs.end == ('given up', 'the recipe can not be read: no such file')

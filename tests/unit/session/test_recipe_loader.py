# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import time
from pathlib import Path

import pytest

from elfin_bt.session.job import DrawJob
from elfin_bt.session.recipe_loader import RecipeLoading


def load(**source):
    loading = RecipeLoading(DrawJob(id='1', **source))
    deadline = time.monotonic() + 5.0
    while not loading.is_done:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return loading


@pytest.mark.parametrize(
    ('text', 'reason'), [('{', 'not JSON'), ('{}', 'recipe'), ('[1, 2]', 'recipe')]
)
def test_a_file_that_holds_no_recipe_is_told(tmp_path, text, reason):
    path = tmp_path / 'recipe.json'
    path.write_text(text, encoding='utf-8')
    loading = load(recipe_file=path)
    assert loading.recipe is None
    assert loading.error.startswith('the recipe can not be read: ')
    assert reason in loading.error


@pytest.mark.parametrize('path', ['/no/such/file.json', '/'])
def test_a_file_that_can_not_be_read_is_told(path):
    assert path in load(recipe_file=Path(path)).error


def test_a_recipe_in_the_job_that_is_none_is_told():
    assert load(recipe={'format': 'something else'}).error


@pytest.mark.parametrize('path', ['/tmp/a\0b', '/tmp/\ud800'])
def test_a_path_that_no_file_can_have_is_told(path):
    assert load(recipe_file=Path(path)).error.startswith('the recipe can not be read: ')


def test_a_number_too_large_for_a_recipe_is_told(tmp_path):
    document = {'format': 'elfin_bt/recipe', 'version': 2, 'page_mm': [10**400, 1.0]}
    assert 'page_mm is not an array of numbers' in load(recipe=document).error

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Reading a recipe in a thread: a large one takes longer than a tick may."""

from __future__ import annotations

import threading

from elfin_bt.drawing.errors import RecipeError
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.session.job import DrawJob


class RecipeLoading:
    """One recipe being read; ``recipe`` or ``error`` is set when it ``is_done``."""

    def __init__(self, job: DrawJob) -> None:
        self.recipe: Recipe | None = None
        self.error = ''
        self._thread = threading.Thread(target=self._load, args=(job,), daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether the reading has ended, one way or the other."""
        return not self._thread.is_alive()

    def _load(self, job: DrawJob) -> None:
        try:
            self.recipe = _read(job)
        except (RecipeError, OSError, ValueError) as error:
            self.error = f'the recipe can not be read: {error}'


def _read(job: DrawJob) -> Recipe:
    if job.recipe_file is not None:
        return Recipe.read(job.recipe_file)
    return Recipe.from_document(job.recipe)

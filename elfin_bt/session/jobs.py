# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The one job there may be: taken, followed, ended, and reported at every change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from elfin_bt.behaviours.phase import Phase
from elfin_bt.behaviours.plan import DrawingOrder
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.planning.settings import Speeds
from elfin_bt.session.job import DrawJob, JobError, JobStatus

HOME_ID = 'home'


class Loading(Protocol):
    """A recipe being read."""

    recipe: Recipe | None
    error: str

    @property
    def is_done(self) -> bool: ...  # noqa: D102


class JobDesk:
    """Takes drawing jobs and requests to go home, one at a time.

    ``load(job)`` begins to read a recipe, ``report(status)`` is called at every change.
    ``begin()`` is called for a new job and ``measure(phase)`` gives the fields of its status that
    are measured.
    """

    def __init__(
        self,
        load: Callable[[DrawJob], Loading],
        report: Callable[[JobStatus], None],
        begin: Callable[[], None],
        measure: Callable[[Phase], Mapping[str, Any]],
    ) -> None:
        self._load = load
        self._begin_measuring = begin
        self._measure = measure
        self._report = report
        self._job: DrawJob | None = None
        self._loading: Loading | None = None
        self._home = False
        self._moved = False
        self._cancel = False
        self._reset: Callable[[str], None] | None = None
        self._reset_taken = False
        self.status: JobStatus | None = None

    # What people ask for.

    def submit(self, text: str, fault: str) -> None:
        """Take a job, or refuse it and say why. ``fault`` is what is latched, '' when nothing."""
        try:
            job = DrawJob.from_json(text)
        except JobError as error:
            self._refuse_new(error.job_id, str(error))
            return
        refusal = self._why_busy(fault)
        if refusal:
            self._refuse_new(job.id, refusal)
            return
        self._job, self._loading = job, self._load(job)
        self._begin(job.id)

    def request_home(self, fault: str) -> str:
        """Take the request to go home; return '' or why not."""
        refusal = self._why_busy(fault)
        if not refusal:
            self._home = True
            self._begin(HOME_ID)
        return refusal

    def request_cancel(self) -> str:
        """Take the request to give the job up; return '' or why not."""
        if not self.active:
            return 'there is no job to cancel'
        self._cancel = True
        return ''

    def request_reset(self, fault: str, answer: Callable[[str], None]) -> None:
        """Take the request to clear a fault; ``answer`` gets '' or why not, maybe at once."""
        if not fault:
            answer('nothing is latched')
        elif self._reset is not None:
            answer('a reset is going on already')
        else:
            self._reset, self._reset_taken = answer, False

    # What the session reports about the job.

    @property
    def active(self) -> bool:
        """Whether there is a job."""
        return self._job is not None or self._home

    @property
    def recipe(self) -> Recipe | None:
        """The recipe of the job, once it has been read."""
        return self._loading.recipe if self._loading and self._loading.is_done else None

    def follow(self) -> None:
        """Report what has changed since the last call."""
        if self.status is not None and self.active:
            self._update(self.status.phase)

    # What the tree sees and does (the Jobs interface of the behaviours).

    @property
    def loading(self) -> bool:
        """Whether the job's recipe is still being read."""
        return self._loading is not None and not self._loading.is_done

    @property
    def load_error(self) -> str:
        """Why the recipe could not be read; ''."""
        return self._loading.error if self._loading and self._loading.is_done else ''

    @property
    def order(self) -> DrawingOrder:
        """What the job draws; only once its recipe has been read."""
        job, recipe = self._job, self.recipe
        assert job is not None and recipe is not None, 'only a loaded job is planned'
        return DrawingOrder(
            # A path spares us the pickling: the planner's process reads the file itself.
            job.recipe_file or recipe,
            dry_run=job.dry_run,
            speeds=Speeds() if job.pen_speed is None else Speeds(pen=job.pen_speed),
        )

    @property
    def draw_active(self) -> bool:
        """Whether there is a drawing job."""
        return self._job is not None

    @property
    def home_active(self) -> bool:
        """Whether the arm was asked to go home."""
        return self._home

    @property
    def cancel_requested(self) -> bool:
        """Whether the current job is to be given up."""
        return self._cancel

    def enter(self, phase: Phase) -> None:
        """Note how far the job has come."""
        self._moved = self._moved or phase.in_motion
        self._update(phase)

    def give_up(self, reason: str) -> None:
        """End the job: refused when nothing has moved for it, failed after that."""
        self._end(Phase.FAILED if self._moved else Phase.REFUSED, reason)

    def finish(self) -> None:
        """End the job well."""
        self._end(Phase.DONE, '')

    def take_reset_request(self) -> bool:
        """Whether a person has asked for a reset since the last call."""
        taken = self._reset is not None and not self._reset_taken
        self._reset_taken = self._reset_taken or taken
        return taken

    def answer_reset(self, refusal: str) -> None:
        """Tell that person how it went: '' is well."""
        if self._reset is not None:
            answer, self._reset = self._reset, None
            answer(refusal)

    def _begin(self, job_id: str) -> None:
        self._moved = self._cancel = False
        self._begin_measuring()
        self.status = JobStatus(id=job_id, phase=Phase.ACCEPTED)
        self._report(self.status)

    def _update(self, phase: Phase, reason: str = '') -> None:
        if self.status is None or not self.active:
            return
        strokes = len(self.recipe.strokes) if self.recipe is not None else 0
        measured = self._measure(phase)
        status = replace(self.status, phase=phase, reason=reason, strokes=strokes, **measured)
        if status != self.status:
            self.status = status
            self._report(status)

    def _end(self, phase: Phase, reason: str) -> None:
        self._update(phase, reason)
        self._job = self._loading = None
        self._home = self._cancel = False

    def _why_busy(self, fault: str) -> str:
        if fault:
            return f'a fault waits for ~/reset_fault: {fault}'
        if self.active and self.status is not None:
            return f"job '{self.status.id}' is {self.status.phase}: wait for its end or ~/cancel it"
        return ''

    def _refuse_new(self, job_id: str, reason: str) -> None:
        self._report(JobStatus(id=job_id, phase=Phase.REFUSED, reason=reason))

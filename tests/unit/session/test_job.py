# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from elfin_bt.behaviours.phase import Phase
from elfin_bt.session.job import DrawJob, JobError, JobStatus

GOOD = {'id': '7', 'kind': 'draw', 'recipe_file': '/tmp/r.json'}


def test_a_job_is_read():
    job = DrawJob.from_json(json.dumps({**GOOD, 'dry_run': True, 'pen_speed_m_s': 0.05}))
    assert (job.id, str(job.recipe_file), job.recipe) == ('7', '/tmp/r.json', None)
    assert (job.dry_run, job.pen_speed) == (True, 0.05)


def test_what_may_be_left_out_has_a_default():
    job = DrawJob.from_json('{"kind": "draw", "recipe": {"format": "x"}}')
    assert (job.id, job.recipe, job.dry_run, job.pen_speed) == ('', {'format': 'x'}, False, None)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'not JSON'),
        ('{"kind":', 'not JSON'),
        ('[' * 100_000, 'not JSON'),
        ('[]', 'not a JSON object'),
        ('{"id": 7}', '"id" is 7'),
        ({'kind': 'dance'}, '"kind" is \'dance\''),
        ({'kind': None}, '"kind" is None'),
        ({'speed': 1}, 'unknown field "speed"'),
        ({'recipe_file': None}, 'give either'),
        ({'recipe': {}}, 'give either'),
        ({'recipe_file': 5}, '"recipe_file" is 5'),
        ({'recipe_file': None, 'recipe': 'x'}, '"recipe" must be a JSON object'),
        ({'dry_run': 'yes'}, '"dry_run" is \'yes\''),
        ({'pen_speed_m_s': 0}, '"pen_speed_m_s" is 0'),
        ({'pen_speed_m_s': -0.1}, '"pen_speed_m_s" is -0.1'),
        ({'pen_speed_m_s': 0.21}, '"pen_speed_m_s" is 0.21'),
        ({'pen_speed_m_s': float('nan')}, '"pen_speed_m_s" is nan'),
        ({'pen_speed_m_s': True}, '"pen_speed_m_s" is True'),
    ],
)
def test_a_bad_job_is_refused_with_the_reason(text, reason):
    if isinstance(text, dict):
        text = json.dumps({**GOOD, **text})
    with pytest.raises(JobError, match=r'.*') as caught:
        DrawJob.from_json(text)
    assert reason in str(caught.value)


def test_a_bad_job_is_refused_by_its_id():
    with pytest.raises(JobError) as caught:
        DrawJob.from_json(json.dumps({**GOOD, 'kind': 'dance'}))
    assert caught.value.job_id == '7'


def test_a_status_is_plain_json():
    status = JobStatus(id='7', phase=Phase.DRAWING, figures={'faults': []})
    assert json.loads(status.to_json()) == {
        'id': '7',
        'phase': 'drawing',
        'strokes': 0,
        'strokes_done': 0,
        'ink_m': 0.0,
        'time_left_s': None,
        'planned_duration_s': None,
        'first_motion_s': None,
        'figures': {'faults': []},
        'reason': '',
    }


@pytest.mark.parametrize(
    'field',
    [
        '"pen_speed_m_s": 1' + 400 * '0',
        '"pen_speed_m_s": NaN',
        '"id": "\\ud800"',
        '"id": "' + 101 * 'x' + '"',
    ],
)
def test_values_that_can_not_be_are_refused(field):
    with pytest.raises(JobError):
        DrawJob.from_json('{"kind": "draw", "recipe_file": "a.json", ' + field + '}')

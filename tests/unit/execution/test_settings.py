# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Settings that don't fit each other are refused with the numbers compared."""

from dataclasses import replace

import pytest

from elfin_bt.execution.settings import ExecutorSettings
from elfin_bt.resources import share_path


def test_the_defaults_fit():
    assert ExecutorSettings().problems() == []


@pytest.mark.parametrize(
    'change, words',
    [
        ({'low_water': 0.08}, 'firmware_watchdog 0.06 s + jitter 0.033 s <= low_water 0.08 s'),
        ({'committed_depth': 0.26}, 'one chunk 0.064 s <= committed_depth 0.26 s'),
        ({'firmware_frames': 512}, 'committed_depth 0.4 s < buffer 0.256 s'),
        ({'sample_period': 0.0015}, 'whole multiple'),
        ({'ack_timeout': 0.5}, 'ack_timeout 0.5 s'),
    ],
)
def test_a_broken_rule_is_named(change, words):
    (problem,) = replace(ExecutorSettings(), **change).problems()
    assert words in problem


def test_the_shipped_parameters_are_the_defaults():
    yaml = pytest.importorskip('yaml')
    shipped = yaml.safe_load(share_path('config/executor.yaml').read_text())
    parameters = shipped['/**/passthrough_executor']['ros__parameters']
    defaults = ExecutorSettings()
    for name, value in parameters.items():
        match name:
            case 'update_rate':
                assert value == 250.0
            case 'max_velocity':
                assert value == defaults.limits.velocity.tolist()
            case 'max_acceleration':
                assert value == defaults.limits.acceleration.tolist()
            case _:
                assert value == getattr(defaults, name), name

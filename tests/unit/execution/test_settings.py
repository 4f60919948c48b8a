# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Settings that don't fit each other are refused with the numbers compared."""

from dataclasses import fields, replace

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
        (
            {'stream_low_water': 0.09},
            'firmware_watchdog 0.06 s + jitter 0.033 s <= stream_low_water 0.09 s',
        ),
        (
            {'stream_horizon': 0.12},
            'stream_low_water 0.13 s < stream_horizon 0.12 s < buffer 0.512 s',
        ),
        ({'blend_tolerance': 0.06}, 'blend_tolerance 0.06 rad <= start_tolerance 0.052 rad'),
        ({'joint_names': ('a',) * 6}, "joint_names is 6 different names, not ['a', "),
        ({'device_joint_names': ('a', 'b')}, 'device_joint_names is 6 different names'),
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
    others = {
        'update_rate': 250,
        'is_async': True,
        'controller_names': ['elfin_arm_controller'],
        'action_monitor_rate': 20.0,
        'state_publish_rate': 50.0,
        'max_velocity': defaults.limits.velocity.tolist(),
        'max_acceleration': defaults.limits.acceleration.tolist(),
        'joint_names': list(defaults.joint_names),
        'device_joint_names': list(defaults.device_joint_names),
    }
    for name, value in parameters.items():
        assert value == (others[name] if name in others else getattr(defaults, name)), name
    # What is not shipped is the hidden one, which only simulated time changes.
    unshipped = {field.name for field in fields(defaults)} - set(parameters)
    assert unshipped == {'limits', 'successor_patience'}

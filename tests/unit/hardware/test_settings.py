# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
from dataclasses import fields

import pytest
import yaml

from elfin_bt.hardware.device import DeviceInfo
from elfin_bt.hardware.settings import HardwareSettings, SettingsError
from elfin_bt.resources import share_path

DEVICE = DeviceInfo(sample=0.001, frame_buffer=1024, speedup=1.0)


def test_the_defaults_fit_the_phantom_without_a_warning():
    assert HardwareSettings().check(DEVICE) == []


@pytest.mark.parametrize(
    ('settings', 'text'),
    [
        # 48 frames are 24 points, 24 ms; half an e-stop of 50 ms is 25 ms.
        ({'empty_count': 48}, 'empty_count 48 lasts 0.024 s and an e-stop eats 0.025 s'),
        (
            {'empty_count': 206},
            '206 frames and 20 % of the 1024 frame buffer is 204',
        ),
        ({'sample_period': 0.0015}, 'sample_period is 0.0015 s and the firmware sample 0.001 s'),
        ({'sample_period': 0.0001}, 'whole multiple'),
        ({'preload': 118}, 'preload is 118 frames: it must be at least empty_count'),
        ({'preload': 514}, 'at most half of the buffer'),
    ],
)
def test_settings_that_could_leave_the_path_are_refused_with_both_numbers(settings, text):
    with pytest.raises(SettingsError, match=text):
        HardwareSettings(**settings).check(DEVICE)


def test_less_than_a_whole_e_stop_is_a_warning():
    (warning,) = HardwareSettings(empty_count=64).check(DEVICE)
    assert 'empty_count 64 lasts 0.032 s, shorter than estop_time 0.05 s' in warning


def test_a_motion_opened_with_less_than_watchdog_and_jitter_is_a_warning():
    (warning,) = HardwareSettings(preload=150).check(DEVICE)
    # 150 frames are 75 ms; 60 ms of watchdog and 33 ms of jitter are more.
    assert 'preload 150 lasts 0.075 s' in warning
    assert 'watchdog 0.06 s + jitter 0.033 s' in warning


def test_coarser_points_last_longer():
    assert HardwareSettings(sample_period=0.004, empty_count=60).empty_time == pytest.approx(0.12)


def test_the_shipped_parameters_are_the_defaults():
    parameters = yaml.safe_load(share_path('config/hardware.yaml').read_text())
    shipped = parameters['/**/pvt_hardware']['ros__parameters']
    defaults = {each.name: each.default for each in fields(HardwareSettings)}
    assert defaults.items() <= shipped.items()
    others = {'backend', 'device_timeout', 'update_rate', 'realtime_priority', 'record_folder'}
    assert shipped.keys() - defaults.keys() == others

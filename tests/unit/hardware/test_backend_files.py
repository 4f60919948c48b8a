# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped parameter files of the backends name every parameter and say its default."""

from dataclasses import fields

import pytest
import yaml

from elfin_bt.hardware.rapidcode.settings import RapidCodeSettings
from elfin_bt.hardware.robco.settings import RobcoSettings
from elfin_bt.hardware.settings import HardwareSettings
from elfin_bt.resources import share_path


def parameters(name: str) -> dict:
    text = share_path(f'config/{name}.yaml').read_text()
    return yaml.safe_load(text)['/**/pvt_hardware']['ros__parameters']


def defaults(settings: type) -> dict:
    values = {each.name: each.default for each in fields(settings)}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def test_rapidcode() -> None:
    assert parameters('rapidcode') == {'rapidcode': defaults(RapidCodeSettings)}


def test_robco() -> None:
    own = parameters('robco')
    assert own.pop('update_rate') == 125.0
    assert own == defaults(RobcoSettings)


@pytest.mark.parametrize('settings', [RapidCodeSettings, RobcoSettings])
def test_every_parameter_is_described(settings) -> None:
    assert all(each.metadata['description'] for each in fields(settings))


def test_no_parameter_of_a_backend_hides_one_of_the_node() -> None:
    assert not {f.name for f in fields(RobcoSettings)} & {f.name for f in fields(HardwareSettings)}

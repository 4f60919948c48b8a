# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Files shipped beside the code are found from a checkout, from pip's prefix and through ament."""

import sys
from pathlib import Path

import pytest

from elfin_bt import resources


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pretend that the package lies in a site-packages folder below `tmp_path`."""
    package = tmp_path / 'lib' / 'site-packages' / 'elfin_bt'
    monkeypatch.setattr(resources, '__file__', str(package / 'resources.py'))
    monkeypatch.setattr(sys, 'prefix', str(tmp_path / 'prefix'))
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    return tmp_path


def ship(prefix: Path, relative: str) -> Path:
    path = prefix / 'share' / 'elfin_bt' / relative
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def test_a_checkout_serves_its_own_files(repository: Path) -> None:
    assert resources.share_path('package.xml') == repository / 'package.xml'


def test_pip_installs_files_below_the_prefix(elsewhere: Path) -> None:
    shipped = ship(elsewhere / 'prefix', 'config/elfin5.urdf')
    assert resources.share_path('config/elfin5.urdf') == shipped


def test_ament_prefixes_are_searched_in_order(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overlay, underlay = elsewhere / 'overlay', elsewhere / 'underlay'
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'{overlay}:{underlay}')
    lower = ship(underlay, 'trees/draw.xml')
    assert resources.share_path('trees/draw.xml') == lower
    upper = ship(overlay, 'trees/draw.xml')
    assert resources.share_path('trees/draw.xml') == upper


def test_a_missing_file_is_named_with_the_places_looked_at(elsewhere: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r'config/nothing\.yaml .*prefix/share/elfin_bt'):
        resources.share_path('config/nothing.yaml')

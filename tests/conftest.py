# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What all tests share: ROS kept to this run, steady random examples, reference data."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from elfin_bt import environment

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get('ELFIN_SHARED') or REPOSITORY.parent / 'shared')

# A domain of their own: tests neither see nor disturb what else runs on this machine. Domains
# above 101 would use ports that Linux hands out to others.
os.environ['ROS_DOMAIN_ID'] = str(random.SystemRandom().randint(1, 101))
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['FASTDDS_BUILTIN_TRANSPORTS'] = 'UDPv4'
os.environ.update(environment.defaults(os.environ))

# The same examples in each run; a time limit would make a busy machine a failure.
hypothesis.settings.register_profile('steady', derandomize=True, deadline=None)
hypothesis.settings.load_profile('steady')


@pytest.fixture(scope='session')
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope='session')
def shared() -> Callable[[str], Path]:
    """Return a file or folder of the reference data, skipping the test where there is none."""

    def find(relative: str) -> Path:
        path = SHARED / relative
        if not path.exists():
            pytest.skip(
                f'no reference data at {path} (set ELFIN_SHARED to the folder that holds it)'
            )
        return path

    return find

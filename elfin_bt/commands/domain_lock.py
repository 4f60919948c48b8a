# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""One whole session a ROS domain: two would hear each other's chunks and joint states."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class DomainTaken(Exception):
    """Another session runs in this domain; the message is one line for a person."""


@contextmanager
def domain_lock(folder: Path | None = None) -> Iterator[None]:
    """Hold this user's lock of the ROS domain.

    The kernel lets it go when the process ends, however it ends. Raises DomainTaken.
    """
    domain = os.environ.get('ROS_DOMAIN_ID') or '0'
    place = folder or Path(tempfile.gettempdir())
    with (place / f'elfin_bt-{os.getuid()}-domain-{domain}.lock').open('a+') as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise DomainTaken(
                f'a session runs in ROS domain {domain} already (process {lock.read().strip()}): '
                'draw with --attach, or choose another ROS_DOMAIN_ID'
            ) from None
        lock.truncate(0)
        lock.write(f'{os.getpid()}\n')
        lock.flush()
        yield

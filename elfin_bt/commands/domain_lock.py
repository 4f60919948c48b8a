# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""One whole session a ROS domain: two would hear each other's chunks and joint states."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager


class DomainTaken(Exception):
    """Another session runs in this domain; the message is one line for a person."""


@contextmanager
def domain_lock() -> Iterator[None]:
    """Hold this machine's lock of the ROS domain. Raises DomainTaken.

    It is a name among Linux's abstract sockets: nothing on disk, and the kernel frees it when the
    process ends, however it ends.
    """
    domain = os.environ.get('ROS_DOMAIN_ID') or '0'
    name = f'\0elfin_bt-domain-{domain}'
    with socket.socket(socket.AF_UNIX) as lock:
        try:
            lock.bind(name)
        except OSError:
            raise DomainTaken(
                f'a session runs in ROS domain {domain} already (process {_holder(name)}): '
                'draw with --attach, or choose another ROS_DOMAIN_ID'
            ) from None
        lock.listen(1)
        yield


def _holder(name: str) -> str:
    """Process id of whoever listens at `name`."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(name)
            credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        except OSError:
            return 'unknown'
        return str(struct.unpack('3i', credentials)[0])

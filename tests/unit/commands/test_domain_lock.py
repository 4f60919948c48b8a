# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Two whole sessions never share a ROS domain."""

import os
import uuid

import pytest

from elfin_bt.commands.domain_lock import DomainTaken, domain_lock

DOMAIN = uuid.uuid4().hex  # a name that nothing else on the machine has


def test_a_domain_is_taken_while_its_session_runs_and_free_afterwards(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', DOMAIN)
    with domain_lock():
        with pytest.raises(
            DomainTaken, match=rf'domain {DOMAIN} already \(process {os.getpid()}\)'
        ):
            with domain_lock():
                pass
    with domain_lock():
        pass


def test_other_domains_are_free(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', DOMAIN)
    with domain_lock():
        monkeypatch.setenv('ROS_DOMAIN_ID', f'{DOMAIN}-b')
        with domain_lock():
            pass

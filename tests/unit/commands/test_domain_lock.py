# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Two whole sessions never share a ROS domain."""

import os

import pytest

from elfin_bt.commands.domain_lock import DomainTaken, domain_lock


def test_a_domain_is_taken_while_its_session_runs_and_free_afterwards(tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    with domain_lock(tmp_path):
        with pytest.raises(DomainTaken, match=rf'domain 7 already \(process {os.getpid()}\)'):
            with domain_lock(tmp_path):
                pass
    with domain_lock(tmp_path):
        pass


def test_other_domains_are_free(tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    with domain_lock(tmp_path):
        monkeypatch.setenv('ROS_DOMAIN_ID', '8')
        with domain_lock(tmp_path):
            pass


def test_no_domain_is_domain_0(tmp_path, monkeypatch):
    monkeypatch.delenv('ROS_DOMAIN_ID', raising=False)
    with domain_lock(tmp_path):
        monkeypatch.setenv('ROS_DOMAIN_ID', '0')
        with pytest.raises(DomainTaken):
            with domain_lock(tmp_path):
                pass

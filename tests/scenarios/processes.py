# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Looking at the processes of a running session from outside."""

from pathlib import Path


def children(pid: int) -> dict[str, int]:
    """The processes whose parent is `pid`: by the module that they run."""
    found = {}
    for entry in Path('/proc').iterdir():
        try:
            parent = int((entry / 'stat').read_text().rsplit(')', 1)[1].split()[1])
            words = (entry / 'cmdline').read_text().split('\0')
        except (OSError, IndexError, ValueError):
            continue
        if parent == pid and '-m' in words:
            found[words[words.index('-m') + 1]] = int(entry.name)
    return found


def still_running(pids: dict[str, int]) -> dict[str, str]:
    """Those of the processes that still run, with their state.

    One that has ended but whose new parent, process 1, has not looked yet does not run.
    """
    found = {}
    for name, pid in pids.items():
        try:
            state = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0]
        except OSError:
            continue
        if state != 'Z':
            found[name] = state
    return found

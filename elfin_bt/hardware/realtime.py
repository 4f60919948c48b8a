# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a Python process can do to be on time: priority, locked memory, a quiet collector.

Each is asked for and none is needed: where the machine refuses, a line says so and what to do, and
the firmware's buffer bridges the longer delays.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys

SWITCH_INTERVAL = 0.0005
"""s after which a thread that waits for the interpreter gets it; Python's own 5 ms are a feeder
period and more."""

_LOCK_CURRENT, _LOCK_FUTURE, _LOCK_ON_FAULT = 1, 2, 4  # mlockall(2)


def raise_priority(priority: int) -> str | None:
    """Give the calling thread SCHED_FIFO ``priority``; return why not, None when it has it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError as error:
        return (
            f'real-time priority {priority} is refused ({error.strerror}): the feeder may be late '
            "on a busy machine. Raise this user's rtprio limit (limits.conf), or set "
            'realtime_priority to 0 to do without'
        )
    return None


def lock_memory() -> str | None:
    """Keep this process out of swap, pages as they are first used; return why not."""
    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    # Under a limit the call may succeed and a later allocation fail, in the middle of a motion.
    if os.geteuid() != 0 and soft != resource.RLIM_INFINITY:
        return (
            f"memory is not locked: the limit is {soft // 1024} kB. Set this user's memlock limit "
            'to unlimited (limits.conf), or make sure that the machine does not swap'
        )
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mlockall(_LOCK_CURRENT | _LOCK_FUTURE | _LOCK_ON_FAULT) != 0:
        reason = os.strerror(ctypes.get_errno())
        return f'memory is not locked ({reason}): make sure that the machine does not swap'
    return None


def quiet_interpreter() -> None:
    """No collection by itself from now on, and quick changes between threads.

    A full collection over everything that was imported takes 40 ms, longer than a watchdog.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    sys.setswitchinterval(SWITCH_INTERVAL)


def collect_garbage(*, at_rest: bool) -> None:
    """Collect, where it does not happen by itself: all at rest, young objects only in motion."""
    if not gc.isenabled():
        gc.collect(2 if at_rest else 0)

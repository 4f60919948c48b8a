# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What RMP's numbers mean, in plain words.

The names belong to the binding's enumerators, so that a number is always named as the installed
version names it; the words are ours.
"""

from __future__ import annotations

NETWORK_START = {
    'MASTER_STARTUP': (
        'the EtherCAT master found nothing to talk to: check the cable, that the arm is switched '
        'on, and rapidcode.nic'
    ),
}
UNKNOWN_NETWORK_START = "look it up under RSINetworkStartError in RMP's documentation"

NETWORK_STATES = {
    'UNINITIALIZED': 'not started',
    'SHUTDOWN': 'shut down',
    'OPERATIONAL': 'running',
}

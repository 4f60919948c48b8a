# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The QoS profiles of every topic, named for what they carry."""

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy


def _profile(
    depth: int,
    *,
    reliability: ReliabilityPolicy = ReliabilityPolicy.RELIABLE,
    durability: DurabilityPolicy = DurabilityPolicy.VOLATILE,
) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=reliability,
        durability=durability,
    )


# Chunks and acks: every message counts, and a burst must fit (0.5 s of 64-point chunks is 8).
CHUNK = _profile(64)
ACK = _profile(64)

# Joint states: published reliably so that any subscriber matches, read best effort.
JOINT_STATES_PUBLISHED = _profile(10)
JOINT_STATES_READ = _profile(5, reliability=ReliabilityPolicy.BEST_EFFORT)

# Small commands (jobs, leases): reliable, few, and never replayed to a late joiner.
COMMAND = _profile(10)

# State that a late joiner needs: session state, job status, robot description, previews.
LATCHED = _profile(1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

# Marker arrays that add to what was sent before: a late joiner gets the last hundred.
MARKERS = _profile(100, durability=DurabilityPolicy.TRANSIENT_LOCAL)

DIAGNOSTICS = _profile(10)
CLOCK = _profile(1, reliability=ReliabilityPolicy.BEST_EFFORT)
TF = _profile(100)
TF_STATIC = _profile(1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

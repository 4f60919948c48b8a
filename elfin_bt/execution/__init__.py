# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From joint trajectories to PVT points: validation, queue, trajectory clock, sampling."""

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The passthrough executor: joint trajectories to chunks of PVT points."""

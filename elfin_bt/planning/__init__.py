# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Path to joint trajectory: geometry of the pen path, checks, timing, and the planner's process."""

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What runs on the person's machine, on any system: neither ROS nor Pinocchio."""

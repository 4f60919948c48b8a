# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Shared ROS pieces: QoS profiles, parameters, message conversions. Imported by node files only."""

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The Elfin5 arm in closed form: FK, IK, Jacobian, limits, the drawing plane. No ROS."""

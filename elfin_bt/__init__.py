# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""An Elfin5 arm draws SVG files, orchestrated by behaviour trees on ROS 2."""

__version__ = '0.1.0'

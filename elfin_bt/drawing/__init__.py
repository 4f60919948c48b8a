# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From an SVG file to a recipe: exact strokes, sampled and placed on the paper. No ROS."""

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""SVG files to recipes: exact strokes on a page. No ROS."""

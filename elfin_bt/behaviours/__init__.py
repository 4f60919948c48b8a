# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""py_trees behaviours, one idea a file."""

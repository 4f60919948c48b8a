# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Recipes to checked joint trajectories, in a worker process of its own."""

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The behaviours that the trees are made of, one idea a file.

A behaviour decides from what it sees in its :class:`~elfin_bt.behaviours.cell.Cell` and returns at
once; it never blocks, sleeps or talks ROS. Every docstring says what SUCCESS, FAILURE and RUNNING
mean. Values shared through the blackboard are small; plans stay outside it.
"""

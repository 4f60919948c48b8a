# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The session node: tree, jobs and the processes of the stack."""

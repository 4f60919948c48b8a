# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The subcommands of elfin-bt, one a file."""

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The phantom device: motion firmware in a process of its own."""

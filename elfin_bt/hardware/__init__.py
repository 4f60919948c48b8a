# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The PVT hardware node and its device backends."""

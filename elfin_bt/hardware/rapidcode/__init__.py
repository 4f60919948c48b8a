# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The arm on RSI's RMP motion firmware, through its Python binding RapidCodePython."""

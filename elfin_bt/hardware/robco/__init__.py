# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""An arm that takes joint set points over topics, as RobCo's hardware interface does."""

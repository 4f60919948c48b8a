# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The person's side: the client that prepares and draws, and the bridge it talks to."""

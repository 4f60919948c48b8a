# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The one exception of planning: a request that can't be carried out, with the reason."""


class Unplannable(ValueError):
    """The motion can't be planned. The message is one line: what, where, the value, the limit."""

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Items that become several each, in bulk."""

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]


def repeated(counts: Index) -> tuple[Index, Index]:
    """For items that become counts (N,) each, in order: the item of each result, and its number.

    repeated([2, 0, 3]) is [0, 0, 2, 2, 2] and [0, 1, 0, 1, 2].
    """
    item = np.repeat(np.arange(len(counts)), counts)
    return item, np.arange(len(item)) - (np.cumsum(counts) - counts)[item]

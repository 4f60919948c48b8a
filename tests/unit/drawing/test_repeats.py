# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from elfin_bt.drawing.repeats import repeated


@pytest.mark.parametrize('counts', [[2, 0, 3], [1], [0, 0], []])
def test_items_are_repeated_in_order_and_numbered_from_0(counts):
    item, number = repeated(np.array(counts, dtype=np.intp))
    expected = [(i, n) for i, count in enumerate(counts) for n in range(count)]
    assert list(zip(item.tolist(), number.tolist(), strict=True)) == expected

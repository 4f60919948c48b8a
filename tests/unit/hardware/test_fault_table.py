# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""docs/hardware.md tells of every fault and of every rule that configure checks."""

from pathlib import Path

import pytest

from elfin_bt.execution.faults import Fault
from elfin_bt.hardware.phantom.drives import INJECTIONS

PAGE = Path(__file__).parents[3] / 'docs' / 'hardware.md'


@pytest.mark.parametrize('fault', [fault for fault in Fault if fault])
def test_each_fault_has_its_row_with_cause_effect_and_remedy(fault):
    (row,) = (line for line in PAGE.read_text().splitlines() if line.startswith(f'| {int(fault)} '))
    _, name, *cells, _ = (cell.strip() for cell in row.split('|'))
    assert name == f'{int(fault)} {fault.name}'
    assert len(cells) == 3 and all(cells)
    assert 'reset' in cells[-1]


@pytest.mark.parametrize('kind', INJECTIONS)
def test_what_can_be_injected_is_on_the_page(kind):
    assert kind in PAGE.read_text()

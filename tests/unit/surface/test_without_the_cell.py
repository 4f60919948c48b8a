# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The commands run where only `pip install .[surface]` was done."""

import subprocess
import sys

CELL_ONLY = ('rclpy', 'pinocchio', 'coal', 'ruckig', 'py_trees')
SCRIPT = """
import sys
for name in {names!r}:
    sys.modules[name] = None  # an import of it fails
from elfin_bt.surface.client.cli import main
sys.exit(main({arguments!r}))
"""


def test_a_recipe_is_made_and_checked_without_what_only_a_cell_has(tmp_path):
    svg, recipe = tmp_path / 'line.svg', tmp_path / 'line.json'
    svg.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="50mm" height="50mm" viewBox="0 0 50 50">'
        '<path d="M5 5H45V20" fill="none" stroke="black"/></svg>'
    )
    for arguments in (['recipe', str(svg), '-o', str(recipe)], ['check', str(recipe)]):
        script = SCRIPT.format(names=CELL_ONLY, arguments=arguments)
        ended = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr


def test_the_file_that_is_read_is_not_written(tmp_path):
    svg = tmp_path / 'line.svg'
    svg.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    arguments = ['recipe', str(svg), '-o', str(svg)]
    script = SCRIPT.format(names=(), arguments=arguments)
    ended = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True)
    assert ended.returncode == 2
    assert 'would be overwritten' in ended.stderr
    assert svg.read_text().startswith('<svg')

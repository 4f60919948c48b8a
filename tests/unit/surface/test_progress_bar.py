# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The bar is for people only."""

import io

from elfin_bt.surface.client.progress_bar import ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_how_far_it_is():
    terminal = Terminal()
    bar = ProgressBar(terminal, 4)
    bar.show(1, 'b.svg')
    assert '[######' in terminal.getvalue() and '1/4 b.svg' in terminal.getvalue()
    bar.clear()
    assert terminal.getvalue().endswith('\r\x1b[K')


def test_a_file_and_a_single_drawing_are_spared():
    for stream, total in ((io.StringIO(), 4), (Terminal(), 1)):
        bar = ProgressBar(stream, total)
        bar.show(0, 'a.svg')
        bar.clear()
        assert stream.getvalue() == ''

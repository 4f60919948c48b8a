# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Small SVG files for the tests of the reader."""

from collections.abc import Callable
from pathlib import Path

import pytest

from elfin_bt.drawing.artwork import Artwork
from elfin_bt.drawing.read_options import DEFAULT_OPTIONS, ReadOptions
from elfin_bt.drawing.svg_reader import read_svg

Reader = Callable[..., Artwork]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """Read a body of elements on a page of 100 mm x 100 mm, 1 user unit = 1 mm."""

    def read_body(
        body: str,
        root: str = 'width="100mm" height="100mm" viewBox="0 0 100 100"',
        options: ReadOptions = DEFAULT_OPTIONS,
    ):
        path = tmp_path / 'drawing.svg'
        path.write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" '
            'xmlns:xlink="http://www.w3.org/1999/xlink" '
            'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
            f'{root}>{body}</svg>',
            encoding='utf-8',
        )
        return read_svg(path, options)

    return read_body

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a person may choose about how a file is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read.

    Attributes:
        dashes: draw dashed lines dashed; False draws them solid.
        strokes_only: draw what has a stroke paint only, not the edges of what is just filled.
        clip_page: cut the drawing at the edge of the page, as a viewer does.
        language: BCP 47 tag that chooses among the branches of a `switch`.
    """

    dashes: bool = True
    strokes_only: bool = False
    clip_page: bool = True
    language: str = 'en'


DEFAULT_OPTIONS = ReadOptions()

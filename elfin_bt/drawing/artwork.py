# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a drawing file holds before it is placed and sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elfin_bt.drawing.geometry import Segment

# A report names this many elements of a kind; the count goes on.
MAX_IDS = 20
MAX_WARNINGS = 20


@dataclass(frozen=True)
class Outline:
    """One connected path: exact segments in page mm, y down; see recipe.Stroke."""

    segments: tuple[Segment, ...]
    closed: bool = False
    layer: str | None = None
    colour: str | None = None
    element_id: str | None = None

    def name(self, index: int) -> str:
        """How messages call it: its number from 1, and its id if it has one."""
        return f'stroke {index + 1}' + (f' (id {self.element_id})' if self.element_id else '')


@dataclass(frozen=True)
class Artwork:
    """Outlines in file order on a page, and what of the file is not among them.

    Attributes:
        page_mm: page width and height.
        outlines: what is visible.
        ignored: {'kind', 'count', 'ids'} of what is visible and not drawn, or not applied.
        warnings: what a person should know before the arm moves.
        path: the file.
        sha256: digest of the file as stored.
    """

    page_mm: tuple[float, float]
    outlines: tuple[Outline, ...]
    ignored: Sequence[Mapping[str, Any]]
    warnings: Sequence[str]
    path: str
    sha256: str


class Report:
    """Collects what was ignored and what to warn about while a file is read."""

    def __init__(self) -> None:
        self._ignored: dict[str, tuple[int, list[str]]] = {}
        self._warnings: dict[str, None] = {}
        self._dropped = 0

    def ignore(self, kind: str, element_id: str | None) -> None:
        """Count one thing of this kind as not drawn."""
        count, ids = self._ignored.get(kind, (0, []))
        if element_id and len(ids) < MAX_IDS:
            ids.append(element_id)
        self._ignored[kind] = (count + 1, ids)

    def warn(self, text: str) -> None:
        """Keep a warning; repeats and long lists are cut."""
        if text in self._warnings:
            return
        if len(self._warnings) < MAX_WARNINGS:
            self._warnings[text] = None
        else:
            self._dropped += 1

    @property
    def ignored(self) -> list[dict[str, Any]]:
        """The entries of `ignored`, in the order of their first appearance."""
        return [
            {'kind': kind, 'count': count, 'ids': ids}
            for kind, (count, ids) in self._ignored.items()
        ]

    @property
    def warnings(self) -> list[str]:
        """The warnings, the last of them saying how many more there were."""
        more = [f'{self._dropped} more warnings'] if self._dropped else []
        return [*self._warnings, *more]

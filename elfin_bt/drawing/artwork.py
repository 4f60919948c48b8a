# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What a drawing file holds before it is placed and sampled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from elfin_bt.drawing.geometry import Segment
from elfin_bt.drawing.region import Clip, FillRule

# A report names this many elements of a kind; the count goes on.
MAX_IDS = 20
MAX_WARNINGS = 20


@dataclass(frozen=True)
class Outline:
    """One connected path: exact segments in page mm, y down; see recipe.Stroke.

    Attributes:
        stroked: the file paints this line itself; False for the edge of what is only filled.
    """

    segments: tuple[Segment, ...]
    closed: bool = False
    layer: str | None = None
    colour: str | None = None
    element_id: str | None = None
    stroked: bool = True

    def name(self, index: int) -> str:
        """How messages call it: its number from 1, and its id if it has one."""
        return f'stroke {index + 1}' + (f' (id {self.element_id})' if self.element_id else '')


@dataclass(frozen=True)
class Fill:
    """An area that the file paints, for hatching.

    Attributes:
        loops: its boundary in page mm, every loop closed; what is inside follows from `rule`.
        clips: only what is inside all of them can be seen.
        colour: '#rrggbb' of the paint, None for gradients and patterns.
        before: index of the first outline that is painted after it.
    """

    loops: tuple[tuple[Segment, ...], ...]
    rule: FillRule = 'nonzero'
    clips: tuple[Clip, ...] = ()
    layer: str | None = None
    colour: str | None = None
    element_id: str | None = None
    before: int = 0


@dataclass(frozen=True)
class Layer:
    """Strokes that share a pen: those of one Inkscape layer, or of one colour outside of any.

    Attributes:
        label: of the Inkscape layer.
        colour: the one colour of its strokes; None where they have several, or none that is plain.
        strokes: how many there are.
    """

    label: str | None
    colour: str | None
    strokes: int


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
        page_source: where the page size is from, as in 'width and height'.
        drawn: {'kind', 'count', 'ids'} of the elements that the outlines are from.
        fills: painted areas, in file order.
    """

    page_mm: tuple[float, float]
    outlines: tuple[Outline, ...]
    ignored: Sequence[Mapping[str, Any]]
    warnings: Sequence[str]
    path: str
    sha256: str
    page_source: str = ''
    drawn: Sequence[Mapping[str, Any]] = ()
    fills: tuple[Fill, ...] = ()

    @property
    def layers(self) -> list[Layer]:
        """The layers in the order of their first stroke."""
        return layers_of(self.outlines)


class _Painted(Protocol):
    @property
    def layer(self) -> str | None: ...

    @property
    def colour(self) -> str | None: ...


def layers_of(strokes: Iterable[_Painted]) -> list[Layer]:
    """The layers of outlines or strokes, in the order of their first."""
    colours: dict[tuple[str | None, str | None], list[str | None]] = {}
    for stroke in strokes:
        key = (stroke.layer, None) if stroke.layer is not None else (None, stroke.colour)
        colours.setdefault(key, []).append(stroke.colour)
    return [
        Layer(label, found[0] if len(set(found)) == 1 else None, len(found))
        for (label, _), found in colours.items()
    ]


class Tally:
    """Counts things by kind, in the order of their first appearance."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, list[str]]] = {}

    def add(self, kind: str, element_id: str | None) -> None:
        """Count one more thing of this kind."""
        count, ids = self._kinds.get(kind, (0, []))
        if element_id and len(ids) < MAX_IDS and element_id not in ids:
            ids.append(element_id)
        self._kinds[kind] = (count + 1, ids)

    @property
    def entries(self) -> list[dict[str, Any]]:
        """{'kind', 'count', 'ids'} of each kind."""
        return [
            {'kind': kind, 'count': count, 'ids': ids} for kind, (count, ids) in self._kinds.items()
        ]


class Report:
    """Collects what was drawn and ignored, and what to warn about, while a file is read."""

    def __init__(self) -> None:
        self._drawn = Tally()
        self._ignored = Tally()
        self._warnings: dict[str, None] = {}
        self._dropped = 0

    def draw(self, kind: str, element_id: str | None) -> None:
        """Count one element of this kind as drawn."""
        self._drawn.add(kind, element_id)

    def ignore(self, kind: str, element_id: str | None) -> None:
        """Count one thing of this kind as not drawn, or not applied."""
        self._ignored.add(kind, element_id)

    def warn(self, text: str) -> None:
        """Keep a warning; repeats and long lists are cut."""
        if text in self._warnings:
            return
        if len(self._warnings) < MAX_WARNINGS:
            self._warnings[text] = None
        else:
            self._dropped += 1

    @property
    def drawn(self) -> list[dict[str, Any]]:
        """The entries of `drawn`."""
        return self._drawn.entries

    @property
    def ignored(self) -> list[dict[str, Any]]:
        """The entries of `ignored`."""
        return self._ignored.entries

    @property
    def warnings(self) -> list[str]:
        """The warnings, the last of them saying how many more there were."""
        more = [f'{self._dropped} more warnings'] if self._dropped else []
        return [*self._warnings, *more]

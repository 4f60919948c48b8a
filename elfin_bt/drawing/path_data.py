# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""SVG path data (the `d` attribute) to exact subpaths.

Grammar and error handling after SVG 2, "Paths": packed arc flags and run-together numbers are
legal, and a path with an error is drawn up to the segment that has it. General path libraries
lose the whole path there, and some stop at a zero arc radius.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from elfin_bt.drawing.arcs import arc_from_endpoints
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.geometry import CubicBezier, Line, Segment
from elfin_bt.drawing.numbers import NUMBER, refuse_non_finite

_SPACE = r'[\x09\x0a\x0c\x0d\x20]*'
_COMMAND = re.compile(rf'{_SPACE}([MmZzLlHhVvCcSsQqTtAa])')
_ARGUMENT = re.compile(rf'{_SPACE},?{_SPACE}({NUMBER})')
_FLAG = re.compile(rf'{_SPACE},?{_SPACE}([01])')
_REST = re.compile(rf'{_SPACE}$')

# A path of relative segments comes back to its start but for this part of its coordinates.
_ROUNDING = 1e-12

# Arguments of one segment of each command; f is an arc flag, a single digit.
_ARGUMENTS = {
    'M': 'nn',
    'L': 'nn',
    'H': 'n',
    'V': 'n',
    'C': 'nnnnnn',
    'S': 'nnnn',
    'Q': 'nnnn',
    'T': 'nn',
    'A': 'nnnffnn',
    'Z': '',
}


@dataclass(frozen=True)
class Subpath:
    """One connected run of segments in user units; `closed` only where the path says so."""

    segments: tuple[Segment, ...]
    closed: bool


def parse_path(d: str) -> tuple[list[Subpath], str | None]:
    """The subpaths of path data, and what is wrong with it where it stops being valid.

    A subpath of no length keeps one zero-length line: under a round cap it is a dot. SvgError is
    raised for numbers that are not finite, since nothing that follows can be trusted then.
    """
    pen = _Pen()
    if d.strip() == 'none':
        return [], None
    position = 0
    while not _REST.match(d, position):
        command = _COMMAND.match(d, position)
        if command is None or (position == 0 and command[1] not in 'Mm'):
            return pen.finish(), _complaint(d, position)
        letter, position = command[1], command.end()
        first = True
        while first or letter in 'Mm' or _ARGUMENTS[letter.upper()]:
            arguments, after = _read_arguments(d, position, _ARGUMENTS[letter.upper()])
            if arguments is None:
                if first or after > position:
                    return pen.finish(), _complaint(d, after)
                break
            pen.draw(letter, arguments)
            # Further pairs after a moveto are linetos.
            letter = {'M': 'L', 'm': 'l'}.get(letter, letter)
            position, first = after, False
    return pen.finish(), None


def _read_arguments(d: str, position: int, kinds: str) -> tuple[list[float] | None, int]:
    """One set of arguments and the position behind it, or None and the position of the error."""
    values = []
    for kind in kinds:
        found = (_FLAG if kind == 'f' else _ARGUMENT).match(d, position)
        if found is None:
            return None, position
        values.append(float(found[1]))
        position = found.end()
    if not all(map(math.isfinite, values)):
        raise SvgError(f'path data has a number that is too large before character {position + 1}')
    return values, position


def _complaint(d: str, position: int) -> str:
    refuse_non_finite(d[position : position + 40])
    if _REST.match(d, position):
        return 'path data ends in the middle of a segment'
    return f'path data has an error at character {position + 1} ({d[position : position + 20]!r})'


class _Pen:
    """Current point, start of the subpath and last control point while a path is read."""

    def __init__(self) -> None:
        self.subpaths: list[Subpath] = []
        self.segments: list[Segment] = []
        self.touched = False
        self.start = 0j
        self.current = 0j
        self.control = 0j
        self.previous = ''

    def draw(self, letter: str, a: list[float]) -> None:
        """One segment of the command `letter`; lower case is relative to the current point."""
        command = letter.upper()
        origin = self.current if letter.islower() else 0j
        if command == 'M':
            self._end_subpath(closed=False)
            self.start = self.current = origin + complex(a[0], a[1])
        elif command == 'Z':
            self._close()
        elif command in 'LHV':
            self._line_to(self._line_target(command, origin, a))
        elif command in 'CS':
            self._cubic(command, origin, a)
        elif command in 'QT':
            self._quadratic(command, origin, a)
        else:
            self._arc(origin, a)
        self.previous = command

    def finish(self) -> list[Subpath]:
        """All subpaths that were completed or begun."""
        self._end_subpath(closed=False)
        return self.subpaths

    def _add(self, segment: Segment | None, *points: complex) -> None:
        """Go through the points; a segment that never leaves the current one has no direction."""
        if segment is not None and any(point != self.current for point in points):
            self.segments.append(segment)
        self.touched = True
        self.current = points[-1]

    def _end_subpath(self, closed: bool) -> None:
        if self.touched:
            start = _vector(self.start)
            segments = tuple(self.segments) or (Line(start, start),)
            self.subpaths.append(Subpath(segments, closed))
        self.segments = []
        self.touched = False

    def _close(self) -> None:
        rounding = _ROUNDING * (_size(self.start) + _size(self.current))
        if _size(self.current - self.start) > rounding or not self.segments:
            self._line_to(self.start)
        self._end_subpath(closed=True)
        self.current = self.start

    def _line_target(self, command: str, origin: complex, a: list[float]) -> complex:
        if command == 'H':
            return complex(origin.real + a[0], self.current.imag)
        if command == 'V':
            return complex(self.current.real, origin.imag + a[0])
        return origin + complex(a[0], a[1])

    def _line_to(self, end: complex) -> None:
        self._add(Line(_vector(self.current), _vector(end)), end)

    def _cubic(self, command: str, origin: complex, a: list[float]) -> None:
        if command == 'S':
            first = self._reflected('CS')
        else:
            first = origin + complex(a[0], a[1])
        second, end = origin + complex(a[-4], a[-3]), origin + complex(a[-2], a[-1])
        curve = CubicBezier(*map(_vector, (self.current, first, second, end)))
        self.control = second
        self._add(curve, first, second, end)

    def _quadratic(self, command: str, origin: complex, a: list[float]) -> None:
        middle = self._reflected('QT') if command == 'T' else origin + complex(a[0], a[1])
        end = origin + complex(a[-2], a[-1])
        curve = CubicBezier.from_quadratic(*map(_vector, (self.current, middle, end)))
        self.control = middle
        self._add(curve, middle, end)

    def _reflected(self, family: str) -> complex:
        """The last control point mirrored at the current point, after a curve of the family."""
        if self.previous and self.previous in family:
            return 2 * self.current - self.control
        return self.current

    def _arc(self, origin: complex, a: list[float]) -> None:
        end = origin + complex(a[5], a[6])
        arc = arc_from_endpoints(
            _vector(self.current),
            _vector(end),
            radii=(a[0], a[1]),
            rotation=math.radians(a[2]),
            large=a[3] == 1.0,
            sweep=a[4] == 1.0,
        )
        self._add(arc, end)


def _size(z: complex) -> float:
    """The absolute value; abs() raises where it is too large for a float."""
    return math.hypot(z.real, z.imag)


def _vector(z: complex) -> tuple[float, float]:
    return z.real, z.imag

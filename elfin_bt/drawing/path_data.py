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

import numpy as np

from elfin_bt.drawing.arcs import centre_form
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.numbers import NUMBER, refuse_non_finite
from elfin_bt.drawing.subpath import Subpath

_SPACE = r'[\x09\x0a\x0c\x0d\x20]*+'
_COMMAND = re.compile(rf'{_SPACE}([MmZzLlHhVvCcSsQqTtAa])')
_ARGUMENT = rf'{_SPACE},?{_SPACE}({NUMBER})'
_FLAG = rf'{_SPACE},?{_SPACE}([01])'
_REST = re.compile(rf'{_SPACE}$')

# A path of relative segments comes back to its start but for this part of its coordinates.
_ROUNDING = 1e-12

# Arguments of one segment of each command; f is an arc flag, a single digit.
_ARGUMENTS = {
    **dict.fromkeys('MLT', 'nn'),
    **dict.fromkeys('HV', 'n'),
    'C': 'nnnnnn',
    **dict.fromkeys('SQ', 'nnnn'),
    'A': 'nnnffnn',
    'Z': '',
}
_PARTS = {'n': _ARGUMENT, 'f': _FLAG}
_PATTERNS = {
    letter: re.compile(''.join(_PARTS[kind] for kind in kinds))
    for command, kinds in _ARGUMENTS.items()
    for letter in (command, command.lower())
}


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
        pattern = _PATTERNS[letter]
        found = pattern.match(d, position)
        if found is None:
            return pen.finish(), _complaint(d, _valid_end(d, position, letter))
        while found:
            arguments = [*map(float, found.groups())]
            position = found.end()
            if math.inf in arguments or -math.inf in arguments:
                raise SvgError(
                    f'path data has a number that is too large before character {position + 1}'
                )
            pen.draw(letter, arguments)
            if not arguments:
                break
            # Further pairs after a moveto are linetos.
            letter = {'M': 'L', 'm': 'l'}.get(letter, letter)
            found = pattern.match(d, position)
        if arguments and (end := _valid_end(d, position, letter)) > position:
            return pen.finish(), _complaint(d, end)
    return pen.finish(), None


def _valid_end(d: str, position: int, letter: str) -> int:
    """Where the arguments of a segment that is not complete stop being valid."""
    for kind in _ARGUMENTS[letter.upper()]:
        found = re.compile(_PARTS[kind]).match(d, position)
        if found is None:
            break
        position = found.end()
    return position


def _complaint(d: str, position: int) -> str:
    refuse_non_finite(d[position : position + 40])
    if _REST.match(d, position):
        return 'path data ends in the middle of a segment'
    return f'path data has an error at character {position + 1} ({d[position : position + 20]!r})'


class _Pen:
    """Current point, start of the subpath and last control point while a path is read."""

    def __init__(self) -> None:
        self.subpaths: list[Subpath] = []
        self.kinds: list[str] = []
        self.vectors: list[complex] = []
        self.angles: list[float] = []
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

    def _end_subpath(self, closed: bool) -> None:
        if self.touched:
            kinds = self.kinds or ['L']
            vectors = np.array(self.vectors or [self.start, self.start])
            self.subpaths.append(Subpath(kinds, vectors.view(np.float64), self.angles, closed))
        self.kinds, self.vectors, self.angles = [], [], []
        self.touched = False

    def _close(self) -> None:
        rounding = _ROUNDING * (_size(self.start) + _size(self.current))
        if _size(self.current - self.start) > rounding or not self.kinds:
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
        if end != self.current:
            self.kinds.append('L')
            self.vectors += (self.current, end)
        self.touched = True
        self.current = end

    def _curve_to(self, first: complex, second: complex, end: complex) -> None:
        # A curve that never leaves its start has no direction.
        if not first == second == end == self.current:
            self.kinds.append('C')
            self.vectors += (self.current, first, second, end)
        self.touched = True
        self.current = end

    def _cubic(self, command: str, origin: complex, a: list[float]) -> None:
        first = self._reflected('CS') if command == 'S' else origin + complex(a[0], a[1])
        self.control = origin + complex(a[-4], a[-3])
        self._curve_to(first, self.control, origin + complex(a[-2], a[-1]))

    def _quadratic(self, command: str, origin: complex, a: list[float]) -> None:
        middle = self._reflected('QT') if command == 'T' else origin + complex(a[0], a[1])
        end = origin + complex(a[-2], a[-1])
        # The same curve as a cubic (degree elevation).
        first = self.current + (middle - self.current) * (2.0 / 3.0)
        self._curve_to(first, end + (middle - end) * (2.0 / 3.0), end)
        self.control = middle

    def _reflected(self, family: str) -> complex:
        """The last control point mirrored at the current point, after a curve of the family."""
        if self.previous and self.previous in family:
            return 2 * self.current - self.control
        return self.current

    def _arc(self, origin: complex, a: list[float]) -> None:
        end = origin + complex(a[5], a[6])
        frame = None
        if end != self.current:
            frame = centre_form(
                self.current,
                end,
                radii=(a[0], a[1]),
                rotation=math.radians(a[2]),
                large=a[3] == 1.0,
                sweep=a[4] == 1.0,
            )
        if frame is None:
            self._line_to(end)
            return
        self.kinds.append('A')
        self.vectors += frame[:3]
        self.angles += frame[3:]
        self.touched = True
        self.current = end


def _size(z: complex) -> float:
    """The absolute value; abs() raises where it is too large for a float."""
    return math.hypot(z.real, z.imag)

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Which files are meant, and where what comes of each goes."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path

from elfin_bt.drawing.errors import DrawingError

SUFFIXES = ('.svg', '.svgz', '.yaml', '.yml')
NAME = '{name}'


def drawings(words: Sequence[str]) -> list[str]:
    """The files that words name: files, folders with all in them, or patterns such as 'a/*.svg'.

    A word that names nothing is kept, so that its absence is told like any other file's fault.
    """
    found: dict[str, None] = {}
    for word in words:
        found.update(dict.fromkeys(_named(word)))
    return list(found)


def is_many(words: Sequence[str]) -> bool:
    """Whether the words may name more than one file."""
    return len(words) > 1 or any(Path(word).is_dir() or _is_pattern(word) for word in words)


def outputs(pattern: str, suffix: str, files: Sequence[str], many: bool) -> list[Path]:
    """Where the output of each file goes.

    pattern: one path for one file; for many a folder, or a path with {name} in it, which stands for
    the file's name. Raises DrawingError where many would go into one.
    """
    if Path(pattern).is_dir() or pattern.endswith(('/', '\\')):
        pattern = str(Path(pattern, f'{NAME}{suffix}'))
    elif many and NAME not in pattern:
        raise DrawingError(
            f'{pattern}: several files need a folder that exists, or {NAME} in the path'
        )
    return [Path(pattern.replace(NAME, name)) for name in _different_names(files)]


def _named(word: str) -> list[str]:
    path = Path(word)
    if path.is_dir():
        inside = (file for file in path.rglob('*') if file.suffix.lower() in SUFFIXES)
        return sorted(str(file) for file in inside if file.is_file())
    if _is_pattern(word):
        return sorted(glob.glob(word, recursive=True)) or [word]
    return [word]


def _is_pattern(word: str) -> bool:
    return glob.has_magic(word) and not Path(word).exists()


def _different_names(files: Sequence[str]) -> Iterator[str]:
    """A name for each file, numbered where several have the same."""
    taken: set[str] = set()
    for file in files:
        stem = Path(file).stem or 'drawing'
        name, number = stem, 1
        while name.lower() in taken:
            number += 1
            name = f'{stem}-{number}'
        taken.add(name.lower())
        yield name

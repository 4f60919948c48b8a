# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From a path to the plain values of a YAML file, bounded in size and in what aliases expand to.

Files come from strangers. Only plain YAML is read (no tags, no Python objects), and an alias
counts as much as what it stands for, since a few lines of aliases can stand for billions.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import yaml

from elfin_bt.drawing.errors import RecipeError

MAX_FILE_BYTES = 5_000_000
MAX_VALUES = 1_000_000
MAX_DEPTH = 20

_Loader: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


def load_yaml(path: str | Path) -> tuple[Any, str]:
    """The values and the sha256 of a YAML file; RecipeError says which file and what is wrong."""
    path = Path(path)
    try:
        if not path.is_file():
            raise RecipeError(f'{path}: there is no such file')
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise RecipeError(
                f'{path}: the file has {size / 1e6:.1f} MB, limit {MAX_FILE_BYTES / 1e6:.0f} MB'
            )
        data = path.read_bytes()
    except OSError as error:
        raise RecipeError(f'{path}: the file can not be read: {error.strerror}') from None
    try:
        _count(path, data)
        return yaml.load(data, Loader=_Loader), hashlib.sha256(data).hexdigest()
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        if isinstance(error, RecipeError):
            raise
        raise RecipeError(f'{path}: this is not YAML: {" ".join(str(error).split())}') from None


def _count(path: Path, data: bytes) -> None:
    """Refuse a file with too many values, or too deep, with every alias written out."""
    sizes: dict[str, int] = {}
    open_: list[tuple[str | None, int]] = []  # anchor and count before it of what has begun
    total = 0
    for event in yaml.parse(data, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise RecipeError(f'{path}: the alias *{event.anchor} stands within its own value')
            total += sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            total += 1
            if event.anchor:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionStartEvent):
            open_.append((event.anchor, total))
            total += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_.pop()
            if anchor:
                sizes[anchor] = total - before
        if total > MAX_VALUES:
            raise RecipeError(f'{path}: more than {MAX_VALUES:,} values, aliases written out')
        if len(open_) > MAX_DEPTH:
            raise RecipeError(f'{path}: values nested deeper than {MAX_DEPTH}')

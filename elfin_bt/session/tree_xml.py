# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Tree files as elements that know their file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat


class TreeError(Exception):
    """A tree file is wrong; the message starts with ``FILE:LINE:``."""


@dataclass(eq=False)
class Element:
    """One tag: its attributes, what is inside, and where it stands."""

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    children: list[Element] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The ``name`` attribute, '' where there is none."""
        return self.attributes.get('name', '')

    def fail(self, message: str) -> NoReturn:
        """Raise TreeError at this element."""
        raise TreeError(f'{self.path}:{self.line}: {message}')


def read_elements(path: Path) -> Element:
    """Return the root element of an XML file.

    Raises TreeError for what isn't well-formed XML, for text between the tags, and for a document
    type declaration (it could define entities, and no tree needs any).
    """
    return _Reader(path).read()


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[Element] = []
        self._root: Element | None = None
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype

    def read(self) -> Element:
        try:
            self._parser.Parse(self._path.read_bytes(), True)
        except expat.ExpatError as error:
            raise TreeError(f'{self._path}:{error.lineno}: not well-formed XML: {error}') from None
        except OSError as error:
            raise TreeError(f'{self._path}:1: the tree file can not be read: {error}') from None
        assert self._root is not None, 'expat refuses a document without a root'
        return self._root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self._path, self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if text.strip():
            self._fail(f"text between tags: '{text.strip()}'")

    def _doctype(self, *declaration: object) -> None:
        self._fail('a document type declaration is not allowed')

    def _fail(self, message: str) -> NoReturn:
        raise TreeError(f'{self._path}:{self._parser.CurrentLineNumber}: {message}')

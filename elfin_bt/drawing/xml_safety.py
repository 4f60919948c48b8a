# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""From a path to an XML tree that is bounded in size, depth and entity expansion.

Files come from strangers. Internal entities are legal (Illustrator writes them) and are left to
expat's amplification limit; nothing outside the file is ever read.
"""

from __future__ import annotations

import hashlib
import pyexpat
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from elfin_bt.drawing.errors import SvgError

MAX_FILE_BYTES = 20_000_000
MAX_INFLATED_BYTES = 100_000_000
MAX_ELEMENTS = 100_000
MAX_DEPTH = 200

_STYLESHEET = re.compile(r'href\s*=\s*["\']([^"\']+)')
_MAX_NAME = 80

_GZIP_MAGIC = b'\x1f\x8b'
_INFLATE_STEP = 1_000_000

# Before this version expat has no limit on what entities expand to.
_EXPAT_BOUNDS_ENTITIES = pyexpat.version_info >= (2, 4, 1)

_XML_ENDS_EARLY = {
    pyexpat.errors.codes[text]
    for text in (
        pyexpat.errors.XML_ERROR_NO_ELEMENTS,
        pyexpat.errors.XML_ERROR_UNCLOSED_TOKEN,
        pyexpat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        pyexpat.errors.XML_ERROR_PARTIAL_CHAR,
    )
}


@dataclass(frozen=True)
class XmlFile:
    """A file that was read.

    Attributes:
        root: its root element.
        sha256: digest of the bytes as stored.
        stylesheets: what its xml-stylesheet instructions refer to; none of it is opened.
    """

    root: Element
    sha256: str
    stylesheets: tuple[str, ...] = ()


def load_xml(path: str | Path) -> XmlFile:
    """Read an XML or gzipped XML file; SvgError says which file and why it can't be used."""
    path = Path(path)
    data = _read(path)
    digest = hashlib.sha256(data).hexdigest()
    if data.startswith(_GZIP_MAGIC):
        data = _inflate(path, data)
    if not data.strip(b' \t\r\n\0'):
        raise SvgError(f'{path}: the file is empty')
    root, stylesheets = _parse(path, data)
    return XmlFile(root, digest, stylesheets)


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise SvgError(f'{path}: this is a directory; name an SVG file in it')
        if not path.exists():
            raise SvgError(f'{path}: no such file')
        if not path.is_file():
            raise SvgError(f'{path}: not a regular file')
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise SvgError(
                f'{path}: the file has {size / 1e6:.1f} MB, limit {MAX_FILE_BYTES / 1e6:.0f} MB; '
                'simplify or split the drawing'
            )
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, SvgError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise SvgError(f'{path}: the file can not be read: {reason}') from None


def _inflate(path: Path, data: bytes) -> bytes:
    # What is too large is not kept while that is found out.
    size = sum(map(len, _inflated(path, data)))
    if size > MAX_INFLATED_BYTES:
        raise SvgError(f'{path}: the file inflates to more than {MAX_INFLATED_BYTES / 1e6:.0f} MB')
    return b''.join(_inflated(path, data))


def _inflated(path: Path, data: bytes) -> Iterator[bytes]:
    """The content in pieces, until it is over or too large."""
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    size = 0
    try:
        while data and not inflater.eof and size <= MAX_INFLATED_BYTES:
            piece = inflater.decompress(data, _INFLATE_STEP)
            data = inflater.unconsumed_tail
            size += len(piece)
            yield piece
    except zlib.error as error:
        raise SvgError(f'{path}: the gzip data is damaged ({error})') from None
    if not inflater.eof and size <= MAX_INFLATED_BYTES:
        raise SvgError(f'{path}: the gzip data ends too early; the file is truncated')


class _BoundedTree(TreeBuilder):
    """A tree builder that gives up on too many elements before they take up memory."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._elements = 0
        self._depth = 0
        self.stylesheets: list[str] = []

    def start(self, tag: Any, attrs: Any, /) -> Element:
        self._elements += 1
        self._depth += 1
        if self._elements > MAX_ELEMENTS:
            raise SvgError(
                f'{self._path}: more than {MAX_ELEMENTS:,} elements; simplify or split the drawing'
            )
        if self._depth > MAX_DEPTH:
            raise SvgError(
                f'{self._path}: elements nested deeper than {MAX_DEPTH}; ungroup the drawing'
            )
        return super().start(tag, attrs)

    def end(self, tag: Any, /) -> Element:
        self._depth -= 1
        return super().end(tag)

    def pi(self, target: Any, text: Any = None, /) -> Any:
        """Note a style sheet of another file."""
        found = _STYLESHEET.search(text or '') if target == 'xml-stylesheet' else None
        if found and not found[1].startswith('#'):
            self.stylesheets.append(found[1][:_MAX_NAME])


def _parse(path: Path, data: bytes) -> tuple[Element, tuple[str, ...]]:
    tree = _BoundedTree(path)
    parser = DefusedXMLParser(
        target=tree,
        forbid_dtd=False,
        forbid_entities=not _EXPAT_BOUNDS_ENTITIES,
        forbid_external=True,
    )
    try:
        parser.feed(data)
        root: Element = parser.close()
        return root, tuple(tree.stylesheets)
    except DefusedXmlException as error:
        raise SvgError(
            f'{path}: refused for safety: {_one_line(error)}; export the drawing as plain SVG'
        ) from None
    except ParseError as error:
        raise SvgError(f'{path}: {_explain(error, data)}') from None
    except (ValueError, LookupError) as error:
        if isinstance(error, SvgError):
            raise
        raise SvgError(f'{path}: {_one_line(error)}; save the file as UTF-8') from None


def _explain(error: ParseError, data: bytes) -> str:
    head = data[:1000].lower()
    if b'<html' in head or b'<!doctype html' in head:
        return 'this is an HTML page, not an SVG file; save the image itself'
    if not re.search(rb'<\0?[a-z!?]', head):
        return 'this is not an SVG file: there is no XML in it'
    if error.code in _XML_ENDS_EARLY:
        return f'the file is truncated: it ends in the middle ({error})'
    return f'this is not well-formed XML: {_one_line(error)}'


def _one_line(error: Exception) -> str:
    return ' '.join(str(error).split())

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Files that are no drawing: refused at once, in one line that names the file and the reason."""

import gzip
import os
import time
import tracemalloc

import pytest

from elfin_bt.drawing import xml_safety
from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.svg_reader import read_svg

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9mm" height="9mm">{}</svg>'
LINE = '<path stroke="red" d="M1 1h5"/>'


def bomb():
    entities = ''.join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10 if i else "M1 1h1"}">' for i in range(10)
    )
    return f'<!DOCTYPE svg [{entities}]>' + SVG.format('<path d="&a9;"/>')


EXTERNAL = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + SVG.format('&x;')

REFUSED = {
    'empty': (b'', 'empty'),
    'blank': (b' \n', 'empty'),
    'html': (b'<!DOCTYPE html>\n<html><head><meta charset=utf-8></head><br></html>', 'HTML page'),
    'xhtml': (b'<html><body/></html>', 'root element is <html>, not <svg>'),
    'truncated': (SVG.format(LINE)[:-20].encode(), 'truncated'),
    'truncated in a tag': (SVG.format(LINE)[:40].encode(), 'truncated'),
    'text': (b'hello', 'no XML in it'),
    'png': (b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1', 'no XML in it'),
    'malformed': (SVG.format('<g></a>').encode(), 'not well-formed XML'),
    'unbound prefix': (SVG.format('<x:path/>').encode(), 'not well-formed XML: unbound prefix'),
    'unknown encoding': (b'<?xml version="1.0" encoding="klingon"?><svg/>', 'UTF-8'),
    'other xml': (b'<kml/>', 'root element is <kml>'),
    'truncated gzip': (gzip.compress(SVG.format(LINE).encode())[:-12], 'truncated'),
    'damaged gzip': (b'\x1f\x8b\x08\0\0\0\0\0\0\3hello world', 'damaged'),
    'entity bomb': (bomb().encode(), 'amplification'),
    'external entity': (EXTERNAL.encode(), 'refused for safety'),
    'too deep': (SVG.format('<g>' * 300 + '</g>' * 300).encode(), 'nested deeper than 200'),
    'too many': (SVG.format('<g/>' * 100_001).encode(), 'more than 100,000 elements'),
    'gzip bomb': (gzip.compress(bytes(101_000_000), 1), 'inflates to more than 100 MB'),
    'no area': (SVG.replace('9mm', '0mm').encode(), 'nothing can be drawn'),
}


@pytest.mark.parametrize('name', REFUSED)
def test_bad_content_is_refused_in_one_line(name, tmp_path):
    content, reason = REFUSED[name]
    path = tmp_path / 'drawing.svg'
    path.write_bytes(content)
    began = time.process_time()
    with pytest.raises(SvgError, match='drawing.svg') as caught:
        read_svg(path)
    assert time.process_time() - began < 1.0
    assert reason in str(caught.value) and '\n' not in str(caught.value)


def test_no_file_a_directory_and_a_pipe(tmp_path):
    with pytest.raises(SvgError, match='no such file'):
        read_svg(tmp_path / 'missing.svg')
    with pytest.raises(SvgError, match='is a directory'):
        read_svg(tmp_path)
    os.mkfifo(tmp_path / 'pipe')
    with pytest.raises(SvgError, match='not a regular file'):
        read_svg(tmp_path / 'pipe')
    with pytest.raises(SvgError, match='can not be read'):
        read_svg('x' * 5000)


def test_a_large_file_is_refused_unread(tmp_path):
    path = tmp_path / 'large.svg'
    with path.open('wb') as file:
        file.truncate(xml_safety.MAX_FILE_BYTES + 1_000_000)
    tracemalloc.start()
    with pytest.raises(SvgError, match=r'21\.0 MB, limit 20 MB'):
        read_svg(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_an_external_entity_is_never_read(tmp_path):
    secret = tmp_path / 'secret'
    secret.write_text('M0 0h9')
    path = tmp_path / 'drawing.svg'
    path.write_text(
        f'<!DOCTYPE svg [<!ENTITY x SYSTEM "file://{secret}">]>'
        + SVG.format('<text>&x;</text>' + LINE)
    )
    with pytest.raises(SvgError, match='refused for safety'):
        read_svg(path)


@pytest.mark.parametrize('encoding', ['utf-8', 'utf-8-sig', 'utf-16', 'latin-1'])
def test_encodings(encoding, tmp_path):
    path = tmp_path / 'drawing.svg'
    declared = encoding.removesuffix('-sig')
    path.write_bytes(
        (f'<?xml version="1.0" encoding="{declared}"?>' + SVG.format(LINE + '<!-- é -->')).encode(
            encoding
        )
    )
    assert len(read_svg(path).outlines) == 1


def test_gzipped_files_are_read_and_hashed_as_stored(tmp_path):
    path = tmp_path / 'drawing.svgz'
    path.write_bytes(gzip.compress(SVG.format(LINE).encode(), mtime=0))
    plain = tmp_path / 'drawing.svg'
    plain.write_text(SVG.format(LINE))
    assert len(read_svg(path).outlines) == 1
    assert read_svg(path).sha256 != read_svg(plain).sha256


def test_internal_entities_are_legitimate(tmp_path):
    path = tmp_path / 'drawing.svg'
    path.write_text(
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://example.org/svg11.dtd" '
        '[<!ENTITY st "stroke:#f00">]>' + SVG.format('<path style="&st;" d="M1 1h5"/>')
    )
    assert read_svg(path).outlines[0].colour == '#ff0000'

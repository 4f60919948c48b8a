# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Files that are made to hang, to grow or to reach out: refused at once, each with its reason."""

import builtins
import io
import os
import random
import re
import resource
import socket
import time
from pathlib import Path

import numpy as np
import pytest

from elfin_bt.drawing.errors import SvgError
from elfin_bt.drawing.svg_reader import read_svg

PEN = 'fill="none" stroke="black"'


def use_chain(levels, uses):
    """Groups that use the next one so many times each."""
    groups = ''.join(
        f'<g id="l{i}">' + f'<use href="#l{i + 1}"/>' * uses + '</g>' for i in range(levels)
    )
    return f'<defs>{groups}<path id="l{levels}" {PEN} d="M1 1h1"/></defs><use href="#l0"/>'


BOMBS = {
    'use': (use_chain(9, 10), 'once every use is expanded, limit 100,000'),
    'use in depth': (use_chain(120, 1), r'nested \d+ deep once every use is expanded, limit 200'),
    'markers': (
        '<marker id="m">' + f'<path {PEN} d="M0 0h1"/>' * 10 + '</marker>'
        f'<polyline {PEN} style="marker:url(#m)" points="{"1 1 2 2 " * 60_000}"/>',
        'more than 100,000 elements to draw',
    ),
    'dashes': (
        f'<path id="p" {PEN} stroke-dasharray="1e-9" d="M0 0h90"/>',
        r'<path> \(id p\): stroke-dasharray makes more than 50,000 dashes',
    ),
    'far away': (f'<path id="p" {PEN} d="M0 0h1e5"/>', r'stroke 1 \(id p\) reaches 1e\+05 mm'),
    'far away in dashes': (f'<path {PEN} stroke-dasharray="5" d="M0 0h1e9"/>', 'reaches 1e.09 mm'),
    'not a number': (f'<path {PEN} d="M0 0hNaN"/>', 'not a finite number'),
    'clip paths': (
        '<clipPath id="c"><path d="M0 0' + 'l90 .005-90 .005' * 8000 + '"/></clipPath>'
        f'<path {PEN} clip-path="url(#c)" d="M0 0' + 'l90 .005-90 .005' * 8000 + '"/>',
        'clip path',
    ),
}


@pytest.mark.parametrize('name', BOMBS)
def test_bombs_are_refused_quickly_and_in_little_memory(name, read):
    body, reason = BOMBS[name]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    with pytest.raises(SvgError, match=reason):
        read(body)
    assert time.process_time() - began < 1.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


@pytest.mark.parametrize(
    'body',
    [
        '<g id="a"><use href="#a"/></g>',
        '<clipPath id="c" clip-path="url(#c)"><rect width="9" height="9"/></clipPath>'
        f'<path {PEN} clip-path="url(#c)" d="M0 0h5"/>',
        '<clipPath id="c"><path clip-path="url(#c)" d="M0 0h9v9z"/></clipPath>'
        f'<path {PEN} clip-path="url(#c)" d="M0 0h5"/>',
        f'<marker id="m"><path {PEN} marker-end="url(#m)" d="M0 0h5"/></marker>'
        f'<path {PEN} marker-end="url(#m)" d="M0 0h5"/>',
        '<symbol id="s"><use href="#s"/></symbol><use href="#s"/>',
    ],
)
def test_what_refers_to_itself_is_named_and_ends(read, body):
    assert any('itself' in warning for warning in read(body).warnings)


def test_nothing_outside_the_file_is_opened(tmp_path, monkeypatch):
    secret = tmp_path / 'secret.svg'
    secret.write_text('<svg xmlns="http://www.w3.org/2000/svg"><path id="p" d="M0 0h9v9"/></svg>')
    path = tmp_path / 'drawing.svg'
    path.write_text(
        f'<?xml version="1.0"?><?xml-stylesheet href="{secret}" type="text/css"?>'
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://127.0.0.1:1/svg11.dtd">'
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'width="90mm" height="90mm" viewBox="0 0 90 90">'
        f'<style>@import url("file://{secret}"); path{{mask:url({secret}#p)}}</style>'
        f'<image href="{secret}"/><use href="{secret}#p"/><use xlink:href="http://127.0.0.1:1/#p"/>'
        f'<script href="{secret}"/><path {PEN} clip-path="url({secret}#p)" d="M0 0h5"/></svg>'
    )
    opened = []
    for module, name in ((builtins, 'open'), (io, 'open'), (os, 'open'), (socket, 'socket')):
        real = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *a, _real=real, **k: opened.append(a) or _real(*a, **k)
        )
    artwork = read_svg(path)
    assert all(str(path) == str(arguments[0]) for arguments in opened)
    assert len(artwork.outlines) == 1
    assert {entry['kind'] for entry in artwork.ignored} >= {
        'style sheet of another file',
        '@import',
        'image',
        'use of another file',
    }


RICH = f"""<svg xmlns="http://www.w3.org/2000/svg" width="90mm" height="90mm" viewBox="0 0 90 90">
<style>g > .b{{stroke:blue!important}} path:nth-child(2n){{stroke-dasharray:3 1%}}</style>
<defs><clipPath id="c" clip-path="url(#d)"><circle cx="40" cy="40" r="30"/></clipPath>
<clipPath id="d" clipPathUnits="objectBoundingBox"><rect width=".8" height=".9"/></clipPath>
<marker id="m" viewBox="0 0 9 9" orient="auto" refX="4"><path d="M0 0L9 4L0 9z"/></marker>
<symbol id="s" viewBox="0 0 9 9"><circle cx="5" cy="5" r="5"/></symbol>
<path id="p" d="M1 1C10 20 30 40 50 10S60 60 70 20 Q80 80 70 10 A10 5 30 0150 60z"/></defs>
<g clip-path="url(#c)"><path class="b" d="M5 5h70v70zl9 9a5 5 0 1 1 3 3"/><use href="#p" x="5"/></g>
<use href="#s" x="20" y="30" width="20" height="10"/><svg x="10%" width="50%" viewBox="0 0 60 60">
<rect x="-9" width="70" height="30" rx="5"/></svg><polyline points="1,1 20,30 40-5" {PEN}
style="marker:url(#m);transform:rotate(5deg) translate(1mm,2%);transform-box:fill-box"/>
<text x="10 20" y="50" rotate="9" text-anchor="middle">A <tspan dy="3">B</tspan> c</text></svg>"""
EXTREMES = [
    '1e308',
    '-1e308',
    '1e-308',
    'nan',
    'inf',
    '1e999',
    '99999999',
    '0',
    '-1',
    '%',
    '5e',
    '',
]


def mutated(text, rng):
    """A file with some bytes flipped, tags shuffled, or numbers made extreme."""
    kind = rng.randrange(4)
    if kind == 0:
        data = bytearray(text.encode())
        for _ in range(rng.randint(1, 5)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    parts = re.split(r'(<[^<>]*>)' if kind == 1 else r'(-?\d+\.?\d*)', text)
    odd = range(1, len(parts), 2)
    for _ in range(rng.randint(1, 4)):
        first, second = rng.choice(odd), rng.choice(odd)
        if kind == 1:
            parts[first], parts[second] = parts[second], parts[first]
        else:
            parts[first] = rng.choice(EXTREMES)
    return ''.join(parts).encode()


def test_damaged_files_are_read_or_refused_with_a_reason(tmp_path: Path):
    rng = random.Random(5)
    path = tmp_path / 'damaged.svg'
    read = 0
    for _ in range(120):
        path.write_bytes(mutated(RICH, rng))
        try:
            artwork = read_svg(path)
        except SvgError as error:
            assert str(error).startswith(f'{path}: ') and '\n' not in str(error)
            continue
        read += 1
        vectors = [v for o in artwork.outlines for s in o.segments for v in s.vectors]
        assert np.isfinite(vectors).all() if vectors else True
    assert read > 30

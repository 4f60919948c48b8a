# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The options that make a recipe out of a drawing, for every command that takes a drawing."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from elfin_bt.drawing.artwork import Artwork
from elfin_bt.drawing.errors import DrawingError
from elfin_bt.drawing.hatch import Hatch
from elfin_bt.drawing.pen_plan import AS_READ, PenOptions
from elfin_bt.drawing.placement import (
    DEFAULT_SPACING_MM,
    DEFAULT_TOLERANCE_MM,
    Placing,
    place,
)
from elfin_bt.drawing.read_options import ReadOptions
from elfin_bt.drawing.recipe import Recipe
from elfin_bt.drawing.svg_reader import read_svg

_PEN = PenOptions()


@dataclass(frozen=True, kw_only=True)
class RecipeOptions:
    """How a file is read, placed, planned and sampled."""

    reading: ReadOptions
    placing: Placing
    pen: PenOptions
    spacing_mm: float
    tolerance_mm: float

    def read(self, path: str) -> Artwork:
        """The artwork of an SVG file or a YAML recipe. Raises DrawingError."""
        if path.lower().endswith(YAML_SUFFIXES):
            from elfin_bt.drawing.yaml_recipe import read_yaml_recipe

            return read_yaml_recipe(path)
        return read_svg(path, self.reading)

    def place(self, artwork: Artwork) -> Recipe:
        """The recipe of an artwork. Raises DrawingError."""
        placing = self.placing
        if artwork.path.lower().endswith(YAML_SUFFIXES):
            # The middle of such a drawing is its anchor, wherever its lines are.
            placing = replace(placing, middle='page')
        return place(
            artwork,
            placing=placing,
            pen=self.pen,
            spacing_mm=self.spacing_mm,
            tolerance_mm=self.tolerance_mm,
        )


YAML_SUFFIXES = ('.yaml', '.yml')


def number(minimum: float, maximum: float = math.inf, unit: str = '') -> Callable[[str], float]:
    """A converter for argparse that names the limits."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
        if not minimum <= value <= maximum or math.isinf(value):
            limits = f'at least {minimum:g}' + f', at most {maximum:g}' * math.isfinite(maximum)
            raise argparse.ArgumentTypeError(f'{value:g}{unit} is not {limits}{unit}')
        return value

    return convert


def _point(text: str) -> tuple[float, float]:
    parts = text.split(',')
    if len(parts) != 2:
        raise argparse.ArgumentTypeError(f"'{text}' is not X,Y")
    anything = number(-1e6)
    return anything(parts[0]), anything(parts[1])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    _add_reading(parser.add_argument_group('reading'))
    _add_placing(parser)
    _add_planning(parser.add_argument_group('planning the pen (lengths on the paper; 0: not done)'))


def _add_reading(group: Any) -> None:
    group.add_argument('--no-dashes', action='store_true', help='draw dashed lines solid')
    group.add_argument(
        '--strokes-only',
        action='store_true',
        help='leave out the edges of areas that are only filled',
    )
    group.add_argument(
        '--no-clip',
        action='store_true',
        help='refuse what runs over the edge of the page instead of cutting it off',
    )
    group.add_argument(
        '--language', metavar='TAG', default='en', help='of texts in several (default: en)'
    )
    group.add_argument(
        '--spacing',
        metavar='MM',
        type=number(0.05, 10.0, ' mm'),
        default=DEFAULT_SPACING_MM,
        help='largest distance between points (default: %(default)g)',
    )
    group.add_argument(
        '--tolerance',
        metavar='MM',
        type=number(0.001, 1.0, ' mm'),
        default=DEFAULT_TOLERANCE_MM,
        help='of curves from the chords between points (default: %(default)g)',
    )


def _add_placing(parser: argparse.ArgumentParser) -> None:
    size = parser.add_mutually_exclusive_group()
    millimetres = number(0.1, 1000.0, ' mm')
    size.add_argument('--width', metavar='MM', type=millimetres, help='of the artwork')
    size.add_argument('--height', metavar='MM', type=millimetres, help='of the artwork')
    size.add_argument('--fit', action='store_true', help='as large as the working area allows')
    size.add_argument(
        '--scale', metavar='N', type=number(1e-4, 1e4), help='times its physical size'
    )
    parser.add_argument(
        '--rotate',
        metavar='DEG',
        type=number(-360.0, 360.0, ' degrees'),
        default=0.0,
        help='turn it counter-clockwise',
    )
    parser.add_argument(
        '--at',
        metavar='X,Y',
        type=_point,
        default=(0.0, 0.0),
        help='mm from the middle of the paper to that of the artwork, y up (default: 0,0)',
    )


def _add_planning(group: Any) -> None:
    group.add_argument(
        '--raw', action='store_true', help='plan nothing: every stroke as it is in the file'
    )
    length = number(0.0, 10.0, ' mm')
    for name, default, text in (
        ('simplify', _PEN.simplify_mm, 'leave out corners that change the line by less'),
        ('dedupe', _PEN.dedupe_mm, 'draw only once what lies closer together'),
        ('merge', _PEN.merge_mm, 'join ends that are closer'),
    ):
        group.add_argument(
            f'--{name}',
            metavar='MM',
            type=length,
            default=default,
            help=f'{text} (default: {default:g})',
        )
    group.add_argument(
        '--near',
        metavar='MM',
        type=number(0.0, 1000.0, ' mm'),
        default=_PEN.near_mm,
        help='lift the pen less on shorter ways, the shorter the less (default: %(default)g)',
    )
    group.add_argument('--no-order', action='store_true', help='keep the order of the file')
    group.add_argument(
        '--no-free-start', action='store_true', help='begin closed lines where the file does'
    )
    group.add_argument(
        '--pens',
        choices=('off', 'label', 'colour'),
        default=_PEN.pens,
        help='pause for another pen between Inkscape layers or colours (default: off)',
    )
    group.add_argument(
        '--pause-after', metavar='M', type=number(0.01, 1e6, ' m'), help='metres of ink'
    )
    group.add_argument(
        '--hatch',
        metavar='MM',
        type=number(0.1, 100.0, ' mm'),
        help='hatch areas, lines so far apart',
    )
    group.add_argument(
        '--hatch-angle',
        metavar='DEG',
        type=number(-360.0, 360.0, ' degrees'),
        default=Hatch.angle_deg,
        help='counter-clockwise (default: %(default)g)',
    )
    group.add_argument('--hatch-cross', action='store_true', help='hatch both ways')


def options_of(args: argparse.Namespace) -> RecipeOptions:
    """The options that were given. Raises DrawingError where they make no sense together."""
    pen = AS_READ
    if args.raw and (args.hatch or args.pens != 'off' or args.pause_after):
        raise DrawingError('--raw plans nothing: leave out --hatch, --pens and --pause-after')
    if not args.raw:
        pen = PenOptions(
            hatch=Hatch(args.hatch, args.hatch_angle, args.hatch_cross) if args.hatch else None,
            pens=args.pens,
            simplify_mm=args.simplify,
            dedupe_mm=args.dedupe,
            merge_mm=args.merge,
            order=not args.no_order,
            free_start=not args.no_free_start,
            near_mm=args.near,
            ink_m=args.pause_after,
        )
    return RecipeOptions(
        reading=ReadOptions(
            dashes=not args.no_dashes,
            strokes_only=args.strokes_only,
            clip_page=not args.no_clip,
            language=args.language,
        ),
        placing=Placing(
            width_mm=args.width,
            height_mm=args.height,
            fit=args.fit,
            scale=args.scale,
            rotate_deg=args.rotate,
            at_mm=args.at,
        ),
        pen=pen,
        spacing_mm=args.spacing,
        tolerance_mm=args.tolerance,
    )

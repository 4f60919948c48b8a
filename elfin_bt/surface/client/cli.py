# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-surface`: what a person does with drawings, on any machine, without ROS."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from elfin_bt.subcommands import parse

COMMANDS = {
    'recipe': (
        'elfin_bt.surface.client.recipe_command',
        'turn SVG or YAML files into recipes, and say what will be drawn',
    ),
    'check': ('elfin_bt.surface.client.check_command', 'check a recipe as the cell will'),
}

# Options whose value may begin with a minus sign, which argparse takes for another option.
_SIGNED = ('--at', '--rotate', '--hatch-angle')


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; its exit code: 0 done, 1 refused, 2 wrong usage."""
    arguments = _with_signs(sys.argv[1:] if argv is None else argv)
    description = 'Drawings for an Elfin5 robot arm, without ROS.'
    args = parse('elfin-surface', description, COMMANDS, arguments)
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        return 1
    except BrokenPipeError:
        # Whoever read the output has heard enough.
        sys.stderr.close()
        return 1


def _with_signs(arguments: Sequence[str]) -> list[str]:
    """The arguments with the values of _SIGNED options joined to their names."""
    result: list[str] = []
    for word in arguments:
        if result and result[-1] in _SIGNED and word[:1] == '-' and word[1:2].isdecimal():
            result[-1] += f'={word}'
        else:
            result.append(word)
    return result


if __name__ == '__main__':
    sys.exit(main())

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The `elfin-bt` command: each subcommand is a module of `elfin_bt.commands`."""

from __future__ import annotations

import sys

from elfin_bt import environment
from elfin_bt.subcommands import parse

COMMANDS = {
    'draw': ('elfin_bt.commands.draw', 'draw an SVG file'),
    'session': ('elfin_bt.commands.session', 'run the processes of a drawing session'),
    'stop': ('elfin_bt.commands.stop', 'stop the arm on its path; it stays stopped until a reset'),
    'reset': ('elfin_bt.commands.reset', 'clear a stop or a fault; nothing moves by that'),
    'doctor': ('elfin_bt.commands.doctor', 'say what this machine can run and what is missing'),
}


def main(argv: list[str] | None = None) -> int:
    """Run one subcommand. Exit code 0: done, 1: refused or failed, 2: usage."""
    environment.prepare()
    arguments = sys.argv[1:] if argv is None else argv
    description = 'An Elfin5 robot arm draws what you give it.'
    args = parse('elfin-bt', description, COMMANDS, arguments)
    return int(args.run(args))


if __name__ == '__main__':
    sys.exit(main())

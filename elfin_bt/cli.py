# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The `elfin-bt` command: each subcommand is a module of `elfin_bt.commands`."""

from __future__ import annotations

import argparse
import importlib
import sys

from elfin_bt import __version__, environment

# name: (module, one-line help). A module offers add_arguments(parser) and run(args) -> exit code.
# It is imported only when its command is called, so that `doctor` works where ROS does not.
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
    chosen = next((word for word in arguments if not word.startswith('-')), None)

    parser = argparse.ArgumentParser(
        prog='elfin-bt', description='An Elfin5 robot arm draws what you give it.'
    )
    parser.add_argument('--version', action='version', version=f'elfin_bt {__version__}')
    subparsers = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for name, (module_name, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name == chosen:
            module = importlib.import_module(module_name)
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    args = parser.parse_args(arguments)
    return int(args.run(args))


if __name__ == '__main__':
    sys.exit(main())

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Commands with subcommands, each a module of its own, imported only when it is the one called."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping, Sequence

from elfin_bt import __version__


def parse(
    prog: str,
    description: str,
    commands: Mapping[str, tuple[str, str]],
    arguments: Sequence[str],
) -> argparse.Namespace:
    """The arguments of the chosen subcommand, with the function that carries it out as `run`.

    commands: name: (module, one-line help). A module offers add_arguments(parser) and
    run(args) -> exit code. Not to import the others lets `doctor` work where ROS does not, and a
    command start as fast as what it needs.
    """
    chosen = next((word for word in arguments if not word.startswith('-')), None)
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument('--version', action='version', version=f'elfin_bt {__version__}')
    subparsers = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for name, (module_name, summary) in commands.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name == chosen:
            module = importlib.import_module(module_name)
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    return parser.parse_args(arguments)

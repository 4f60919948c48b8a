# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""`elfin-bt session`: run the processes of a cell until Ctrl-C, SIGTERM or the death of one."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from elfin_bt.commands.domain_lock import DomainTaken, domain_lock
from elfin_bt.commands.end_request import EndRequest
from elfin_bt.session.node_table import MODES, NODE_NAMES, SessionOptions, node_table, select
from elfin_bt.session.supervisor import StartError, Supervisor

POLL_PERIOD = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        '--only',
        metavar='NAME,...',
        help=f'run these processes only, of {", ".join(NODE_NAMES)} (default: all)',
    )
    parser.add_argument(
        '--mode',
        choices=MODES,
        default=MODES[0],
        help='the arm: a phantom, RMP (docs/rapidcode.md) or one that takes set points over topics '
        '(docs/robco.md) (default: phantom)',
    )
    parser.add_argument(
        '--hardware-file',
        metavar='YAML',
        type=Path,
        help='parameters of the hardware node (default: config/MODE.yaml)',
    )
    parser.add_argument(
        '--speedup',
        metavar='N',
        type=float,
        default=1.0,
        help='run the phantom this many times faster than real time (default: 1)',
    )
    parser.add_argument(
        '--namespace', metavar='NS', default='', help='ROS namespace of all nodes (default: none)'
    )
    parser.add_argument(
        '--run-dir',
        metavar='DIR',
        type=Path,
        help="folder of the firmware's socket and the records; name the same one to run parts of "
        'a session from several terminals (default: a temporary one)',
    )
    parser.add_argument(
        '--log-dir',
        metavar='DIR',
        type=Path,
        help='keep what each process prints in DIR/NAME.log (default: kept only while running)',
    )


def run(args: argparse.Namespace) -> int:
    """Run the processes. Exit code 0: ended on request, 1: one died or did not start, 2: usage."""
    end = EndRequest()
    with ExitStack() as stack:
        folder = args.run_dir or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix='elfin_bt-'))
        )
        try:
            options = SessionOptions(
                run_dir=folder,
                mode=args.mode,
                speedup=args.speedup,
                namespace=args.namespace,
                hardware_file=args.hardware_file,
            )
            specs = select(node_table(options), args.only)
        except ValueError as error:
            print(f'elfin-bt session: {error}', file=sys.stderr)
            return 2
        folder.mkdir(parents=True, exist_ok=True)
        try:
            if not args.only:  # parts of a session may run side by side
                stack.enter_context(domain_lock())
            return _supervise(Supervisor(specs, log_dir=args.log_dir or folder), end)
        except (StartError, DomainTaken) as error:
            if end.requested:
                return 0
            print(f'elfin-bt session: {error}', file=sys.stderr)
            return 1


def _supervise(supervisor: Supervisor, end: EndRequest) -> int:
    """Start the processes, wait for the end, and end them all. Raises StartError."""
    try:
        supervisor.start(cancelled=lambda: end.requested)
        print(f'running: {", ".join(supervisor.pids())}; Ctrl-C ends it', flush=True)
        while not end.requested:
            death = supervisor.poll()
            if death is not None:
                print(f'elfin-bt session: {death.text}', file=sys.stderr)
                return 1
            time.sleep(POLL_PERIOD)
        return 0
    finally:
        supervisor.shutdown()

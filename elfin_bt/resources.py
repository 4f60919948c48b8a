# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Files shipped beside the code (config/, trees/, launch/, examples/), wherever it is installed."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = 'elfin_bt'


def share_path(relative: str) -> Path:
    """Return the path of a shipped file or folder, e.g. `share_path('config/elfin5.urdf')`.

    Raises:
        FileNotFoundError: it is in none of the places looked at; the message lists them.
    """
    roots = list(_roots())
    for root in roots:
        candidate = root / relative
        if candidate.exists():
            return candidate
    looked = ', '.join(str(root) for root in roots)
    raise FileNotFoundError(
        f'{relative} is not part of this {PACKAGE} installation (looked in {looked}); '
        'install the package again, or run from its checkout'
    )


def _roots() -> Iterator[Path]:
    """Yield the folders that may hold shipped files: checkout, pip prefix, ament prefixes.

    The checkout comes first: pip copies data files once, even for an editable install, and a
    copy would hide later edits.
    """
    checkout = Path(__file__).resolve().parent.parent
    if (checkout / 'package.xml').is_file():
        yield checkout
    yield Path(sys.prefix) / 'share' / PACKAGE
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        if prefix:
            yield Path(prefix) / 'share' / PACKAGE

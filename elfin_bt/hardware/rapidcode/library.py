# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Finding RapidCodePython: the one file that imports it.

The binding is no package of any registry. It lies beside RMP (in /rsi on Linux) and
fits one version of Python. Nothing else is imported here, so that `elfin-bt doctor` can ask on any
machine.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

DEFAULT_FOLDER = '/rsi'


class LibraryMissing(Exception):
    """RapidCodePython can't be used here; the text says in one line why and what to do."""


def load(folder: str = DEFAULT_FOLDER) -> Any:
    """Import RapidCodePython, from ``folder`` where Python does not find it by itself.

    Raises:
        LibraryMissing: it is not there, or does not load.
    """
    place = Path(folder)
    if place.is_dir():
        if str(place) not in sys.path:
            sys.path.append(str(place))
        if sys.platform == 'win32':
            # Its DLLs lie beside it, where Windows does not look by itself.
            os.add_dll_directory(str(place))
    try:
        import RapidCodePython
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == 'RapidCodePython':
            raise LibraryMissing(
                'RapidCodePython is not installed: install RMP with its Python binding and set '
                f'rapidcode.rmp_path to the folder that holds it (it is {folder})'
            ) from error
        raise LibraryMissing(
            f'RapidCodePython does not load ({error}): it fits one version of Python and NumPy '
            f'only, and this is Python {sys.version_info.major}.{sys.version_info.minor}; '
            'install the RMP that fits'
        ) from error
    return RapidCodePython

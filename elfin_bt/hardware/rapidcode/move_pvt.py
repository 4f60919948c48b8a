# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The MovePVT call, isolated: in which form the binding takes its arrays is not documented.

C++ wants three pointers to double. Which Python object SWIG converts to one depends on the typemaps
that the binding was built with. A wrong form is refused before anything is called, so trying is
safe; the form that worked is kept.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elfin_bt.hardware.device import ErrorNumber, FirmwareError

Floats = NDArray[np.float64]

_RETAIN = False  # executed frames are kept for negative feed rates only


class MovePvt:
    """Streams points to a MultiAxis of ``module``."""

    def __init__(self, module: Any) -> None:
        self._forms: list[Callable[[Floats], Any]] = [
            lambda values: values.tolist(),
            lambda values: array('d', values.tobytes()),
        ]
        if hasattr(module, 'doubleArray'):  # SWIG's carrays.i
            self._forms.append(lambda values: _carray(module, values))

    def __call__(
        self,
        multi_axis: Any,
        positions: Floats,
        velocities: Floats,
        times: Floats,
        *,
        empty_count: int,
        final: bool,
    ) -> None:
        """Stream n points: (n, 6) user units, (n, 6) user units/s, (n,) s, flattened by points.

        Raises:
            FirmwareError: the binding takes none of the forms (NOT_SUPPORTED).
            RsiError: the firmware refused the call.
        """
        flat = [np.ascontiguousarray(values).ravel() for values in (positions, velocities, times)]
        for form in tuple(self._forms):
            arguments = [form(values) for values in flat]
            try:
                multi_axis.MovePVT(*arguments, len(times), empty_count, _RETAIN, final)
            except (TypeError, NotImplementedError):
                continue
            self._forms = [form]
            return
        raise FirmwareError(
            ErrorNumber.NOT_SUPPORTED,
            'MovePVT takes neither a list nor an array of doubles: this version of RapidCodePython '
            'is unknown; elfin_bt/hardware/rapidcode/move_pvt.py is the place to teach it',
        )


def _carray(module: Any, values: Floats) -> Any:
    result = module.doubleArray(len(values))
    for index, value in enumerate(values.tolist()):
        result[index] = value
    return result

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Starting the EtherCAT network, and saying why it did not start."""

from __future__ import annotations

from typing import Any

from elfin_bt.hardware.rapidcode import words
from elfin_bt.hardware.rapidcode.binding import Binding
from elfin_bt.hardware.settings import SettingsError

_LOG_LINES = 3  # of the network's own log, the last ones


class Network:
    """The EtherCAT network of one ``controller``."""

    def __init__(self, binding: Binding, controller: Any) -> None:
        self._binding = binding
        self._controller = controller

    @property
    def is_operational(self) -> bool:
        """Whether all drives are in cyclic exchange."""
        operational = self._binding.value('RSINetworkState', 'OPERATIONAL')
        return bool(self._controller.NetworkStateGet() == operational)

    @property
    def state(self) -> str:
        """The state for a person, with RMP's name and number."""
        value = self._controller.NetworkStateGet()
        name = self._binding.name('RSINetworkState', value)
        meaning = words.NETWORK_STATES.get(name, 'on its way')
        return f'{meaning} (RSINetworkState {name}, {value})'

    def start(self) -> None:
        """Start it unless it runs. Blocks for 4 s at least, and for up to 30 s when it fails.

        Called once per request of a person and never in a loop: a master that is asked again while
        it still gives up comes up in a worse state.

        Raises:
            SettingsError: it did not come up; the text says why and what to do.
        """
        if self.is_operational:
            return
        reason = ''
        try:
            self._controller.NetworkStart()
        except self._binding.module.RsiError as error:
            reason = f'{error.text} (RsiError {error.number}); '
        if not self.is_operational:
            raise SettingsError(f'EtherCAT did not start: {reason}{self._start_error()}')

    def refuse_while_live(self) -> None:
        """Raise SettingsError while a network runs: phantom axes and real drives do not mix."""
        idle = [self._binding.value('RSINetworkState', n) for n in ('UNINITIALIZED', 'SHUTDOWN')]
        if self._controller.NetworkStateGet() not in idle:
            raise SettingsError(
                f'the EtherCAT network is {self.state} and rapidcode.axes is phantom: shut the '
                'network down, or set rapidcode.axes to ethercat'
            )

    def _start_error(self) -> str:
        code = self._controller.LastNetworkStartErrorGet()
        name = self._binding.name('RSINetworkStartError', code)
        meaning = words.NETWORK_START.get(name, words.UNKNOWN_NETWORK_START)
        text = f'error {code} {name}: {meaning}; the network is {self.state}'
        count = self._controller.NetworkLogMessageCountGet()
        lines = [
            str(self._controller.NetworkLogMessageGet(index)).strip()
            for index in range(max(0, count - _LOG_LINES), count)
        ]
        return f'{text}; its log ends: {" | ".join(lines)}' if lines else text

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the RobCo-like backend, with their descriptions and ranges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from elfin_bt.hardware.robco.command import CommandSet
from elfin_bt.hardware.settings import SettingsError

ROBOT, HOST = 'robot', 'host'
COMPENSATIONS = (ROBOT, HOST)


def _number(default: float, description: str, minimum: float, maximum: float) -> Any:
    """A field and what its parameter's descriptor says."""
    metadata = {'description': description, 'minimum': minimum, 'maximum': maximum}
    return field(default=default, metadata=metadata)


def _text(default: str, description: str, choices: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={'description': description, 'choices': choices})


@dataclass(frozen=True, kw_only=True)
class RobcoSettings:
    """Topics, limits of trust, and the law of the effort set."""

    joint_commands_topic: str = _text('robco_joint_commands', 'where set points are sent')
    joint_states_topic: str = _text('robco_joint_states', 'where the arm reports its joints')
    enabled_topic: str = _text('robco_enabled', 'where it is told whether the arm is enabled')
    command_set: str = _text(
        CommandSet.POSITION,
        'position: position, velocity and acceleration; effort: torques that follow the path; '
        'float: zero torques, the arm can be moved by hand',
        tuple(CommandSet),
    )
    compensation: str = _text(
        ROBOT,
        'who adds gravity and Coriolis torques to efforts: the robot (RobCo does) or the host',
        COMPENSATIONS,
    )
    stiffness: float = _number(
        400.0, 'effort set: acceleration per position error, 1/s2', 0.0, 10000.0
    )
    damping: float = _number(40.0, 'effort set: acceleration per velocity error, 1/s', 0.0, 500.0)
    state_timeout: float = _number(
        0.1, 'silence of the arm after which it is brought to rest, s', 0.02, 1.0
    )
    set_point_timeout: float = _number(
        0.05, 'gap between two set points after which a motion is given up, s', 0.005, 0.5
    )
    position_error_limit: float = _number(
        0.1, 'rad between command and joint that lead to an e-stop', 0.001, 1.0
    )

    def __post_init__(self) -> None:
        """Refuse what can't be meant.

        Raises:
            SettingsError: names the parameter, its value and what it may be.
        """
        if self.command_set not in tuple(CommandSet):
            raise SettingsError(
                f"command_set is '{self.command_set}': choose {', '.join(CommandSet)}"
            )
        if self.compensation not in COMPENSATIONS:
            raise SettingsError(
                f"compensation is '{self.compensation}': choose {' or '.join(COMPENSATIONS)}"
            )

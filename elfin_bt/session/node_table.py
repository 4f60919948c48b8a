# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The processes of a running cell, in the order in which they start.

One table serves two runners: ``elfin-bt session`` and ``elfin-bt draw`` start it with
:class:`elfin_bt.session.supervisor.Supervisor`, ``launch/session.launch.py`` turns each row into a
launch action. It says what runs with which parameters, and nothing about how.

The planner is not a row: it is a child of the session, which starts it and restarts it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from elfin_bt.resources import share_path

PHANTOM = 'phantom'
MODES = (PHANTOM, 'rapidcode', 'robco')
PLANNERS = ('local',)
PRIORITIES = {'firmware': 40, 'hardware': 30, 'executor': 20, 'session': 10}
NODE_NAMES = ('firmware', 'hardware', 'executor', 'session')

SPED_UP_GOALS = 30
SPED_UP_SECONDS = 15.0

ParameterValue = bool | int | float | str


@dataclass(frozen=True, kw_only=True)
class SessionOptions:
    """What a person chooses when a cell is started.

    ``run_dir`` holds what lives as long as the run: the firmware's socket, recordings, ready files.
    ``hardware_file`` holds parameters of the hardware node; None means config/MODE.yaml of a mode
    that has one.
    """

    run_dir: Path
    mode: str = PHANTOM
    planner: str = 'local'
    speedup: float = 1.0
    namespace: str = ''
    hardware_file: Path | None = None

    def __post_init__(self) -> None:
        """Refuse options that no node could serve."""
        if self.mode not in MODES:
            raise ValueError(f"mode is '{self.mode}': choose one of {', '.join(MODES)}")
        if self.planner not in PLANNERS:
            raise ValueError(f"planner is '{self.planner}': choose one of {', '.join(PLANNERS)}")
        if not 1.0 <= self.speedup <= 1000.0:
            raise ValueError(f'speedup is {self.speedup:g}: it lies between 1 and 1000')
        if self.speedup != 1.0 and self.mode != PHANTOM:
            raise ValueError(
                f'speedup is {self.speedup:g} and mode is {self.mode}: only a phantom runs faster '
                'than real time'
            )
        if self.hardware_file is not None and not self.hardware_file.is_file():
            raise ValueError(f'hardware file {self.hardware_file}: there is no such file')

    @property
    def use_sim_time(self) -> bool:
        """Whether the nodes run on ``/clock`` (device time) rather than on wall time."""
        return self.speedup > 1.0

    @property
    def hardware_files(self) -> tuple[Path, ...]:
        """Parameter files of the hardware node."""
        if self.hardware_file is not None:
            return (self.hardware_file,)
        return () if self.mode == PHANTOM else (share_path(f'config/{self.mode}.yaml'),)

    @property
    def firmware_socket(self) -> Path:
        """The unix socket between the hardware node and the phantom firmware."""
        return self.run_dir / 'firmware.sock'


@dataclass(frozen=True, kw_only=True)
class NodeSpec:
    """One process: how to start it and how to see that it is up.

    ``name`` is what people call it (``--only``, log file, messages), ``executable`` the console
    script (``ros2 run elfin_bt EXECUTABLE``), ``module`` the same thing for ``python -m``.
    ``ready_file`` appears when the process has started up; None means that nobody waits for it.
    ``priority`` is a real-time one (SCHED_FIFO), used where the machine allows it; 0 means none.
    """

    name: str
    executable: str
    module: str
    is_ros: bool = True
    namespace: str = ''
    parameter_files: tuple[Path, ...] = ()
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    ready_file: Path | None = None
    priority: int = 0

    def command(self, python: str) -> list[str]:
        """Return the command line that runs this process under the interpreter ``python``."""
        return [python, '-m', self.module, *self.arguments, *self.ros_arguments()]

    def ros_arguments(self) -> list[str]:
        """Return the ``--ros-args`` part of the command line, empty for a process without ROS."""
        if not self.is_ros:
            return []
        # The supervisor keeps what a node prints; a second copy under ~/.ros/log would outlive it.
        arguments = ['--ros-args', '--disable-external-lib-logs']
        if self.namespace:
            arguments += ['-r', f'__ns:=/{self.namespace.strip("/")}']
        for path in self.parameter_files:
            arguments += ['--params-file', str(path)]
        for key, value in self.parameters.items():
            arguments += ['-p', f'{key}:={_yaml_scalar(value)}']
        return arguments


def node_table(options: SessionOptions) -> list[NodeSpec]:
    """Return the processes of a cell in start order: what is depended on comes first."""
    clock: dict[str, ParameterValue] = {'use_sim_time': options.use_sim_time}
    is_phantom = options.mode == PHANTOM
    firmware = NodeSpec(
        name='firmware',
        executable='phantom_firmware',
        module='elfin_bt.hardware.phantom.process',
        is_ros=False,
        arguments=('--socket', str(options.firmware_socket), '--speedup', f'{options.speedup:g}'),
        ready_file=options.firmware_socket,
    )
    hardware = NodeSpec(
        name='hardware',
        executable='pvt_hardware',
        module='elfin_bt.hardware.node',
        namespace=options.namespace,
        parameter_files=options.hardware_files,
        parameters={'backend': options.mode}
        | ({'socket': str(options.firmware_socket)} if is_phantom else {}),
    )
    executor = NodeSpec(
        name='executor',
        executable='passthrough_executor',
        module='elfin_bt.execution.node',
        namespace=options.namespace,
        # A host that is too busy holds simulated time up; that is no reason to give a job up.
        parameters=clock | ({'lease_timeout': 2.0} if options.use_sim_time else {}),
    )
    session_parameters: dict[str, ParameterValue] = dict(clock)
    if options.use_sim_time:
        # Ahead in device time, which runs away from ours: a busy moment here is seconds there.
        session_parameters |= {'queue_goals': SPED_UP_GOALS, 'queue_seconds': SPED_UP_SECONDS}
    session_ready = options.run_dir / 'session.ready'
    session = NodeSpec(
        name='session',
        executable='session',
        module='elfin_bt.session.node',
        namespace=options.namespace,
        parameter_files=(share_path('config/session.yaml'),),
        parameters={
            **session_parameters,
            'planner': options.planner,
            'ready_file': str(session_ready),
        },
        ready_file=session_ready,
    )
    table = [hardware, executor, session]
    if is_phantom:
        table.insert(0, firmware)
    if options.use_sim_time:
        # Simulated time waits for a late frame instead of stopping the arm, and takes every core.
        return table
    return [replace(spec, priority=PRIORITIES[spec.name]) for spec in table]


def select(table: Sequence[NodeSpec], only: str | None) -> list[NodeSpec]:
    """Return the rows named in ``only`` (``NAME,NAME``; None means all), in table order.

    Raises ValueError for a name that is not in the table.
    """
    if only is None:
        return list(table)
    known = [spec.name for spec in table]
    wanted = [name.strip() for name in only.split(',') if name.strip()]
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise ValueError(f"--only '{only}': name one or more of {', '.join(known)}")
    return [spec for spec in table if spec.name in wanted]


def _yaml_scalar(value: ParameterValue) -> str:
    """Return ``value`` as the YAML text of a ROS parameter override, with its type kept."""
    return json.dumps(value)

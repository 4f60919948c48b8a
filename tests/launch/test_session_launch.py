# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""launch/session.launch.py launches the node table, no more and no less.

launch comes with a ROS 2 installation only. Elsewhere the file is read with stand-ins that keep
what they are called with.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from elfin_bt.session.node_table import MODES, PLANNERS, NodeSpec, SessionOptions, node_table

VALUES = {'mode': 'phantom', 'planner': 'local', 'speedup': '4', 'namespace': 'cell_7'}


def load(repository: Path) -> ModuleType:
    path = repository / 'launch' / 'session.launch.py'
    spec = importlib.util.spec_from_file_location('session_launch', path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Recorded:
    """Keeps what it is called with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.kwargs = kwargs


class StandIns:
    """A class for each name that is imported from launch and launch_ros."""

    def __init__(self) -> None:
        self.classes: dict[str, type] = {}

    def module(self, name: str) -> ModuleType:
        module = ModuleType(name)
        module.__getattr__ = self.get  # type: ignore[method-assign]
        module.__path__ = []
        return module

    def get(self, name: str) -> type:
        if name.startswith('__'):
            raise AttributeError(name)
        return self.classes.setdefault(name, type(name, (Recorded,), {}))


@pytest.fixture
def launch_file(repository: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    stand_ins = StandIns()
    configuration = stand_ins.get('LaunchConfiguration')
    configuration.perform = lambda self, context: context[self.args[0]]  # type: ignore[attr-defined]
    for package, parts in (
        ('launch', ('actions', 'event_handlers', 'substitutions')),
        ('launch_ros', ('actions', 'substitutions')),
    ):
        for name in (package, *(f'{package}.{part}' for part in parts)):
            monkeypatch.setitem(sys.modules, name, stand_ins.module(name))
    return load(repository)


def kind(action: Any) -> str:
    return type(action).__name__


def run_dir_of(processes: list[Any]) -> Path:
    """Return the run folder, from the socket that the firmware is told."""
    firmware = processes[0].kwargs['cmd']
    return Path(firmware[firmware.index('--socket') + 1]).parent


def test_arguments_are_described_and_their_defaults_valid(launch_file: ModuleType) -> None:
    (entities,) = launch_file.generate_launch_description().args
    arguments = {
        entity.args[0]: entity.kwargs
        for entity in entities
        if kind(entity) == 'DeclareLaunchArgument'
    }
    assert set(arguments) == set(VALUES)
    assert all(argument['description'] for argument in arguments.values())
    assert arguments['mode']['choices'] == MODES
    assert arguments['planner']['choices'] == PLANNERS
    defaults = {name: argument['default_value'] for name, argument in arguments.items()}
    defaults['speedup'] = float(defaults['speedup'])
    SessionOptions(run_dir=Path('/run'), **defaults)  # Refuses what is no option.


def test_each_row_of_the_table_becomes_one_process(launch_file: ModuleType) -> None:
    *processes, _ = launch_file.launch_session(VALUES)
    table = node_table(
        SessionOptions(
            run_dir=run_dir_of(processes),
            mode='phantom',
            planner='local',
            speedup=4.0,
            namespace='cell_7',
        )
    )
    assert len(processes) == len(table)
    for action, spec in zip(processes, table, strict=True):
        check_process(action, spec)


def check_process(action: Any, spec: NodeSpec) -> None:
    over = action.kwargs['on_exit']
    assert kind(over) == 'Shutdown'
    assert spec.name in over.kwargs['reason']
    if spec.is_ros:
        assert kind(action) == 'Node'
        assert action.kwargs['package'] == 'elfin_bt'
        assert action.kwargs['executable'] == spec.executable
        assert action.kwargs['namespace'] == spec.namespace
        *files, parameters = action.kwargs['parameters']
        assert files == [str(path) for path in spec.parameter_files]
        assert parameters == spec.parameters
        assert action.kwargs['arguments'] == list(spec.arguments)
    else:
        assert kind(action) == 'ExecuteProcess'
        program, *arguments = action.kwargs['cmd']
        assert program.kwargs == {'package': 'elfin_bt', 'executable': spec.executable}
        assert arguments == list(spec.arguments)


def test_the_run_folder_ends_with_the_launch(launch_file: ModuleType) -> None:
    *processes, handler = launch_file.launch_session(VALUES)
    run_dir = run_dir_of(processes)
    assert run_dir.is_dir()
    (on_shutdown,) = handler.args
    on_shutdown.kwargs['on_shutdown'](SimpleNamespace(), SimpleNamespace())
    assert not run_dir.exists()


def test_the_real_launch_reads_it(repository: Path) -> None:
    launch = pytest.importorskip('launch', reason='launch comes with a ROS 2 installation only')
    pytest.importorskip('launch_ros')
    context = launch.LaunchContext()
    context.launch_configurations.update(VALUES)
    *arguments, session = load(repository).generate_launch_description().entities
    for argument in arguments:
        argument.visit(context)
    *processes, _ = session.visit(context)
    nodes = [action.node_executable for action in processes if hasattr(action, 'node_executable')]
    table = node_table(SessionOptions(run_dir=Path('/run')))
    assert nodes == [spec.executable for spec in table if spec.is_ros]
    assert len(processes) == len(table)

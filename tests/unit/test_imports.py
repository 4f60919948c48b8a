# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The direction of imports: a folder imports only from the folders above it.

Read from the source, lazy imports within functions included; nothing is imported here.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = 'elfin_bt'
ROOT = Path(__file__).resolve().parents[2] / PACKAGE

# Modules that any file may import, then the folders from the top to the bottom.
EVERYWHERE = ('', 'environment', 'installed', 'resources', 'subcommands')
LAYERS = (
    *('drawing', 'kinematics', 'ros', 'planning', 'execution', 'hardware', 'behaviours'),
    *('session', 'surface', 'commands', 'cli'),
)

# These run where there is neither ROS nor Pinocchio.
PURE_FOLDERS = ('drawing', 'kinematics', 'surface/client')
PURE_FILES = (
    'planning/look_ahead.py',
    'planning/trajectory.py',
    'planning/estimate.py',
    'surface/protocol.py',
)

ROS_MODULES = {'rclpy', 'launch', 'launch_ros', 'ament_index_python', 'rosidl_runtime_py'}
HEAVY_MODULES = {'pinocchio', 'coal', 'hppfcl', 'ruckig'}

# Folders that may use a module at all, and whether in one file only.
CONFINED = {
    'svgpathtools': ({'drawing'}, True),
    'defusedxml': ({'drawing', 'session'}, False),
    'tinycss2': ({'drawing'}, True),
    'cssselect2': ({'drawing'}, True),
    'HersheyFonts': ({'drawing'}, True),
    'moveit': ({'planning'}, True),
    'RapidCodePython': ({'hardware'}, True),
    'py_trees_ros': ({'session'}, True),
    'py_trees': ({'behaviours', 'session'}, False),
    'pinocchio': ({'planning', 'hardware'}, False),
    'coal': ({'planning'}, False),
    'PIL': ({'drawing', 'session', 'commands'}, False),
}

SOURCES = sorted(ROOT.rglob('*.py'))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the full name of each module or object that a file imports."""
    package = [PACKAGE, *path.relative_to(ROOT).parent.parts]
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = '.'.join([*above, *([node.module] if node.module else [])])
            names.update(f'{module}.{alias.name}' for alias in node.names)
    return frozenset(names)


def ours(path: Path) -> set[str]:
    """Return the parts of elfin_bt that a file imports: folders, or modules of the top."""
    parts = {name.split('.')[1] for name in imports(path) if name.startswith(f'{PACKAGE}.')}
    # What is no part is a name out of elfin_bt/__init__.py.
    return {part for part in parts if part in LAYERS or part in EVERYWHERE}


def others(path: Path) -> set[str]:
    """Return the top-level modules, elfin_bt apart, that a file imports."""
    return {name.split('.')[0] for name in imports(path)} - {PACKAGE}


def reachable(path: Path) -> set[Path]:
    """Return a file and all files of elfin_bt that importing it imports."""
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += [module for name in imports(file) for module in modules(name)]
    return found


def modules(name: str) -> Iterator[Path]:
    """Yield the files of elfin_bt that `import name` runs."""
    package, *rest = name.split('.')
    if package == PACKAGE:
        for end in range(len(rest) + 1):
            place = ROOT.joinpath(*rest[:end])
            candidates = (place.with_suffix('.py'), place / '__init__.py')
            yield from (file for file in candidates if file.is_file())


def is_ros(module: str) -> bool:
    return module in ROS_MODULES or module.endswith(('_msgs', '_srvs', '_interfaces'))


def is_node_file(path: Path) -> bool:
    """Whether a file is one of the thin shells between a core and ROS."""
    in_node_folder = name_of(path).split('/')[0] in ('ros', 'session', 'commands')
    return in_node_folder or path.name == 'node.py' or path.name.startswith('ros_')


def is_pure(path: Path) -> bool:
    in_pure_folder = name_of(path).startswith(tuple(f'{folder}/' for folder in PURE_FOLDERS))
    return in_pure_folder or name_of(path) in PURE_FILES


def test_every_file_has_its_layer() -> None:
    tops = {name_of(path).removesuffix('.py').split('/')[0] for path in SOURCES}
    assert tops - {*LAYERS, *EVERYWHERE, '__init__'} == set()
    assert {'drawing', 'kinematics', 'planning', 'execution', 'hardware', 'session'} <= tops


def test_a_file_imports_only_from_its_own_layer_and_those_above() -> None:
    below = {}
    for path in SOURCES:
        layer = name_of(path).removesuffix('.py').split('/')[0]
        above = LAYERS[: LAYERS.index(layer) + 1] if layer in LAYERS else ()
        below[name_of(path)] = ours(path) - {*EVERYWHERE, *above}
    assert {name: parts for name, parts in below.items() if parts} == {}


def test_only_node_files_import_ros() -> None:
    found = {
        name_of(path): {module for module in others(path) if is_ros(module)} | ours(path) & {'ros'}
        for path in SOURCES
        if not is_node_file(path)
    }
    assert {name: modules for name, modules in found.items() if modules} == {}


def test_pure_files_reach_neither_ros_nor_pinocchio() -> None:
    heavy = {
        f'{name_of(path)} through {name_of(file)}': module
        for path in filter(is_pure, SOURCES)
        for file in reachable(path)
        for module in others(file)
        if is_ros(module) or module in HEAVY_MODULES
    }
    assert heavy == {}


@pytest.mark.parametrize('module', CONFINED)
def test_a_confined_module_stays_in_its_folders(module: str) -> None:
    folders, one_file = CONFINED[module]
    users = [name_of(path) for path in SOURCES if module in others(path)]
    assert [user for user in users if user.split('/')[0] not in folders] == []
    if one_file:
        assert users[1:] == []


def test_lazy_and_relative_imports_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), 'ROOT', tmp_path)
    file = tmp_path / 'drawing' / 'reader.py'
    file.parent.mkdir()
    file.write_text(
        'import numpy as np\nfrom ..planning.path import Path\nfrom . import style\n'
        'def late():\n    from rclpy.node import Node\n'
    )
    assert imports(file) == {
        'numpy',
        'elfin_bt.planning.path.Path',
        'elfin_bt.drawing.style',
        'rclpy.node.Node',
    }
    assert ours(file) == {'planning', 'drawing'}
    assert others(file) == {'numpy', 'rclpy'}

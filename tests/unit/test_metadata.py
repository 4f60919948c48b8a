# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""What is said in more than one place is the same everywhere."""

import ast
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import elfin_bt
from elfin_bt.commands import diagnosis


def setup_arguments(repository: Path) -> dict[str, object]:
    """Return the literal keyword arguments of the `setup()` call in setup.py."""
    tree = ast.parse((repository / 'setup.py').read_text())
    call = next(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == 'setup'
    )
    literal = {}
    for keyword in call.keywords:
        try:
            literal[keyword.arg or ''] = ast.literal_eval(keyword.value)
        except ValueError:
            continue  # Computed, as the packages are.
    return literal


def test_setup_and_package_manifest_agree(repository: Path) -> None:
    manifest = ElementTree.parse(repository / 'package.xml').getroot()
    setup = setup_arguments(repository)
    for tag, argument in (
        ('version', 'version'),
        ('description', 'description'),
        ('license', 'license'),
        ('maintainer', 'maintainer'),
        ('author', 'author'),
    ):
        assert manifest.findtext(tag) == setup[argument]
    maintainer = manifest.find('maintainer')
    assert maintainer is not None
    assert maintainer.get('email') == setup['maintainer_email']
    assert manifest.findtext('name') == elfin_bt.__name__
    assert setup['version'] == elfin_bt.__version__


def test_the_doctor_asks_for_what_the_set_up_installs(repository: Path) -> None:
    listed = {}
    for line in (repository / 'requirements' / 'runtime.txt').read_text().splitlines():
        if line and not line.startswith('#'):
            name, oldest, too_new = re.fullmatch(
                r'([a-z0-9_]+)>=([\d.]+)(?:,<([\d.]+))?', line
            ).groups()  # type: ignore[union-attr]
            listed[name] = (oldest, too_new)
    asked = {name: limits for name, (_, *limits) in diagnosis.LIBRARIES.items()}
    assert listed.pop('pin')[0] == diagnosis.OLDEST_PINOCCHIO
    assert {name: tuple(limits) for name, limits in asked.items()} == listed


def imported_modules(repository: Path) -> set[str]:
    """Return the top-level modules that the package and its launch file import."""
    modules = set()
    for folder in ('elfin_bt', 'launch'):
        for path in (repository / folder).rglob('*.py'):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    modules |= {alias.name.split('.')[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    modules.add(node.module.split('.')[0])
    return modules - set(sys.stdlib_module_names) - {'elfin_bt'}


def test_the_manifest_depends_on_what_is_imported(repository: Path) -> None:
    rosdep = {
        **{'PIL': 'python3-pil', 'numpy': 'python3-numpy', 'defusedxml': 'python3-defusedxml'},
        **{'scipy': 'python3-scipy', 'yaml': 'python3-yaml'},
    }
    by_pip = {'pinocchio', 'coal', 'ruckig', 'tinycss2', 'cssselect2', 'HersheyFonts'}
    by_vendor = {'RapidCodePython'}
    manifest = ElementTree.parse(repository / 'package.xml').getroot()
    depended = {element.text for element in manifest.findall('exec_depend')}
    needed = imported_modules(repository) - by_pip - by_vendor
    assert depended == {rosdep.get(module, module) for module in needed}
    assert set(diagnosis.INTERFACES) <= depended

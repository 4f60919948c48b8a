# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
import re
from collections.abc import Iterator
from pathlib import Path

from setuptools import find_packages, setup

NAME = 'elfin_bt'
SHARED_FOLDERS = ('config', 'examples', 'launch', 'trees')
# What only the cell needs: the surface runs on any system.
CELL_ONLY = ('pin', 'py_trees', 'ruckig')


def surface_requirements() -> list[str]:
    """Return what `pip install .[surface]` brings: the libraries of drawing, without the cell's."""
    lines = Path('requirements/runtime.txt').read_text(encoding='utf-8').splitlines()
    needed = [line for line in lines if line and not line.startswith('#')]
    return [line for line in needed if re.split('[<>=]', line)[0] not in CELL_ONLY]


def shared_files(folder: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder below `folder` with its files, subfolders kept, for share/elfin_bt."""
    for directory in sorted({path.parent for path in Path(folder).rglob('*') if path.is_file()}):
        if '__pycache__' not in directory.parts:
            files = sorted(str(path) for path in directory.iterdir() if path.is_file())
            yield f'share/{NAME}/{directory.as_posix()}', files


setup(
    name=NAME,
    version='0.1.0',
    description='An Elfin5 arm draws SVG files, orchestrated by behaviour trees on ROS 2',
    author='The elfin_bt authors',
    maintainer='The elfin_bt authors',
    maintainer_email='maintainers@elfin-bt.example.org',
    license='Apache-2.0',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={NAME: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        *(entry for folder in SHARED_FOLDERS for entry in shared_files(folder)),
    ],
    python_requires='>=3.11',
    zip_safe=True,
    extras_require={'surface': surface_requirements(), 'test': ['pytest', 'hypothesis']},
    entry_points={
        'console_scripts': [
            'elfin-bt = elfin_bt.cli:main',
            'elfin-surface = elfin_bt.surface.client.cli:main',
            'pvt_hardware = elfin_bt.hardware.node:main',
            'passthrough_executor = elfin_bt.execution.node:main',
            'session = elfin_bt.session.node:main',
            'phantom_firmware = elfin_bt.hardware.phantom.process:main',
            'simulated_robco = elfin_bt.hardware.robco.ros_simulated_arm:main',
        ],
    },
)

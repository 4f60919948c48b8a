# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of our processes: defaults, and nothing of another ROS."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from elfin_bt import environment


def test_discovery_stays_on_this_machine_unless_told_otherwise() -> None:
    discovery = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
    assert environment.defaults({'HOME': '/h'})[discovery] == 'LOCALHOST'
    assert discovery not in environment.defaults({'HOME': '/h', discovery: 'SUBNET'})


def test_a_killed_process_leaves_no_shared_memory_unless_it_is_asked_for() -> None:
    transports = 'FASTDDS_BUILTIN_TRANSPORTS'
    assert environment.defaults({'HOME': '/h'})[transports] == 'UDPv4'
    assert transports not in environment.defaults({'HOME': '/h', transports: 'DEFAULT'})


@pytest.mark.parametrize('home', [{}, {'HOME': ''}])
def test_without_a_home_logs_have_a_place(home: dict[str, str]) -> None:
    assert Path(environment.defaults(home)['ROS_LOG_DIR']).is_absolute()
    assert 'ROS_LOG_DIR' not in environment.defaults({**home, 'ROS_LOG_DIR': '/var/log/ros'})


def test_a_sourced_ros_is_cleared() -> None:
    prefix = Path('/venv')
    clean = environment.without_foreign_ros(
        {
            'AMENT_PREFIX_PATH': '/home/a/ws/install/elfin_bt:/opt/ros/humble',
            'PYTHONPATH': '/opt/ros/humble/lib/python3.10/site-packages:/home/a/python',
            'LD_LIBRARY_PATH': '/opt/ros/humble/lib:/venv/lib:/opt/cuda/lib',
            environment.BOOTSTRAP_GUARD: '1',
            'ROS_DOMAIN_ID': '7',
        },
        prefix,
    )
    assert clean == {
        'PYTHONPATH': '/home/a/python',
        'LD_LIBRARY_PATH': '/venv/lib:/opt/cuda/lib',
        environment.BOOTSTRAP_GUARD: '1',
        'ROS_DOMAIN_ID': '7',
    }


def test_the_libraries_of_another_environment_are_cleared_and_ours_are_looked_up_again(
    tmp_path: Path,
) -> None:
    other = tmp_path / 'other' / 'lib'
    other.mkdir(parents=True)
    (other / 'librcl.so').touch()
    clean = environment.without_foreign_ros(
        {
            'LD_LIBRARY_PATH': f'{other}:{other}/site-packages/ros_rcl.libs',
            environment.BOOTSTRAP_GUARD: '1',
        },
        tmp_path / 'venv',
    )
    assert clean == {}


def test_a_middleware_that_the_wheels_lack_is_replaced(tmp_path: Path) -> None:
    library = tmp_path / 'lib' / 'librmw_of_ours.so'
    library.parent.mkdir()
    library.touch()
    for asked, used in (('rmw_zenoh_cpp', 'rmw_fastrtps_cpp'), ('rmw_of_ours', 'rmw_of_ours')):
        clean = environment.without_foreign_ros({'RMW_IMPLEMENTATION': asked}, tmp_path)
        assert clean == {'RMW_IMPLEMENTATION': used}


def test_a_clean_environment_is_left_alone() -> None:
    clean = {
        'PATH': '/usr/bin',
        'HOME': '/home/a',
        'LD_LIBRARY_PATH': '/venv/lib:/venv/lib/python3.11/site-packages/ros_rcl.libs',
        environment.BOOTSTRAP_GUARD: '1',
    }
    assert environment.without_foreign_ros(clean, Path('/venv')) == clean


@pytest.mark.skipif(not environment.runs_on_wheels(), reason='ROS is not from wheels here')
@pytest.mark.parametrize(
    'variables',
    [
        {},
        {
            'AMENT_PREFIX_PATH': '/opt/ros/humble',
            'PYTHONPATH': '/opt/ros/humble/lib/python3.10/site-packages',
            'LD_LIBRARY_PATH': '/opt/ros/humble/lib',
            'RMW_IMPLEMENTATION': 'rmw_cyclonedds_cpp',
            environment.BOOTSTRAP_GUARD: '1',
        },
    ],
    ids=['empty', 'sourced'],
)
def test_ros_starts_from_any_environment(variables: dict[str, str], tmp_path: Path) -> None:
    program = tmp_path / 'program.py'
    program.write_text(
        'from elfin_bt import environment; environment.prepare()\n'
        'import rclpy; rclpy.init(); print(rclpy.get_rmw_implementation_identifier())\n'
    )
    result = subprocess.run(
        [sys.executable, str(program)],
        env={**variables, 'PATH': os.defpath},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert result.stdout.strip() == 'rmw_fastrtps_cpp', result.stderr

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from elfin_bt.session.node_table import (
    NODE_NAMES,
    NodeSpec,
    SessionOptions,
    node_table,
    select,
)


@pytest.fixture
def table(tmp_path):
    return node_table(SessionOptions(run_dir=tmp_path))


def test_what_is_depended_on_starts_first(table):
    assert tuple(spec.name for spec in table) == NODE_NAMES


def test_firmware_and_hardware_node_meet_at_one_socket(table, tmp_path):
    firmware, hardware, _, _ = table
    assert firmware.arguments[:2] == ('--socket', str(tmp_path / 'firmware.sock'))
    assert firmware.ready_file == tmp_path / 'firmware.sock'
    assert hardware.parameters['socket'] == str(tmp_path / 'firmware.sock')


@pytest.mark.parametrize('mode', ['rapidcode', 'robco'])
def test_a_real_arm_needs_no_firmware_of_ours_and_has_a_file_of_its_own(tmp_path, mode):
    hardware, executor, session = node_table(SessionOptions(run_dir=tmp_path, mode=mode))
    assert (hardware.name, executor.name, session.name) == NODE_NAMES[1:]
    assert hardware.parameters['backend'] == mode
    assert 'socket' not in hardware.parameters
    assert [file.name for file in hardware.parameter_files] == [f'{mode}.yaml']
    own = tmp_path / 'arm.yaml'
    own.touch()
    options = SessionOptions(run_dir=tmp_path, mode=mode, hardware_file=own)
    assert node_table(options)[0].parameter_files == (own,)


@pytest.mark.parametrize(('speedup', 'use_sim_time'), [(1.0, False), (20.0, True)])
def test_only_a_sped_up_cell_runs_on_the_devices_clock(tmp_path, speedup, use_sim_time):
    table = node_table(SessionOptions(run_dir=tmp_path, speedup=speedup))
    clocks = {spec.name: spec.parameters.get('use_sim_time') for spec in table}
    assert clocks['executor'] is clocks['session'] is use_sim_time
    assert clocks['hardware'] is None, 'it is the clock'
    assert f'{speedup:g}' in table[0].arguments


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'mode': 'rapid'}, "mode is 'rapid'"),
        ({'planner': 'magic'}, "planner is 'magic'"),
        ({'speedup': 0.5}, 'speedup is 0.5'),
        ({'speedup': float('nan')}, 'speedup is nan'),
        ({'speedup': 2.0, 'mode': 'robco'}, 'only a phantom runs faster'),
        ({'hardware_file': Path('/nowhere.yaml')}, 'there is no such file'),
    ],
)
def test_options_that_no_node_could_serve_are_refused(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        SessionOptions(run_dir=tmp_path, **options)


def test_named_processes_keep_the_order_of_the_table(table):
    assert [spec.name for spec in select(table, 'session, firmware')] == ['firmware', 'session']
    assert select(table, None) == table


@pytest.mark.parametrize('only', ['planner', 'firmware,hardwear', ''])
def test_a_name_that_is_not_in_the_table_is_refused(table, only):
    with pytest.raises(ValueError, match='name one or more of firmware, hardware'):
        select(table, only)


def test_a_command_line_passes_parameters_with_their_types(tmp_path):
    spec = NodeSpec(
        name='node',
        executable='node',
        module='package.node',
        namespace='/cell/',
        parameter_files=(tmp_path / 'node.yaml',),
        parameters={'on': True, 'rate': 50.0, 'text': '12'},
    )
    assert spec.command('python') == [
        'python',
        '-m',
        'package.node',
        '--ros-args',
        '--disable-external-lib-logs',
        '-r',
        '__ns:=/cell',
        '--params-file',
        str(tmp_path / 'node.yaml'),
        '-p',
        'on:=true',
        '-p',
        'rate:=50.0',
        '-p',
        'text:="12"',
    ]


def test_a_process_without_ros_gets_no_ros_arguments():
    spec = NodeSpec(name='f', executable='f', module='m', is_ros=False, arguments=('--a', 'b'))
    assert spec.command('python') == ['python', '-m', 'm', '--a', 'b']

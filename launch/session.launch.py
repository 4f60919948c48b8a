# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Launches a drawing session: `ros2 launch elfin_bt session.launch.py`.

What runs, and with which parameters, is in elfin_bt.session.node_table; `elfin-bt session` runs
the same table without launch.
"""

import tempfile
from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.substitutions import ExecutableInPackage

from elfin_bt.session.node_table import MODES, PLANNERS, NodeSpec, SessionOptions, node_table

PACKAGE = 'elfin_bt'


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the processes depend on their values."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                'mode', default_value='phantom', choices=MODES, description='robot to draw with'
            ),
            DeclareLaunchArgument(
                'planner', default_value='local', choices=PLANNERS, description='motion planner'
            ),
            DeclareLaunchArgument(
                'speedup',
                default_value='1.0',
                description='how many times faster than real time a phantom runs, 1 to 1000',
            ),
            DeclareLaunchArgument(
                'namespace', default_value='', description='ROS namespace of all nodes'
            ),
            OpaqueFunction(function=launch_session),
        ]
    )


def launch_session(context: LaunchContext) -> list:
    """Turn the rows of the node table into actions, and delete their run folder at the end."""
    run_dir = tempfile.TemporaryDirectory(prefix='elfin_bt-')
    options = SessionOptions(
        run_dir=Path(run_dir.name),
        mode=LaunchConfiguration('mode').perform(context),
        planner=LaunchConfiguration('planner').perform(context),
        speedup=float(LaunchConfiguration('speedup').perform(context)),
        namespace=LaunchConfiguration('namespace').perform(context),
    )
    processes = [process(spec) for spec in node_table(options)]
    cleanup = OnShutdown(on_shutdown=lambda event, context: run_dir.cleanup())
    return [*processes, RegisterEventHandler(cleanup)]


def process(spec: NodeSpec) -> ExecuteProcess:
    """Return the action of one row. A session is whole or over: one exit ends them all."""
    over = Shutdown(reason=f'{spec.name} has ended')
    if spec.is_ros:
        return Node(
            package=PACKAGE,
            executable=spec.executable,
            namespace=spec.namespace,
            parameters=[*map(str, spec.parameter_files), dict(spec.parameters)],
            arguments=list(spec.arguments),
            output='screen',
            on_exit=over,
        )
    program = ExecutableInPackage(package=PACKAGE, executable=spec.executable)
    return ExecuteProcess(
        cmd=[program, *spec.arguments], name=spec.name, output='screen', on_exit=over
    )

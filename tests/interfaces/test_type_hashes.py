# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The interface packages are wire-compatible with the ones that ROS 2 distributes.

A type's RIHS01 hash covers its fields, their order and all that they refer to. Middlewares compare
names only, or not at all: with a wrong field list, two sides would talk and misunderstand.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from elfin_bt import installed

PACKAGES = ('control_msgs', 'tf2_msgs', 'py_trees_ros_interfaces')

PARTS = {
    'msg': ('',),
    'srv': ('', '_Request', '_Response', '_Event'),
    'action': (
        *('', '_Goal', '_Result', '_Feedback', '_FeedbackMessage'),
        *('_SendGoal', '_SendGoal_Request', '_SendGoal_Response', '_SendGoal_Event'),
        *('_GetResult', '_GetResult_Request', '_GetResult_Response', '_GetResult_Event'),
    ),
}

# The first digits of the hashes that ROS 2's own packages have.
KNOWN = {
    'control_msgs/msg/JointTolerance': 'c254f9cece0f',
    'control_msgs/msg/JointComponentTolerance': '739ea7566931',
    'control_msgs/msg/JointTrajectoryControllerState': '51d8dd89cc62',
    'control_msgs/msg/SpeedScalingFactor': '0c240f349f2b',
    'control_msgs/msg/JointJog': 'ba249455a20f',
    'control_msgs/srv/QueryTrajectoryState': '4a0935dffef1',
    'control_msgs/action/FollowJointTrajectory_Goal': '8a9060704b26',
    'control_msgs/action/FollowJointTrajectory_Result': '8002e99ed2c1',
    'tf2_msgs/msg/TFMessage': 'e369d0f05a23',
    'py_trees_ros_interfaces/msg/Behaviour': '591a951497ca',
    'py_trees_ros_interfaces/msg/BehaviourTree': 'fbea5f031e37',
    'py_trees_ros_interfaces/msg/ActivityItem': '28c7d519bcdd',
    'py_trees_ros_interfaces/msg/KeyValue': 'c680be290238',
    'py_trees_ros_interfaces/msg/Statistics': '6afd684b110c',
    'py_trees_ros_interfaces/msg/SnapshotStreamParameters': '678f0bedf3cd',
    'py_trees_ros_interfaces/msg/ServiceDetails': 'dad90fba64ba',
    'py_trees_ros_interfaces/srv/OpenSnapshotStream': 'a71be77009b7',
    'py_trees_ros_interfaces/srv/CloseSnapshotStream': 'd7dc6548b32f',
    'py_trees_ros_interfaces/srv/ReconfigureSnapshotStream': '57f08c76262c',
    'py_trees_ros_interfaces/srv/OpenBlackboardStream': '07204a2404ed',
    'py_trees_ros_interfaces/srv/CloseBlackboardStream': '1fa8b08920a8',
    'py_trees_ros_interfaces/srv/GetBlackboardVariables': 'dcaca97d979e',
    'py_trees_ros_interfaces/srv/IntrospectServices': '1f3a17bfa4a9',
}
KNOWN_OF_DISTRO = {
    'jazzy': {
        'control_msgs/action/FollowJointTrajectory': '738ebcb7a2d7',
        'control_msgs/action/FollowJointTrajectory_Feedback': '3fd0aaecf717',
        'control_msgs/action/FollowJointTrajectory_FeedbackMessage': '80398fcb9674',
    },
    'kilted': {
        'control_msgs/action/FollowJointTrajectory': 'ff29901b2693',
        'control_msgs/action/FollowJointTrajectory_Feedback': '0bb018d181bd',
        'control_msgs/action/FollowJointTrajectory_FeedbackMessage': '95618cc73912',
    },
}


def described_types(package: str) -> dict[str, str]:
    """Return the hash of each type of `package`, from the descriptions its generator left."""
    share = installed.package_share(package)
    assert share is not None, f'{package} is not installed: run `make setup`'
    hashes: dict[str, str] = {}
    for description in share.glob('*/*.json'):
        for entry in json.loads(description.read_text())['type_hashes']:
            if entry['type_name'].startswith(f'{package}/'):
                hashes[entry['type_name']] = entry['hash_string']
    return hashes


def defined_types(repository: Path, package: str) -> Iterator[str]:
    """Yield the name of each type that our definitions of `package` generate."""
    for kind, parts in PARTS.items():
        for definition in (repository / 'interfaces' / package).rglob(f'*.{kind}'):
            for part in parts:
                yield f'{package}/{kind}/{definition.stem}{part}'


@pytest.fixture(scope='module')
def distro() -> str:
    name = installed.ros_distro()
    if name not in KNOWN_OF_DISTRO:
        pytest.skip(f"no hashes are known for the ROS distro '{name}'")
    return name


@pytest.mark.parametrize('package', PACKAGES)
def test_each_definition_was_generated_in_all_its_parts(repository: Path, package: str) -> None:
    expected = set(defined_types(repository, package))
    assert expected
    assert expected <= set(described_types(package))


@pytest.mark.parametrize('package', PACKAGES)
def test_every_generated_type_has_the_hash_of_the_real_one(
    shared: Callable[[str], Path], distro: str, package: str
) -> None:
    reference = json.loads(shared('reference/ros_type_hashes.json').read_text())[distro]
    generated = described_types(package)
    if not installed.is_stand_in(package):
        generated = {name: value for name, value in generated.items() if name in reference}
    assert generated
    assert generated == {name: reference.get(name, 'not a real type') for name in generated}


def test_known_types_have_the_known_hashes(distro: str) -> None:
    generated = {
        name: value for package in PACKAGES for name, value in described_types(package).items()
    }
    for name, digits in {**KNOWN, **KNOWN_OF_DISTRO[distro]}.items():
        assert generated[name].startswith(f'RIHS01_{digits}'), name

# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The transforms of the arm's links from its URDF and joint positions.

Does what robot_state_publisher does, for machines that have none: each joint gives the transform
from its parent link to its child link.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
"""(x, y, z, w)"""


@dataclass(frozen=True)
class Transform:
    """Where the frame ``child`` is in the frame ``parent``, in metres."""

    parent: str
    child: str
    translation: Vector
    rotation: Quaternion


@dataclass(frozen=True)
class _Joint:
    name: str
    axis: Vector
    origin: Transform


class RobotState:
    """The links of one robot. Revolute joints move, fixed joints don't; others are refused."""

    def __init__(self, urdf: str) -> None:
        robot = ElementTree.fromstring(urdf)
        self._revolute: list[_Joint] = []
        self._fixed: list[Transform] = []
        for element in robot.findall('joint'):
            joint = _joint(element)
            if element.attrib['type'] == 'fixed':
                self._fixed.append(joint.origin)
            elif element.attrib['type'] == 'revolute':
                self._revolute.append(joint)
            else:
                raise ValueError(f"joint '{joint.name}' is {element.attrib['type']}: not supported")

    def fixed(self) -> list[Transform]:
        """Return the transforms that never change."""
        return list(self._fixed)

    def moving(self, positions: Mapping[str, float]) -> list[Transform]:
        """Return the transforms of the joints at ``positions`` (rad, by joint name)."""
        return [_turned(joint, positions[joint.name]) for joint in self._revolute]


def rotation_z(angle: float) -> Quaternion:
    """Return the rotation by ``angle`` rad about z."""
    return (0.0, 0.0, math.sin(angle / 2.0), math.cos(angle / 2.0))


def _turned(joint: _Joint, angle: float) -> Transform:
    half_sine = math.sin(angle / 2.0)
    x, y, z = (half_sine * component for component in joint.axis)
    rotation = _product(joint.origin.rotation, (x, y, z, math.cos(angle / 2.0)))
    origin = joint.origin
    return Transform(origin.parent, origin.child, origin.translation, rotation)


def _joint(element: ElementTree.Element) -> _Joint:
    origin, axis = element.find('origin'), element.find('axis')
    parent, child = element.find('parent'), element.find('child')
    assert parent is not None and child is not None, 'URDF: a joint has a parent and a child'
    attributes = {} if origin is None else origin.attrib
    return _Joint(
        element.attrib['name'],
        _vector('1 0 0' if axis is None else axis.attrib['xyz']),
        Transform(
            parent.attrib['link'],
            child.attrib['link'],
            _vector(attributes.get('xyz', '0 0 0')),
            _from_rpy(*_vector(attributes.get('rpy', '0 0 0'))),
        ),
    )


def _vector(text: str) -> Vector:
    x, y, z = (float(part) for part in text.split())
    return x, y, z


def _from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion:
    """URDF: roll about x, then pitch about y, then yaw about z, all fixed axes."""
    about_x = (math.sin(roll / 2.0), 0.0, 0.0, math.cos(roll / 2.0))
    about_y = (0.0, math.sin(pitch / 2.0), 0.0, math.cos(pitch / 2.0))
    return _product(rotation_z(yaw), _product(about_y, about_x))


def _product(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton product: the rotation ``b``, then ``a``."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )

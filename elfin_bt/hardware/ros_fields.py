# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A backend's settings as parameters of the node: one for each field of a dataclass."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node

from elfin_bt.hardware.settings import SettingsError
from elfin_bt.ros.parameters import declare

SettingsT = TypeVar('SettingsT')


def settings_from_parameters(
    node: Node, kind: type[SettingsT], *, prefix: str = '', changeable: tuple[str, ...] = ()
) -> SettingsT:
    """The dataclass ``kind`` with the values of the node's parameters, declared where they are not.

    A field's metadata may hold ``description``, ``minimum``, ``maximum`` and ``choices``; a tuple
    becomes an array. Parameters are read-only, but for those in ``changeable``.

    Raises:
        SettingsError: a parameter has the wrong type or a value that can't be meant.
    """
    values: dict[str, Any] = {}
    for each in fields(kind):  # type: ignore[arg-type]
        name = prefix + each.name
        default: Any = each.default
        is_tuple = isinstance(default, tuple)
        if not node.has_parameter(name):
            try:
                declare(
                    node,
                    name,
                    list(default) if is_tuple else default,
                    each.metadata['description'],
                    minimum=each.metadata.get('minimum'),
                    maximum=each.metadata.get('maximum'),
                    choices=each.metadata.get('choices', ()),
                    read_only=each.name not in changeable,
                )
            except (
                InvalidParameterTypeException,
                InvalidParameterValueException,
                ValueError,
            ) as error:
                raise SettingsError(str(error)) from error
        value = node.get_parameter(name).value
        values[each.name] = tuple(value) if is_tuple else value
    return kind(**values)
